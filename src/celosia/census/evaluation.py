r"""Evaluation of a release against the truth: where its errors are, and which of them the noise made.

For what was measured the error of the release splits in two: that of the noise, :math:`\tilde M - x`, which pays for
the privacy, and what estimation and rounding did to it, :math:`\hat x - \tilde M`, which buys consistency and may
take noise away (children tell of their parent) or put bias in (nothing is published below zero).

Whoever evaluates holds the truth: an evaluation is confidential unless the truth is public.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import polars as pl

from celosia.census.accuracy import Accuracy, accuracy, by_size
from celosia.census.domain import Domain
from celosia.census.groups import Group
from celosia.census.measurement import Measurement
from celosia.census.published import Counted, Measured, Published
from celosia.census.query import Query
from celosia.core.language import number, text
from celosia.core.picture import Picture, chart
from celosia.core.results import Tabular

RELEASE, NOISE, POST = "release", "noise", "post"


@dataclass(frozen=True)
class Errors:
    """The errors of one query at one level: of all places, of those of one size, or of one group.

    Attributes
    ----------
    part
        ``release``: published less true. ``noise``: measured less true. ``post``: published less measured.
    size, group
        ``None`` for all.
    """

    part: str
    level: str
    query: str
    size: str | None
    group: str | None
    figures: Accuracy

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        where = {
            "part": self.part,
            "level": self.level,
            "query": self.query,
            "place_size": self.size,
            "group": self.group,
        }
        return where | self.figures.to_dict()


@dataclass(frozen=True, eq=False)
class Evaluation(Tabular):
    """All errors of a release.

    Attributes
    ----------
    confidential
        Whether the truth that it was computed on is.
    """

    errors: tuple[Errors, ...] = field(repr=False)
    confidential: bool

    def rows(self) -> pl.DataFrame:
        """Every row of figures."""
        return pl.DataFrame([one.to_dict() for one in self.errors], infer_schema_length=None)

    def table(self) -> pl.DataFrame:
        """The errors of the release by level and query."""
        whole = self.rows().filter(part=RELEASE).filter(pl.col("place_size").is_null() & pl.col("group").is_null())
        return whole.drop("part", "place_size", "group")

    def noise_and_post(self) -> pl.DataFrame:
        """For what was measured: the root mean square of the noise, of what was done to it, and of what is left."""
        rows = self.rows().filter(pl.col("place_size").is_null() & pl.col("group").is_null())
        parts = {
            part: rows.filter(part=part).select("level", "query", pl.col("rmse").alias(part))
            for part in (NOISE, POST, RELEASE)
        }
        found = parts[NOISE]
        for part in (POST, RELEASE):
            found = found.join(parts[part], on=["level", "query"], how="inner", maintain_order="left")
        return found

    def by_size(self) -> pl.DataFrame:
        """The errors of the release by size of place."""
        return self.rows().filter(part=RELEASE).filter(pl.col("place_size").is_not_null()).drop("part", "group")

    def by_group(self) -> pl.DataFrame:
        """The errors of the release by group, the worst first, beside that of all."""
        rows = self.rows().filter(part=RELEASE).filter(pl.col("place_size").is_null())
        whole = rows.filter(pl.col("group").is_null()).select("level", "query", pl.col("mae").alias("mae_all"))
        groups = rows.filter(pl.col("group").is_not_null() & (pl.col("answers") > 0))
        joined = groups.join(whole, on=["level", "query"], how="left", maintain_order="left")
        order = joined.with_columns((pl.col("mae") / pl.col("mae_all")).fill_nan(None).alias("ratio")).sort(
            "ratio", descending=True, nulls_last=True, maintain_order=True
        )
        return order.select("level", "query", "group", "answers", "mae", "mae_all", "rmse", "mean_error")

    def picture(self) -> Picture:
        """Mean absolute error of the release by level and query."""
        rows = self.table().select("level", "mae", "query")
        said = ", ".join(f"{level}, {query}: {number(mae or 0.0, 2)}" for level, mae, query in rows.iter_rows())
        return chart(rows, "level", "mae", group="query", alternative=text("picture.census-errors", said=said))

    def to_dict(self) -> dict[str, Any]:
        """Every row of figures, and whether they may be shown."""
        return {"confidential": self.confidential, "errors": [one.to_dict() for one in self.errors]}


def evaluate(
    truth: Counted,
    release: Published,
    domain: Domain,
    questions: Mapping[str, Sequence[str]],
    measurements: Sequence[Measurement] = (),
    groups: Sequence[Group] = (),
    public: bool = False,
) -> Evaluation:
    """Compare a release with the truth.

    Parameters
    ----------
    truth
        The records as they are, counted.
    release
        What is published, by whatever protection.
    questions
        Level → names of queries (``total``, ``P08 * P09`` …): what is asked of the release.
    measurements
        The noisy measurements; each is a question of its own as well.
    groups
        Whose errors are shown beside those of all.
    public
        Whether the truth may be known to anybody (synthetic or published data): only then the result is not
        confidential.
    """
    noisy = Measured("noise", truth.geography, measurements)
    found: list[Errors] = []
    for level, query in _asked(truth, domain, questions, measurements):
        found += _release(truth, release, domain, level, query, groups)
        if noisy.of(level, query.name) is not None:
            found += _parts(truth, release, noisy, level, query)
    return Evaluation(tuple(found), confidential=not public)


def _asked(
    truth: Counted, domain: Domain, questions: Mapping[str, Sequence[str]], measurements: Sequence[Measurement]
) -> Iterator[tuple[int, Query]]:
    """Levels and queries, from the root down, each once."""
    wanted = {
        (truth.geography.level(level), domain.query(name).name) for level in questions for name in questions[level]
    }
    wanted |= {(truth.geography.level(one.level), one.query.name) for one in measurements}
    size = {name: domain.query(name).size for _, name in wanted}
    for level, name in sorted(wanted, key=lambda pair: (pair[0], size[pair[1]], pair[1])):
        yield level, domain.query(name)


def _release(
    truth: Counted, release: Published, domain: Domain, level: int, query: Query, groups: Sequence[Group]
) -> Iterator[Errors]:
    name, nodes = truth.geography.levels[level], truth.geography.nodes[level]
    yield Errors(RELEASE, name, query.name, None, None, accuracy(truth, release, level, query, nodes))
    for size, figures in by_size(truth, release, level, query):
        yield Errors(RELEASE, name, query.name, size, None, figures)
    for group in groups:
        where = group.places(truth, level)
        if where is None or where.any():
            figures = accuracy(truth, release, level, group.query(query, domain), nodes, where)
            yield Errors(RELEASE, name, query.name, None, group.name, figures)


def _parts(truth: Counted, release: Published, noisy: Measured, level: int, query: Query) -> Iterator[Errors]:
    name, nodes = truth.geography.levels[level], truth.geography.nodes[level]
    for part, base, other in ((NOISE, truth, noisy), (POST, noisy, release)):
        yield Errors(part, name, query.name, None, None, accuracy(base, other, level, query, nodes))


def by_place(truth: Counted, published: Published, domain: Domain, level: str, query: str) -> pl.DataFrame:
    """One question answered place by place: published beside true. As confidential as the truth."""
    depth, asked = truth.geography.level(level), domain.query(query)
    nodes = truth.geography.nodes[depth]
    places = np.repeat(np.arange(nodes), asked.size)
    true = truth.answers(depth, asked, slice(0, nodes)).ravel()
    said = published.answers(depth, asked, slice(0, nodes)).ravel()
    return pl.DataFrame(
        {
            "place": pl.Series(truth.geography.names[depth]).gather(places),
            "answer": pl.Series(asked.answer_labels).gather(np.tile(np.arange(asked.size), nodes)),
            "truth": true.astype(np.int64),
            "published": pl.Series(said).fill_nan(None),
            "difference": pl.Series(said - true).fill_nan(None),
        }
    )
