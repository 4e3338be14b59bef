"""``celosia anonymity``: how many people a birth date, a sex and a place single out, from published counts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl
from pydantic import BaseModel, ValidationError

from celosia.cli.output import Output
from celosia.cli.risk import pairs, read_table, show_result
from celosia.core.errors import OptionError
from celosia.core.language import has_text, text

if TYPE_CHECKING:
    from celosia.core.run import Run
    from celosia.demography import Births, Counts, ExpectedAnonymity, RecordAnonymity, SimulatedAnonymity
    from celosia.demography.limits import Answer

PICTURES = (".svg", ".json")


@dataclass(frozen=True)
class Asked:
    """What is asked of which counts."""

    file: Path
    periods: tuple[str, ...]
    by: tuple[str, ...] = ()
    shows: tuple[str, ...] | None = None
    form: dict[str, Any] = field(default_factory=dict)
    """How the table is laid out."""
    csv: dict[str, str] = field(default_factory=dict)
    births: dict[str, Any] = field(default_factory=dict)
    k: int = 1
    below: str | None = None
    in_each: tuple[str, ...] = ()
    simulations: int | None = None
    seed: int | None = None


@dataclass(frozen=True)
class Survey:
    """The file whose records are looked up in the counts."""

    file: Path
    keys: tuple[str, ...]
    weight: str | None
    dictionary: Path | None
    match: tuple[str, ...]


@dataclass(frozen=True)
class Files:
    """Where results are written, beside the screen."""

    table: Path | None = None
    picture: Path | None = None
    page: Path | None = None


@dataclass(frozen=True)
class Found:
    """All that was found."""

    expected: ExpectedAnonymity
    simulated: SimulatedAnonymity | None
    answers: tuple[Answer, ...]
    records: RecordAnonymity | None


def anonymity(output: Output, asked: Asked, survey: Survey | None, files: Files) -> int:
    """Expect, simulate, judge and look up; print, write and end with the verdict where there is a limit."""
    from celosia.io.atomic import keep_apart

    if files.picture is not None and files.picture.suffix.lower() not in PICTURES:
        raise OptionError("picture-suffix", known=PICTURES)
    outputs = [path for path in (files.table, files.picture, files.page) if path is not None]
    keep_apart(outputs, [asked.file] if survey is None else [asked.file, survey.file])
    with output.working(), output.progress() as run:
        found = _found(asked, survey, run)
        written = _write(asked, files, found)
    _show(output, found)
    for path in written.values():
        output.say(f"{text('label.written')}: {path}")
    passes = all(answer.passes for answer in found.answers) if found.answers else None
    return output.done(_results(found, written), passes)


def _found(asked: Asked, survey: Survey | None, run: Run) -> Found:
    from celosia.core.run import Run as Keyed
    from celosia.demography import Counts, expected_anonymity, simulate_anonymity
    from celosia.demography.births import details
    from celosia.io import read

    wanted, births, limit = details(asked.periods), _births(asked.births), _limit(asked)
    counts = Counts.of(read(asked.file, csv=asked.csv or None), **_of_form(asked.form))
    expected = expected_anonymity(counts, wanted, asked.by, asked.shows, births)
    simulated = None
    if asked.simulations is not None:
        drawn = run if asked.seed is None else Keyed(key=asked.seed, threads=run.threads, progress=run.progress)
        simulated = simulate_anonymity(counts, wanted, asked.by, asked.shows, births, asked.simulations, run=drawn)
    answers = () if limit is None else limit.answers(counts, wanted, births)
    return Found(expected, simulated, answers, None if survey is None else _looked_up(survey, counts, births))


def _refused(error: ValidationError, model: type[BaseModel]) -> OptionError:
    """The options that a model does not take, and the form of the first of them."""
    field = str(error.errors(include_input=False, include_context=False, include_url=False)[0]["loc"][0])
    code, option = f"form.{field}", "at-most" if field == "k" else field.replace("_", "-")
    where = f"--{option}: {text(code)}" if has_text(code) else text("label.command-line")
    return OptionError.of_fields(error, where=where, model=model)


def _births(given: dict[str, Any]) -> Births:
    from celosia.demography import Births

    try:
        return Births(**given)
    except ValidationError as error:
        raise _refused(error, Births) from None


def _limit(asked: Asked) -> Any:
    from celosia.demography.limits import Limit

    if asked.below is None:
        return None
    try:
        return Limit(k=asked.k, below=asked.below, in_each=asked.in_each, shows=asked.shows)
    except ValidationError as error:
        raise _refused(error, Limit) from None


def _of_form(form: dict[str, Any]) -> dict[str, Any]:
    """The options of the layout, checked before the file is read."""
    from celosia.demography import CountsForm

    try:
        CountsForm(**form)
    except ValidationError as error:
        raise _refused(error, CountsForm) from None
    return form


def _looked_up(survey: Survey, counts: Counts, births: Births) -> RecordAnonymity:
    from celosia.demography import record_anonymity

    data = read_table(survey.file, survey.dictionary)
    match = pairs(survey.match, "--match")
    return record_anonymity(data, survey.keys, counts, match, births, survey.weight)


def _show(output: Output, found: Found) -> None:
    from celosia.report.anonymity import answer_sentence, answer_table, group_tables

    show_result(output, found.expected, text("anonymity.expected.caption"))
    if found.expected.groups.names:
        for title, rows in group_tables(found.expected):
            output.table(rows, title=title)
    if found.simulated is not None:
        show_result(output, found.simulated, text("anonymity.simulations"))
    if found.answers:
        output.table(answer_table(found.answers), title=text("anonymity.answers"))
        for answer in found.answers:
            output.say(answer_sentence(answer))
    if found.records is not None:
        show_result(output, found.records, text("anonymity.records.caption"))


def result_table(found: Found) -> pl.DataFrame:
    """The table that is written: classes by group and detail, with the simulated interval where there is one."""
    table = found.expected.classes()
    if found.simulated is None:
        return table
    keys = [*found.expected.groups.names, "periods", "k"]
    drawn = found.simulated.table().select(*keys, pl.col("people").alias("median"), "low", "high")
    return table.join(drawn, on=keys, how="left", maintain_order="left")


def _write(asked: Asked, files: Files, found: Found) -> dict[str, Path]:
    """The files that were asked for, all or none of them."""
    import json

    from celosia.io.atomic import writing_all
    from celosia.io.harmless import guard
    from celosia.report.anonymity import anonymity_page

    wanted = {"table": files.table, "picture": files.picture, "page": files.page}
    paths = {what: path for what, path in wanted.items() if path is not None}
    if len({path.resolve() for path in paths.values()}) < len(paths):
        raise OptionError("outputs-same")
    texts = {}
    if files.table is not None:
        table = result_table(found)
        texts["table"] = table.with_columns(guard(table[name]) for name in found.expected.groups.names).write_csv()
    if files.picture is not None:
        drawn = found.expected.picture()
        plain = files.picture.suffix.lower() == ".json"
        texts["picture"] = json.dumps(dict(drawn.specification), ensure_ascii=False) if plain else drawn.svg()
    if files.page is not None:
        texts["page"] = anonymity_page(asked.file.name, found.expected, found.simulated, found.answers, found.records)
    if paths:
        with writing_all(*paths.values()) as temporaries:
            for what, temporary in zip(paths, temporaries, strict=True):
                temporary.write_text(texts[what], "utf-8")
    return paths


def _results(found: Found, written: dict[str, Path]) -> dict[str, Any]:
    passing = [answer for answer in found.answers if answer.passes]
    finest = max(passing, key=lambda answer: answer.share).detail if passing else None
    return {
        "expected": found.expected.to_dict(),
        "rows": _rows(found),
        "simulated": None if found.simulated is None else found.simulated.to_dict(),
        "answers": [answer.to_dict() for answer in found.answers],
        "finest": finest,
        "records": None if found.records is None else found.records.to_dict(),
        "files": {what: str(path) for what, path in written.items()},
    }


def _rows(found: Found) -> Sequence[dict[str, Any]]:
    """Every group and class, where there are groups."""
    return result_table(found).to_dicts() if found.expected.groups.names else []
