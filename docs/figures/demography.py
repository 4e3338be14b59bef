"""Draws the figure of the page on expected anonymity: ``python docs/figures/demography.py``.

It is figure 1 of Gil Bellosta (2011), from the synthetic register; its own is not shipped.
"""

from __future__ import annotations

from pathlib import Path

from celosia.core.language import LANGUAGES, speaking
from celosia.core.picture import Picture
from celosia.datasets import register_counts
from celosia.demography import expected_anonymity
from celosia.demography.pictures import by_population

FOLDER = Path(__file__).parent
POINTS = 200
"""Places of each detail, of the 8,110."""


def picture() -> Picture:
    """The picture in the language in force."""
    found = expected_anonymity(register_counts(), ("day", "month", "year"), by=["place"])
    return by_population(found.shares(), POINTS)


if __name__ == "__main__":
    for language in LANGUAGES:
        with speaking(language):
            (FOLDER / f"demography.{language}.svg").write_text(picture().svg() + "\n", "utf-8")
