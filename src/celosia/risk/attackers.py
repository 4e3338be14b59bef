r"""Three attackers: the prosecutor, the journalist, the marketer.

* The **prosecutor** knows that a person is in the file: risk :math:`1/f`.
* The **journalist** does not, and looks the record up in the population: risk :math:`1/F`, with :math:`F` counted in a
  register where there is one, else the sum of the weights; never below :math:`f`, since the people of the file are of
  the population too. A record that nobody of the register agrees with so keeps the prosecutor's risk.
* The **marketer** wants as many right as possible: the mean of :math:`1/F` over the records.

Where no published record agrees with a true key (``missing="intruder"``, :math:`f = 0`) nobody is found: the risk is 0.

References
----------
El Emam (2013), *Guide to the De-Identification of Personal Health Information*, CRC Press, ch. 16.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from celosia.core.errors import warn
from celosia.core.language import percent, text
from celosia.core.picture import Picture, chart
from celosia.core.results import Tabular
from celosia.core.run import Run
from celosia.risk.frequencies import Missing, counting_remarks, frequencies
from celosia.risk.k_map import people_of
from celosia.risk.records import records_of

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Attackers(Tabular):
    """The risk that each of three attackers is."""

    prosecutor: Floats = field(repr=False)
    """Risk of each record."""
    journalist: Floats = field(repr=False)
    """Risk of each record."""
    missing: Missing

    @property
    def marketer(self) -> float:
        """Expected share of records that are named rightly."""
        return float(self.journalist.mean())

    def by_record(self) -> dict[str, npt.NDArray[Any]]:
        """Of each record: the risk from prosecutor and journalist."""
        return {"prosecutor": self.prosecutor, "journalist": self.journalist}

    def table(self) -> pl.DataFrame:
        """Highest and mean risk of each attacker, and the records above some levels."""
        rows = []
        for name, risk in (("prosecutor", self.prosecutor), ("journalist", self.journalist)):
            shares = [float((risk > level).mean()) for level in (0.05, 0.2, 0.5)]
            rows.append((name, float(risk.max()), float(risk.mean()), *shares))
        rows.append(("marketer", None, self.marketer, None, None, None))
        names = ["attacker", "highest", "mean", "above_5", "above_20", "above_50"]
        return pl.DataFrame(rows, schema=names, orient="row")

    def views(self) -> dict[str, pl.DataFrame]:
        """The same figures, which are all risks."""
        return {"": self.table().rename({"highest": "highest_risk", "mean": "mean_risk"})}

    def remarks(self) -> tuple[str, ...]:
        """How empty cells were counted."""
        return counting_remarks(self.missing)

    def picture(self) -> Picture:
        """Mean risk of each attacker."""
        rows = self.table().select(
            pl.col("attacker").map_elements(lambda name: text(f"attacker.{name}"), return_dtype=pl.String),
            pl.col("mean").alias("share"),
        )
        said = ", ".join(f"{name}: {percent(mean)}" for name, mean in rows.iter_rows())
        return chart(rows, "attacker", "share", share=True, alternative=text("picture.attackers", said=said))

    def to_dict(self) -> dict[str, Any]:
        """The table as plain numbers."""
        return {"missing": self.missing, "attackers": self.table().to_dicts()}


def attackers(
    frame: Any,
    keys: Sequence[str],
    weight: str | None = None,
    register: Any = None,
    missing: Missing = "wildcard",
    truth: Any = None,
    run: Run | None = None,
) -> Attackers:
    """Prosecutor, journalist and marketer risk.

    Parameters
    ----------
    frame, keys, weight, missing, truth
        As in ``frequencies``.
    register
        The population, to count the journalist's F in; else F comes from the weights.

    Examples
    --------
    >>> import polars as pl
    >>> frame = pl.DataFrame({"sexo": [1, 1, 2], "peso": [50, 50, 20]})
    >>> attackers(frame, keys=["sexo"], weight="peso").marketer
    0.023333333333333334
    """
    data = records_of(frame)
    found = frequencies(data if truth is None else frame, keys, weight, missing, truth=truth, run=run)
    people = found.population
    if register is not None:
        population, of_key, _ = people_of(data, keys, register)
        people = population.of_records(of_key)
    elif count := int((people < found.sample).sum()):
        warn("population-below-sample", count=count)
    nobody = np.zeros(found.records)
    prosecutor = np.divide(1.0, found.sample, out=nobody.copy(), where=found.sample > 0)
    journalist = np.divide(1.0, np.maximum(people, found.sample), out=nobody, where=found.sample > 0)
    return Attackers(prosecutor, journalist, missing)
