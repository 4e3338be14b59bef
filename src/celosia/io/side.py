"""The side dictionary ``FILE.dictionary.yaml``: what a file's own format cannot say.

``encuesta.csv`` has its own in ``encuesta.csv.dictionary.yaml``, so that the same data in several formats,
each with its own codes for suppressed cells, can lie in one folder. Where there is none,
``encuesta.dictionary.yaml``, a code book made by hand for all formats, is read instead; it is never written.

A side dictionary is a code book in YAML with a section ``file`` about the file it lies beside: number of
records, columns and their types, and whether dangerous text was made harmless.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import polars as pl

from celosia.core.dictionary import Dictionary
from celosia.core.errors import FileError
from celosia.io import book_yaml, yaml_text
from celosia.io.wire import Wire

VERSION = "1"


@dataclass(frozen=True)
class SideFile:
    """A dictionary, and facts of the file that it belongs to when we wrote that file ourselves."""

    dictionary: Dictionary
    ours: bool = False
    columns: tuple[str, ...] = ()
    records: int | None = None
    types: Mapping[str, str] = field(default_factory=dict)
    harmless: bool = False


def side_path(path: Path) -> Path:
    """Where the side dictionary of a file lies."""
    return path.with_name(f"{path.name}.dictionary.yaml")


def book_path(path: Path) -> Path:
    """Where a code book for this file and its sisters in other formats may lie."""
    return path.with_name(f"{path.stem}.dictionary.yaml")


def beside(path: Path) -> SideFile:
    """What lies beside a file; an empty dictionary where nothing does."""
    for candidate in (side_path(path), book_path(path)):
        if candidate.is_file():
            try:
                return from_yaml(candidate.read_text(encoding="utf-8"), str(candidate))
            except UnicodeDecodeError:
                raise FileError("file-encoding", path=str(candidate)) from None
    return SideFile(Dictionary())


def to_yaml(wire: Wire, *, harmless: bool = False) -> str:
    """The side dictionary of a file about to be written."""
    facts = {
        "celosia": VERSION,
        "records": str(wire.frame.height),
        "columns": list(wire.frame.columns),
        "types": dict(wire.types),
        "harmless": "true" if harmless else "false",
    }
    return yaml_text.dump({"file": facts, **book_yaml.to_document(wire.dictionary)})


def from_yaml(content: str, path: str) -> SideFile:
    """A side dictionary, or any code book in YAML."""
    document = yaml_text.load(content, path)
    facts = document.pop("file", None) if isinstance(document, dict) else None
    dictionary = book_yaml.from_document(document, path)
    if facts is None:
        return SideFile(dictionary)
    return _with_facts(dictionary, facts, path)


def _with_facts(dictionary: Dictionary, facts: Any, path: str) -> SideFile:
    try:
        if facts["celosia"] != VERSION:
            raise FileError("side-version", path=path, version=str(facts["celosia"]))
        return SideFile(
            dictionary=dictionary,
            ours=True,
            columns=tuple(facts["columns"] or ()),
            records=int(facts["records"]),
            types=dict(facts["types"] or {}),
            harmless=facts["harmless"] == "true",
        )
    except (KeyError, TypeError, ValueError):
        raise FileError("side-broken", path=path) from None


def settle(frame: pl.DataFrame, side: SideFile, path: str) -> pl.DataFrame:
    """The frame under the names it had, after checking that it is the file that was described."""
    if not side.ours:
        return frame
    written = {name.casefold(): name for name in side.columns}
    if [name.casefold() for name in frame.columns] != list(written):
        raise FileError("side-mismatch-columns", path=path)
    if frame.height != side.records:
        raise FileError("side-mismatch-records", path=path, found=frame.height, expected=side.records)
    return frame.rename({name: written[name.casefold()] for name in frame.columns})
