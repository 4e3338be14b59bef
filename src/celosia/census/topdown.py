"""The TopDown algorithm: measure every level with noise, then estimate from the root down.

References
----------
Abowd, J. et al. (2022), The 2020 Census Disclosure Avoidance System TopDown Algorithm, *Harvard Data Science Review*,
special issue 2.
Kullmer, A. (2024), *Manteniendo la privacidad en los censos nacionales*, Universidad de Chile, section 7.3.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from celosia.census.bits import Bits, SystemBits
from celosia.census.budget import Budget, PureBudget
from celosia.census.charge import Charge
from celosia.census.checkpoint import Checkpoint, Drawn, digest_of, digest_of_counts
from celosia.census.counts import Counts
from celosia.census.descent import Descent
from celosia.census.domain import TOTAL, Domain
from celosia.census.drawing import Account, draw
from celosia.census.geography import Geography
from celosia.census.households import check_members
from celosia.census.invariants import Invariants
from celosia.census.ledger import Ledger, Spending
from celosia.census.protection import Table, Unit
from celosia.census.release import Release
from celosia.core.errors import DataError, OptionError
from celosia.core.frames import enter
from celosia.core.run import Run


@dataclass(frozen=True, eq=False)
class TopDown:
    """A census under differential privacy, from the whole to the smallest place.

    Parameters
    ----------
    domain
        The cells that a record may be in.
    geography
        The tree of places.
    budget
        The privacy budget and how it is split over levels and queries.
    invariants
        What is published exactly, and limits known from elsewhere.
    table
        What the records are.
    link
        Where dwellings are protected with all their members: the variable that says which dwelling a person lives in.

    Examples
    --------
    See the page *Estimation of a census*.
    """

    domain: Domain
    geography: Geography
    budget: Budget | PureBudget
    invariants: Invariants = field(default_factory=Invariants)
    table: Table = Table.PERSONS
    link: str | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "table", Table(self.table))
        together = self.budget.protection.unit is Unit.DWELLING and self.table is Table.PERSONS
        if together != (self.link is not None):
            raise OptionError("topdown-link")

    # -- the run -----------------------------------------------------------------------------------

    def run(
        self,
        data: Any,
        ledger: Ledger | None = None,
        run: Run | None = None,
        folder: str | Path | None = None,
        source: Bits | None = None,
        name: str = "1",
        ledger_file: str | Path | None = None,
    ) -> Release:
        """Measure and estimate. Everything that can be refused is refused before anything is spent.

        Parameters
        ----------
        data
            The confidential records.
        ledger
            What was spent on them before; by default nothing, and the budget is the limit.
        run
            Threads, progress and the stop button. Chance comes from ``source`` alone.
        folder
            Where the run keeps what it has done. A run that finds its measurements there goes on from them:
            it spends and draws nothing again. Once all are there, ``data`` may be ``None``.
        source
            Where the bits of the noise come from: the operating system, unless a test asks for a seed.
        name
            A name for the run, unlike those of the ledger's other runs.
        ledger_file
            The file that keeps the ledger; ``ledger`` opens it where there is none yet. What is spent is on the disk
            before the first bit is drawn.
        """
        circumstances, bits = run or Run(), source or SystemBits()
        account = Account(ledger or self.opening(), ledger_file)
        checkpoint = None
        if folder is not None:
            checkpoint = Checkpoint(folder, self._configuration(name, account.opening, bits))
        self.check()
        with nullcontext() if checkpoint is None else checkpoint.held():
            after, drawn = self._drawn(data, name, account, bits, circumstances, checkpoint)
            levels = tuple(self.estimate(drawn, circumstances, checkpoint))
        return Release("TopDown", self.domain, self.geography, levels, drawn.measurements, after)

    # -- before anything is spent -------------------------------------------------------------------

    @property
    def charges(self) -> tuple[Charge, ...]:
        """What is measured at which level, and at what price."""
        return self.budget.charges(self.domain, self.geography, self.table)

    def spending(self, name: str, source: Bits) -> Spending:
        """What a run enters in the ledger."""
        return Spending(
            run=name,
            table=self.table,
            levels=self.geography.levels,
            charges=self.charges,
            invariants=self.invariants.lines(),
            releasable=source.releasable,
        )

    def opening(self, data: str = "census") -> Ledger:
        """A ledger with this budget for a limit."""
        measure = "pure" if isinstance(self.budget, PureBudget) else "zcdp"
        empty = Ledger(data=data, protection=self.budget.protection, limits={}, measure=measure)
        asked = empty.model_copy(update={"spendings": (self.spending("1", SystemBits()),)})
        limits = {account: asked.spent(account) for account in empty.protection.accounts}
        return Ledger(data=data, protection=empty.protection, limits=limits, measure=measure)

    def check(self) -> None:
        """Refuse what cannot be estimated."""
        self.invariants.declared(self.domain, self.geography)
        fixed = {level for one in self.invariants.fixed if one.query == TOTAL for level in one.levels}
        known = False
        for level in reversed(self.geography.levels):
            known |= level in fixed or any(charge.level == level for charge in self.charges)
            if not known:
                raise OptionError("topdown-level-unknown", level=level)

    # -- steps -------------------------------------------------------------------------------------

    def _count(self, data: Any) -> Counts:
        records = enter(data)
        members = self.budget.protection.members
        if self.link is not None and members is not None:
            check_members(records, self.link, members)
        place, cell = self.geography.place(records), self.domain.encode(records)
        return Counts.of_records(place, cell, self.geography.leaves, self.domain.size)

    def _drawn(
        self, data: Any, name: str, account: Account, bits: Bits, run: Run, checkpoint: Checkpoint | None
    ) -> tuple[Ledger, Drawn]:
        """The ledger and the measurements: those that a run before this one kept, and those still due."""
        begun = checkpoint is not None and checkpoint.begun
        measured = checkpoint is not None and checkpoint.measured
        if data is None and not measured:
            raise DataError("topdown-data-needed")
        counts = None if data is None else Counts.levels(self._count(data), self.geography)
        if checkpoint is not None and begun and counts is not None:
            checkpoint.require_data(digest_of_counts(counts[-1]))
        if checkpoint is not None and measured:
            drawn = checkpoint.drawn(self.domain)
            return account.paid(drawn.spending), drawn
        assert counts is not None
        spending = self.spending(name, bits)
        bounds = self.invariants.resolve(self.domain, self.geography, counts)
        if checkpoint is not None and not begun:
            account.ledger().spend(spending)  # what cannot be paid is not announced
            checkpoint.begin(spending, bounds, digest_of_counts(counts[-1]))
        after = account.paid_once(spending) if begun else account.pay(spending)
        return after, draw(spending, counts, bounds, self.domain, self.geography, bits, run, checkpoint)

    def estimate(self, drawn: Drawn, run: Run, checkpoint: Checkpoint | None = None) -> Iterator[Counts]:
        """The counts of each level, root first, from the measurements and what is published exactly.

        The data play no part in it: whoever has the measurements can do it anew.
        """
        declared = self.invariants.declared_on(self.domain, self.geography)
        return Descent(self.domain, self.geography, drawn, declared, run).levels(checkpoint)

    # -- resuming ----------------------------------------------------------------------------------

    def _configuration(self, name: str, opening: Ledger, source: Bits) -> str:
        """Everything that the outcome of a run depends on, the data by their name."""
        places = digest_of(place for codes in self.geography.names for place in codes)
        return json.dumps(
            {
                "domain": self.domain.model_dump(mode="json"),
                "levels": self.geography.levels,
                "places": places,
                "budget": self.budget.model_dump(mode="json"),
                "invariants": self.invariants.model_dump(mode="json"),
                "table": self.table.value,
                "link": self.link,
                "name": name,
                "data": opening.data,
                "releasable": source.releasable,
            },
            sort_keys=True,
        )
