"""Pictures of results: a Vega-Lite specification and a sentence that says what it shows.

The specification is plain data; drawing it as SVG takes the extra ``reports``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import polars as pl

from celosia.core.errors import OptionError
from celosia.core.language import number_signs
from celosia.core.results import heading

_SCHEMA = "https://vega.github.io/schema/vega-lite/v5.json"  # a name, never fetched
_COLOURS = ("#b5651d", "#0b5c8a", "#4f7f4f", "#7b4b94", "#8a8a2a", "#555555")
"""Distinct in print and for the colour-blind; before is brown, after is blue."""
_LONG = 16
"""Letters of a name above which bars lie on their side."""


@dataclass(frozen=True, eq=False)
class Picture:
    """A chart with its text alternative."""

    alternative: str
    specification: Mapping[str, Any]

    def svg(self) -> str:
        """The chart as SVG."""
        try:
            import vl_convert
        except ImportError:
            raise OptionError("extra-missing", extra="reports") from None
        return str(vl_convert.vegalite_to_svg(dict(self.specification), format_locale=number_signs()))

    def _repr_mimebundle_(self, **_: Any) -> dict[str, Any]:
        return {"application/vnd.vegalite.v5+json": dict(self.specification), "text/plain": self.alternative}


def chart(
    rows: pl.DataFrame,
    x: str,
    y: str,
    *,
    alternative: str,
    mark: Literal["bar", "line", "point"] = "bar",
    group: str | None = None,
    share: bool = False,
    logarithmic: Sequence[str] = (),
    rule: float | None = None,
    behind: pl.DataFrame | None = None,
) -> Picture:
    """A chart of one table: ``x`` in the order of the rows, ``y`` a number (or a share), one colour a group.

    ``rule`` is the height of a line across, to read the others against; ``behind`` holds what ``rows`` sum up, in the
    same columns, shown as faint points. Bars with long names lie on their side.
    """
    discrete = mark == "bar" or not rows[x].dtype.is_numeric()
    along: dict[str, Any] = {"field": x, "title": heading(x), "type": "nominal" if discrete else "quantitative"}
    if discrete:
        along |= {"sort": None, "axis": {"labelAngle": 0 if rows[x].n_unique() <= 12 else -40}}
    up: dict[str, Any] = {"field": y, "title": heading(y), "type": "quantitative"}
    if share:
        up["axis"] = {"format": "~%"}
    for name, axis in ((x, along), (y, up)):
        if name in logarithmic:
            axis["scale"] = {"type": "log"}
    lies = mark == "bar" and max((len(str(name)) for name in rows[x]), default=0) > _LONG
    if lies:
        along |= {"axis": {"labelLimit": 400}, "title": None}
    encoding: dict[str, Any] = {"y": along, "x": up} if lies else {"x": along, "y": up}
    if group is None:
        encoding["color"] = {"value": _COLOURS[1]}
    else:
        legend, colours = {"labelLimit": 300, "symbolOpacity": 1}, {"range": list(_COLOURS)}
        named = {"field": group, "sort": None, "title": heading(group)}
        encoding["color"] = {**named, "legend": legend, "scale": colours}
        if mark == "bar":
            encoding["yOffset" if lies else "xOffset"] = {"field": group, "sort": None}
    drawn: dict[str, Any] = {"mark": {"type": mark, "point": True} if mark == "line" else mark, "encoding": encoding}
    layers = [*_around(rule, behind, encoding), drawn]
    height = 34 * rows.height if lies else 240
    return Picture(
        alternative,
        {
            "$schema": _SCHEMA,
            "width": 520,
            "height": height,
            "data": {"values": rows.to_dicts()},
            **({"layer": layers} if len(layers) > 1 else drawn),
            "config": {
                "font": "system-ui, DejaVu Sans, sans-serif",
                "axis": {"labelFontSize": 12, "titleFontSize": 12},
            },
        },
    )


def _around(rule: float | None, behind: pl.DataFrame | None, encoding: Mapping[str, Any]) -> list[dict[str, Any]]:
    """What stands behind a chart: a line across, and the values that it sums up."""
    layers: list[dict[str, Any]] = []
    if rule is not None:
        level = {"y": {"datum": rule, "type": "quantitative"}}
        layers.append({"mark": {"type": "rule", "strokeDash": [4, 3]}, "encoding": level})
    if behind is not None:
        faint = {"type": "point", "filled": True, "size": 14, "opacity": 0.4}
        layers.append({"data": {"values": behind.to_dicts()}, "mark": faint, "encoding": dict(encoding)})
    return layers
