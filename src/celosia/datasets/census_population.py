"""The census population for the TopDown: persons of a country as deep and as skewed as Chile in 2017.

The draws and their order are frozen: errors and times measured on it stay comparable. Six variables
only; ``celosia.datasets.census`` makes a whole census with dwellings and every question.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import polars as pl

from celosia.datasets.draws import Floats, Ints, require_size, subdivide

# By region, in the order I, XV, II, III, IV, V, VI, VII, VIII, IX, XIV, X, XI, XII, RM, XVI.
SHARES = (0.0188, 0.0129, 0.0346, 0.0163, 0.0431, 0.1033, 0.0520, 0.0595,
          0.1157, 0.0545, 0.0219, 0.0472, 0.0059, 0.0095, 0.4050, 0.0273)  # fmt: skip
PROVINCES = (2, 2, 3, 3, 3, 8, 3, 4, 3, 2, 2, 4, 4, 4, 6, 3)
COMUNAS = (7, 4, 9, 9, 15, 38, 33, 30, 33, 32, 12, 30, 10, 11, 52, 21)
INDIGENOUS = (0.24, 0.36, 0.14, 0.19, 0.09, 0.07, 0.06, 0.05, 0.11, 0.34, 0.25, 0.28, 0.29, 0.23, 0.10, 0.05)
FOREIGN = (0.17, 0.10, 0.14, 0.04, 0.03, 0.03, 0.02, 0.02, 0.01, 0.01, 0.01, 0.01, 0.02, 0.03, 0.08, 0.01)
PEOPLES = (0.799, 0.072, 0.004, 0.016, 0.014, 0.001, 0.041, 0.0016, 0.0015, 0.05)
OLDEST = 100
TILT = 0.9
"""How young or old the population of a zone may lean."""


@dataclass(frozen=True, eq=False)
class Zones:
    """One entry a zone: its district, comuna, province and region (from 0), and its share of the country."""

    district: Ints
    comuna: Ints
    province: Ints
    region: Ints
    share: Floats


def census_population(n: int, seed: int = 2017, districts: int = 2700, zones: int = 16_000) -> pl.DataFrame:
    """Persons sorted by zone, with ``REGION … ZC_LOC``, sex, age, people and nationality. Synthetic.

    Parameters
    ----------
    n
        Number of persons.
    seed
        Of the frozen sequence of draws.
    districts, zones
        About how many of each the country has.
    """
    require_size("n", n)
    rng = np.random.default_rng(seed)
    country = census_zones(rng, districts, zones)
    zone = rng.choice(len(country.share), n, p=country.share).astype(np.int32)
    zone.sort()
    sex, age = _sex_and_age(rng, zone, len(country.share))
    people, foreign = _origins(rng, zone, country.region)
    return pl.DataFrame(
        {
            "REGION": (country.region[zone] + 1).astype(np.int16),
            "PROVINCIA": (country.province[zone] + 1).astype(np.int16),
            "COMUNA": (country.comuna[zone] + 1).astype(np.int16),
            "DC": (country.district[zone] + 1).astype(np.int32),
            "ZC_LOC": zone + 1,
            "P08": sex + 1,
            "P09": age,
            "P16A": people,
            "P12N": foreign,
        }
    )


def census_zones(rng: np.random.Generator, districts: int = 2700, zones: int = 16_000) -> Zones:
    """The tree of the country: each level's sizes are log-normal within the level above."""
    province_of_comuna = _provinces_of_comunas(rng)
    region_of_comuna = np.repeat(np.arange(16), PROVINCES)[province_of_comuna]
    comuna_share = rng.lognormal(0, 1.1, sum(COMUNAS))
    regional = np.array(SHARES) / np.sum(SHARES)
    for region in range(16):
        inside = region_of_comuna == region
        comuna_share[inside] *= regional[region] / comuna_share[inside].sum()

    comuna_of_district, district_share = subdivide(rng, comuna_share, districts, even=0.5, spread=0.9)
    district_of_zone, zone_share = subdivide(rng, district_share, zones, even=0.4, spread=0.8)
    zone_share /= zone_share.sum()
    comuna = comuna_of_district[district_of_zone]
    return Zones(district_of_zone, comuna, province_of_comuna[comuna], region_of_comuna[comuna], zone_share)


def _provinces_of_comunas(rng: np.random.Generator) -> Ints:
    """Every province has a comuna; the rest fall where chance takes them, within the region."""
    first, found = 0, []
    for provinces, comunas in zip(PROVINCES, COMUNAS, strict=True):
        leaning = rng.dirichlet(np.ones(provinces) * 2)
        rest = rng.choice(provinces, comunas - provinces, p=leaning)
        found.append(first + np.sort(np.concatenate([np.arange(provinces), rest])))
        first += provinces
    return np.concatenate(found)


def _sex_and_age(
    rng: np.random.Generator, zone: npt.NDArray[np.int32], zones: int
) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.int16]]:
    women = rng.beta(200, 196, zones)
    sex = (rng.random(zone.size) > 1 - women[zone]).astype(np.int8)
    tilt = np.clip(rng.normal(0, 0.35, zones), -TILT, TILT)
    band = np.digitize(tilt, np.linspace(-TILT, TILT, 19))[zone]
    age = np.empty(zone.size, np.int16)
    for one in np.unique(band):
        for which in (0, 1):
            rows = np.flatnonzero((band == one) & (sex == which))
            age[rows] = rng.choice(OLDEST + 1, rows.size, p=_age_shares(-TILT + 0.1 * (one - 0.5), which))
    return sex, age


def _age_shares(tilt: float, sex: int) -> Floats:
    """A flat base up to 55 with a bulge at 26, then a decline that women meet later; tilted by zone."""
    age = np.arange(OLDEST + 1)
    young = 1.0 + 0.12 * np.exp(-(((age - 26) / 8.0) ** 2))
    old = np.exp(-(((age - 55) / (20.0 if sex == 0 else 23.0)) ** 2))
    shares: Floats = np.where(age < 55, young, old) * np.exp(tilt * (age - 36) / 36.0)
    shares[OLDEST] *= 1.5
    shares /= shares.sum()
    return shares


def _origins(
    rng: np.random.Generator, zone: npt.NDArray[np.int32], region: Ints
) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.int8]]:
    indigenous = np.array(INDIGENOUS)[region] * rng.gamma(2, 0.5, region.size)
    foreign = np.array(FOREIGN)[region] * rng.gamma(1.5, 1 / 1.5, region.size)
    is_foreign = rng.random(zone.size) < np.minimum(foreign[zone], 0.9)
    is_indigenous = (rng.random(zone.size) < np.minimum(indigenous[zone], 0.95)) & ~is_foreign
    people = np.zeros(zone.size, np.int8)
    people[is_indigenous] = 1 + rng.choice(10, is_indigenous.sum(), p=np.array(PEOPLES) / np.sum(PEOPLES))
    return people, is_foreign.astype(np.int8)
