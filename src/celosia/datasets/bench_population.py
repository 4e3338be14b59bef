"""The benchmark population: census-like persons in households, the same data for a seed as ever.

The draws and their order are frozen: times measured on it (``bench/peers.json``) stay comparable.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from celosia.datasets.draws import Ints, require_size

COMUNAS = 346
ZONES_PER_COMUNA = 40
LARGEST_HOUSEHOLD = 12

MARITAL = (0.25, 0.4, 0.15, 0.08, 0.05, 0.07)
EDUCATION = (0.08, 0.14, 0.2, 0.1, 0.22, 0.06, 0.08, 0.09, 0.02, 0.01)
ACTIVITY = (0.48, 0.08, 0.1, 0.14, 0.15, 0.03, 0.02)
PEOPLES = (0.78, 0.08, 0.05, 0.03, 0.02, 0.01, 0.01, 0.01, 0.005, 0.005)


def bench_population(n: int, seed: int = 7) -> pl.DataFrame:
    """Persons with geography, seven keys, three amounts and a weight. Synthetic.

    Parameters
    ----------
    n
        Number of persons.
    seed
        Of the frozen sequence of draws.
    """
    require_size("n", n)
    rng = np.random.default_rng(seed)
    household, comuna, zone, size = _households(rng, n)
    columns: dict[str, Any] = {
        "hid": household,
        "region": comuna % 16 + 1,
        "comuna": comuna + 1,
        "zone": zone,
        **_keys(rng, n),
        "hsize": size,
    }
    columns |= _amounts(rng, n, columns)
    return pl.DataFrame(columns).select(
        *("hid", "region", "comuna", "zone", "sex", "age", "marital", "edu", "act", "nat", "eth"),
        *("industry", "hsize", "income", "expend", "savings", "weight"),
    )


def _households(rng: np.random.Generator, n: int) -> tuple[Ints, Ints, Ints, Ints]:
    """Household of each person, and its comuna, zone and size; one-person households fill what is left."""
    count = int(n / 2.7)
    shares = rng.pareto(1.1, COMUNAS) + 0.05
    shares /= shares.sum()
    comuna = rng.choice(COMUNAS, count, p=shares)
    nth_zone = (rng.pareto(1.0, count) * 4).astype(int).clip(0, ZONES_PER_COMUNA - 1)
    zone = comuna * ZONES_PER_COMUNA + nth_zone
    size = np.minimum(1 + rng.poisson(1.75, count), LARGEST_HOUSEHOLD)
    household = np.repeat(np.arange(count), size)[:n]
    lacking = n - len(household)
    if lacking:
        household = np.concatenate([household, count + np.arange(lacking)])
        comuna = np.concatenate([comuna, rng.choice(COMUNAS, lacking, p=shares)])
        zone = np.concatenate([zone, comuna[-lacking:] * ZONES_PER_COMUNA])
        size = np.concatenate([size, np.ones(lacking, int)])
    return household, comuna[household], zone[household], size[household]


def _keys(rng: np.random.Generator, n: int) -> dict[str, Ints]:
    def one_of(first: int, shares: tuple[float, ...]) -> Ints:
        return rng.choice(np.arange(first, first + len(shares)), n, p=shares)

    age = np.clip(rng.gamma(2.6, 14.5, n).astype(int), 0, 100)
    return {
        "age": age,
        "sex": rng.integers(1, 3, n),
        "marital": np.where(age < 18, 1, one_of(1, MARITAL)),
        "edu": np.where(age < 6, 0, one_of(1, EDUCATION)),
        "act": np.where(age < 15, 0, one_of(1, ACTIVITY)),
        "nat": np.where(rng.random(n) < 0.955, 0, rng.zipf(1.6, n).clip(1, 120)),
        "eth": np.where(rng.random(n) < 0.87, 0, one_of(1, PEOPLES)),
    }


def _amounts(rng: np.random.Generator, n: int, keys: dict[str, Any]) -> dict[str, Any]:
    employed = keys["act"] == 1
    industry = np.where(employed, rng.choice(np.arange(1, 22), n), 0)
    income = np.round(np.exp(rng.normal(12.5 + 0.06 * keys["edu"], 0.9, n))) * employed
    return {
        "industry": industry,
        "income": income,
        "expend": np.round(income * 0.6 + np.exp(rng.normal(11.5, 0.8, n))),
        "savings": np.round(np.exp(rng.normal(10, 1.5, n))),
        "weight": np.round(rng.gamma(4, 20, n) + 5, 2),
    }
