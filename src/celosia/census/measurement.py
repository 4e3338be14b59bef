"""Noisy measurements, and the file that lets anybody process them anew."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from celosia.census.geography import Geography
from celosia.census.query import Query
from celosia.census.stored import Values
from celosia.core.errors import DataError, FileError, OptionError
from celosia.io.atomic import writing

SCHEMA = "celosia-measurements-1"
_KEY = "celosia"
_BLOCK = 1 << 20
"""Rows that are written at a time."""


@dataclass(frozen=True, eq=False)
class Measurement:
    """The answers of one query at every node of one level, with noise.

    Attributes
    ----------
    level
        Name of the level.
    query
        What was asked.
    variance
        σ² of the noise of each answer: exact for the discrete Gaussian (its parameter), a rational
        approximation for the discrete Laplace.
    values
        One row a node in tree order, one column an answer; on disk where they are many.
    releasable
        False where any of the noise came from a test source.
    """

    level: str
    query: Query
    variance: Fraction
    values: Values
    releasable: bool


def write_measurements(measurements: Sequence[Measurement], geography: Geography, path: str | Path) -> None:
    """The noisy-measurement file: Parquet with level, place, query, cell, value and variance.

    The exact variances (fractions) and whether the file may be released are in its metadata. Everything written
    is protected already: nothing is computed from the data here.
    """
    about = {
        "schema": SCHEMA,
        "releasable": all(one.releasable for one in measurements),
        "levels": list(geography.levels),
        "measurements": [
            one.query.to_dict() | {"level": one.level, "variance": str(one.variance), "releasable": one.releasable}
            for one in measurements
        ],
    }
    columns = _Columns(measurements, geography)
    from polars.io.plugins import register_io_source

    def blocks(
        with_columns: list[str] | None, predicate: pl.Expr | None, n_rows: int | None, batch_size: int | None
    ) -> Iterator[pl.DataFrame]:
        for one in measurements:
            yield from columns.blocks(one)

    rows = register_io_source(blocks, schema=columns.schema)
    with writing(path) as temporary:
        rows.sink_parquet(temporary, metadata={_KEY: json.dumps(about, ensure_ascii=False)})


class _Columns:
    """How the rows of a measurement are written: names as categories known beforehand."""

    def __init__(self, measurements: Sequence[Measurement], geography: Geography) -> None:
        self.geography = geography
        names = {name for one in measurements for name in geography.names[geography.level(one.level)]}
        labels = {label for one in measurements for label in one.query.answer_labels}
        self.schema: dict[str, pl.DataType] = {
            "level": pl.Enum(geography.levels),
            "place": pl.Enum(sorted(names)),
            "query": pl.Enum(sorted({one.query.name for one in measurements})),
            "cell": pl.Enum(sorted(labels)),
            "value": pl.Int64(),
            "variance": pl.Float64(),
        }

    def blocks(self, one: Measurement) -> Iterator[pl.DataFrame]:
        places = pl.Series(self.geography.names[self.geography.level(one.level)], dtype=self.schema["place"])
        cells = pl.Series(one.query.answer_labels, dtype=self.schema["cell"])
        nodes, answers = one.values.shape
        step = max(1, _BLOCK // answers)
        for first in range(0, nodes, step):
            values = one.values[first : first + step]
            rows, height = len(values), values.size
            yield pl.DataFrame(
                {
                    "level": pl.repeat(one.level, height, dtype=self.schema["level"], eager=True),
                    "place": places.gather(np.repeat(np.arange(first, first + rows), answers)),
                    "query": pl.repeat(one.query.name, height, dtype=self.schema["query"], eager=True),
                    "cell": cells.gather(np.tile(np.arange(answers), rows)),
                    "value": values.ravel().astype(np.int64, copy=False),
                    "variance": pl.repeat(float(one.variance), height, dtype=pl.Float64, eager=True),
                }
            )


def read_measurements(path: str | Path, geography: Geography, queries: Iterable[Query]) -> list[Measurement]:
    """The measurements of a file, for the same places and queries; rows may be in any order."""
    about = _about(Path(path))
    known = {query.name: query for query in queries}
    rows = pl.scan_parquet(path)
    return [_read_one(rows, entry, geography, known) for entry in about["measurements"]]


def _about(path: Path) -> dict[str, Any]:
    try:
        content = pl.read_parquet_metadata(path).get(_KEY)
    except pl.exceptions.PolarsError:
        raise FileError("file-broken", path=str(path)) from None
    except OSError as error:
        raise FileError("file-unreadable", path=str(path), reason=error.strerror or "") from None
    about: dict[str, Any] = json.loads(content) if content else {}
    if about.get("schema") != SCHEMA:
        raise FileError("measurements-other", path=str(path))
    return about


def _read_one(rows: pl.LazyFrame, entry: dict[str, Any], geography: Geography, known: dict[str, Query]) -> Measurement:
    name, level = entry["name"], entry["level"]
    if name not in known or known[name].size != entry["answers"]:
        raise OptionError("query-unknown", query=name, known=tuple(known))
    query, places = known[name], geography.names[geography.level(level)]
    found = rows.filter(pl.col("level") == level, pl.col("query") == name).select("place", "cell", "value").collect()
    place, cell = _positions(found["place"], places), _positions(found["cell"], query.answer_labels)
    index = place.astype(np.int64) * query.size + cell
    wanted = len(places) * query.size
    if index.size != wanted or bool((np.bincount(index, minlength=wanted) != 1).any()):
        raise DataError("measurements-incomplete", query=name, level=level, expected=wanted, found=index.size)
    values = np.empty(wanted, dtype=np.int64)
    values[index] = found["value"].to_numpy()
    return Measurement(
        level, query, Fraction(entry["variance"]), values.reshape(-1, query.size), bool(entry["releasable"])
    )


def _positions(names: pl.Series, known: Sequence[str]) -> npt.NDArray[np.int64]:
    """Where each name is among the known ones."""
    try:
        return names.cast(pl.String).cast(pl.Enum(known)).to_physical().cast(pl.Int64).to_numpy()
    except pl.exceptions.PolarsError:
        raise DataError("measurements-other-names", column=names.name) from None
