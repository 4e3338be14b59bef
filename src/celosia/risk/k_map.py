r"""k-map: how many people of a population share each record's key.

With a register of the population (a file of persons with the same variables) the population frequency of a record
is counted, not estimated: :math:`F_i` is the number of persons of the register that agree with the record on every
key that both observe. A file is k-map when every :math:`F_i \ge k`; an intruder who holds the register, and does not
know who is in the file, finds the right person with probability :math:`1/F_i` (the journalist's risk).

A record that nobody of the register agrees with does not prove itself safe: the register is of other people or of
another day, or was coded apart. It counts among the violations, and how many there are is said.

References
----------
Sweeney (2002), *k-anonymity: a model for protecting privacy*, IJUFKS 10(5), 557-570. El Emam & Dankar (2008),
*Protecting privacy using k-anonymity*, JAMIA 15(5), 627-637.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from celosia.core.errors import DataError, RoleError, warn
from celosia.core.frames import enter, variable_names
from celosia.core.language import number, percent, text
from celosia.core.picture import Picture, chart
from celosia.core.results import Tabular
from celosia.engines import Keys, engine
from celosia.risk.options import whole_number
from celosia.risk.records import records_of
from celosia.risk.wildcards import Packed, count_in


@dataclass(frozen=True, eq=False)
class KMap(Tabular):
    """Records whose key fewer than k people of the population share.

    Attributes
    ----------
    k, population
        The level, and the persons of the register.
    of_key
        F of each distinct key; 0 where nobody of the register agrees.
    """

    keys: Keys = field(repr=False)
    of_key: npt.NDArray[np.int64] = field(repr=False)
    k: int
    population: int

    @cached_property
    def matches(self) -> npt.NDArray[np.int64]:
        """F of each record."""
        return self.keys.of_records(self.of_key)

    @property
    def violations(self) -> int:
        """Records with F below k, those that nobody agrees with included."""
        return self.below(self.k)

    def below(self, k: float) -> int:
        """Records with F below a level."""
        return int(self.keys.count[self.of_key < k].sum())

    @property
    def share(self) -> float:
        """Violations as a share of the records."""
        return self.violations / self.keys.records

    @property
    def unmatched(self) -> int:
        """Records that nobody of the register agrees with: the register is another population, or was coded apart."""
        return int(self.keys.count[self.of_key == 0].sum())

    @cached_property
    def risk(self) -> npt.NDArray[np.float64]:
        """Journalist's risk of each record: 1/F, and 0 where nobody agrees."""
        of_key = np.divide(1.0, self.of_key, out=np.zeros(self.of_key.size), where=self.of_key > 0)
        return self.keys.of_records(of_key)

    def by_record(self) -> dict[str, npt.NDArray[Any]]:
        """Of each record: the journalist's risk, and whether it violates."""
        return {"journalist": self.risk, "share": self.matches < self.k}

    def table(self) -> pl.DataFrame:
        """Violations for every level up to k; those that nobody agrees with are the records with F below 1."""
        levels = list(range(1, self.k + 1))
        found = [self.below(k) for k in levels]
        return pl.DataFrame({"k": levels, "violations": found, "share": [v / self.keys.records for v in found]})

    def remarks(self) -> tuple[str, ...]:
        """In how many people was looked."""
        return (text("remark.register", people=number(self.population, 0), unmatched=number(self.unmatched, 0)),)

    def picture(self) -> Picture:
        """Share of the records that violate each level up to k."""
        rows = self.table().select(pl.col("k").cast(pl.String), "share")
        said = ", ".join(f"{k}: {percent(share)}" for k, share in rows.iter_rows())
        return chart(rows, "k", "share", share=True, alternative=text("picture.violations", said=said))

    def to_dict(self) -> dict[str, Any]:
        """Level, violations, share, and the records without anybody."""
        names = ("k", "violations", "share", "unmatched", "population")
        return {name: getattr(self, name) for name in names}


def k_map(frame: Any, keys: Sequence[str], register: Any, k: int = 2) -> KMap:
    """Count, for every record, the people of a register who agree with it.

    Parameters
    ----------
    frame, keys
        The file and its key variables.
    register
        The population: one record a person, with the same key variables in the same coding.
    k
        The level to report on.

    Examples
    --------
    >>> import polars as pl
    >>> frame = pl.DataFrame({"sexo": [1, 2], "edad": [30, 40]})
    >>> population = pl.DataFrame({"sexo": [1, 1, 2, 2], "edad": [30, 30, 40, 50]})
    >>> k_map(frame, keys=["sexo", "edad"], register=population).matches.tolist()
    [2, 1]
    """
    whole_number("k", k)
    found, of_key, people = people_of(frame, keys, register)
    if people < k:
        warn("fewer-than-k", count=people, k=k)
    return KMap(found, of_key, int(k), people)


def people_of(frame: Any, keys: Sequence[str], register: Any) -> tuple[Keys, npt.NDArray[np.int64], int]:
    """The keys of a file, the persons of a register who agree with each, and how many persons it has.

    Records that nobody agrees with are told of, and those that are more than the persons who do: no register of the
    whole population has either.
    """
    data, known, names = records_of(frame), enter(register), variable_names(keys)
    if not known.height:
        raise DataError("register-empty")
    if absent := [name for name in names if name not in known]:
        raise RoleError("register-without-keys", variables=tuple(absent))
    sample, population = engine(data).encode_with(names, known)
    of_key, _ = count_in(Packed.of(sample), Packed.of(population), population.count, population.count)
    for code, short in (("unmatched", of_key == 0), ("below-sample", (of_key > 0) & (of_key < sample.count))):
        if count := int(sample.count[short].sum()):
            warn(f"register-{code}", count=count)
    return sample, of_key, known.height
