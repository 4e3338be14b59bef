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

import polars as pl

from celosia.census.accuracy import Accuracy, Compared, accuracies, accuracy, sizes
from celosia.census.domain import Domain
from celosia.census.groups import Group
from celosia.census.measurement import Measurement
from celosia.census.published import Counted, Measured, Published
from celosia.census.query import Query
from celosia.core.language import number, text
from celosia.core.picture import Picture, chart
from celosia.core.results import Tabular
from celosia.core.run import Run

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
    questions
        Level and query of what was asked; what was only measured is looked at as well.
    confidential
        Whether the truth that it was computed on is.
    """

    errors: tuple[Errors, ...] = field(repr=False)
    questions: frozenset[tuple[str, str]] = field(repr=False)
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
        """The errors of the release by group, the worst relative error first, beside that of all."""
        rows = self.rows().filter(part=RELEASE).filter(pl.col("place_size").is_null())
        whole = rows.filter(pl.col("group").is_null()).select(
            "level", "query", pl.col("relative").alias("relative_all")
        )
        groups = rows.filter(pl.col("group").is_not_null() & (pl.col("answers") > 0))
        joined = groups.join(whole, on=["level", "query"], how="left", maintain_order="left")
        order = joined.sort("relative", descending=True, nulls_last=True, maintain_order=True)
        return order.select(
            "level", "query", "group", "answers", "relative", "relative_all", "mae", "rmse", "mean_error"
        )

    def asked(self, rows: pl.DataFrame) -> pl.DataFrame:
        """Of some rows of figures, those of what was asked; all of them where nothing was."""
        if not self.questions:
            return rows
        pairs = pl.DataFrame(sorted(self.questions), schema=["level", "query"], orient="row")
        return rows.join(pairs, on=["level", "query"], how="semi", maintain_order="left")

    def picture(self) -> Picture:
        """Mean absolute error of the release by level and query, of what was asked."""
        rows = self.asked(self.table()).select("level", "mae", "query")
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
    run: Run | None = None,
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
    run
        For progress and the stop button.
    """
    noisy = Measured("noise", truth.geography, measurements)
    asked, found = list(_asked(truth, domain, questions, measurements)), list[Errors]()
    for number_of, (level, query) in enumerate(asked):
        if run is not None:
            run.check("evaluation", number_of / len(asked))
        found += _errors(truth, release, noisy, domain, groups, level, query)
    if run is not None:
        run.check("evaluation", 1.0)
    wanted = frozenset((level, domain.query(name).name) for level, names in questions.items() for name in names)
    return Evaluation(tuple(found), wanted, confidential=not public)


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


def _errors(
    truth: Counted,
    release: Published,
    noisy: Measured,
    domain: Domain,
    groups: Sequence[Group],
    level: int,
    query: Query,
) -> list[Errors]:
    """Every row of figures of one question at one level."""
    name, nodes = truth.geography.levels[level], truth.geography.nodes[level]
    rows: list[tuple[str, str | None, str | None]] = [(RELEASE, None, None)]
    wanted = [Compared(truth, release)]
    for size, where in sizes(truth, level):
        rows.append((RELEASE, size, None))
        wanted.append(Compared(truth, release, where))
    if noisy.of(level, query.name) is not None:
        rows += [(NOISE, None, None), (POST, None, None)]
        wanted += [Compared(truth, noisy), Compared(noisy, release)]
    for group in groups:
        inside = group.places(truth, level)
        if inside is not None and inside.any():
            rows.append((RELEASE, None, group.name))
            wanted.append(Compared(truth, release, inside))
    figures = accuracies(level, query, nodes, wanted)
    found = [Errors(part, name, query.name, size, of, one) for (part, size, of), one in zip(rows, figures, strict=True)]
    for group in groups:
        if group.level is None and (asked := group.query(query, domain)) is not None:
            figures_of = accuracy(truth, release, level, asked, nodes)
            found.append(Errors(RELEASE, name, query.name, None, group.name, figures_of))
    return found
