"""The inventory of data sets that an intruder could use (INE Tarea 3-1): what each gives, and who holds it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from celosia.core.model import Frozen, Names

if TYPE_CHECKING:
    from celosia.process.plan import Plan


class Source(Frozen):
    """A data set outside the office: a register, a roll, another survey, somebody's own knowledge.

    Parameters
    ----------
    keys
        The variables of our file that it holds, under our names.
    title
        What it is.
    holders
        Who has it.
    file
        Its records, where the office has them: population frequencies are then counted in it and not estimated.
    """

    name: str
    keys: Names
    title: str = ""
    holders: tuple[str, ...] = ()
    file: str | None = None

    @property
    def spoken(self) -> str:
        """What it is, and who has it."""
        return (self.title or self.name) + (f" ({', '.join(self.holders)})" if self.holders else "")


def inventory(plan: Plan) -> pl.DataFrame:
    """One row a scenario of a plan: who the intruder is, what is known, from where, and what is asked of it.

    The prioritised scenario comes first; a policy is the scenario's own, else the plan's.
    """
    spoken = {source.name: source.spoken for source in plan.sources}
    rows = [
        {
            "scenario": scenario.name,
            "prioritised": scenario.prioritised,
            "intruder": scenario.intruder or None,
            "known": ", ".join(scenario.variables),
            "sources": "; ".join(spoken.get(name, name) for name in scenario.sources) or None,
            "policy": scenario.policy or plan.policy,
            "reason": scenario.reason or None,
        }
        for scenario in sorted(plan.scenarios, key=lambda scenario: not scenario.prioritised)
    ]
    texts = dict.fromkeys(("scenario", "intruder", "known", "sources", "policy", "reason"), pl.String)
    return pl.DataFrame(rows, schema_overrides=texts)
