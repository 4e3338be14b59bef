"""What a command prints: tables for people, or exactly one JSON object, also on failure."""

from __future__ import annotations

import shutil
import sys
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import polars as pl

from celosia.cli import streams
from celosia.cli.envelope import post, print_json
from celosia.core.errors import CelosiaError, CelosiaWarning, FileError
from celosia.core.language import has_text, text
from celosia.core.results import cell, heading
from celosia.core.run import Run

_UNSEEN, _LONGEST_WORD, _WIDE, _NARROW = 160, 16, 3, 1
"""Letters: of a line where nobody looks, of a word that is kept whole, between columns with and without room."""

DONE, DOES_NOT_PASS, FAILED, CANCELLED = 0, 1, 2, 130


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
            streams.tell(line + "\n")

    def table(self, rows: pl.DataFrame, figures: tuple[str, ...] = (), title: str = "") -> None:
        """A table for people; ``figures`` names the columns of figures that are already text."""
        if self.json:
            return
        from rich import box
        from rich.console import Console
        from rich.table import Table

        cells = [[cell(value, name) for name, value in zip(rows.columns, row, strict=True)] for row in rows.iter_rows()]
        widths, between = _layout([[heading(name), *(row[j] for row in cells)] for j, name in enumerate(rows.columns)])
        shown = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, between // 2))
        for (name, dtype), width in zip(rows.schema.items(), widths, strict=True):
            right = name in figures or dtype.is_numeric()
            shown.add_column(heading(name), justify="right" if right else "left", overflow="fold", width=width)
        for row in cells:
            shown.add_row(*row)
        console = Console(width=sum(widths) + (between + 1) * len(widths), highlight=False, markup=False)
        with console.capture() as drawn:
            console.print(shown)
        lines = [title, *drawn.get().splitlines()] if title else drawn.get().splitlines()
        streams.tell("".join(f"{line.rstrip()}\n" for line in lines))

    # -- endings -----------------------------------------------------------------------------------

    def done(self, results: Mapping[str, Any], passes: bool | None = None) -> int:
        """The end of a command that was done; ``passes`` where it judges."""
        status = "done" if passes is None else "passes" if passes else "does-not-pass"
        if self.json:
            post(self.command, status, results, self.warnings)
        return DOES_NOT_PASS if passes is False else DONE

    def document(self, whole: Mapping[str, Any]) -> int:
        """The end of a command whose result is JSON in itself: alone for people, in the one object otherwise."""
        if self.json:
            return self.done(whole)
        print_json(whole)
        return DONE

    def failed(self, error: CelosiaError, code: int) -> int:
        """The end of a command that could not be done."""
        if self.json and error.code != streams.REFUSED:
            try:
                post(self.command, "cancelled" if code == CANCELLED else "failed", None, self.warnings, [error])
                return code
            except FileError as refused:
                error = refused
        streams.tell_aside(f"{text('label.error')}: {error}\n")
        return code

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
                        streams.tell_aside(f"{text('label.warning')}: {warning}\n")

    @contextmanager
    def progress(self, key: bytes | None = None) -> Iterator[Run]:
        """A run whose progress shows as a bar on a terminal; Ctrl-C stops it between steps."""
        run = Run() if key is None else Run(key=key)
        if self.json or sys.stderr is None or not sys.stderr.isatty():
            yield run
            return
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

        columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
        with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
            task = bar.add_task(text("progress.reading"), total=None)

            def show(step: str, done: float) -> None:
                bar.update(task, description=_said(step), completed=done, total=1.0)

            yield replace(run, progress=show)


def _said(step: str) -> str:
    """A stage of the work in the reader's language; the steps of a plan have the names that their authors gave."""
    return text(f"progress.{step}") if has_text(f"progress.{step}") else step


def _layout(columns: Sequence[Sequence[str]]) -> tuple[list[int], int]:
    """Letters for each column, and between two: all that they want where there is room, and never less than a word."""
    seen = shutil.get_terminal_size().columns if sys.stdout is not None and sys.stdout.isatty() else _UNSEEN
    least = [min(max(len(word) for text in column for word in text.split(" ")), _LONGEST_WORD) for column in columns]
    wanted = [max(map(len, column)) for column in columns]
    more = [whole - word for whole, word in zip(wanted, least, strict=True)]
    between = _WIDE if sum(least) + _WIDE * len(columns) <= seen else _NARROW
    room = max(seen - between * len(columns) - sum(least), 0)
    share = min(room / sum(more), 1.0) if any(more) else 0.0
    return [word + int(share * extra) for word, extra in zip(least, more, strict=True)], between
