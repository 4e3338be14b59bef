"""Demographic anonymity on a page: the plan's questions, the population by k, and the anonymity of each record."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from celosia.core.language import number, percent, text
from celosia.demography import ExpectedAnonymity, RecordAnonymity, SimulatedAnonymity
from celosia.demography.limits import NO_DATE, Answer
from celosia.demography.pictures import spoken
from celosia.process.anonymity import Asked, Inquiry
from celosia.process.study import Study
from celosia.report.blocks import Block, Figure, Note, Table, Title
from celosia.report.page import page

_ROWS = 40
"""Groups of a table that a page shows, those with most people."""


# -- the summary page of a plan ---------------------------------------------------------------------


def study_blocks(study: Study) -> list[Block]:
    """The blocks of a study whose plan asks published counts; none where it does not."""
    inquiry = study.inquiry
    if inquiry is None:
        return []
    made: list[Block] = [Title(text("anonymity.title"))]
    if study.asked:
        after = [one for one in study.asked if one.file == "after"]
        made += [Note(answer_sentence(one.answer), "good" if one.passes else "bad") for one in after]
        made.append(
            Table(text("anonymity.questions.caption"), question_table(study.asked), ("limit", "before", "after"))
        )
    made += expected_blocks(inquiry.expected)
    for scenario in study.plan.scenarios:
        found = study.record_anonymity(scenario.name)
        if found is not None:
            made += record_blocks(found, scenario.name, _not_counted(inquiry, study, scenario.name))
    return made


def _not_counted(inquiry: Inquiry, study: Study, scenario: str) -> tuple[str, ...]:
    """The keys of a scenario that the counts do not have."""
    chosen = study.plan.scenario(scenario)
    known = inquiry.columns(study, chosen)
    return tuple(key for key in chosen.keys if key not in known and key in study.data)


def question_table(asked: Sequence[Asked]) -> pl.DataFrame:
    """A row a question, as an office reads it: what is shown before and after, and the verdict."""
    before = {one.question: one for one in asked if one.file == "before"}
    rows = []
    for one in (one for one in asked if one.file == "after"):
        first = before.get(one.question)
        rows.append(
            (
                one.question,
                spoken_detail(first.answer.detail) if first else "–",
                spoken_detail(one.answer.detail),
                number(one.answer.k, 0),
                ", ".join(one.answer.in_each),
                _limit(one.answer),
                percent(first.answer.worst) if first else "–",
                percent(one.answer.worst),
                text("label.meets" if one.passes else "label.exceeds"),
            )
        )
    names = ["question", "date_before", "date_after", "at_most_k", "in_each", "limit", "before", "after", "verdict"]
    return pl.DataFrame(rows, schema=dict.fromkeys(names, pl.String), orient="row")


def spoken_detail(detail: str) -> str:
    """A detail of the birth date, or that there is none."""
    return text("periods.none") if detail == NO_DATE else spoken(detail)


def _limit(answer: Answer) -> str:
    return "0\u202f%" if answer.limit == 0 else f"<\u00a0{number(round(100 * answer.limit, 6))}\u202f%"


def answer_sentence(answer: Answer) -> str:
    """Whether a file may show birth dates to a detail, and why."""
    facts = {"detail": spoken_detail(answer.detail), "share": percent(answer.worst), "limit": _limit(answer)}
    facts |= {"k": number(answer.k, 0), "beyond": number(answer.beyond, 0), "groups": number(answer.groups, 0)}
    code = f"anonymity.{'none' if answer.detail == NO_DATE else 'date'}.{'yes' if answer.passes else 'no'}"
    said = text(code, **facts)
    return f"{said} {text('anonymity.groups', **facts)}" if answer.in_each else said


def answer_table(answers: Sequence[Answer]) -> pl.DataFrame:
    """A row a detail: people, share, the worst group, limit and verdict."""
    rows = [
        (
            spoken_detail(answer.detail),
            number(answer.k, 0),
            number(answer.people, 0),
            percent(answer.share),
            percent(answer.worst),
            number(answer.beyond, 0),
            _limit(answer),
            text("label.meets" if answer.passes else "label.exceeds"),
        )
        for answer in answers
    ]
    names = ["periods", "at_most_k", "people", "expected_share", "most_exposed", "groups_beyond", "limit", "verdict"]
    table = pl.DataFrame(rows, schema=dict.fromkeys(names, pl.String), orient="row")
    return table if any(answer.in_each for answer in answers) else table.drop("most_exposed", "groups_beyond")


# -- what was expected, simulated and counted -------------------------------------------------------


def expected_blocks(found: ExpectedAnonymity) -> list[Block]:
    """The population by k, and how it falls with the size of the place where there are places."""
    return [
        *(Note(remark) for remark in found.remarks()),
        *(Table(text(code or "anonymity.expected.caption"), table) for code, table in found.views().items()),
        Figure(text("anonymity.figure.caption"), found.picture()),
    ]


def group_tables(found: ExpectedAnonymity) -> list[tuple[str, pl.DataFrame]]:
    """For each detail its title, and a row a group in the layout of Cuadros 2 to 4; the largest groups first."""
    made = []
    for detail in found.details:
        table = found.layout(detail)
        facts = {"shown": number(min(_ROWS, table.height), 0), "of": number(table.height, 0)}
        title = text("anonymity.groups.caption", detail=spoken(detail), **facts)
        made.append((title, table.sort("total", descending=True, maintain_order=True).head(_ROWS)))
    return made


def simulated_blocks(found: SimulatedAnonymity) -> list[Block]:
    """Medians and margins of all people together; by group they are in the file of results."""
    notes = [*found.remarks(), *([text("anonymity.simulated.groups")] if found.groups.names else [])]
    tables = [] if found.groups.names else [Table(text("anonymity.simulations"), found.overview())]
    return [*(Note(note) for note in notes), *tables]


def record_blocks(found: RecordAnonymity, scenario: str = "", left_out: Sequence[str] = ()) -> list[Block]:
    """How many records have few like them, by what is known of the population."""
    made: list[Block] = [Title(text("anonymity.records", scenario=scenario).rstrip(" :·"), 3)]
    made += [Note(remark) for remark in found.remarks()]
    if left_out:
        made.append(Note(text("anonymity.left-out", variables=left_out), "warning"))
    made += [Table(text("anonymity.records.caption"), table) for table in found.views().values()]
    made.append(Figure(text("anonymity.records.figure"), found.picture()))
    return made


# -- the page of a table of counts alone ------------------------------------------------------------


def anonymity_page(
    name: str,
    found: ExpectedAnonymity,
    simulated: SimulatedAnonymity | None = None,
    answers: Sequence[Answer] = (),
    records: RecordAnonymity | None = None,
) -> str:
    """A page on published counts, in both languages."""

    def blocks() -> list[Block]:
        made: list[Block] = [Title(f"{text('anonymity.title')}: {name}", 1)]
        made += [Note(answer_sentence(answer), "good" if answer.passes else "bad") for answer in answers]
        made += expected_blocks(found)
        made += simulated_blocks(simulated) if simulated is not None else []
        made += [Table(title, rows) for title, rows in (group_tables(found) if found.groups.names else [])]
        return made + (record_blocks(records) if records is not None else [])

    return page(lambda: f"{text('anonymity.title')}: {name}", blocks)
