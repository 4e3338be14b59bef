"""Parquet files: the dictionary lies in the file's own key-value metadata."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from celosia.core.errors import FileError
from celosia.io.side import SideFile, from_yaml, to_yaml
from celosia.io.wire import Wire

_KEY = "celosia"


def read_parquet(path: Path) -> tuple[pl.DataFrame, SideFile | None]:
    """The frame, and the dictionary that the file carries."""
    try:
        frame = pl.read_parquet(path, hive_partitioning=False, use_pyarrow=False)
        metadata = pl.read_parquet_metadata(path)
    except pl.exceptions.PolarsError:
        raise FileError("file-broken", path=str(path)) from None
    except OSError as error:
        raise FileError("file-unreadable", path=str(path), reason=error.strerror or "") from None
    content = metadata.get(_KEY)
    return frame, from_yaml(content, str(path)) if content else None


def write_parquet(wire: Wire, path: Path) -> None:
    """The frame as Parquet."""
    wire.frame.write_parquet(path, metadata={_KEY: to_yaml(wire)})
