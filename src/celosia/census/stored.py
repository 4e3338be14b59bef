"""Large tables of values on disk, read a run of rows at a time: memory follows the subtree that is worked on."""

from __future__ import annotations

import tempfile
import weakref
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from celosia.io.atomic import writing

LARGE = 1 << 27
"""Values from which a table is kept on disk: a gigabyte in memory."""
BLOCK = 1 << 24
"""Values of such a table that are held at a time."""


class Stored:
    """A table of whole numbers in a file of numpy's own format, read by rows.

    Parameters
    ----------
    path
        The file.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        with path.open("rb") as file:
            np.lib.format.read_magic(file)
            self.shape, _, self.dtype = np.lib.format.read_array_header_1_0(file)
            self._offset = file.tell()

    @classmethod
    def write(
        cls, shape: tuple[int, int], kind: type[np.integer[Any]], blocks: Iterable[npt.NDArray[Any]], path: Path | None
    ) -> Stored:
        """Write runs of rows, one after the other; without a path to a file that goes with the object."""
        target = path or _passing_file()
        with writing(target) as temporary, temporary.open("wb") as file:
            header = {"descr": np.lib.format.dtype_to_descr(np.dtype(kind)), "fortran_order": False, "shape": shape}
            np.lib.format.write_array_header_1_0(file, header)
            for block in blocks:
                block.astype(kind).tofile(file)
        found = cls(target)
        if path is None:
            weakref.finalize(found, target.unlink, missing_ok=True)
        return found

    def __len__(self) -> int:
        """Rows."""
        return int(self.shape[0])

    def __getitem__(self, rows: slice) -> npt.NDArray[Any]:
        """A run of rows."""
        start, stop, _ = rows.indices(len(self))
        width = int(self.shape[1])
        offset = self._offset + start * width * self.dtype.itemsize
        count = max(stop - start, 0) * width
        return np.fromfile(self.path, dtype=self.dtype, count=count, offset=offset).reshape(-1, width)


Values: TypeAlias = npt.NDArray[np.int64] | Stored
"""Values in memory, or on disk where they are many: both give runs of rows."""


def runs(rows: int, width: int) -> Iterator[slice]:
    """The rows of a large table, a block at a time."""
    step = max(1, BLOCK // width)
    return (slice(start, min(start + step, rows)) for start in range(0, rows, step))


def _passing_file() -> Path:
    with tempfile.NamedTemporaryFile(prefix="celosia-", suffix=".npy", delete=False) as file:
        return Path(file.name)
