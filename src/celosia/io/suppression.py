"""The code and label that a written file gives to the cells we emptied, and the way back."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count

import polars as pl

from celosia.core.codes import spell_series
from celosia.core.dictionary import Dictionary, MissingKind, Variable
from celosia.core.errors import DataError
from celosia.core.language import LANGUAGES, speaking, text
from celosia.io import letters

LABEL = "value.suppressed"


def labels() -> frozenset[str]:
    """The label of a suppressed cell in every language."""
    found = set()
    for language in LANGUAGES:
        with speaking(language):
            found.add(text(LABEL))
    return frozenset(found)


def fill(column: pl.Series, mask: pl.Series, variable: Variable, *, as_letter: bool) -> tuple[pl.Series, Variable]:
    """The column with a code of its own in the suppressed cells, and its description with that code.

    Numbers get -9, -99 … (Stata: the number that stands for ``.s``), text ``*``, ``**`` …, the first that
    neither the data nor the dictionary use; any other type is written as ISO text.
    """
    if not column.dtype.is_numeric() and column.dtype != pl.String:
        column = spell_series(column)
    used = set(spell_series(column.unique()).drop_nulls()) | set(variable.values) | set(variable.missing)
    code = next(
        code
        for code in _candidates(text_codes=column.dtype == pl.String, as_letter=as_letter)
        if code not in used and variable.kind_of(code) is None
    )
    filled = _set(column, mask, code)
    described = variable.model_copy(
        update={
            "values": {**variable.values, code: text(LABEL)},
            "missing": {**variable.missing, code: MissingKind.SUPPRESSED},
        }
    )
    return filled, described


def _candidates(*, text_codes: bool, as_letter: bool) -> Iterator[str]:
    if text_codes:
        yield from ("*" * length for length in count(1))
    elif as_letter:
        order = "s" + "".join(letter for letter in reversed(letters.ALPHABET) if letter != "s")
        yield from (str(letters.number(letter)) for letter in order)
    yield from (f"-{'9' * length}" for length in range(1, 16))


def _set(column: pl.Series, mask: pl.Series, code: str) -> pl.Series:
    if column.dtype == pl.String:
        return column.zip_with(~mask, pl.Series([code]))
    wide = column.cast(pl.Float64 if column.dtype.is_float() or column.dtype.is_decimal() else pl.Int64)
    return wide.zip_with(~mask, pl.Series([int(code)]).cast(wide.dtype))


def found(frame: pl.DataFrame, dictionary: Dictionary) -> tuple[dict[str, pl.Series], Dictionary]:
    """Where a frame holds codes of suppressed cells, and the dictionary without those codes."""
    masks: dict[str, pl.Series] = {}
    for variable in dictionary:
        codes = [code for code, kind in variable.missing.items() if kind is MissingKind.SUPPRESSED]
        if any(span.kind is MissingKind.SUPPRESSED for span in variable.missing_ranges):
            raise DataError("suppressed-range", variable=variable.name)
        if not codes or variable.name not in frame.columns:
            continue
        masks[variable.name] = spell_series(frame[variable.name]).is_in(codes).fill_null(False)
        dictionary = _without(dictionary, variable, codes)
    return masks, dictionary


def _without(dictionary: Dictionary, variable: Variable, codes: list[str]) -> Dictionary:
    """The dictionary without these codes, and without the variable if they were all it said."""
    left = dictionary.replace(
        variable.name,
        values={code: label for code, label in variable.values.items() if code not in codes},
        missing={code: kind for code, kind in variable.missing.items() if code not in codes},
    )
    said_nothing_else = left[variable.name] == Variable(name=variable.name)
    return left.keep([name for name in left.names if name != variable.name]) if said_nothing_else else left
