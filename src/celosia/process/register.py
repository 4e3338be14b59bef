"""The register that a scenario's intruder holds, where the office has it, in the coding of the file."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from celosia.core.codes import spell_series
from celosia.core.errors import DataError, warn
from celosia.core.microdata import Microdata

NOBODY = "__nobody"
"""What a code is mapped to that the file never had."""

if TYPE_CHECKING:
    from celosia.process.scenario import Scenario
    from celosia.process.study import Study


def register(study: Study, scenario: Scenario) -> Microdata | None:
    """The records of the first source of a scenario that has a file with all its keys; ``None`` where none has.

    Its codes are mapped as the file's own were recoded. A code that no record of the file had agrees with nobody: who
    is not known to have become like a record of the file does not hide it.
    """
    from celosia.io import read

    held = next((s for s in study.plan.sources if s.name in scenario.sources and s.file is not None), None)
    if held is None or held.file is None:
        return None
    people = read(study.plan.resolve(held.file))
    people = people.with_dictionary(people.dictionary.update(study.root.data.dictionary.keep(scenario.keys)))
    keys = [key for key in scenario.keys if key in study.data and key in people]
    return people.with_columns({key: _recoded(study, key, people.column(key)) for key in keys})


def _recoded(study: Study, key: str, values: pl.Series) -> pl.Series:
    """Codes of a key as the steps of the study write them, and a warning of those that no record had."""
    coded = recoded(study, key, values)
    if coded is not values and (unmapped := int((coded == NOBODY).sum())):
        warn("register-unmapped", variable=key, count=unmapped)
    return coded


def recoded(study: Study, key: str, values: pl.Series) -> pl.Series:
    """Codes of a key as the steps of the study write them; ``NOBODY`` for one that no record of the file had."""
    first = study.root.data.in_order_of(study.data.ids)
    known = pl.DataFrame({"source": spell_series(first.column(key)), "image": spell_series(study.truth.column(key))})
    if known["source"].equals(known["image"], null_equal=True):
        return values
    pairs = known.unique().drop_nulls("source")
    if pairs["source"].is_duplicated().any():
        raise DataError("register-coding", variable=key)
    codes = spell_series(values)
    return codes.replace_strict(pairs["source"], pairs["image"], default=NOBODY).set(codes.is_null(), None)
