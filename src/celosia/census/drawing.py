"""From the confidential counts to measurements: announced, paid for, drawn one by one, and never drawn twice.

A run may be killed at any moment. What it will spend is written down before the ledger is charged, and each
measurement as soon as it is drawn. Noise that was drawn and not written died with its process: nobody has seen it, and
drawing in its place tells nothing more than drawing once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from celosia.census.bits import Bits
from celosia.census.bounds import Bounds
from celosia.census.checkpoint import Checkpoint, Drawn
from celosia.census.counts import Counts
from celosia.census.domain import Domain
from celosia.census.geography import Geography
from celosia.census.ledger import Ledger, Spending
from celosia.census.ledger_file import open_ledger, spend
from celosia.census.measurement import Measurement
from celosia.census.measuring import Measurer
from celosia.core.errors import PolicyError
from celosia.core.run import Run


@dataclass(frozen=True)
class Account:
    """Who pays: a ledger, and the file that keeps it where there is one."""

    opening: Ledger
    file: str | Path | None = None

    def ledger(self) -> Ledger:
        """What was spent so far."""
        return self.opening if self.file is None else open_ledger(self.file, self.opening)

    def pay(self, spending: Spending) -> Ledger:
        """Enter a spending."""
        if self.file is None:
            return self.opening.spend(spending)
        return spend(self.file, self.opening, spending)

    def paid_once(self, spending: Spending) -> Ledger:
        """Enter a spending that was announced, unless the run that announced it did so."""
        held = self.ledger()
        return held if spending in held.spendings else self.pay(spending)

    def paid(self, spending: Spending) -> Ledger:
        """The ledger with what was measured; refused where that of the file does not know of it."""
        held = self.ledger()
        if self.file is not None and spending not in held.spendings:
            raise PolicyError("checkpoint-unpaid", run=spending.run)
        return held if spending in held.spendings else held.spend(spending)


def draw(
    spending: Spending,
    counts: Sequence[Counts],
    bounds: tuple[Bounds, ...],
    domain: Domain,
    geography: Geography,
    bits: Bits,
    run: Run,
    checkpoint: Checkpoint | None = None,
) -> Drawn:
    """The measurements that a spending paid for: those that were kept, and those still due drawn now."""
    measurer, found = Measurer(spending, bits), list[Measurement]()
    if checkpoint is not None:
        found += checkpoint.drawn(domain).measurements
        for one in found:
            measurer.skip(one.level, one.query.name)
    for i, charge in enumerate(spending.charges[len(found) :], start=len(found)):
        run.check("measurement", i / len(spending.charges))
        level = geography.level(charge.level)
        path = None if checkpoint is None else checkpoint.values
        one = measurer.measure(charge.level, domain.query(charge.query), counts[level], path)
        if checkpoint is not None:
            checkpoint.keep(one)
        found.append(one)
    run.check("measurement", 1.0)
    return Drawn(spending, tuple(found), bounds)
