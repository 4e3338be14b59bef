"""Protections side by side: any number of them, looked at in the same way, on the same tables.

A protection is whatever gives answers (``Published``), records or both; a look is whatever has something to say of
one (``Look``): an error, a risk, an attack. A new one of either kind joins the table as it is.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Protocol

import numpy as np
import polars as pl

from celosia.census.accuracy import Accuracy, accuracy
from celosia.census.domain import Domain
from celosia.census.groups import Group, Mask
from celosia.census.published import Counted, Published, Recorded
from celosia.census.query import Query
from celosia.core.errors import OptionError
from celosia.core.microdata import Microdata
from celosia.core.results import Tabular
from celosia.methods.ine_census_2017 import IneCensus2017
from celosia.risk import exact_linkage, k_anonymity, l_diversity


@dataclass(frozen=True, eq=False)
class Truth:
    """What every protection is compared with.

    Attributes
    ----------
    counted
        The records as they are, counted; ``counted.data`` holds them.
    public
        Whether anybody may know them: synthetic or published data.
    groups
        Whose errors and risks are shown beside those of all.
    """

    counted: Counted = field(repr=False)
    domain: Domain = field(repr=False)
    groups: tuple[Group, ...] = ()
    public: bool = False

    def records(self, published: Published) -> Recorded | None:
        """The records of a protection as the looks at risk take them."""
        if published.data is None:
            return None
        return Recorded(published.name, self.domain, self.counted.geography, published.data)


@dataclass(frozen=True)
class Row:
    """One figure of one protection: of everybody, or of a group. Larger is worse."""

    protection: str
    look: str
    of: str
    figure: str
    group: str | None
    value: float | None


class Look(Protocol):
    """Something to look at in what a protection publishes."""

    def rows(self, truth: Truth, published: Published) -> Iterator[Row]:
        """Its figures, of everybody and of each group."""
        ...


@dataclass(frozen=True)
class ErrorsOf:
    """The errors of some questions: level → names of queries."""

    questions: Mapping[str, Sequence[str]]

    def rows(self, truth: Truth, published: Published) -> Iterator[Row]:
        """Mean absolute error, root mean square, bias, relative error, and share of the answers that are not given."""
        geography = truth.counted.geography
        for level, names in self.questions.items():
            depth = geography.level(level)
            for name in names:
                query = truth.domain.query(name)
                for group in (None, *truth.groups):
                    found = self._found(truth, published, depth, query, group)
                    if found is None:
                        continue
                    figures = {
                        "mae": found.mae,
                        "rmse": found.rmse,
                        "bias": None if found.mean_error is None else abs(found.mean_error),
                        "relative": found.relative,
                        "untold": found.untold / max(found.answers + found.untold, 1),
                    }
                    for figure, value in figures.items():
                        of = f"{level} · {query.name}"
                        yield Row(published.name, "error", of, figure, None if group is None else group.name, value)

    def _found(
        self, truth: Truth, published: Published, depth: int, query: Query, group: Group | None
    ) -> Accuracy | None:
        where = None if group is None else group.places(truth.counted, depth)
        asked = query if group is None else group.query(query, truth.domain)
        if asked is None or (where is not None and not where.any()):
            return None
        return accuracy(truth.counted, published, depth, asked, truth.counted.geography.nodes[depth], where)


@dataclass(frozen=True)
class Anonymity:
    """k-anonymity of the published records."""

    keys: tuple[str, ...]
    k: int = 3

    def rows(self, truth: Truth, published: Published) -> Iterator[Row]:
        """Share of the records that violate it, and of uniques."""
        records = truth.records(published)
        keys = _published(self.keys, records)
        if records is None or not keys:
            return
        sample = k_anonymity(records.coded, keys, self.k).frequencies.sample
        for group, here in _everybody_and_groups(truth, records):
            yield from (
                Row(published.name, "k-anonymity", _joined(self.keys), figure, group, _share(sample[here] < below))
                for figure, below in ((f"k<{self.k}", self.k), ("unique", 2))
            )


@dataclass(frozen=True)
class Diversity:
    """Distinct l-diversity of the published records."""

    keys: tuple[str, ...]
    sensitive: str
    l: int = 2  # noqa: E741 (its name in the literature)

    def rows(self, truth: Truth, published: Published) -> Iterator[Row]:
        """Share of the records in classes that hold fewer than l values."""
        records = truth.records(published)
        keys = _published(self.keys, records)
        if records is None or not keys or self.sensitive not in records.data:
            return
        distinct = l_diversity(records.coded, keys, self.sensitive).table()["distinct"].to_numpy()
        short = (distinct < self.l) & (distinct > 0)
        of = f"{_joined(self.keys)} → {self.sensitive}"
        for group, here in _everybody_and_groups(truth, records):
            yield Row(published.name, "l-diversity", of, f"l<{self.l}", group, _share(short[here]))


@dataclass(frozen=True, eq=False)
class LinkageOf:
    """Exact linkage of a file of true persons with the published records; by default, of everybody."""

    keys: tuple[str, ...]
    sensitive: str
    register: Microdata | None = field(default=None, repr=False)

    def rows(self, truth: Truth, published: Published) -> Iterator[Row]:
        """Share of the persons linked, of those learned of, and what a claim is right beyond a blind guess."""
        records = truth.records(published)
        held = self.register if self.register is not None else truth.counted.data
        keys = _published(self.keys, records)
        if records is None or held is None or not keys or self.sensitive not in records.data:
            return
        persons = Recorded("register", truth.domain, truth.counted.geography, held)
        found = exact_linkage(records.coded, keys, persons.coded, self.sensitive)
        assert found.agreeing is not None and found.common is not None
        of = f"{_joined(self.keys)} → {self.sensitive}"
        linked, right = found.candidates == 1, (found.candidates == 1) & (found.agreeing == 1)
        for group, here in _everybody_and_groups(truth, persons):
            some = bool(linked[here].any())
            gain = right[here].sum() / linked[here].sum() - found.common[here & linked].mean() if some else None
            figures = {"linked": _share(linked[here]), "learned": _share(right[here]), "gain": gain}
            for figure, value in figures.items():
                yield Row(published.name, "linkage", of, figure, group, None if value is None else float(value))


def _everybody_and_groups(truth: Truth, records: Recorded) -> Iterator[tuple[str | None, Mask]]:
    yield None, np.ones(records.data.height, dtype=np.bool_)
    for group in truth.groups:
        yield group.name, group.members(records, truth.counted)


def _published(keys: Sequence[str], records: Recorded | None) -> tuple[str, ...]:
    """The keys that a protection publishes: of the others an intruder has no use."""
    return () if records is None else tuple(name for name in keys if name in records.data)


def _share(flags: Mask) -> float | None:
    return float(flags.mean()) if flags.size else None


def _joined(names: Sequence[str]) -> str:
    return ", ".join(names)


@dataclass(frozen=True, eq=False)
class Comparison(Tabular):
    """The table of all figures of all protections.

    Attributes
    ----------
    confidential
        Whether the truth is.
    """

    found: tuple[Row, ...] = field(repr=False)
    confidential: bool

    def rows(self) -> pl.DataFrame:
        """Every figure."""
        schema = dict.fromkeys(("protection", "look", "of", "figure", "group"), pl.String) | {"value": pl.Float64}
        return pl.DataFrame([asdict(row) for row in self.found], schema=schema)

    def table(self) -> pl.DataFrame:
        """One row a figure and protection: its value for all, and for the group with the worst."""
        by = ["look", "of", "figure", "protection"]
        rows = self.rows()
        whole = rows.filter(pl.col("group").is_null()).drop("group")
        groups = rows.filter(pl.col("group").is_not_null() & pl.col("value").is_not_null())
        worst = groups.sort("value", descending=True, maintain_order=True).group_by(by, maintain_order=True).first()
        worst = worst.filter(pl.col("value") > 0)
        named = worst.select(*by, pl.col("value").alias("worst"), pl.col("group").alias("worst_group"))
        return whole.join(named, on=by, how="left", maintain_order="left").select(*by, "value", "worst", "worst_group")

    @property
    def protections(self) -> tuple[str, ...]:
        """Their names, in order."""
        return tuple(dict.fromkeys(row.protection for row in self.found))

    def side_by_side(self) -> pl.DataFrame:
        """One row a figure and one column a protection; null where a protection has nothing to look at."""
        by = ["look", "of", "figure"]
        table = self.table().select(*by, "protection", "value")
        whole = table.select(by).unique(maintain_order=True)
        for name in self.protections:
            own = table.filter(protection=name).select(*by, pl.col("value").alias(name))
            whole = whole.join(own, on=by, how="left", maintain_order="left")
        return whole

    def to_dict(self) -> dict[str, Any]:
        """Every figure, and whether they may be shown."""
        return {"confidential": self.confidential, "figures": [asdict(row) for row in self.found]}


def compare(truth: Truth, protections: Sequence[Published], looks: Sequence[Look]) -> Comparison:
    """Look at each protection in each way.

    Examples
    --------
    See the page *Evaluate a census release*.
    """
    names = [published.name for published in protections]
    if len(set(names)) < len(names):
        raise OptionError("comparison-names", names=tuple(names))
    rows = [row for look in looks for published in protections for row in look.rows(truth, published)]
    return Comparison(tuple(rows), confidential=not truth.public)


def untreated(truth: Truth, name: str = "untreated") -> Published:
    """The file as it is, published as it is."""
    return Counted(name, truth.counted.geography, truth.counted.leaves, truth.counted.data)


def ine_2017(truth: Truth, name: str = "INE 2017", **rules: Any) -> Published:
    """The file under the rules that INE published for 2017; ``rules`` as in ``methods.IneCensus2017``."""
    data = truth.counted.data
    if data is None:
        raise OptionError("comparison-records", name=name)
    done = IneCensus2017(**{"keep_area": True, **rules}).apply(data)
    return Recorded(name, truth.domain, truth.counted.geography, done.data)
