"""Draws time against distinct keys of the page on local suppression: ``python docs/figures/suppression.py``.

The table beside this script is measured by ``python bench/suppression.py --curve docs/figures/suppression.csv``.
"""

from __future__ import annotations

from pathlib import Path

import polars as pl

from celosia.core.language import LANGUAGES, number, speaking, text
from celosia.core.picture import Picture, chart

FOLDER = Path(__file__).parent


def picture() -> Picture:
    """Seconds along the distinct keys of files of growing size."""
    rows = pl.read_csv(FOLDER / "suppression.csv")
    last = rows.row(-1, named=True)
    return chart(
        rows.select("distinct_keys", "seconds"),
        "distinct_keys",
        "seconds",
        mark="line",
        alternative=text("picture.seconds", count=number(last["distinct_keys"], 0), seconds=number(last["seconds"], 1)),
    )


def draw() -> None:
    """One picture a language."""
    for language in LANGUAGES:
        with speaking(language):
            (FOLDER / f"suppression.{language}.svg").write_text(picture().svg() + "\n", "utf-8")


if __name__ == "__main__":
    draw()
