"""Demographic anonymity in a plan: whether a file may show a birth month, and how many share each record's key.

Questions are judged on published counts of the population: for a detail that is named, or for what a variable of the
file tells, before its steps and after. An answer that does not meet its limit fails the verdict.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from pydantic import Field, model_validator

from celosia.core.codes import spell_series
from celosia.core.errors import DataError, OptionError
from celosia.core.microdata import Microdata
from celosia.core.model import Frozen, ReadOnly
from celosia.demography.birth_codes import finest
from celosia.demography.births import DETAILS, Births, Detail
from celosia.demography.counts import Counts
from celosia.demography.expected import ExpectedAnonymity, expected_anonymity
from celosia.demography.limits import Answer, Limit
from celosia.demography.published import CountsFile
from celosia.demography.record_anonymity import RecordAnonymity, record_anonymity
from celosia.process.measuring import perturbed
from celosia.process.register import recoded
from celosia.process.weighing import weighed

if TYPE_CHECKING:
    from celosia.process.scenario import Scenario
    from celosia.process.study import Study


class Question(Limit):
    """A question to the counts: whether a file may show birth dates to this detail.

    Parameters
    ----------
    detail
        ``day``, ``month`` or ``year``.
    variable
        Or the variable of the file with the birth dates: what it tells is found out, before the steps and after.
    """

    name: str
    detail: Detail | None = None
    variable: str | None = None

    @model_validator(mode="after")
    def _one_subject(self) -> Question:
        if (self.detail is None) == (self.variable is None):
            raise OptionError("options-one", options=("detail", "variable"))
        return self

    @property
    def limit(self) -> Limit:
        """The limit alone."""
        return Limit(k=self.k, below=self.below, in_each=self.in_each, shows=self.shows)


class Anonymity(Frozen):
    """The section of a plan.

    Parameters
    ----------
    counts
        The file of published counts, or how it is laid out.
    births
        The calendar of births; birth dates of the file need its ``date``.
    match
        Variable of the file → column of the counts, where they have other names.
    questions
        What is asked.
    """

    counts: CountsFile
    births: Births = Births()
    match: ReadOnly[str, str] = Field(default_factory=dict, validate_default=True)
    questions: tuple[Question, ...] = ()


@dataclass(frozen=True)
class Asked:
    """A question answered, for the file before its steps or after."""

    question: str
    variable: str | None
    file: Literal["before", "after"]
    answer: Answer

    @property
    def passes(self) -> bool:
        """Whether the limit is met."""
        return self.answer.passes

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain values."""
        return {"question": self.question, "variable": self.variable, "file": self.file, **self.answer.to_dict()}


@dataclass(frozen=True, eq=False)
class Inquiry:
    """The section of a plan at work: its counts, read once."""

    section: Anonymity
    known: dict[tuple[str, str | None], Answer] = field(default_factory=dict, repr=False)

    @cached_property
    def counts(self) -> Counts:
        """The published counts."""
        return self.section.counts.read()

    def asked(self, study: Study) -> tuple[Asked, ...]:
        """Every question answered."""
        files: tuple[tuple[Literal["before", "after"], Study], ...] = (("before", study.root), ("after", study))
        made = []
        for question in self.section.questions:
            for file, state in files:
                if question.variable is not None:
                    detail = _told(state.data, study.root.data, question.variable)
                    made.append(Asked(question.name, question.variable, file, self._answer(question, detail)))
                elif file == "after":
                    made.append(Asked(question.name, None, file, self._answer(question, question.detail)))
        return tuple(made)

    def _answer(self, question: Question, detail: Detail | None) -> Answer:
        place = (question.name, detail)
        if place not in self.known:
            self.known[place] = question.limit.answer(self.counts, detail, self.section.births)
        return self.known[place]

    @cached_property
    def expected(self) -> ExpectedAnonymity:
        """The expected anonymity of the population, to the day, month and year, by what the questions report by."""
        by = next((question.in_each for question in self.section.questions if question.in_each), ())
        return expected_anonymity(self.counts, DETAILS, by, births=self.section.births)

    def columns(self, study: Study, scenario: Scenario) -> dict[str, str]:
        """The keys of a scenario that the counts have, and their columns there."""
        named = {key: self.section.match.get(key, key) for key in scenario.keys if key in study.data}
        return {key: column for key, column in named.items() if column in self.counts.names}

    def records(self, study: Study, scenario: Scenario) -> RecordAnonymity | None:
        """The true anonymity of each record, by the keys that the counts have; ``None`` where it cannot be told.

        Of perturbed keys the counts say nothing, and a person of a panel is not her rounds.
        """
        columns = self.columns(study, scenario)
        if not columns or scenario.person is not None or perturbed(study, scenario):
            return None
        counts = self._coded(study, columns)
        weight = study.weight if study.weighted else None
        return record_anonymity(
            weighed(study, study.data), tuple(columns), counts, columns, self.section.births, weight
        )

    def _coded(self, study: Study, columns: Mapping[str, str]) -> Counts:
        """The counts by these columns, in the codes of the file as they are now; ages are read, not recoded."""
        counts = self.counts.only(tuple(dict.fromkeys(columns.values())))
        images = {
            column: recoded(study, key, counts.cells[column])
            for key, column in columns.items()
            if column != counts.form.age
        }
        return counts.recoded({name: spell_series(values) for name, values in images.items()})


def _told(data: Microdata, first: Microdata, name: str) -> Detail | None:
    """How much of a birth date a variable tells; nothing where a step dropped it."""
    if name not in data:
        first.require(name)
        return None
    values = data.column(name)
    there = values.filter(~data.dictionary[name].missing_mask(values))
    try:
        return finest(spell_series(there.unique()).to_list())
    except ValueError:
        raise DataError("birth-unreadable", variable=name) from None
