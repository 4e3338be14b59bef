"""Synthetic counts of a population register: places as skewed as the municipalities of Spain."""

from __future__ import annotations

import numpy as np
import polars as pl

from celosia.datasets.draws import Floats, Ints, require_size, stream

CITIES = (0.070, 0.034, 0.0170, 0.0145, 0.0143, 0.0123, 0.0098, 0.0095, 0.0088, 0.0081)
"""Shares of the country that live in its largest places."""
PROVINCES = 52
SMALLEST = 3
"""People of a place at least, where there are enough people."""
AGE_GROUPS = (*(f"{age}-{age + 4}" for age in range(0, 85, 5)), "85+")
_MEN = np.array([3.9, 4.7, 5.3, 5.4, 5.2, 5.4, 5.7, 6.4, 7.7, 8.6, 8.1, 7.6, 6.8, 5.8, 4.8, 4.0, 2.6, 2.5])
_WOMEN = np.array([3.6, 4.3, 4.8, 4.9, 4.8, 5.2, 5.6, 6.2, 7.3, 8.2, 7.8, 7.5, 7.0, 6.2, 5.4, 4.8, 3.6, 4.7])


def register_counts(places: int = 8110, people: int = 47_000_000, key: int = 1) -> pl.DataFrame:
    """A row a place, sex and five-year age group, with its people; also the empty ones. Synthetic.

    Parameters
    ----------
    places
        Number of places: ten hold a fifth of the people, and more than half of them under 1,000 each.
    people
        Exact total of ``count``.
    key
        Of the chance: the same key gives the same counts.

    Returns
    -------
    polars.DataFrame
        ``place`` and ``province`` (codes as text, a place's begins with its province's), ``sex``
        (1 man, 2 woman), ``age_group`` (``0-4`` … ``85+``), ``count``.
    """
    require_size("places", places)
    require_size("people", people)
    rng = stream(key, "register")
    sizes = _sizes(rng, places, people)
    province, place = _codes(rng, places)
    cells = rng.multinomial(sizes, _shares(rng, sizes))
    width = cells.shape[1]
    sex = np.repeat(np.array([1, 2], np.int8), len(AGE_GROUPS))
    return pl.DataFrame(
        {
            "place": place.gather(np.repeat(np.arange(places), width)),
            "province": province.gather(np.repeat(np.arange(places), width)),
            "sex": np.tile(sex, places),
            "age_group": pl.Series(AGE_GROUPS * 2).gather(np.tile(np.arange(width), places)),
            "count": cells.ravel(),
        }
    )


def _sizes(rng: np.random.Generator, places: int, people: int) -> Ints:
    """People of each place: some cities, and a log-normal rest that stays below them."""
    cities = np.array(CITIES[: places // 100])
    towns = rng.lognormal(0.0, 2.0, places - cities.size)
    towns = np.minimum(towns / towns.sum(), cities.min(initial=1.0))
    shares = np.concatenate([cities, towns / towns.sum() * (1 - cities.sum())])
    least = min(SMALLEST, people // places)
    sizes: Ints = least + rng.multinomial(people - least * places, shares / shares.sum())
    return rng.permutation(sizes)


def _codes(rng: np.random.Generator, places: int) -> tuple[pl.Series, pl.Series]:
    """Province and place codes; provinces hold unlike numbers of places."""
    weights = rng.lognormal(0.0, 0.6, PROVINCES)
    province = np.sort(rng.choice(PROVINCES, places, p=weights / weights.sum()))
    number = np.arange(places) - np.searchsorted(province, province) + 1
    width = max(3, len(str(number.max())))
    provinces = pl.Series("province", province + 1).cast(pl.String).str.zfill(2)
    return provinces, (provinces + pl.Series(number).cast(pl.String).str.zfill(width)).alias("place")


def _shares(rng: np.random.Generator, sizes: Ints) -> Floats:
    """Shares of sex and age in each place; the smaller the place, the older its people."""
    middle = np.arange(len(AGE_GROUPS)) - (len(AGE_GROUPS) - 1) / 2
    tilt = 0.12 - 0.011 * np.log(sizes.clip(10)) + rng.normal(0.0, 0.02, sizes.size)
    shares = np.concatenate([_MEN, _WOMEN])[None, :] * np.exp(tilt[:, None] * np.tile(middle, 2)[None, :])
    normal: Floats = shares / shares.sum(axis=1, keepdims=True)
    return normal
