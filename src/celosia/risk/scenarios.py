"""Several scenarios measured together: one to five intruders, each with the keys that he has.

What an intruder knows decides the risk; INE's standard asks for one to five scenarios, compared in one table. Every
figure stands beside its other ways of counting, so that nobody rests a verdict on wildcards alone without seeing it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import polars as pl

from celosia.core.errors import OptionError
from celosia.core.language import percent, text
from celosia.core.picture import Picture, chart
from celosia.core.results import Tabular
from celosia.core.run import Run
from celosia.engines import engine
from celosia.risk.frequencies import COUNTINGS, Missing, frequencies
from celosia.risk.individual import IndividualRisk, of_frequencies
from celosia.risk.options import one_of
from celosia.risk.records import records_of

MOST = 5
"""INE's standard (3-1.2): one to five scenarios."""


@dataclass(frozen=True, eq=False)
class ScenarioRisks(Tabular):
    """The risk of each scenario under each way of counting.

    Attributes
    ----------
    risks
        (scenario, way of counting) → its risk.
    prioritised
        The scenario that the office puts first, if any.
    counts_only
        Scenarios with perturbed keys: their figures count false values and are no measure of risk.
    """

    risks: Mapping[tuple[str, Missing], IndividualRisk] = field(repr=False)
    prioritised: str | None = None
    counts_only: frozenset[str] = frozenset()

    def __getitem__(self, place: tuple[str, Missing]) -> IndividualRisk:
        """The risk of one scenario under one way of counting."""
        return self.risks[place]

    def table(self) -> pl.DataFrame:
        """One row a scenario and way of counting."""
        rows = []
        for (name, missing), risk in self.risks.items():
            below = risk.frequencies.below
            rows.append(
                {
                    "scenario": name,
                    "prioritised": name == self.prioritised,
                    "key_variables": len(risk.frequencies.keys.names),
                    "counting": missing,
                    "counts_only": name in self.counts_only,
                    "global_risk": risk.global_risk,
                    "household_global_risk": risk.household_global_risk,
                    "above_1": risk.share_above(0.01),
                    "above_5": risk.share_above(0.05),
                    "above_25": risk.share_above(0.25),
                    "uniques": below(2),
                    "violations_3": below(3),
                    "violations_5": below(5),
                }
            )
        return pl.DataFrame(rows, schema_overrides={"household_global_risk": pl.Float64})

    def views(self) -> dict[str, pl.DataFrame]:
        """The columns that say something of these scenarios."""
        table = self.table().rename({"counting": "way"})
        idle = [name for name in ("prioritised", "counts_only") if not table[name].any()]
        return {"": table.drop(idle, "above_1", "violations_5")}

    def picture(self) -> Picture:
        """Share of records that violate 3-anonymity, by scenario and way of counting."""
        rows = pl.DataFrame(
            [
                {
                    "scenario": name,
                    "way": text(f"way.{missing}"),
                    "share": risk.frequencies.below(3) / risk.records,
                }
                for (name, missing), risk in self.risks.items()
            ]
        )
        said = "; ".join(f"{name}, {counting}: {percent(share)}" for name, counting, share in rows.iter_rows())
        alternative = text("picture.scenarios", said=said)
        return chart(rows, "scenario", "share", group="way", share=True, alternative=alternative)

    def to_dict(self) -> dict[str, Any]:
        """The table as plain numbers."""
        return {"scenarios": self.table().to_dicts()}


def scenarios(
    frame: Any,
    keys: Mapping[str, Sequence[str]],
    weight: str | None = None,
    household: str | None = None,
    missing: Sequence[Missing] = ("wildcard", "strict"),
    truth: Any = None,
    run: Run | None = None,
) -> ScenarioRisks:
    """Measure one to five scenarios together.

    Parameters
    ----------
    frame, weight, household, truth
        As in ``individual``.
    keys
        Name of each scenario → its key variables.
    missing
        The ways of counting to put side by side; ``"intruder"`` takes ``truth``.

    Examples
    --------
    >>> import polars as pl
    >>> frame = pl.DataFrame({"sexo": [1, 1, 2], "edad": [30, 40, 30]})
    >>> found = scenarios(frame, {"vecino": ["sexo"], "registro": ["sexo", "edad"]}, missing=["strict"])
    >>> found.table()["uniques"].to_list()
    [1, 3]
    """
    if not 1 <= len(keys) <= MOST:
        raise OptionError("scenarios-number", most=MOST, found=len(keys))
    for rule in missing or ("",):
        one_of("missing", rule, COUNTINGS)
    if (truth is not None) != ("intruder" in missing):
        raise OptionError("truth-needed" if truth is None else "truth-unused")
    data = records_of(frame)
    households = None if household is None else engine(data).group(household)
    risks: dict[tuple[str, Missing], IndividualRisk] = {}
    for name, chosen in keys.items():
        for rule in missing:
            shown = truth if rule == "intruder" else None
            found = frequencies(frame if rule == "intruder" else data, chosen, weight, rule, truth=shown, run=run)
            risks[name, rule] = of_frequencies(found, households)
    return ScenarioRisks(risks)
