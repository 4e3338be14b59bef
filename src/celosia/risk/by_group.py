"""Any risk by group: a mean over the file hides those who are few.

Foreigners, indigenous peoples, small places or large households are told apart more easily than the rest; their risk is
shown beside the mean, the worst group first. Risk is measured in the whole file and then looked at in each group: a
foreigner is not hidden among locals by leaving the locals out.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
import polars as pl

from celosia.core.condition import holds
from celosia.core.errors import OptionError
from celosia.core.language import percent, text
from celosia.core.picture import Picture, chart
from celosia.core.results import Tabular, heading
from celosia.risk.records import records_of

Mask = npt.NDArray[np.bool_]


class OfRecords(Protocol):
    """A risk that says something of every record."""

    def by_record(self) -> dict[str, npt.NDArray[Any]]:
        """Figures of each record, in row order, the foremost first; more is worse."""
        ...

    def remarks(self) -> tuple[str, ...]:
        """What they must not be read without."""
        ...


def tells_of_the_file(result: Any) -> bool:
    """Whether a measure says something of every record of its file, and not of the people of another one."""
    return hasattr(result, "by_record") and not getattr(result, "of_others", False)


@dataclass(frozen=True, eq=False)
class RiskByGroup(Tabular):
    """The risk of the file, and of each group in it.

    Attributes
    ----------
    figures
        What the measure says of each record, the foremost figure first.
    groups
        Name of the group → its records.
    basis
        The measure itself, which says what its figures rest on.
    """

    figures: Mapping[str, npt.NDArray[Any]] = field(repr=False)
    groups: Mapping[str, Mask] = field(repr=False)
    basis: OfRecords = field(repr=False)

    @property
    def foremost(self) -> str:
        """The figure by which groups are compared."""
        return next(iter(self.figures))

    @property
    def worst(self) -> str | None:
        """The group with the highest mean of the foremost figure; ``None`` where every group is empty."""
        rows = self.table().filter(pl.col("group").is_not_null() & (pl.col("records") > 0))
        return rows["group"][0] if rows.height else None

    def table(self) -> pl.DataFrame:
        """The mean of every figure: one row a group, the whole file first (no group), then the worst."""
        everybody = np.ones(self.figures[self.foremost].size, dtype=np.bool_)
        rows = [self._row(name, members) for name, members in self.groups.items()]
        rows.sort(key=lambda row: (row["records"] == 0, -(row[self.foremost] or 0.0)))
        types = dict.fromkeys([*self.figures, "highest"], pl.Float64)
        return pl.DataFrame([self._row(None, everybody), *rows], schema_overrides={"group": pl.String, **types})

    def _row(self, name: str | None, members: Mask) -> dict[str, Any]:
        count = int(members.sum())
        means = {figure: float(values[members].mean()) if count else None for figure, values in self.figures.items()}
        highest = float(self.figures[self.foremost][members].max()) if count else None
        return {"group": name, "records": count, **means, "highest": highest}

    def views(self) -> dict[str, pl.DataFrame]:
        """The table; the highest risk is a share but where the figure is none."""
        return {"": self.table().rename({} if self.foremost == "mean" else {"highest": "highest_risk"})}

    def remarks(self) -> tuple[str, ...]:
        """Which group stands worst, and what the measure itself has to say."""
        if self.worst is None:
            return self.basis.remarks()
        return (text("remark.worst", group=self.worst, figure=heading(self.foremost)), *self.basis.remarks())

    def picture(self) -> Picture:
        """The foremost figure of each group beside the file's."""
        figure = pl.col(self.foremost).replace(float("inf"), None).fill_null(0.0)
        rows = self.table().select(pl.col("group").fill_null(text("none.group")), figure.alias("share"))
        said = ", ".join(f"{group}: {percent(share)}" for group, share in rows.iter_rows())
        alternative = text("picture.by-group", figure=heading(self.foremost), said=said)
        return chart(rows, "group", "share", share=True, alternative=alternative)

    def to_dict(self) -> dict[str, Any]:
        """The table as plain numbers, and the worst group."""
        rows = self.table().to_dicts()
        plain = [{name: None if value == float("inf") else value for name, value in row.items()} for row in rows]
        return {"figure": self.foremost, "worst": self.worst, "groups": plain}


def by_group(risk: OfRecords, groups: Mapping[str, Mask | str], frame: Any = None) -> RiskByGroup:
    """The risk of groups of records.

    Parameters
    ----------
    risk
        Any measure that says something of every record.
    groups
        Name of the group → a mask over the records, or a condition on the variables of ``frame``.
    frame
        The records that were measured, for the conditions; their original values where those were treated.

    Examples
    --------
    >>> import polars as pl
    >>> from celosia.risk import individual, suda2
    >>> frame = pl.DataFrame({"pais": [1, 1, 1, 2], "sexo": [1, 2, 1, 1]})
    >>> groups = {"extranjeros": "pais != 1"}
    >>> by_group(individual(frame, keys=["pais"]), groups, frame).table()["global_risk"].to_list()
    [0.5, 1.0]
    >>> by_group(suda2(frame, keys=["pais", "sexo"]), groups, frame).foremost
    'dis'
    """
    if not hasattr(risk, "by_record"):
        raise OptionError("not-by-record", measure=type(risk).__name__)
    figures = risk.by_record()
    records = next(iter(figures.values())).size
    conditions = [group for group in groups.values() if isinstance(group, str)]
    if conditions and frame is None:
        raise OptionError("group-frame")
    data = records_of(frame) if conditions else None
    masks: dict[str, Mask] = {}
    for name, group in groups.items():
        mask = holds(group, data) if isinstance(group, str) and data is not None else np.asarray(group)
        if mask.dtype != np.bool_ or mask.size != records:
            raise OptionError("group-mask", records=records)
        masks[name] = mask
    return RiskByGroup(figures, masks, risk)
