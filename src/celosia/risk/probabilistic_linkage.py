r"""Probabilistic record linkage: the intruder weighs agreements by how telling they are (extra ``attack``).

Each pair of an original and a treated record is compared variable by variable, at levels: equal, within 0.05, 0.2 or
0.5 standard deviations of the original (categories: equal or not), or further. By Fellegi and Sunter the weight of a
pair is, with :math:`\lambda = 1/n`,

.. math:: W = \log_2 \frac{\lambda}{1-\lambda} + \sum_v \log_2 \frac{m_{v,\gamma_v}}{u_{v,\gamma_v}},

where :math:`\gamma_v` is the level that variable :math:`v` reaches, :math:`m` its probability among true pairs
(estimated by expectation and maximisation) and :math:`u` among all. Every original record is linked to the treated one
of the greatest weight; ties are split as in ``linkage``. A missing value says nothing for or against. The estimation is
splink's, inside this process: nothing is written to disk.

References
----------
Fellegi & Sunter (1969), *A theory for record linkage*, Journal of the American Statistical Association 64, 1183-1210.
Linacre, Lindsay, Manassis, Slade & Hepworth (2022), *Splink: free software for probabilistic record linkage at scale*,
International Journal of Population Data Science 7(3).
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import polars as pl

from celosia.core.errors import DataError, OptionError
from celosia.core.run import Run
from celosia.risk.before_after import Pair, columns, deviations, pair
from celosia.risk.linkage import Linkage
from celosia.risk.mixed_distance import codes, is_categorical

_WITHIN = (0.05, 0.2, 0.5)
MOST_PAIRS = 10_000_000
"""Pairs above which the comparison is refused."""
_PAIRS_FOR_U = 5_000_000
_ID = "unique_id"
_Sides = tuple[dict[str, Any], dict[str, Any]]
_BEST = """
    WITH best AS (SELECT unique_id_l, max(match_weight) AS weight FROM {this} GROUP BY unique_id_l)
    SELECT p.unique_id_l AS record, any_value(b.weight) AS weight, count(*) AS candidates,
           max(CAST(p.unique_id_l = p.unique_id_r AS INTEGER)) AS own
    FROM {this} p JOIN best b ON p.unique_id_l = b.unique_id_l AND p.match_weight >= b.weight - 1e-9
    GROUP BY p.unique_id_l
