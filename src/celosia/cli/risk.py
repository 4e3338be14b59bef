"""``celosia risk``: the risk of a file for one set of keys."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from celosia.cli.output import Output
from celosia.core.dictionary import Role
from celosia.core.errors import DataError, OptionError
from celosia.core.language import number, percent, text
from celosia.core.microdata import Microdata
from celosia.core.results import Result

_ROWS = 40
"""A table on the screen shows so many rows; the whole of it is in the library."""


@dataclass(frozen=True)
class Asked:
    """What is asked of which file."""

    file: Path
    keys: tuple[str, ...]
    weight: str | None
    household: str | None
    missing: str
    dictionary: Path | None

    def read(self, key: bytes | None = None) -> Microdata:
        """The file, checked for what no measure can work on."""
        from celosia.io import read
        from celosia.process.inspection import warn_of_identifiers

        data = read(self.file, dictionary=self.dictionary, key=key)
        if data.height == 0:
            raise DataError("no-records")
        warn_of_identifiers(data, self.keys)
        return data


def measures(
    output: Output, asked: Asked, names: Sequence[str], more: Mapping[str, Any], options: Sequence[str]
) -> int:
    """Print the measures of these names, each as its table."""
    from celosia.io import read
    from celosia.risk.measures import measure

    with output.working(), output.progress() as run:
        key = run.step("record-ids").secret
        data, original = asked.read(key), None
        if more["original"] is not None:
            original = read(more["original"], dictionary=asked.dictionary, key=key)
            original, data = _matched(original, data)
        sensitive = more["sensitive"]
        at_hand = {
            "frame": data,
            "masked": data,
            "original": original,
            "register": None if more["register"] is None else read(more["register"]),
            "keys": asked.keys,
            "weight": asked.weight,
            "household": asked.household,
            "sensitive": (sensitive[0] if len(sensitive) == 1 else sensitive) or None,
            "run": run,
        }
        wanted = dict(_option(option) for option in options)
        found = {name: measure(name, at_hand, wanted) for name in names}
    for name, result in found.items():
        output.table(_shown(result), title=name)
    return output.done({"measures": {name: result.to_dict() for name, result in found.items()}})


def _matched(original: Microdata, masked: Microdata) -> tuple[Microdata, Microdata]:
    """Both files matched by the declared id where both hold it, else row by row."""
    role = original.role(Role.ID)
    if role is not None and role == masked.role(Role.ID):
        return original, masked
    return _by_row(original), _by_row(masked)


def _by_row(data: Microdata) -> Microdata:
    """The data with the row as record id."""
    role = data.role(Role.ID)
    return data if role is None else Microdata(data.frame, data.dictionary.replace(role, role=None))


def _option(written: str) -> tuple[str, Any]:
    """``name=value``; a value that reads as a number is one."""
    name, equals, value = written.partition("=")
    if not equals:
        raise OptionError("option-form", option="--option")
    for kind in (int, float):
        try:
            return name.strip(), kind(value)
        except ValueError:
            continue
    return name.strip(), value.strip()


def _shown(result: Result) -> pl.DataFrame:
    """The table of a result that people can read: not one row a record."""
    table = result.summary() if hasattr(result, "summary") else result.table()
    return table.head(_ROWS)


def risk(output: Output, asked: Asked) -> int:
    """Measure and print frequencies, individual, household and global risk."""
    from celosia.risk import individual

    keys, weight, missing = asked.keys, asked.weight, asked.missing
    with output.working(), output.progress() as run:
        found = individual(asked.read(), keys, weight, asked.household, missing, run=run)  # type: ignore[arg-type]
    frequencies = found.frequencies
    rows = [
        (text("figure.records"), number(found.records, 0), ""),
        (text("figure.global"), number(found.expected, 2), percent(found.global_risk)),
    ]
    if found.household_expected is not None and found.household_global_risk is not None:
        rows.append(
            (
                text("figure.global-household"),
                number(found.household_expected, 2),
                percent(found.household_global_risk),
            )
        )
    for k in (2, 3, 5):
        below = frequencies.below(k)
        rows.append((text("figure.below", k=k), number(below, 0), percent(below / found.records)))
    rows += [
        (text("figure.above-level", level=percent(at, 0)), number(found.above(at), 0), percent(found.share_above(at)))
        for at in (0.01, 0.05, 0.25)
    ]
    output.table(pl.DataFrame(rows, schema=["figure", "count", "share"], orient="row"), title=asked.file.name)
    output.say(text("risk.basis", keys=keys, counting=text(f"counting.{missing}")))
    output.say(text("risk.weighted" if weight else "risk.whole"))
    results = {
        "frequencies": frequencies.to_dict(),
        "risk": found.to_dict(),
        "violations": {str(k): frequencies.below(k) for k in (2, 3, 5)},
        "table": found.table().to_dicts(),
    }
    return output.done(results)
