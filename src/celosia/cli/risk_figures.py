"""``celosia risk FILE`` without ``--measure``: the general figures, the ways of counting side by side."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import polars as pl

from celosia.core.language import number, percent, text

if TYPE_CHECKING:
    from celosia.risk import IndividualRisk
    from celosia.risk.frequencies import Missing

_LEVELS = (2, 3, 5)
_RISKS = (0.01, 0.05, 0.25)


def figures(found: Mapping[Missing, IndividualRisk]) -> pl.DataFrame:
    """One row a figure, one column a way of counting; where all say the same, one of counts and one of shares."""
    told = {way: _told(risk) for way, risk in found.items()}
    first, *others = told.values()
    if all(other == first for other in others):
        return pl.DataFrame(
            [(name, *pair) for name, pair in first.items()], schema=["figure", "count", "share"], orient="row"
        )
    columns = {f"way_{way}": [_together(*pair) for pair in one.values()] for way, one in told.items()}
    return pl.DataFrame({"figure": list(first), **columns})


def agree(found: Mapping[Missing, IndividualRisk]) -> bool:
    """Whether several ways of counting were asked for and say the same."""
    first, *others = (_told(risk) for risk in found.values())
    return bool(others) and all(other == first for other in others)


def plain(found: Mapping[Missing, IndividualRisk]) -> dict[str, Any]:
    """The same as plain numbers: of the first way by itself, and of each."""
    each = {way: _plain(risk) for way, risk in found.items()}
    first = next(iter(found.values()))
    return {**next(iter(each.values())), "table": first.table().to_dicts(), "countings": each}


def _plain(risk: IndividualRisk) -> dict[str, Any]:
    counted = risk.frequencies
    below = {str(k): counted.below(k) for k in _LEVELS}
    return {"frequencies": counted.to_dict(), "risk": risk.to_dict(), "violations": below}


def _told(risk: IndividualRisk) -> dict[str, tuple[str, str]]:
    """Each figure as a count and a share, in the reader's language."""
    told = {text("figure.records"): (number(risk.records, 0), "")}
    told[text("figure.global")] = number(risk.expected, 2), percent(risk.global_risk)
    if risk.household_expected is not None and risk.household_global_risk is not None:
        pair = number(risk.household_expected, 2), percent(risk.household_global_risk)
        told[text("figure.global-household")] = pair
    for k in _LEVELS:
        below = risk.frequencies.below(k)
        told[text("figure.below", k=k)] = number(below, 0), percent(below / risk.records)
    for at in _RISKS:
        above = text("figure.above-level", level=percent(at, 0))
        told[above] = number(risk.above(at), 0), percent(risk.share_above(at))
    return told


def _together(count: str, share: str) -> str:
    return f"{count} ({share})" if share else count
