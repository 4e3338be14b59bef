"""``celosia risk``: the risk of a file for one set of keys."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from celosia.cli.output import Output
from celosia.core.errors import DataError
from celosia.core.language import number, percent, text


def risk(
    output: Output,
    file: Path,
    keys: tuple[str, ...],
    weight: str | None,
    household: str | None,
    missing: str,
    dictionary: Path | None,
) -> int:
    """Measure and print frequencies, individual, household and global risk."""
    from celosia.io import read
    from celosia.process.inspection import warn_of_identifiers
    from celosia.risk import individual

    with output.working(), output.progress() as run:
        data = read(file, dictionary=dictionary)
        if data.height == 0:
            raise DataError("no-records")
        warn_of_identifiers(data, keys)
        found = individual(data, keys, weight, household, missing, run=run)  # type: ignore[arg-type]
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
    output.table(pl.DataFrame(rows, schema=["figure", "count", "share"], orient="row"), title=file.name)
    output.say(text("risk.basis", keys=keys, counting=text(f"counting.{missing}")))
    output.say(text("risk.weighted" if weight else "risk.whole"))
    results = {
        "frequencies": frequencies.to_dict(),
        "risk": found.to_dict(),
        "violations": {str(k): frequencies.below(k) for k in (2, 3, 5)},
        "table": found.table().to_dicts(),
    }
    return output.done(results)
