"""Names and numbers of nobody: invented surnames, and national numbers outside the range that exists."""

from __future__ import annotations

import numpy as np
import polars as pl

from celosia.datasets.draws import Ints
from celosia.datasets.families import Families, Relationship

_MEN = (
    "Adán", "Bruno", "Cristóbal", "Darío", "Elías", "Fabián", "Gaspar", "Héctor", "Ismael", "Joaquín",
    "Lautaro", "Martín", "Nicolás", "Óscar", "Pedro", "Rafael", "Santiago", "Tomás", "Vicente", "Wladimir",
)  # fmt: skip
_WOMEN = (
    "Alma", "Beatriz", "Camila", "Daniela", "Elena", "Francisca", "Gabriela", "Inés", "Javiera", "Karina",
    "Laura", "Millaray", "Noelia", "Olivia", "Paula", "Rosario", "Sofía", "Teresa", "Úrsula", "Violeta",
)  # fmt: skip
_SURNAMES = (
    "Arvaluz", "Benquiler", "Cordiñán", "Drinquevo", "Estrellar", "Fantozar", "Gualtrera", "Huenubril",
    "Imaginal", "Jarandel", "Lumbrieta", "Marfalén", "Nubledo", "Ormizal", "Pintaluna", "Quimbrero",
    "Rondavil", "Solarbe", "Torvaldén", "Umbrieri", "Ventolar", "Yerbaluz", "Zarcillón",
)  # fmt: skip
IMPOSSIBLE = 900_000_000
"""National numbers in use are far below it."""


def full_names(rng: np.random.Generator, people: Families) -> pl.Series:
    """A given name by sex and two surnames; children take the head's first one."""
    given = rng.integers(0, len(_MEN), people.age.size) + np.where(people.sex == 2, len(_MEN), 0)
    first = rng.integers(0, len(_SURNAMES), people.age.size)
    first = np.where(people.relationship == Relationship.CHILD, people.of_head(first), first)
    second = rng.integers(0, len(_SURNAMES), people.age.size)
    surnames = pl.Series(_SURNAMES)
    return pl.select(
        pl.concat_str(
            pl.lit(pl.Series((*_MEN, *_WOMEN)).gather(given)),
            pl.lit(surnames.gather(first)),
            pl.lit(surnames.gather(second)),
            separator=" ",
        ).alias("nombre")
    ).to_series()


def national_numbers(rng: np.random.Generator, n: int) -> pl.Series:
    """Distinct numbers from ``IMPOSSIBLE`` on, with the check digit (modulus 11) that they would have."""
    gaps = rng.integers(1, 90_000_000 // n if n < 45_000_000 else 2, n)
    body = rng.permutation(IMPOSSIBLE + np.cumsum(gaps))
    digits = pl.Series([*map(str, range(10)), "K"]).gather(check_digits(body))
    return pl.select(pl.format("{}-{}", pl.lit(pl.Series(body)), pl.lit(digits)).alias("rut")).to_series()


def check_digits(body: Ints) -> Ints:
    """Modulus 11 with the weights 2 to 7 from the right; 10 stands for K."""
    weights = np.array([2, 3, 4, 5, 6, 7, 2, 3, 4])
    digits = body[:, None] // 10 ** np.arange(weights.size) % 10
    check: Ints = -(digits @ weights) % 11
    return check
