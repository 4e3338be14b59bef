"""A run: the secret key of its chance, its threads, its progress and its stop button."""

from __future__ import annotations

import hashlib
import os
import secrets
import threading
from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from celosia.core import chance
from celosia.core.errors import CancelledError, OptionError

KEY_BYTES = 32
Progress = Callable[[str, float], None]
"""Called with a step's name and the share of it that is done."""


def _silent(step: str, done: float) -> None:
    """Nobody is watching."""


@dataclass(frozen=True)
class Run:
    """The circumstances of one run of methods.

    Parameters
    ----------
    key
        Secret of 32 bytes; an integer makes a test key. By default a fresh one from the system.
    threads
        How many threads kernels may use; by default one for each processor.
    progress
        Called with (step, share done) in long work.

    Every step derives a key of its own from its name, so that inserting a step changes no other's draws.
    """

    key: bytes | int = field(default_factory=lambda: secrets.token_bytes(KEY_BYTES), repr=False)
    threads: int = field(default_factory=lambda: os.cpu_count() or 1)
    progress: Progress = field(default=_silent, repr=False, compare=False)
    _stop: threading.Event = field(default_factory=threading.Event, repr=False, compare=False)

    def __post_init__(self) -> None:
        if isinstance(self.key, int):
            object.__setattr__(self, "key", hashlib.blake2b(str(self.key).encode(), digest_size=KEY_BYTES).digest())
        elif len(self.key) != KEY_BYTES:
            raise OptionError("run-key", expected=KEY_BYTES)
        if self.threads < 1:
            raise OptionError("run-threads")

    @property
    def secret(self) -> bytes:
        """The key as bytes."""
        assert isinstance(self.key, bytes)
        return self.key

    def _derive(self, name: str) -> bytes:
        return hashlib.blake2b(name.encode(), key=self.secret, digest_size=KEY_BYTES).digest()

    def step(self, name: str) -> Run:
        """The run of one step: its own key, the same threads, progress and stop button."""
        return replace(self, key=self._derive(name))

    def uniforms(self, ids: npt.NDArray[np.uint64], draw: int = 0) -> npt.NDArray[np.float64]:
        """One number in [0, 1) for each record, whatever the order of the records."""
        return chance.uniforms(self._derive("records")[:16], ids, draw)

    def order(self, ids: npt.NDArray[np.uint64], draw: int = 0) -> npt.NDArray[np.uint64]:
        """A secret 64-bit rank for each record (sort by it to shuffle)."""
        return chance.hash_words(self._derive("records")[:16], ids, np.uint64(draw))

    def rng(self, stream: str) -> np.random.Generator:
        """A generator for draws that belong to no record; one stream a stratum."""
        seed = np.frombuffer(self._derive(f"stream {stream}"), dtype=np.uint64)
        return np.random.Generator(
            np.random.Philox(key=seed[:2], counter=np.append(seed[2:], [0, 0]).astype(np.uint64))
        )

    def cancel(self) -> None:
        """Ask the work under way to stop; it ends with ``CancelledError``."""
        self._stop.set()

    def check(self, step: str = "", done: float = 0.0) -> None:
        """Report progress, and stop if somebody asked for it."""
        if self._stop.is_set():
            raise CancelledError("cancelled")
        if step:
            self.progress(step, done)