"""


def probabilistic_linkage(
    original: Any,
    masked: Any,
    variables: Sequence[str] | None = None,
    categorical: Sequence[str] = (),
    blocks: Sequence[str] = (),
    run: Run | None = None,
) -> Linkage:
    """Share of the records that probabilistic linkage links to their own.

    Parameters
    ----------
    original, masked, variables
        As in ``interval``; variables may be categories.
    categorical
        Numeric variables that are compared as categories.
    blocks
        Only pairs that agree on all of these are compared: needed in files of more than three thousand records.
        A record without such a pair is linked to nobody.
    run
        Its key chooses the pairs sampled for u; by default the same each time.

    Returns
    -------
    Linkage
        ``.distances`` are weights: the greater, the surer; NaN where nobody was compared.
    """
    both = pair(original, masked, variables)
    for option, names in (("categorical", categorical), ("blocks", blocks)):
        for name in names:
            if name not in both.variables and option == "categorical":
                raise OptionError("option-variable", option=option, variable=name)
            both.original.require(name)
            both.masked.require(name)
    compared = tuple(name for name in both.variables if name not in blocks)
    if not compared:
        raise OptionError("blocks-leave-nothing")
    with _quiet():
        record, weight, candidates, own = _linked(both, compared, categorical, tuple(blocks), run or Run(key=0))
    found = [np.zeros(both.records), np.full(both.records, np.nan), np.zeros(both.records, dtype=np.int64)]
    for whole, part in zip(found, (own / candidates, weight, candidates), strict=True):
        whole[record] = part
    return Linkage("probabilistic", both.variables, *found)


def _linked(
    both: Pair, compared: tuple[str, ...], categorical: Sequence[str], blocks: tuple[str, ...], run: Run
) -> tuple[Any, ...]:
    """Of each record with candidates: its row, best weight, candidates at it, and whether its own is one."""
    try:
        import duckdb
        from splink import DuckDBAPI, Linker, SettingsCreator
    except ImportError:
        raise OptionError("extra-missing", extra="attack") from None

    sides, comparisons = _compared(both, compared, categorical)
    for place, name in enumerate(blocks):
        sides[0][f"b{place}"], sides[1][f"b{place}"] = codes(both, name)
    _check_pairs(sides, len(blocks), both.records)
    rule = " AND ".join(f"l.b{place} = r.b{place}" for place in range(len(blocks))) or "1=1"
    settings = SettingsCreator(
        link_type="link_only",
        comparisons=comparisons,
        blocking_rules_to_generate_predictions=[rule],
        probability_two_random_records_match=1 / both.records,
        retain_matching_columns=False,
    )
    closed = {"threads": run.threads, "temp_directory": "", "autoinstall_known_extensions": False}
    with duckdb.connect(":memory:", config=closed) as connection:
        engine = DuckDBAPI(connection)
        tables = zip(sides, ("a_original", "b_masked"), strict=True)
        registered = [engine.register(_table(side, both.records), table_name=name) for side, name in tables]
        linker = Linker(registered, settings, log_level=None)
        seed = int(run.rng("probabilistic-linkage").integers(2**31))
        linker.training.estimate_u_using_random_sampling(max_pairs=_PAIRS_FOR_U, seed=seed)
        linker.training.estimate_parameters_using_expectation_maximisation(
            rule, fix_probability_two_random_records_match=not blocks
        )
        run.check("probabilistic-linkage", 0.5)
        best = linker.inference.predict(warning_mode="never").query_sql(_BEST).as_pyarrow_table()
    return tuple(best[name].to_numpy() for name in ("record", "weight", "candidates", "own"))


def _compared(both: Pair, names: tuple[str, ...], categorical: Sequence[str]) -> tuple[_Sides, list[Any]]:
    """The values of both files under names of their own, and how each variable is compared."""
    from splink.comparison_library import ExactMatch

    sides: _Sides = ({}, {})
    comparisons = []
    for place, name in enumerate(names):
        column = f"v{place}"
        if name in categorical or is_categorical(both.original, name):
            sides[0][column], sides[1][column] = codes(both, name)
            comparisons.append(ExactMatch(column))
        else:
            before, after = (columns(data, [name]) for data in (both.original, both.masked))
            sides[0][column], sides[1][column] = before[:, 0], after[:, 0]
            comparisons.append(_by_closeness(column, float(deviations(before, [name])[0])))
    return sides, comparisons


def _by_closeness(column: str, deviation: float) -> Any:
    """Levels of agreement of a number."""
    from splink import comparison_level_library as levels
    from splink.comparison_library import CustomComparison

    near = [levels.AbsoluteDifferenceLevel(column, width * deviation) for width in _WITHIN]
    steps = [levels.NullLevel(column), levels.ExactMatchLevel(column), *near, levels.ElseLevel()]
    return CustomComparison(steps, output_column_name=column)


def _table(side: dict[str, Any], records: int) -> Any:
    values = {name: pl.Series(column, nan_to_null=True) for name, column in side.items()}
    return pl.DataFrame({_ID: np.arange(records), **values}).to_arrow()


def _check_pairs(sides: _Sides, blocks: int, records: int) -> None:
    """Refuse more pairs than memory holds."""
    if blocks:
        names = [f"b{place}" for place in range(blocks)]
        counts = [
            pl.DataFrame({n: side[n] for n in names}).fill_nan(None).drop_nulls().group_by(names).len("n")
            for side in sides
        ]
        joined = counts[0].join(counts[1], on=names)
        pairs = int((joined["n"].cast(pl.Int64) * joined["n_right"].cast(pl.Int64)).sum())
    else:
        pairs = records**2
    if pairs == 0:
        raise DataError("blocks-agree-nowhere")
    if pairs > MOST_PAIRS:
        raise DataError("linkage-too-many-pairs", pairs=pairs, limit=MOST_PAIRS)


@contextmanager
def _quiet() -> Iterator[None]:
    """Without splink's running commentary."""
    logger = logging.getLogger("splink")
    before = logger.level
    logger.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        logger.setLevel(before)
