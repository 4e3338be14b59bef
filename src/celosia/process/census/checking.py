"""A published census checked from its folder alone, as anybody may.

The files are those of the certificate, the ledger adds up to what it says, and records, histograms and measurements
agree.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import polars as pl

from celosia.census import Domain, Geography, Ledger, Protection, Spending, Table, read_measurements
from celosia.core.errors import CelosiaError, FileError
from celosia.core.results import Tabular
from celosia.process.census.certificate import SCHEMA
from celosia.process.census.files import MARK
from celosia.process.census.outcome import STEM
from celosia.verify.census_files import check_columns, check_histogram

CERTIFICATE = ("certificado.json", "certificado.html")


@dataclass(frozen=True)
class Row:
    """One thing that was looked at: the file, what is asked of it, and whether it holds."""

    file: str
    check: str
    holds: bool


@dataclass(frozen=True, eq=False)
class Checked(Tabular):
    """All that was looked at in a folder."""

    folder: Path
    releasable: bool
    rows: tuple[Row, ...] = field(repr=False)

    @property
    def passes(self) -> bool:
        """Whether everything holds, of a release that is no test."""
        return self.releasable and all(row.holds for row in self.rows)

    def table(self) -> pl.DataFrame:
        """One row a check."""
        return pl.DataFrame([vars(row) for row in self.rows])

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        rows = [vars(row) for row in self.rows]
        return {"folder": str(self.folder), "releasable": self.releasable, "passes": self.passes, "checks": rows}


def check(folder: str | Path) -> Checked:
    """Check a public folder against its own certificate."""
    where = Path(folder)
    files = _Files(where)
    return Checked(where, files.said["releasable"] is True, tuple(files.rows()))


class _Files:
    """A folder, and what its certificate says of it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        found = [folder / f"{mark}{CERTIFICATE[0]}" for mark in ("", MARK)]
        path = next((file for file in found if file.is_file()), found[0])
        self.mark = MARK if path.name.startswith(MARK) else ""
        try:
            self.said: dict[str, Any] = json.loads(path.read_text("utf-8"))
        except FileNotFoundError:
            raise FileError("file-missing", path=str(path)) from None
        except (OSError, ValueError):
            raise FileError("file-broken", path=str(path)) from None
        if self.said.get("schema") != SCHEMA:
            raise FileError("certificate-other", path=str(path))

    def rows(self) -> Iterator[Row]:
        """Every check, in order."""
        whole = True
        for name, facts in self.said["files"].items():
            file = self.folder / name
            same = file.is_file() and _digest(file) == facts["sha256"]
            whole &= same
            yield Row(name, "digest", same)
        allowed = {*self.said["files"], *(self.mark + name for name in CERTIFICATE)}
        strangers = sorted(file.name for file in self.folder.iterdir() if file.name not in allowed)
        yield from (Row(name, "named", False) for name in strangers)
        if not whole:
            return
        ledger = f"{self.mark}libro.json"
        yield Row(ledger, "adds-up", _holds(self._ledger))
        for table in self.said["tables"]:
            stem = f"{self.mark}{STEM[Table(table['table'])]}"
            yield Row(f"{stem}.histograma.parquet", "counts", _holds(partial(self._counts, table, stem)))
            yield Row(f"{stem}.mediciones.parquet", "measured", _holds(partial(self._measured, table, stem)))

    def _ledger(self) -> bool:
        """Whether the losses that are certified are those of the charges, added up anew."""
        written = json.loads((self.folder / f"{self.mark}libro.json").read_text("utf-8"))
        made = _ledger_of(written).to_dict()
        certified = {name: value for name, value in made.items() if name != "spendings"}
        return bool(made == written and certified == self.said["ledger"])

    def _counts(self, table: Mapping[str, Any], stem: str) -> bool:
        """Whether the records are those that the histograms count, and have no other column."""
        from celosia.io import read

        records = read(self.folder / f"{self.mark}{table['file']}").frame
        told = [one["level"] for one in table["levels"][1:] if not one["groups"]]
        check_columns(records, (*told, *table["variables"]))
        check_histogram(records, pl.read_parquet(self.folder / f"{stem}.histograma.parquet"), told)
        return bool(records.height == table["records"])

    def _measured(self, table: Mapping[str, Any], stem: str) -> bool:
        """Whether every charge of this run was measured once, at every place, with the variance it was charged for."""
        from celosia.io import read

        domain = Domain.model_validate(json.loads((self.folder / f"{stem}.dominio.json").read_text("utf-8")))
        if (list(domain.names), domain.size) != (table["variables"], table["cells"]):
            return False
        levels = tuple(one["level"] for one in table["levels"])
        places = read(self.folder / f"{self.mark}lugares.csv").frame
        tree = Geography.of_table(places.with_columns(pl.lit(levels[0]).alias(levels[0])), levels)
        charges = table["measurements"]
        queries = [domain.query(name) for name in dict.fromkeys(charge["query"] for charge in charges)]
        found = read_measurements(self.folder / f"{stem}.mediciones.parquet", tree, queries)
        made = [(one.level, one.query.name, float(one.variance)) for one in found]
        return sorted(made) == sorted((one["level"], one["query"], one["variance"]) for one in charges)


def _ledger_of(written: Mapping[str, Any]) -> Ledger:
    protection = Protection(unit=written["unit"], neighbours=written["neighbours"], members=written["members"])
    return Ledger(
        data=written["data"],
        protection=protection,
        limits=written["limits"],
        measure=written["measure"],
        delta=written["losses"][0]["delta"],
        spendings=tuple(Spending.model_validate(one) for one in written["spendings"]),
    )


def _holds(asked: Callable[[], bool]) -> bool:
    """Whether a check holds; what cannot be read does not."""
    try:
        return asked()
    except (CelosiaError, ValueError, KeyError, OSError, pl.exceptions.PolarsError):
        return False


def _digest(file: Path) -> str:
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()
