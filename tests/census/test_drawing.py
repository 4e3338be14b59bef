"""Stopping and going on: killed at any moment, a run pays once and draws nothing again that was kept."""

import contextlib
import json
import os
import shutil
from fractions import Fraction
from itertools import count
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from refusal import refused

from celosia.census import (
    Attribute,
    Budget,
    Domain,
    Fixed,
    Geography,
    Invariants,
    Protection,
    SeededBits,
    SystemBits,
    TopDown,
)
from celosia.census.ledger_file import read_ledger
from celosia.core.errors import CancelledError
from celosia.core.run import Run

PERSON = Protection(unit="person", neighbours="bounded")
TREE = pl.DataFrame({"region": list("AAABB"), "comuna": ["a", "a", "b", "c", "c"], "zona": ["1", "2", "3", "4", "5"]})


def small(names, levels=(), rho="1", rules=False):
    domain = Domain.model_validate(
        {
            "attributes": (Attribute(name="P08", codes=(1, 2)), Attribute(name="P09", codes=range(5))),
            "rules": ({"given": "P09 < 1", "then": "P08 == 1"},) if rules else (),
        }
    )
    tree = Geography.of_table(TREE, ("region", "comuna", "zona"), "pais")
    budget = Budget(rho=rho, protection=PERSON, queries={name: Fraction(1, len(names)) for name in names})
    return TopDown(domain, tree, budget, Invariants(fixed=[Fixed(levels=tuple(levels))] if levels else []))


def persons(n=300, seed=0):
    rng = np.random.default_rng(seed)
    frame = pl.DataFrame([TREE[name].gather(rng.integers(0, 5, n)) for name in ("zona",)])
    frame = frame.join(TREE, on="zona", how="left", maintain_order="left")
    return frame.with_columns(P08=pl.Series(rng.integers(1, 3, n)), P09=pl.Series(rng.integers(0, 5, n)))


def held(release):
    """The histograms of each level, with their zeros."""
    return [counts.dense().tolist() for counts in release.counts]


def check(release):
    """Nothing is negative, and children add up."""
    tables = [counts.dense() for counts in release.counts]
    assert all((table >= 0).all() for table in tables)
    for above, table, parents in zip(tables, tables[1:], release.geography.parents[1:], strict=False):
        sums = np.zeros_like(above)
        np.add.at(sums, parents, table)
        assert (sums == above).all()


class Broken:
    """Bits that nobody may ask for."""

    releasable = False

    def words(self, count, kind):
        raise AssertionError("drawn again")


def stopped_at(step):
    """A run that its user stops at a step."""
    run = Run(threads=2, progress=lambda name, done: run.cancel() if name == step else None)
    return run


@pytest.mark.parametrize("step", ["region", "comuna", "zona"])
def test_a_run_that_was_stopped_goes_on_without_drawing_again(tmp_path, step):
    topdown, book = small(["total", "P08", "detailed"], ["region"]), tmp_path / "ledger.json"
    with pytest.raises(CancelledError):
        topdown.run(persons(), run=stopped_at(step), folder=tmp_path / "run", source=SeededBits(9), ledger_file=book)
    resumed = topdown.run(None, folder=tmp_path / "run", source=Broken(), ledger_file=book)
    whole = topdown.run(persons(), source=SeededBits(9))
    assert held(resumed) == held(whole)
    assert [one.values.tolist() for one in resumed.measurements] == [one.values.tolist() for one in whole.measurements]
    assert resumed.ledger.spent(PERSON.unit) == 1
    assert not resumed.releasable


def test_a_finished_run_is_read_back(tmp_path):
    topdown = small(["total", "detailed"])
    first = topdown.run(persons(), folder=tmp_path, source=SeededBits(9))
    again = topdown.run(None, folder=tmp_path, source=Broken())
    assert held(first) == held(again) and again.ledger == first.ledger


@pytest.mark.parametrize(
    "other",
    [
        {"rho": "2"},
        {"names": ["total", "P08"]},
        {"levels": ["comuna"]},
        {"rules": True},
    ],
)
def test_another_configuration_is_refused(tmp_path, other):
    options = {"names": ["total", "detailed"], "levels": ["region"], "rho": "1"}
    small(**options).run(persons(), folder=tmp_path, source=SeededBits(9))
    with refused("checkpoint-other"):
        small(**options | other).run(persons(), folder=tmp_path, source=Broken())
    with refused("checkpoint-other"):
        small(**options).run(persons(), folder=tmp_path, source=Broken(), name="2")
    with refused("checkpoint-other"):
        small(**options).run(persons(), folder=tmp_path, source=SystemBits())


