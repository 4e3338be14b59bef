"""The certificate of a census: what was protected and how, what it cost, and the hashes of what is published.

It says nothing that depends on the data except through the release itself.
"""

from __future__ import annotations

import hashlib
import platform
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property
from importlib.metadata import version
from typing import Any

from celosia.census import Ledger, Table
from celosia.census.accounting import detection
from celosia.census.invariants import Stated
from celosia.census.ledger import Loss
from celosia.core.language import LANGUAGES, has_text, number, percent, power_of_ten, speaking, text
from celosia.process.census.outcome import Outcome

SCHEMA = "celosia-census-certificate-1"
FALSE_ALARM = 0.05
"""The rate of false alarms at which the plain summary says what can be detected."""
_LIBRARIES = ("celosia", "numpy", "polars", "numba")


@dataclass(frozen=True, eq=False)
class Certificate:
    """What is said of a release to everybody.

    Attributes
    ----------
    files
        Name of each public file → its SHA-256 and size.
    made
        When, in universal time.
    """

    outcome: Outcome = field(repr=False)
    files: Mapping[str, Mapping[str, str | int]]
    made: str

    @classmethod
    def of(cls, outcome: Outcome, files: Mapping[str, Mapping[str, str | int]]) -> Certificate:
        """The certificate of files that were just written."""
        return cls(outcome, files, datetime.now(UTC).isoformat(timespec="seconds"))

    def to_dict(self) -> dict[str, Any]:
        """Plain values; exact numbers as fractions in text."""
        return dict(self._facts)

    @cached_property
    def _facts(self) -> dict[str, Any]:
        outcome, ledger = self.outcome, self.outcome.ledger
        spoken = {}
        for language in LANGUAGES:
            with speaking(language):
                spoken[language] = plain_words(outcome)
        return {
            "schema": SCHEMA,
            "releasable": outcome.releasable,
            "title": outcome.plan.title,
            "run": outcome.plan.run,
            "made": self.made,
            "summary": spoken,
            "randomness": "operating system" if outcome.releasable else "test seed",
            "this_run": [loss.to_dict() for loss in losses(outcome.own)],
            "ledger": {name: value for name, value in ledger.to_dict().items() if name != "spendings"},
            "tables": [one.to_dict() for one in outcome.tables],
            "files": {name: dict(facts) for name, facts in self.files.items()},
            "plan": {"sha256": hashlib.sha256(outcome.plan.text.encode()).hexdigest()},
            "versions": {"python": platform.python_version()} | {name: version(name) for name in _LIBRARIES},
        }


def losses(ledger: Ledger) -> list[Loss]:
    """The loss of each account that has paid anything, and of all together where there are several."""
    paid = [loss for account in ledger.protection.accounts if (loss := ledger.loss(account)).rho]
    return paid if len(paid) < 2 else [*paid, ledger.whole]


def plain_words(outcome: Outcome) -> list[str]:
    """The guarantee in sentences that need no formula, in the language in force."""
    ledger, protection = outcome.ledger, outcome.plan.protection
    said = []
    if not outcome.releasable:
        said.append(text("census.words.test"))
    said.append(text(f"census.words.{protection.unit.value}", members=protection.members or 0))
    said.append(text(f"census.words.{protection.neighbours.value}"))
    for loss in losses(ledger):
        pure = None if loss.pure is None else float(loss.pure)
        said.append(
            text(
                "census.words.loss",
                account=text(f"account.{loss.account}"),
                rho=number(float(loss.rho), 4),
                epsilon=number(loss.epsilon, 2),
                delta=power_of_ten(float(loss.delta)),
                alarm=percent(FALSE_ALARM, 0),
                power=percent(detection(loss.rho, FALSE_ALARM, pure), 0),
            )
        )
    if stated := stated_invariants(outcome):
        said.append(text("census.words.invariants", lines="; ".join(map(_invariant, stated))))
    said.append(text("census.words.runs", runs=len({one.run for one in ledger.spendings})))
    said.append(text("census.words.nobody"))
    return said


def stated_invariants(outcome: Outcome) -> list[tuple[Table, Stated]]:
    """What any run on these data published exactly or knew from elsewhere, table by table."""
    lines = [(spending.table, line) for spending in outcome.ledger.spendings for line in spending.invariants]
    return [(table, Stated.of(line)) for table, line in dict.fromkeys(lines)]


def _invariant(stated: tuple[Table, Stated]) -> str:
    table, line = stated
    named = text(f"query.{line.query}") if has_text(f"query.{line.query}") else line.query
    return f"{text(f'table.{table.value}')}, {named} ({text(f'sign.{line.sign}')}): {line.levels}"
