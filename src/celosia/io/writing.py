"""Writing microdata to a file, whatever its format: whole or not at all."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from celosia.core.errors import FileError
from celosia.core.microdata import Microdata
from celosia.io.atomic import writing, writing_all
from celosia.io.formats import Side, Support, format_to_write
from celosia.io.leftover import says_more
from celosia.io.side import side_path, to_yaml
from celosia.io.wire import Wire, encode


def write(data: Any, path: str | Path) -> None:
    """Write microdata, or any table ``Microdata`` takes; the format goes by the suffix.

    Suppressed cells get a code and a label of their own; record ids and marks stay behind. What the format
    cannot hold goes to a side dictionary ``FILE.dictionary.yaml``. If anything fails, what was there before
    is untouched.
    """
    support = format_to_write(path)
    target = Path(path)
    whole = data if isinstance(data, Microdata) else Microdata(data)
    if not whole.variables:
        raise FileError("nothing-to-write", path=str(path))
    if whole.height > support.records:
        raise FileError("too-many-records", path=str(path), format=support.format, limit=support.records)
    wire = encode(whole, support, _clock(support))
    beside = side_path(target)
    if support.side is Side.ALWAYS or (support.side is Side.NEEDED and says_more(wire, support)):
        with writing_all(beside, target) as (side, file):
            side.write_text(to_yaml(wire, harmless=support.format == "csv"), encoding="utf-8")
            _write(wire, file, support)
        return
    with writing(target) as file:
        _write(wire, file, support)
    beside.unlink(missing_ok=True)


def _clock(support: Support) -> Any:
    if support.own_dates:
        return None
    from celosia.io.stat_read import CLOCKS

    return CLOCKS[support.format]


def _write(wire: Wire, file: Path, support: Support) -> None:
    if support.format == "csv":
        from celosia.io.csv_table import write_csv

        write_csv(wire, file)
    elif support.format == "parquet":
        from celosia.io.parquet import write_parquet

        write_parquet(wire, file)
    elif support.format == "xlsx":
        from celosia.io.excel import write_excel

        write_excel(wire, file)
    else:
        from celosia.io.stat_write import write_statistical

        write_statistical(wire, file, support)
