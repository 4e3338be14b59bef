"""What each record stands for where risk is judged: its weight as it came, through samples alone.

How many people share a key does not change because the file says another weight. A step that rounds, recodes or
recalibrates the weight changes what analysts read; a sample changes what a record stands for, and divides its weight
by the fraction drawn so that population frequencies stand.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import polars as pl

from celosia.core.microdata import Microdata
from celosia.engines import engine
from celosia.engines.contract import WEIGHT_DECIMALS, WEIGHT_SCALE

if TYPE_CHECKING:
    from celosia.process.study import Study


def weighed(study: Study, data: Microdata) -> Microdata:
    """Records of a study with the weight by which their risk is judged."""
    name = study.weight
    if name is None or not study.weighted or not any(_moved(state, name) for state in study.history):
        return data
    having = [state for state in study.history if name in state.data]
    stands = _numbers(having[0], name, data.ids)
    for before, after in pairwise(having):
        if after.plan.steps[-1].method.samples:
            old, new = (_numbers(state, name, data.ids) for state in (before, after))
            stands *= np.divide(new, old, out=np.ones_like(new), where=old > 0)
    described = data.dictionary.replace(name, decimals=WEIGHT_DECIMALS, missing={}, missing_ranges=(), null=None)
    return data.with_columns({name: pl.Series(name, stands.round(WEIGHT_DECIMALS))}, described)


def _moved(state: Study, name: str) -> bool:
    """Whether the step that made a state changed the weight, and drew no sample."""
    if state.result is None or state.plan.steps[-1].method.samples:
        return False
    return name in state.result.changed


def _numbers(state: Study, name: str, ids: npt.NDArray[np.uint64]) -> npt.NDArray[np.float64]:
    weights: npt.NDArray[np.float64] = engine(state.data.in_order_of(ids)).weights(name) / WEIGHT_SCALE
    return weights
