"""Synthetic data of ours: no record is anybody's. Every generator is keyed: same key, same data."""

from __future__ import annotations

from celosia.datasets.bench_population import bench_population
from celosia.datasets.business import business
from celosia.datasets.census import Census, census
from celosia.datasets.census_population import census_population
from celosia.datasets.register_counts import register_counts
from celosia.datasets.survey import survey

__all__ = [
    "Census",
    "bench_population",
    "business",
    "census",
    "census_population",
    "register_counts",
    "survey",
]
