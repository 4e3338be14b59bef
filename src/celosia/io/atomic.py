"""Files that are either written whole or not at all.

A writer fills temporary files in the folder of their targets; only when all are complete and on the disk
do they take the targets' places. Whatever goes wrong before leaves every target as it was. A process that is killed
leaves its temporary files behind; ``clear_unfinished`` takes them away.
"""

from __future__ import annotations

import errno
import os
import re
import secrets
import shutil
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from polars.exceptions import PolarsError

from celosia.core.errors import FileError

_UNFINISHED = re.compile(r"\..+\.[0-9a-f]{12}\.part")


def unfinished(stem: str) -> str:
    """A name for what is not yet whole."""
    return f".{stem}.{secrets.token_hex(6)}.part"


def clear_unfinished(folder: Path) -> None:
    """Take away what killed processes left; only where nobody else is writing."""
    for path in folder.iterdir():
        if _UNFINISHED.match(path.name):
            shutil.rmtree(path, ignore_errors=True) if path.is_dir() else path.unlink(missing_ok=True)


def keep_apart(outputs: Iterable[Path], inputs: Iterable[Path]) -> None:
    """Refuse to write where something is read: what was protected never takes the place of what it was made from."""
    read = {path.resolve() for path in inputs}
    for path in outputs:
        if path.resolve() in read:
            raise FileError("output-over-input", path=path.name)


@contextmanager
def writing(target: str | Path) -> Iterator[Path]:
    """Give a temporary path to fill; on leaving the block it becomes ``target``."""
    with writing_all(target) as (temporary,):
        yield temporary


@contextmanager
def writing_all(*targets: str | Path) -> Iterator[tuple[Path, ...]]:
    """Give temporary paths to fill; on leaving the block they become ``targets``, all or none."""
    paths = tuple(Path(target).resolve() for target in targets)
    temporaries: list[Path] = []
    try:
        for path in paths:
            temporaries.append(_temporary(path))  # noqa: PERF401 (one that fails leaves the earlier to remove)
        yield tuple(temporaries)
        for temporary, path in zip(temporaries, paths, strict=True):
            _to_disk(temporary, path)
        _take_places(temporaries, paths)
    except (OSError, PolarsError) as error:
        raise _refusal(error, paths[-1]) from error
    finally:
        for temporary in temporaries:
            temporary.unlink(missing_ok=True)


@contextmanager
def writing_folder(target: str | Path) -> Iterator[Path]:
    """Give a temporary folder to fill; on leaving the block it becomes ``target``, in place of what was there.

    A process that is killed between the two renames leaves the old folder beside its place; the next call puts it back.
    """
    path = Path(target).resolve()
    old = path.with_name(f".{path.name}.old")
    temporary = path.with_name(unfinished(path.name))
    try:
        if old.exists():
            shutil.rmtree(old) if path.exists() else old.rename(path)
        temporary.mkdir()
        yield temporary
        for file in temporary.rglob("*"):
            if file.is_file():
                _sync(file)
        if path.exists():
            path.rename(old)
        try:
            temporary.rename(path)
        except BaseException:
            if old.exists():
                old.rename(path)
            raise
        _sync_folder(path.parent)
        shutil.rmtree(old, ignore_errors=True)
    except (OSError, PolarsError) as error:
        raise _refusal(error, path) from error
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def _temporary(path: Path) -> Path:
    if not path.parent.is_dir():
        raise FileError("folder-missing", path=str(path.parent))
    temporary = _beside(path)
    temporary.open("xb").close()
    return temporary


def _beside(path: Path) -> Path:
    return path.with_name(unfinished(path.stem) + path.suffix)


def _to_disk(temporary: Path, path: Path) -> None:
    if path.exists():
        shutil.copymode(path, temporary)
    _sync(temporary)


def _sync(path: Path) -> None:
    with path.open("rb+") as file:
        os.fsync(file.fileno())


def _take_places(temporaries: Sequence[Path], paths: Sequence[Path]) -> None:
    """Move every temporary to its target; where not all could be, put back those that were.

    What was moved is told by the temporaries that are gone: the user may stop us between a move and our noting it.
    """
    kept: list[tuple[Path, Path | None]] = []
    try:
        for temporary, path in zip(temporaries, paths, strict=True):
            last = path == paths[-1]
            kept.append((path, None if last or not path.exists() else _copy(path)))
            os.replace(temporary, path)  # noqa: PTH105 (one name to simulate failures of)
    except BaseException:
        moved = [pair for pair, temporary in zip(kept, temporaries, strict=False) if not temporary.exists()]
        for path, copy in moved if len(moved) < len(paths) else ():
            if copy is None:
                path.unlink(missing_ok=True)
            else:
                copy.replace(path)
        raise
    finally:
        for _, copy in kept:
            if copy is not None:
                copy.unlink(missing_ok=True)
    for folder in {path.parent for path in paths}:
        _sync_folder(folder)


def _copy(path: Path) -> Path:
    copy = _beside(path)
    shutil.copy2(path, copy)
    return copy


def _sync_folder(folder: Path) -> None:
    if os.name == "nt":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    except OSError:
        return  # some file systems cannot sync a folder; the files themselves are safe
    finally:
        os.close(handle)


def _errno(error: OSError | PolarsError) -> int | None:
    """The system's number of an error; polars gives it in its text alone."""
    if isinstance(error, OSError) and error.errno is not None:
        return error.errno
    told = re.search(r"os error (\d+)", str(error))
    return int(told[1]) if told else None


def _refusal(error: OSError | PolarsError, path: Path) -> FileError | PolarsError:
    """What the system refused, in our words; an error of polars that is not the system's stays as it is."""
    number = _errno(error)
    if number is None and isinstance(error, PolarsError):
        return error
    if number in (errno.ENOSPC, errno.EDQUOT):
        return FileError("disk-full", path=str(path))
    if isinstance(error, PermissionError) or number in (errno.EACCES, errno.EPERM):
        return FileError("file-not-writable", path=str(path))
    reason = type(error).__name__ if number is None else os.strerror(number)
    return FileError("write-failed", path=str(path), reason=reason)
