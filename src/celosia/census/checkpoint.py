"""What a run has done so far, on disk: measurements once they are drawn, and every level once it is estimated.

A run that goes on from here draws nothing again. The folder belongs to one configuration; another one is refused.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from celosia.census.bounds import Bounds
from celosia.census.counts import Counts
from celosia.census.domain import Domain
from celosia.census.ledger import Spending
from celosia.census.measurement import Measurement
from celosia.core.errors import FileError, PolicyError
from celosia.io.atomic import writing

SCHEMA = "celosia-checkpoint-1"
_MANIFEST = "checkpoint.json"


@dataclass(frozen=True, eq=False)
class Drawn:
    """What estimation starts from, and nothing else: the data are not needed any more."""

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

    # -- measurements ------------------------------------------------------------------------------

    @property
    def begun(self) -> bool:
        """Whether the measurements are there."""
        return bool(self._about)

    def keep(self, drawn: Drawn) -> None:
        """Write the measurements down; the manifest comes last, so that they are all there or none is."""
        measurements = [
            {
                "level": one.level,
                "query": one.query.name,
                "variance": str(one.variance),
                "releasable": one.releasable,
                "values": self._save(f"measurement-{i}", values=one.values),
            }
            for i, one in enumerate(drawn.measurements)
        ]
        bounds = [
            {
                "level": one.level,
                "query": one.query.name,
                "values": self._save(f"limits-{i}", low=one.low, high=one.high),
            }
            for i, one in enumerate(drawn.bounds)
        ]
        self._about = {
            "schema": SCHEMA,
            "configuration": self.digest,
            "spending": drawn.spending.model_dump(mode="json"),
            "measurements": measurements,
            "bounds": bounds,
            "levels": [],
        }
        self._write()

    def drawn(self, domain: Domain) -> Drawn:
        """The measurements that were kept."""
        measurements = tuple(
            Measurement(
                one["level"],
                domain.query(one["query"]),
                Fraction(one["variance"]),
                self._load(one["values"])["values"],
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
            with writing(path) as temporary, temporary.open("wb") as file:
                np.save(file, array, allow_pickle=False)
            digests[key] = f"{path.name} {_digest(path)}"
        return digests

    def _load(self, saved: dict[str, str]) -> dict[str, npt.NDArray[Any]]:
        found = {}
        for key, entry in saved.items():
            name, digest = entry.split(" ")
            path = self.folder / name
            if not path.is_file() or _digest(path) != digest:
                raise FileError("checkpoint-broken", path=str(path))
            found[key] = np.load(path, allow_pickle=False)
        return found

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
