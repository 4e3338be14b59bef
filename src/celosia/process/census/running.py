"""A plan carried out: everything is checked, then the ledger is charged, then it is measured and estimated.

What a run has done is kept in a folder of its own. A run that was stopped goes on from there: it spends and draws
nothing again.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from celosia.census import Geography, Ledger, Release, SeededBits, SystemBits, Table, TopDown, households
from celosia.census.bits import Bits
from celosia.census.counts import Counts
from celosia.census.households import check_members
from celosia.census.ledger_file import open_ledger
from celosia.core.dictionary import Dictionary
from celosia.core.errors import CelosiaError, RoleError, warn
from celosia.core.language import has_text, text
from celosia.core.microdata import Microdata
from celosia.core.run import Run
from celosia.process.census.evaluating import evaluated
from celosia.process.census.outcome import STEM, Outcome, Published
from celosia.process.census.plan import CensusPlan
from celosia.process.census.tables import Counted
from celosia.process.release import make_folder

TEST = "prueba"
"""Folder of what a test run keeps."""


def run(plan: CensusPlan, run: Run | None = None, seed: int | None = None) -> Outcome:
    """Carry out a plan; nothing is published yet.

    Parameters
    ----------
    run
        Threads, progress and the stop button. Chance comes from the operating system alone.
    seed
        Of a test: the noise comes again with it, and nothing that is made of it may be published. A test has a
        ledger of its own.
    """
    work = _Work(plan, run or Run(), seed)
    work.check()
    tables = tuple(work.published())
    return Outcome(plan, tables, work.ledger(), seed)


def folder(plan: CensusPlan, seed: int | None = None) -> Path:
    """Where a run keeps what it has done."""
    return plan.resolve(plan.folder) / "interno" / (TEST if seed is not None else f"ejecucion-{plan.run}")


@contextmanager
def _placed(where: str) -> Iterator[None]:
    """An error says in which section of the plan it is, unless it says better."""
    try:
        yield
    except CelosiaError as error:
        error.facts.setdefault("where", where)
        raise


@dataclass(frozen=True, eq=False)
class _Job:
    """One table that is to be made."""

    table: Table
    counted: Counted
    data: Microdata = field(repr=False)
    topdown: TopDown = field(repr=False)
    name: str
    folder: Path

    @property
    def begun(self) -> bool:
        """Whether a run before this one announced what it would spend on it."""
        return (self.folder / "checkpoint.json").exists()


class _Work:
    """One run of a plan, its files read once."""

    def __init__(self, plan: CensusPlan, run: Run, seed: int | None) -> None:
        self.plan, self.run, self.seed = plan, run, seed
        self.bits: Bits = SystemBits() if seed is None else SeededBits(seed)
        self.folder = folder(plan, seed)
        if seed is not None:
            shutil.rmtree(self.folder, ignore_errors=True)
        self.ledger_file = plan.resolve(plan.ledger) if seed is None else self.folder / "libro.json"

    # -- what is declared ----------------------------------------------------------------------------

    @cached_property
    def places(self) -> Microdata:
        """The public list."""
        from celosia.io import read

        return read(self.plan.resolve(self.plan.places.file))

    @cached_property
    def geography(self) -> Geography:
        """The tree of places."""
        with _placed("places"):
            return self.plan.places.geography(self.places)

    @cached_property
    def sources(self) -> dict[str, Microdata]:
        """The confidential files, prepared."""
        return {name: source.read(self.plan.resolve) for name, source in self.plan.sources.items()}

    @cached_property
    def jobs(self) -> tuple[_Job, ...]:
        """The tables, in the order of the plan."""
        jobs = []
        for table, counted in self.plan.tables.items():
            with _placed(f"tables: {table.value}"):
                jobs.append(self._job(table, counted))
        return tuple(jobs)

    def _job(self, table: Table, counted: Counted) -> _Job:
        data = self._data(table, counted)
        data.require(*counted.variables)
        topdown = TopDown(
            domain=counted.domain(data.dictionary),
            geography=self.geography,
            budget=counted.budget.budget(self.plan.protection),
            invariants=counted.invariants.invariants(self.plan.resolve, self.geography),
            table=table,
            link=self.plan.link if table is Table.PERSONS and self.plan.protection.members is not None else None,
        )
        return _Job(table, counted, data, topdown, f"{self.plan.run}-{table.value}", self.folder / table.value)

    def _data(self, table: Table, counted: Counted) -> Microdata:
        if table is not Table.HOUSEHOLDS:
            return self.sources[self.plan.needs(table)[0]]
        assert self.plan.link is not None
        sources, link = self.sources, self.plan.link
        return households(sources["persons"], sources["dwellings"], link, counted.size, counted.top)

    # -- before anything is spent ---------------------------------------------------------------------

    def check(self) -> None:
        """Refuse what cannot be done while nothing is spent: levels and queries, data, limits."""
        for job in self.jobs:
            with _placed(f"tables: {job.table.value}"):
                job.topdown.check()
                self._warn_of_idle_budget(job)
                self._check_asked(job)
        ledger = self.ledger()
        entered = {spending.run for spending in ledger.spendings}
        waiting = [job for job in self.jobs if not (job.begun and job.name in entered)]
        for job in waiting:
            ledger = ledger.spend(job.topdown.spending(job.name, self.bits))
        for job in waiting[1:]:  # the first is checked when it begins
            with _placed(f"tables: {job.table.value}"):
                self._check_data(job)

    def _check_asked(self, job: _Job) -> None:
        """Questions, groups and the intruder speak of what is published."""
        domain, tree = job.topdown.domain, job.topdown.geography
        for level, queries in job.counted.questions.items():
            tree.level(level)
            for query in queries:
                domain.query(query)
        for group in job.counted.groups:
            group.query(domain.total(), domain)
            if group.level is not None:
                tree.level(group.level)
        if (asked := job.counted.compare) is not None:
            told = (*tree.told, *domain.names)
            if unknown := [name for name in (*asked.keys, asked.sensitive) if name not in told]:
                raise RoleError("census-compare-unknown", variable=unknown[0], known=told)

    def _check_data(self, job: _Job) -> None:
        topdown, members = job.topdown, self.plan.protection.members
        if topdown.link is not None and members is not None:
            check_members(job.data, topdown.link, members)
        place, cell = topdown.geography.place(job.data), topdown.domain.encode(job.data)
        leaves = Counts.of_records(place, cell, topdown.geography.leaves, topdown.domain.size)
        levels = Counts.levels(leaves, topdown.geography)
        topdown.invariants.resolve(topdown.domain, topdown.geography, levels)

    def _warn_of_idle_budget(self, job: _Job) -> None:
        """Say where a budget pays for what an invariant publishes exactly."""
        levels = job.topdown.geography.levels
        for fixed in job.topdown.invariants.fixed:
            known = levels[: 1 + max(job.topdown.geography.level(level) for level in fixed.levels)]
            query = job.topdown.domain.query(fixed.query).name
            idle = tuple(c.level for c in job.topdown.charges if c.query == query and c.level in known)
            if idle:
                warn("census-budget-idle", table=job.table.value, query=query, levels=idle)

    def ledger(self) -> Ledger:
        """What was spent so far."""
        return open_ledger(self.ledger_file, self.plan.opening)

    # -- the run ---------------------------------------------------------------------------------------

    def published(self) -> Iterator[Published]:
        """The tables, one after the other."""
        make_folder(self.folder)
        for job in self.jobs:
            said = replace(self.run, progress=self._progress(job))
            with _placed(f"tables: {job.table.value}"):
                release = job.topdown.run(
                    job.data,
                    ledger=self.plan.opening,
                    run=said,
                    folder=job.folder,
                    source=self.bits,
                    name=job.name,
                    ledger_file=self.ledger_file,
                )
            self.run.check()
            yield self._evaluated(job, release)

    def _evaluated(self, job: _Job, release: Release) -> Published:
        spending = next(one for one in release.ledger.spendings if one.run == job.name)
        said = replace(self.run, progress=self._progress(job))
        found = evaluated(self.plan, job.counted, job.data, job.topdown, release, said)
        file = job.counted.file or f"{STEM[job.table]}.csv"
        return Published(job.table, file, release, self._told(job), spending, found)

    def _told(self, job: _Job) -> Dictionary:
        """What is published of places and codes."""
        known = job.data.dictionary
        places = self.plan.places.described(self.places, job.topdown.geography, known)
        return Dictionary.of(*places, *(job.counted.told(name, known) for name in job.counted.variables))

    def _progress(self, job: _Job) -> Any:
        table = text(f"table.{job.table.value}")

        def said(step: str, done: float) -> None:
            known = f"progress.{step}"
            self.run.progress(f"{table} · {text(known) if has_text(known) else step}", done)

        return said
