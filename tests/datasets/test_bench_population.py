"""The benchmark population is frozen: the same data for a seed as ever."""

from __future__ import annotations

import hashlib

import polars as pl
import pytest
from reference import FOLDER

from celosia.core.errors import OptionError
from celosia.datasets import bench_population

REFERENCE = FOLDER / "bench" / "p10000.parquet"


def test_the_data_of_a_seed_are_pinned() -> None:
    text = bench_population(500).write_csv().encode()
    assert hashlib.blake2b(text, digest_size=16).hexdigest() == "a8245287576d57b647458bb0358ec72a"


def test_it_equals_the_reference_file() -> None:
    if not REFERENCE.exists():
        pytest.skip("the reference files are not here")
    assert bench_population(10_000).equals(pl.read_parquet(REFERENCE))


@pytest.mark.parametrize("n", [1, 2, 3, 4, 17, 2000])
def test_it_has_exactly_n_persons(n: int) -> None:
    frame = bench_population(n)
    assert frame.height == n
    assert frame.select(pl.col("zone") // 40 == pl.col("comuna") - 1).to_series().all()


def test_skips_by_age_hold() -> None:
    frame = bench_population(5000, seed=3)
    assert frame.filter(pl.col("age") < 18)["marital"].unique().to_list() == [1]
    assert frame.filter(pl.col("age") < 15)["act"].unique().to_list() == [0]
    assert frame.filter(pl.col("act") != 1)["income"].max() == 0


def test_another_seed_gives_other_data() -> None:
    assert not bench_population(200).equals(bench_population(200, seed=8))


def test_no_persons_is_an_error() -> None:
    with pytest.raises(OptionError):
        bench_population(0)