def test_a_checkpoint_that_was_touched_is_refused(tmp_path):
    topdown = small(["total"])
    topdown.run(persons(), folder=tmp_path, source=SeededBits(9))
    file = tmp_path / "measurement-0-values.npy"
    file.write_bytes(file.read_bytes()[:-1] + b"\1")
    with refused("checkpoint-broken"):
        topdown.run(persons(), folder=tmp_path, source=SeededBits(9))


def test_measurements_that_the_ledger_does_not_know_are_refused(tmp_path):
    topdown = small(["total"])
    topdown.run(persons(), folder=tmp_path / "run", source=SeededBits(9))
    other = small(["detailed"]).run(persons(), source=SeededBits(9), ledger_file=tmp_path / "ledger.json")
    assert other.ledger.spendings
    with refused("checkpoint-unpaid"):
        topdown.run(persons(), folder=tmp_path / "run", source=SeededBits(9), ledger_file=tmp_path / "ledger.json")


class Killed(BaseException):
    """The process is gone: nothing that would tidy up runs."""


def killed_at(monkeypatch, stroke, before):
    """Die at one of the moments when a file takes its place: just before it, or just after."""
    real, strokes = os.replace, count()

    def replace(*paths):
        now = next(strokes) == stroke
        if not (now and before):
            real(*paths)
        if now:
            raise Killed

    monkeypatch.setattr(os, "replace", replace)
    monkeypatch.setattr(Path, "unlink", lambda *_, **__: None)


@pytest.mark.parametrize("before", [True, False], ids=["before", "after"])
def test_a_run_killed_at_any_moment_goes_on_and_pays_and_draws_once(tmp_path, monkeypatch, before):
    topdown, ended = small(["total", "detailed"], ["region"]), False
    for stroke in count():
        folder, book = tmp_path / f"{stroke}", tmp_path / f"{stroke}.json"
        with monkeypatch.context() as patched, contextlib.suppress(Killed):
            killed_at(patched, stroke, before)
            topdown.run(persons(), folder=folder, ledger_file=book)
            ended = True
        (tmp_path / f"{stroke}.json.lock").unlink(missing_ok=True)  # what its message asks for
        about = json.loads((folder / "checkpoint.json").read_text()) if (folder / "checkpoint.json").exists() else {}
        kept = [np.load(folder / entry["values"]["values"].split()[0]) for entry in about.get("measurements", [])]
        resumed = topdown.run(persons(), folder=folder, ledger_file=book)
        check(resumed)
        assert len(read_ledger(book).spendings) == 1 and resumed.ledger == read_ledger(book)
        assert len(resumed.measurements) == len(topdown.charges)
        for one, values in zip(resumed.measurements, kept, strict=False):
            assert np.array_equal(one.values, values), "what was kept is not drawn again"
        if ended:
            break
    assert stroke > 2 * len(topdown.charges) + topdown.geography.depth, "every file was a moment to die at"


def test_noise_that_was_paid_for_and_lost_is_refused(tmp_path):
    topdown, book = small(["total"]), tmp_path / "ledger.json"
    topdown.run(persons(), folder=tmp_path / "run", ledger_file=book)
    shutil.rmtree(tmp_path / "run")
    with refused("ledger-run-repeated", run="1"):
        topdown.run(persons(), folder=tmp_path / "run", ledger_file=book)
    assert not (tmp_path / "run" / "checkpoint.json").exists()


@pytest.mark.parametrize("step", ["measurement", "comuna"])
def test_going_on_with_other_data_is_refused(tmp_path, step):
    topdown, book = small(["total", "detailed"]), tmp_path / "ledger.json"
    with pytest.raises(CancelledError):
        topdown.run(persons(), run=stopped_at(step), folder=tmp_path / "run", ledger_file=book)
    for other in (persons(200), persons().with_columns(P08=pl.lit(1))):
        with refused("checkpoint-other-data"):
            topdown.run(other, folder=tmp_path / "run", ledger_file=book)
    shuffled = persons().sample(fraction=1, shuffle=True, seed=1)
    check(topdown.run(shuffled, folder=tmp_path / "run", ledger_file=book))


def test_a_run_that_has_still_to_measure_needs_the_data(tmp_path):
    with refused("topdown-data-needed"):
        small(["total"]).run(None, folder=tmp_path)


def test_two_processes_do_not_go_on_with_the_same_run(tmp_path):
    topdown = small(["total"])
    busy = Run(progress=lambda *_: nested())

    def nested():
        with refused("checkpoint-busy"):
            topdown.run(persons(), folder=tmp_path, ledger_file=tmp_path / "ledger.json")

    check(topdown.run(persons(), run=busy, folder=tmp_path, ledger_file=tmp_path / "ledger.json"))
