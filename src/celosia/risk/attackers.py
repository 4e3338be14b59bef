r"""Three attackers: the prosecutor, the journalist, the marketer.

* The **prosecutor** knows that a person is in the file: risk :math:`1/f`.
* The **journalist** does not, and looks the record up in the population: risk :math:`1/F`, with :math:`F` counted in a
  register where there is one, else the sum of the weights. A record that nobody of the register agrees with keeps
  the prosecutor's risk: the register does not know its people.
* The **marketer** wants as many right as possible: the mean of :math:`1/F` over the records.

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

from celosia.core.language import percent, text
from celosia.core.picture import Picture, chart
from celosia.core.results import Tabular
from celosia.core.run import Run
from celosia.risk.frequencies import Missing, frequencies
from celosia.risk.k_map import k_map
from celosia.risk.records import records_of

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Attackers(Tabular):
    """The risk that each of three attackers is."""

    prosecutor: Floats = field(repr=False)
    """Risk of each record."""
    journalist: Floats = field(repr=False)
    """Risk of each record."""

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
        return {"attackers": self.table().to_dicts()}


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
    if register is not None:
        people = k_map(data, keys, register).matches
        journalist = 1.0 / np.where(people > 0, people, found.sample)
    else:
        journalist = 1.0 / np.maximum(found.population, found.sample)
    return Attackers(1.0 / found.sample, journalist)
