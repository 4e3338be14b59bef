"""Tables on disk: the same values by rows, the same estimates from them, and files that do not outlive their use."""

import gc
from fractions import Fraction

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from celosia.census import (
    Attribute,
    Budget,
    Domain,
    Fixed,
    Geography,
    Invariants,
    Protection,
    SeededBits,
    TopDown,
    stored,
)
from celosia.census import evidence as evidence_module
from celosia.census.checkpoint import Drawn
from celosia.census.counts import Counts
from celosia.census.evidence import collect
from celosia.census.measurement import Measurement, read_measurements, write_measurements
from celosia.census.query import Query
from celosia.census.stored import Stored
from celosia.core.run import Run

TREE = pl.DataFrame({"region": list("AAABB"), "comuna": ["a", "a", "b", "c", "c"], "zona": ["1", "2", "3", "4", "5"]})
PLACES = Geography.of_table(TREE, ("region", "comuna", "zona"), "pais")


def census():
    domain = Domain(attributes=(Attribute(name="P08", codes=(1, 2)), Attribute(name="P09", codes=range(5))))
    shares = {"total": "1/4", "P08": "1/4", "P09": "1/4", "detailed": "1/4"}
    person = Protection(unit="person", neighbours="bounded")
    fixed = Invariants(fixed=[Fixed(levels=("region",))])
    return TopDown(domain, PLACES, Budget(rho=1, protection=person, queries=shares), fixed)


def persons(n=200):
    rng = np.random.default_rng(1)
    frame = TREE[rng.integers(0, 5, n).tolist()]
    return frame.with_columns(P08=pl.Series(rng.integers(1, 3, n)), P09=pl.Series(rng.integers(0, 5, n)))


def on_disk(values, kind=np.int32):
    return Stored.write(values.shape, kind, iter([values[:1], values[1:]]), None)


@pytest.fixture
def everything_large(monkeypatch):
    """Tables of any size are kept on disk, nothing is held, two values are read at a time."""
    monkeypatch.setattr(stored, "LARGE", 1)
    monkeypatch.setattr(stored, "BLOCK", 2)
    monkeypatch.setattr(evidence_module, "HELD", 0)


@pytest.mark.parametrize("kind", [np.int32, np.int64])
def test_rows_come_back_as_they_were(tmp_path, kind):
    values = np.arange(-15, 15).reshape(6, 5)
    found = Stored.write((6, 5), kind, stored_blocks(values), tmp_path / "values.npy")
    assert found.shape == (6, 5) and len(found) == 6 and found.dtype == kind
    for rows in (slice(0, 6), slice(2, 4), slice(5, 6), slice(3, 3), slice(4, 99)):
        assert found[rows].tolist() == values[rows].tolist()
    assert np.load(tmp_path / "values.npy").tolist() == values.tolist(), "anybody can read it"
    assert Stored(tmp_path / "values.npy")[0:6].tolist() == values.tolist()


def stored_blocks(values):
    return (values[run] for run in (slice(0, 1), slice(1, 4), slice(4, 6)))


def test_a_file_without_a_place_goes_with_its_object():
    found = on_disk(np.zeros((2, 2), dtype=np.int64))
    path = found.path
    assert path.exists()
    del found
    gc.collect()
    assert not path.exists()


def test_runs_cover_all_rows_within_the_block(monkeypatch):
    monkeypatch.setattr(stored, "BLOCK", 10)
    assert [(run.start, run.stop) for run in stored.runs(7, 4)] == [(0, 2), (2, 4), (4, 6), (6, 7)]
    assert [(run.start, run.stop) for run in stored.runs(2, 40)] == [(0, 1), (1, 2)], "one row at least"


@given(st.integers(0, 10**6), st.lists(st.booleans(), min_size=4, max_size=4).filter(any))
def test_evidence_is_the_same_held_or_made_when_asked_for(seed, measured):
    rng = np.random.default_rng(seed)
    query = Query.detailed(3)
    values = {level: rng.integers(-5, 50, (nodes, 3)) for level, nodes in zip(PLACES.levels, PLACES.nodes, strict=True)}
    taken = [
        Measurement(level, query, Fraction(int(rng.integers(1, 9))), values[level], False)
        for level, yes in zip(PLACES.levels, measured, strict=True)
        if yes
    ]
    held = collect(taken, PLACES)
    filed = [Measurement(m.level, query, m.variance, on_disk(m.values), False) for m in taken]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(stored, "BLOCK", 4)
        patch.setattr(evidence_module, "HELD", 0)
        made = collect(filed, PLACES)
        for one, other, nodes in zip(held, made, PLACES.nodes, strict=True):
            assert one.keys() == other.keys()
            for name in one:
                every = slice(0, nodes)
                assert np.allclose(one[name].rows(every), other[name].rows(every), atol=1e-9)
                assert np.allclose(one[name].variance, other[name].variance)


def test_what_is_estimated_does_not_depend_on_where_the_values_are(everything_large):
    topdown = census()
    whole = topdown.run(persons(), source=SeededBits(1))
    assert all(isinstance(one.values, Stored) for one in whole.measurements)
    in_memory = tuple(
        Measurement(m.level, m.query, m.variance, m.values[:].astype(np.int64), False) for m in whole.measurements
    )
    counts = topdown.geography.place(persons()), topdown.domain.encode(persons())
    levels = Counts.levels(Counts.of_records(*counts, 5, 10), PLACES)
    bounds = topdown.invariants.resolve(topdown.domain, PLACES, levels)
    again = topdown.estimate(Drawn(topdown.spending("1", SeededBits(1)), in_memory, bounds), Run())
    assert [one.dense().tolist() for one in again] == [one.dense().tolist() for one in whole.counts]


def test_a_run_goes_on_from_values_on_disk(everything_large, tmp_path):
    topdown = census()
    first = topdown.run(persons(), source=SeededBits(1), folder=tmp_path)
    assert {one.values.path.parent for one in first.measurements} == {tmp_path}
    again = topdown.run(None, source=SeededBits(2), folder=tmp_path)
    assert [one.dense().tolist() for one in again.counts] == [one.dense().tolist() for one in first.counts]
    assert all(isinstance(one.values, Stored) for one in again.measurements)


def test_the_file_of_measurements_is_written_from_disk(everything_large, tmp_path):
    topdown = census()
    release = topdown.run(persons(), source=SeededBits(1))
    write_measurements(release.measurements, PLACES, tmp_path / "noisy.parquet")
    back = read_measurements(tmp_path / "noisy.parquet", PLACES, [one.query for one in release.measurements])
    for one, other in zip(release.measurements, back, strict=True):
        assert one.values[:].tolist() == other.values[:].tolist()
