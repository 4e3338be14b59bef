"""What a command prints: tables for people, or exactly one JSON object, also on failure."""

from __future__ import annotations

import json as json_module
import sys
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import polars as pl

from celosia.core.errors import CelosiaError, CelosiaWarning
from celosia.core.language import text
from celosia.core.results import cell, heading
from celosia.core.run import Run

DONE, DOES_NOT_PASS, FAILED, CANCELLED = 0, 1, 2, 130
VERSION = 1


class Output:
    """Where a command's results go."""

    def __init__(self, json: bool, command: str) -> None:
        self.json = json
        self.command = command
        self.warnings: list[CelosiaWarning] = []

    # -- for people --------------------------------------------------------------------------------

    def say(self, line: str = "") -> None:
        """One line for people; nothing where JSON is wanted."""
        if not self.json:
            sys.stdout.write(line + "\n")

    def table(self, rows: pl.DataFrame, title: str = "") -> None:
        """A table for people."""
        if self.json:
            return
        from rich import box
        from rich.console import Console
        from rich.table import Table

        shown = Table(title=title or None, title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False)
        for name, dtype in rows.schema.items():
            shown.add_column(heading(name), justify="right" if dtype.is_numeric() else "left", overflow="fold")
        for row in rows.iter_rows():
            shown.add_row(*(cell(value, name) for name, value in zip(rows.columns, row, strict=True)))
        width = None if sys.stdout.isatty() else 160
        Console(file=sys.stdout, width=width, highlight=False, markup=False).print(shown)

    # -- endings -----------------------------------------------------------------------------------

    def done(self, results: Mapping[str, Any], passes: bool | None = None) -> int:
        """The end of a command that was done; ``passes`` where it judges."""
        status = "done" if passes is None else "passes" if passes else "does-not-pass"
        if self.json:
            self._object(status, results, [])
        return DOES_NOT_PASS if passes is False else DONE

    def failed(self, error: CelosiaError, code: int) -> int:
        """The end of a command that could not be done."""
        if self.json:
            self._object("cancelled" if code == CANCELLED else "failed", None, [error.to_dict()])
        else:
            sys.stderr.write(f"{text('label.error')}: {error}\n")
        return code

    def _object(self, status: str, results: Mapping[str, Any] | None, errors: Sequence[Mapping[str, Any]]) -> None:
        whole = {
            "schema": f"celosia.{self.command}" if self.command else "celosia",
            "version": VERSION,
            "status": status,
            "results": results,
            "warnings": [warning.to_dict() for warning in self.warnings],
            "errors": list(errors),
        }
        sys.stdout.write(json_module.dumps(whole, ensure_ascii=False, indent=1, allow_nan=False, default=_plain) + "\n")

    # -- while it works ----------------------------------------------------------------------------

    @contextmanager
    def working(self) -> Iterator[None]:
        """Collect warnings; people read each once, at the end, on stderr."""
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", CelosiaWarning)
            try:
                yield
            finally:
                seen: dict[tuple[str, str], CelosiaWarning] = {}
                for item in caught:
                    if isinstance(item.message, CelosiaWarning):
                        seen.setdefault((item.message.code, repr(item.message.facts)), item.message)
                self.warnings += seen.values()
                if not self.json:
                    for warning in seen.values():
                        sys.stderr.write(f"{text('label.warning')}: {warning}\n")

    @contextmanager
    def progress(self, key: bytes | None = None) -> Iterator[Run]:
        """A run whose progress shows as a bar on a terminal; Ctrl-C stops it between steps."""
        run = Run() if key is None else Run(key=key)
        if self.json or not sys.stderr.isatty():
            yield run
            return
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

        columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
        with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
            task = bar.add_task("", total=1.0)
            yield replace(run, progress=lambda step, done: bar.update(task, description=step, completed=done))


def _plain(value: Any) -> Any:
    """What JSON has no form for."""
    if hasattr(value, "item"):
        return value.item()
    return str(value)
