"""``celosia inspect``: what a file holds, and what each variable seems to be."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl

from celosia.cli.output import Output
from celosia.core.errors import FileError
from celosia.core.language import number, text


def inspect(output: Output, file: Path, dictionary: Path | None, form: dict[str, Any], write_to: Path | None) -> int:
    """Read a file and describe it; optionally write the suggested dictionary, to be edited."""
    from celosia.io import read, sniff, suggest, suggested_dictionary, write_dictionary
    from celosia.process.inspection import describe

    if write_to is not None and write_to.exists():
        raise FileError("output-there", path=write_to.name)
    found = None
    if file.suffix.lower() in (".csv", ".tsv", ".txt"):
        found = sniff(file, **form)
    with output.working(), output.progress():
        data = read(file, dictionary=dictionary, csv=found or form or None)
        suggestions = suggest(data)
        variables = describe(data)
    if found is not None:
        names = {",": ",", ";": ";", "\t": text("label.tab"), "|": "|"}
        output.say(
            text(
                "inspect.form",
                delimiter=names[found.delimiter],
                decimal=found.decimal,
                encoding=found.encoding,
            )
        )
    output.say(text("inspect.size", records=number(data.height, 0), variables=number(len(data.variables), 0)))
    output.table(variables, title=file.name)
    if suggestions:
        output.table(_table(suggestions), title=text("inspect.suggestions"))
    if write_to is not None:
        write_dictionary(suggested_dictionary(suggestions, data.dictionary), write_to)
        output.say(f"{text('label.dictionary')}: {write_to}")
    results = {
        "form": None if found is None else found.model_dump(),
        "records": data.height,
        "variables": variables.to_dicts(),
        "suggestions": [{**seen.model_dump(mode="json"), "message": seen.text} for seen in suggestions],
    }
    return output.done(results)


def _table(suggestions: Any) -> pl.DataFrame:
    rows = [
        (s.variable, s.level, s.identification, text("label.yes") if s.sensitive else "", s.role, s.why)
        for s in suggestions
    ]
    names = ["variable", "measurement", "identification", "sensitive", "role", "why"]
    return pl.DataFrame(rows, schema=dict.fromkeys(names, pl.String), orient="row")
