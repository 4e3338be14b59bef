"""Draws the figure of the page on risk after perturbation: ``python docs/figures/perturbation.py``.

The file of the page's example, its second key perturbed more and more: the records that violate k-anonymity and the
right guesses, each beside what it was before.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl

from celosia import risk
from celosia.core.language import LANGUAGES, percent, speaking
from celosia.core.picture import Picture, chart

FOLDER = Path(__file__).parent
KEYS = ["zone", "abroad"]
K = 5
REDRAWN = (0.0, 0.02, 0.04, 0.06, 0.08, 0.1)
WORDS = {
    "es": (
        "Respuestas sorteadas de nuevo",
        "Queda de lo que había",
        "Cifra",
        "violan 5-anonimato",
        "aciertos de la mejor conjetura",
        "Registros que violan 5-anonimato y aciertos de la mejor conjetura según cuánto se perturba la clave,"
        " respecto de antes: los primeros bajan a {counted}, los segundos a {guessed}.",
    ),
    "en": (
        "Answers drawn anew",
        "Left of what it was",
        "Figure",
        "violate 5-anonymity",
        "right best guesses",
        "Records that violate 5-anonymity and right best guesses along how much the key is perturbed, as a share of"
        " what they were: the first fall to {counted}, the second to {guessed}.",
    ),
}
"""Both axes, the legend, its two lines and the sentence, in each language."""


def people() -> pl.DataFrame:
    """Twenty thousand persons in three hundred zones, of whom one in seven was born abroad."""
    chance = np.random.Generator(np.random.PCG64(6))
    zone = chance.integers(0, 300, 20_000)
    return pl.DataFrame({"zone": zone, "abroad": (chance.random(20_000) < 0.15).astype(int)})


def pram(before: pl.DataFrame, redrawn: float) -> pl.DataFrame:
    """The file in which each answer is drawn anew with a chance, both being equally likely."""
    chance = np.random.Generator(np.random.PCG64(7))
    moved, drawn = chance.random(before.height) < redrawn, chance.integers(0, 2, before.height)
    return before.with_columns(abroad=pl.Series(np.where(moved, drawn, before["abroad"].to_numpy())))


def figures(before: pl.DataFrame, after: pl.DataFrame) -> tuple[int, float]:
    """Violations of the treated file, and right guesses."""
    return risk.k_anonymity(after, KEYS, k=K).violations, risk.best_guess(before, after, KEYS).share


def measured() -> list[tuple[int, float]]:
    """The figures at each strength; with the same draws, so that who moves once stays moved."""
    before = people()
    return [figures(before, pram(before, share)) for share in REDRAWN]


def picture(found: list[tuple[int, float]], language: str) -> Picture:
    """Both figures as shares of what they were."""
    along, up, legend, *lines, sentence = WORDS[language]
    rows = [
        {along: share, up: now / then, legend: line}
        for place, line in enumerate(lines)
        for share, now, then in ((s, f[place], found[0][place]) for s, f in zip(REDRAWN, found, strict=True))
    ]
    counted, guessed = (percent(last / first, 0) for first, last in zip(found[0], found[-1], strict=True))
    said = sentence.format(counted=counted, guessed=guessed)
    drawn = chart(pl.DataFrame(rows), along, up, group=legend, mark="line", share=True, alternative=said)
    drawn.specification["encoding"]["x"]["axis"] = {"format": "~%"}
    return drawn


if __name__ == "__main__":
    figures_found = measured()
    for tongue in LANGUAGES:
        with speaking(tongue):
            drawing = picture(figures_found, tongue)
            (FOLDER / f"perturbation.{tongue}.svg").write_text(drawing.svg() + "\n", "utf-8")
            print(drawing.alternative)
    print(figures_found)
