"""The evaluation that a plan asks for: errors, other budgets, other protections."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from celosia.census import Release, TopDown
from celosia.census.comparison import (
    Anonymity,
    Comparison,
    Diversity,
    ErrorsOf,
    LinkageOf,
    Look,
    Truth,
    compare,
    ine_2017,
    untreated,
)
from celosia.census.evaluation import Evaluation, evaluate
from celosia.census.published import Counted as CountedFile
from celosia.census.tradeoff import Tradeoff, tradeoff
from celosia.core.run import Run
from celosia.process.census.plan import Counted


@dataclass(frozen=True, eq=False)
class Evaluated:
    """What was found; nothing where the plan asks nothing."""

    evaluation: Evaluation | None = None
    comparison: Comparison | None = None
    curve: Tradeoff | None = None


def evaluated(counted: Counted, data: Any, topdown: TopDown, release: Release, public: bool, run: Run) -> Evaluated:
    """Look at the release of one table beside the truth."""
    if not counted.questions:
        return Evaluated()
    truth = CountedFile.of("truth", data, release.domain, release.geography)
    errors = evaluate(truth, release, release.domain, counted.questions, release.measurements, counted.groups, public)
    curve = None
    if counted.curve:
        curve = tradeoff(topdown, data, counted.curve, counted.questions, public=public, run=run)
    return Evaluated(errors, _compared(counted, truth, release, public), curve)


def _compared(counted: Counted, truth: CountedFile, release: Release, public: bool) -> Comparison | None:
    """The release beside other protections, under the same questions and the same intruder."""
    asked = counted.compare
    if asked is None:
        return None
    looks: list[Look] = [
        ErrorsOf(counted.questions),
        Anonymity(asked.keys, asked.k),
        Diversity(asked.keys, asked.sensitive, asked.l),
        LinkageOf(asked.keys, asked.sensitive),
    ]
    whole = Truth(truth, release.domain, counted.groups, public)
    others = [untreated(whole)] if asked.ine_2017 is None else [untreated(whole), ine_2017(whole, **asked.ine_2017)]
    return compare(whole, [*others, release], looks)
