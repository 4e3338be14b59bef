"""Questions answered place by place: what is published beside what is true. As confidential as the truth."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import polars as pl

from celosia.census.accuracy import blocks
from celosia.census.domain import Domain
from celosia.census.published import Counted, Published
from celosia.census.query import Query

_SCHEMA = {
    **dict.fromkeys(("level", "query", "place", "answer"), pl.String()),
    "truth": pl.Int64(),
    "published": pl.Float64(),
    "difference": pl.Float64(),
}


def by_place(truth: Counted, published: Published, domain: Domain, level: str, query: str) -> pl.DataFrame:
    """One question at every place of a level, zeros and all."""
    return pl.concat(list(_rows(truth, published, level, domain.query(query))))


def answers(
    truth: Counted, published: Published, domain: Domain, questions: Mapping[str, Sequence[str]]
) -> pl.DataFrame:
    """Every question (level → names of queries), without the answers that count nobody in either."""
    found = [
        rows.filter((pl.col("truth") != 0) | (pl.col("published").fill_null(1) != 0))
        for level, names in questions.items()
        for name in names
        for rows in _rows(truth, published, level, domain.query(name))
    ]
    return pl.concat([pl.DataFrame(schema=_SCHEMA), *found])


def _rows(truth: Counted, published: Published, level: str, asked: Query) -> Iterator[pl.DataFrame]:
    depth = truth.geography.level(level)
    names = pl.Series(truth.geography.names[depth])
    labels = pl.Series(asked.answer_labels)
    for nodes in blocks(truth.geography.nodes[depth], asked.size):
        true = truth.answers(depth, asked, nodes).ravel()
        said = published.answers(depth, asked, nodes).ravel()
        places = np.repeat(np.arange(nodes.start, nodes.stop), asked.size)
        yield pl.DataFrame(
            {
                "level": pl.repeat(level, true.size, eager=True),
                "query": pl.repeat(asked.name, true.size, eager=True),
                "place": names.gather(places),
                "answer": labels.gather(np.tile(np.arange(asked.size), nodes.stop - nodes.start)),
                "truth": true.astype(np.int64),
                "published": pl.Series(said).fill_nan(None),
                "difference": pl.Series(said - true).fill_nan(None),
            },
            schema=_SCHEMA,
        )
