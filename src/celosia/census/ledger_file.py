"""The ledger on disk: what is spent is written down before a single bit of noise is drawn."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pydantic import ValidationError

from celosia.census.ledger import Ledger, Spending
from celosia.core.errors import FileError, PolicyError
from celosia.core.textfile import read_text
from celosia.io.atomic import writing


def read_ledger(path: str | Path) -> Ledger:
    """The ledger of a file."""
    file = Path(path)
    try:
        return Ledger.model_validate_json(read_text(file))
    except ValidationError as error:
        raise FileError.of_fields(error, where=file.name, model=Ledger) from None


def open_ledger(path: str | Path, opening: Ledger) -> Ledger:
    """The ledger of a file, or ``opening`` where there is none yet.

    The file must be about the same data, protected in the same way, under the same limits.
    """
    file = Path(path)
    ledger = read_ledger(file) if file.exists() else opening
    unlike = [
        name
        for name in ("data", "protection", "limits", "measure", "delta")
        if getattr(ledger, name) != getattr(opening, name)
    ]
    if unlike:
        raise PolicyError("ledger-other", path=file.name, fields=tuple(unlike))
    return ledger


def spend(path: str | Path, opening: Ledger, spending: Spending) -> Ledger:
    """Enter a spending in the ledger of a file, made from ``opening`` where there is none yet.

    One process at a time may spend; a run that dies after this has spent.
    """
    file = Path(path)
    with _locked(file):
        after = open_ledger(file, opening).spend(spending)
        with writing(file) as temporary:
            temporary.write_text(after.model_dump_json(indent=1), "utf-8")
    return after


@contextmanager
def _locked(file: Path) -> Iterator[None]:
    """Nobody else spends meanwhile. A lock that a killed process left stays: doubt means stop."""
    lock = file.with_name(file.name + ".lock")
    try:
        os.close(os.open(lock, os.O_CREAT | os.O_EXCL | os.O_WRONLY))
    except FileExistsError:
        raise FileError("ledger-locked", path=lock.name) from None
    except OSError as error:
        raise FileError("write-failed", path=str(lock), reason=error.strerror or type(error).__name__) from error
    try:
        yield
    finally:
        lock.unlink(missing_ok=True)
