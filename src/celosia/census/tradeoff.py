r"""The curve of privacy against usefulness: the errors of a release at several budgets.

Each point is a whole run with noise from a test source, so that nothing of it can be published by mistake. On
confidential data the curve is confidential as well, and a budget chosen by it tells something of them: draw it on
synthetic data, or on those of an earlier census that are public.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

import polars as pl

from celosia.census import accounting
from celosia.census.accuracy import accuracy
from celosia.census.bits import SeededBits
from celosia.census.budget import Budget, PureBudget
from celosia.census.exact import exact
from celosia.census.ledger import DELTA
from celosia.census.published import Counted
from celosia.census.topdown import TopDown
from celosia.core.errors import OptionError
from celosia.core.frames import enter
from celosia.core.language import number, text
from celosia.core.picture import Picture, chart
from celosia.core.results import Tabular
from celosia.core.run import Run


@dataclass(frozen=True)
class Point:
    """The errors of one question at one budget, over all runs.

    Attributes
    ----------
    budget
        ρ, or ε of a pure budget, exact.
    epsilon
        ε at the δ of the curve.
    runs
        Runs that the errors are the mean of.
    """

    budget: Fraction
    epsilon: float
    level: str
    query: str
    mae: float
    rmse: float
    runs: int


@dataclass(frozen=True, eq=False)
class Tradeoff(Tabular):
    """All points of the curve."""

    points: tuple[Point, ...] = field(repr=False)
    delta: Fraction
    confidential: bool

    def table(self) -> pl.DataFrame:
        """One row a budget and question."""
        names = ("epsilon", "level", "query", "mae", "rmse", "runs")
        rows = [{"budget": float(p.budget)} | {name: getattr(p, name) for name in names} for p in self.points]
        return pl.DataFrame(rows)

    def picture(self) -> Picture:
        """Mean absolute error against ε, a line a question."""
        asked = pl.concat_str("level", "query", separator=" · ").alias("question")
        rows = self.table().select("epsilon", "mae", asked)
        said = ", ".join(f"ε {number(e, 2)}: {q} {number(mae, 2)}" for e, mae, q in rows.iter_rows())
        alternative = text("picture.census-tradeoff", said=said)
        return chart(rows, "epsilon", "mae", mark="line", group="question", alternative=alternative)

    def to_dict(self) -> dict[str, Any]:
        """Every point; exact budgets as fractions in text."""
        rows = [
            {"budget": str(point.budget)} | {name: value for name, value in row.items() if name != "budget"}
            for point, row in zip(self.points, self.table().to_dicts(), strict=True)
        ]
        return {"confidential": self.confidential, "delta": str(self.delta), "points": rows}


def tradeoff(
    topdown: TopDown,
    data: Any,
    budgets: Sequence[Any],
    questions: Mapping[str, Sequence[str]],
    *,
    runs: int = 1,
    delta: Any = DELTA,
    seed: int = 1,
    public: bool = False,
    run: Run | None = None,
) -> Tradeoff:
    """Run a census at several budgets, and look at its errors.

    Parameters
    ----------
    topdown
        The census; only the size of its budget is changed, its shares stay.
    budgets
        The sizes: ρ, or ε of a pure budget.
    questions
        Level → names of queries.
    runs
        Runs at each budget, whose errors are averaged.
    public
        Whether the data may be known to anybody.
    """
    if runs < 1 or not budgets:
        raise OptionError("option-range", option="runs", low=1, high="∞")
    records = enter(data)
    truth = Counted.of("truth", records, topdown.domain, topdown.geography)
    asked = [
        (topdown.geography.level(level), topdown.domain.query(name)) for level in questions for name in questions[level]
    ]
    sizes, at, points = [exact(size) for size in budgets], exact(delta), []
    for number_of, size in enumerate(sizes):
        sized = replace(topdown, budget=_resized(topdown.budget, size))
        found: dict[int, list[tuple[float, float]]] = {}
        for again in range(runs):
            if run is not None:
                run.check("tradeoff", (number_of * runs + again) / (len(sizes) * runs))
            release = sized.run(records, source=SeededBits(seed + number_of * runs + again))
            for i, (level, query) in enumerate(asked):
                figures = accuracy(truth, release, level, query, topdown.geography.nodes[level])
                assert figures.mae is not None and figures.rmse is not None
                found.setdefault(i, []).append((figures.mae, figures.rmse))
        epsilon = _epsilon(topdown.budget, size, at)
        for i, (level, query) in enumerate(asked):
            mae, rmse = (sum(column) / runs for column in zip(*found[i], strict=True))
            points.append(Point(size, epsilon, topdown.geography.levels[level], query.name, mae, rmse, runs))
    return Tradeoff(tuple(points), at, confidential=not public)


def _resized(budget: Budget | PureBudget, size: Fraction) -> Budget | PureBudget:
    if isinstance(budget, Budget):
        return Budget(**{**_fields(budget), "rho": size})
    return PureBudget(**{**_fields(budget), "epsilon": size})


def _fields(budget: Budget | PureBudget) -> dict[str, Any]:
    return {name: getattr(budget, name) for name in type(budget).model_fields}


def _epsilon(budget: Budget | PureBudget, size: Fraction, delta: Fraction) -> float:
    return accounting.epsilon(size, delta) if isinstance(budget, Budget) else float(size)
