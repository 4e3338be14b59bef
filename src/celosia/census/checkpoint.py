"""What a run has done so far, on disk: every measurement once it is drawn, and every level once it is estimated.

A run that goes on from here draws nothing again that was kept. The folder belongs to one configuration and to the
same data; others are refused.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from celosia.census import stored
from celosia.census.bounds import Bounds
from celosia.census.counts import Counts
from celosia.census.domain import Domain
from celosia.census.ledger import Spending
from celosia.census.measurement import Measurement
from celosia.census.stored import Stored, Values
from celosia.core.errors import FileError, PolicyError
from celosia.io.atomic import writing
from celosia.io.lock import alone

SCHEMA = "celosia-checkpoint-2"
_MANIFEST = "checkpoint.json"


@dataclass(frozen=True, eq=False)
class Drawn:
    """What estimation starts from, and nothing else: once every charge is measured the data are not needed any more."""

    spending: Spending
    measurements: tuple[Measurement, ...]
    bounds: tuple[Bounds, ...]


class Checkpoint:
    """The folder of one run.

    Parameters
    ----------
    folder
        Made where there is none.
    configuration
        What tells this run from others, as text; only its digest is kept.
    """

    def __init__(self, folder: str | Path, configuration: str) -> None:
        self.folder = Path(folder)
        self.digest = hashlib.blake2b(configuration.encode(), digest_size=16).hexdigest()
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise FileError("write-failed", path=str(self.folder), reason=error.strerror or "") from error
        self._about = self._read()

    @contextmanager
    def held(self) -> Iterator[None]:
        """No other process goes on with this run meanwhile: two would draw the same measurement twice."""
        with alone(self.folder / "run.lock", "checkpoint-busy"):
            self._about = self._read()
            yield

    # -- measurements ------------------------------------------------------------------------------

    @property
    def begun(self) -> bool:
        """Whether a run has announced what it will spend here."""
        return bool(self._about)

    @property
    def measured(self) -> bool:
        """Whether everything that was paid for is measured."""
        return self.begun and len(self._about["measurements"]) == len(self._about["spending"]["charges"])

    def begin(self, spending: Spending, bounds: tuple[Bounds, ...], data: str) -> None:
        """Announce a spending, before it is paid; ``data`` is the digest of what will be measured."""
        limits = [
            {
                "level": one.level,
                "query": one.query.name,
                "values": self._save(f"limits-{i}", low=one.low, high=one.high),
            }
            for i, one in enumerate(bounds)
        ]
        self._about = {
            "schema": SCHEMA,
            "configuration": self.digest,
            "data": data,
            "spending": spending.model_dump(mode="json"),
            "bounds": limits,
            "measurements": [],
            "levels": [],
        }
        self._write()

    def require_data(self, data: str) -> None:
        """Raise where a run goes on with other data than it began with."""
        if self._about["data"] != data:
            raise PolicyError("checkpoint-other-data", path=str(self.folder))

    @property
    def values(self) -> Path:
        """Where the values of the next measurement belong."""
        return self.folder / f"measurement-{len(self._about['measurements'])}-values.npy"

    def keep(self, measurement: Measurement) -> None:
        """Write the next measurement down; until the manifest names it, it was never drawn."""
        found, values = self._about["measurements"], self.values
        if isinstance(measurement.values, Stored):
            assert measurement.values.path == values
        else:
            self._write_array(values, measurement.values)
        entry = {
            "level": measurement.level,
            "query": measurement.query.name,
            "variance": str(measurement.variance),
            "releasable": measurement.releasable,
            "values": {"values": f"{values.name} {_digest(values)}"},
        }
        self._about["measurements"] = [*found, entry]
        self._write()

    def drawn(self, domain: Domain) -> Drawn:
        """What was announced, and the measurements that were kept so far."""
        measurements = tuple(
            Measurement(
                one["level"],
                domain.query(one["query"]),
                Fraction(one["variance"]),
                self._values(one["values"]["values"]),
                bool(one["releasable"]),
            )
            for one in self._about["measurements"]
        )
        limits = [(one, self._load(one["values"])) for one in self._about["bounds"]]
        bounds = tuple(
            Bounds(one["level"], domain.query(one["query"]), arrays["low"], arrays["high"]) for one, arrays in limits
        )
        return Drawn(Spending.model_validate(self._about["spending"]), measurements, bounds)

    # -- levels ------------------------------------------------------------------------------------

    def keep_level(self, level: int, counts: Counts) -> None:
        """Write down the counts of a level; ``level`` is the next one."""
        saved = self._save(f"level-{level}", first=counts.first, cell=counts.cell, count=counts.count)
        self._about["levels"] = [*self._about["levels"], saved]
        self._write()

    def levels(self, domain: Domain) -> list[Counts]:
        """The levels that were estimated, root first."""
        arrays = [self._load(saved) for saved in self._about["levels"]]
        return [Counts(one["first"], one["cell"], one["count"], domain.size) for one in arrays]

    # -- files -------------------------------------------------------------------------------------

    def _save(self, name: str, **arrays: npt.NDArray[Any]) -> dict[str, str]:
        """Write arrays; gives the digests of the files by the names of the arrays."""
        digests = {}
        for key, array in arrays.items():
            path = self.folder / f"{name}-{key}.npy"
            self._write_array(path, array)
            digests[key] = f"{path.name} {_digest(path)}"
        return digests

    def _write_array(self, path: Path, array: npt.NDArray[Any]) -> None:
        with writing(path) as temporary, temporary.open("wb") as file:
            np.save(file, array, allow_pickle=False)

    def _load(self, saved: dict[str, str]) -> dict[str, npt.NDArray[Any]]:
        return {key: np.load(self._unbroken(entry), allow_pickle=False) for key, entry in saved.items()}

    def _values(self, entry: str) -> Values:
        """The values of a measurement, left on disk where they are many."""
        held = Stored(self._unbroken(entry))
        return held if held.shape[0] * held.shape[1] >= stored.LARGE else np.load(held.path, allow_pickle=False)

    def _unbroken(self, entry: str) -> Path:
        """The file of an entry, which is what it was."""
        name, digest = entry.split(" ")
        path = self.folder / name
        if not path.is_file() or _digest(path) != digest:
            raise FileError("checkpoint-broken", path=str(path))
        return path

    def _read(self) -> dict[str, Any]:
        path = self.folder / _MANIFEST
        if not path.exists():
            return {}
        try:
            about: dict[str, Any] = json.loads(path.read_text("utf-8"))
        except (OSError, ValueError):
            raise FileError("checkpoint-broken", path=str(path)) from None
        if not isinstance(about, dict) or about.get("schema") != SCHEMA:
            raise FileError("checkpoint-broken", path=str(path))
        if about["configuration"] != self.digest:
            raise PolicyError("checkpoint-other", path=str(self.folder))
        return about

    def _write(self) -> None:
        with writing(self.folder / _MANIFEST) as temporary:
            temporary.write_text(json.dumps(self._about, indent=1), "utf-8")


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, lambda: hashlib.blake2b(digest_size=16)).hexdigest()


def digest_of(lines: Iterable[str]) -> str:
    """A digest of many texts."""
    made = hashlib.blake2b(digest_size=16)
    for line in lines:
        made.update(line.encode() + b"\0")
    return made.hexdigest()


def digest_of_counts(counts: Counts) -> str:
    """A digest of what the records count, whatever their order."""
    made = hashlib.blake2b(digest_size=16)
    for array in (counts.first, counts.cell, counts.count):
        made.update(np.ascontiguousarray(array).data)
    return made.hexdigest()
