"""The evaluation that a plan asks for: errors, other budgets, other protections."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from celosia.census import Release, TopDown
from celosia.census.answers import answers
from celosia.census.comparison import (
    Anonymity,
    Comparison,
    Diversity,
    ErrorsOf,
    LinkageOf,
    Look,
    Truth,
    compare,
    untreated,
)
from celosia.census.evaluation import Evaluation, evaluate
from celosia.census.published import Counted as CountedFile
from celosia.census.published import Published, Recorded
from celosia.census.tradeoff import Tradeoff, tradeoff
from celosia.core.microdata import Microdata
from celosia.core.run import Run
from celosia.process.census.plan import CensusPlan
from celosia.process.census.sources import done
from celosia.process.census.tables import Counted
from celosia.process.step import Step


@dataclass(frozen=True, eq=False)
class Evaluated:
    """What was found; nothing where the plan asks nothing.

    Attributes
    ----------
    answers
        Every question place by place: what is published beside what is true.
    """

    evaluation: Evaluation | None = None
    comparison: Comparison | None = None
    curve: Tradeoff | None = None
    answers: pl.DataFrame | None = None


def evaluated(
    plan: CensusPlan, counted: Counted, data: Microdata, topdown: TopDown, release: Release, run: Run
) -> Evaluated:
    """Look at the release of one table beside the truth."""
    if not counted.questions:
        return Evaluated()
    truth = CountedFile.of("truth", data, release.domain, release.geography)
    whole = Truth(truth, release.domain, counted.groups, plan.public)
    errors = evaluate(
        truth, release, release.domain, counted.questions, release.measurements, counted.groups, plan.public, run
    )
    curve = None
    if counted.curve:
        curve = tradeoff(topdown, data, counted.curve, counted.questions, public=plan.public, run=run)
    told = answers(truth, release, release.domain, counted.questions)
    return Evaluated(errors, _compared(plan, counted, whole, release, run), curve, told)


def _compared(plan: CensusPlan, counted: Counted, truth: Truth, release: Release, run: Run) -> Comparison | None:
    """The release beside other protections, under the same questions and the same intruder."""
    asked = counted.compare
    if asked is None:
        return None
    register = None if asked.auxiliary is None else asked.auxiliary.read(plan.resolve)
    looks: list[Look] = [
        ErrorsOf(counted.questions),
        Anonymity(asked.keys, asked.k),
        Diversity(asked.keys, asked.sensitive, asked.l),
        LinkageOf(asked.keys, asked.sensitive, register),
    ]
    others = (_protected(name, steps, truth, run) for name, steps in asked.protections.items())
    return compare(truth, [untreated(truth), *others, release], looks)


def _protected(name: str, steps: tuple[Step, ...], truth: Truth, run: Run) -> Published:
    """What other steps would publish of the same records."""
    assert truth.counted.data is not None
    run.check(name)
    return Recorded(name, truth.domain, truth.counted.geography, done(steps, truth.counted.data))
