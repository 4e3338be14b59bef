"""Where the bits of the noise come from: the operating system, or a seed that marks all it touches."""

from __future__ import annotations

import os
from typing import Any, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

W = TypeVar("W", bound=np.unsignedinteger[Any])


class Bits(Protocol):
    """A stream of independent fair bits."""

    @property
    def releasable(self) -> bool:
        """Whether noise made of these bits may be published."""
        ...

    def words(self, count: int, kind: type[W]) -> npt.NDArray[W]:
        """The next ``count`` words."""
        ...


class SystemBits:
    """The operating system's generator: the only source of a release. It cannot be seeded."""

    releasable = True

    def words(self, count: int, kind: type[W]) -> npt.NDArray[W]:
        """The next words, straight from the system."""
        return np.frombuffer(os.urandom(count * np.dtype(kind).itemsize), dtype=kind)


class SeededBits:
    """Bits that come again with their seed, for tests: nothing made of them may be published."""

    releasable = False

    def __init__(self, seed: int) -> None:
        self._generator = np.random.Generator(np.random.Philox(seed))

    def words(self, count: int, kind: type[W]) -> npt.NDArray[W]:
        """The next words of the seed's stream."""
        return np.frombuffer(self._generator.bytes(count * np.dtype(kind).itemsize), dtype=kind)
