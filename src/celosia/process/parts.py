"""A step done on parts of the records, and the file put together again: its cells, its dictionary, what it promised.

A code is missing, or has a label, in the whole file where it has it in any part; what parts say differently of one
code cannot be said of the file, and stops.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from celosia.core.codes import spell_series
from celosia.core.condition import Condition, holds
from celosia.core.dictionary import Dictionary, Identification, Variable
from celosia.core.errors import OptionError, PromiseError
from celosia.core.method import Method, Protected, changed_cells
from celosia.core.microdata import Microdata
from celosia.core.run import Run
from celosia.engines import engine
from celosia.verify import OF_THE_WHOLE

Mask = npt.NDArray[np.bool_]


def on_some(method: Method, step: str, where: Condition, data: Microdata, run: Run) -> Protected:
    """The method applied to the records where a condition holds; where it holds for none, nothing is done."""
    inside: Mask = holds(where, data)
    if not inside.any():
        return method.in_parts(data, data, run)
    treated = _treated(method, step, data.take(inside), run)
    return _whole([treated, data.take(~inside)], method, step, data, run)


def on_strata(method: Method, step: str, names: Sequence[str], data: Microdata, run: Run) -> Protected:
    """The method applied in each combination of some variables by itself."""
    strata = engine(data).encode(names, "strict")
    parts = [
        _treated(method, step, data.take(strata.index == number), run.step(str(number)))
        for number in range(strata.count.size)
    ]
    return _whole(parts, method, step, data, run)


def _treated(method: Method, step: str, data: Microdata, run: Run) -> Microdata:
    """Some records treated; they go back to their places, so that a new order would be lost unseen."""
    treated: Microdata = method.apply(data, run).data
    if not np.array_equal(treated.ids, data.ids[np.isin(data.ids, treated.ids)]):
        raise OptionError("scope-order", step=step)
    return treated


def _whole(parts: list[Microdata], method: Method, step: str, data: Microdata, run: Run) -> Protected:
    """Treated and untreated records of one file, which keeps what was promised of all records and all groups."""
    after = _joined(parts, data.dictionary).in_order_of(data.ids)
    try:
        for promise in method.promises(data):
            if isinstance(promise, OF_THE_WHOLE):
                promise.check(data, after)
    except PromiseError:
        raise OptionError("scope-whole", step=step) from None
    return replace(method.in_parts(data, after, run), changed=changed_cells(data, after))


def _joined(parts: list[Microdata], before: Dictionary) -> Microdata:
    """The parts one below the other; where types came to differ, the column is text."""
    names = parts[0].variables
    if any(part.variables != names for part in parts):
        raise OptionError("scope-columns")
    held = [part for part in parts if part.height] or parts[:1]
    book = Dictionary(variables=tuple(_described(n, held, before[n]) for n in names if _spoken_of(n, held)))
    unlike = [n for n in names if len({part.column(n).dtype for part in held}) > 1]
    alike = [part.with_columns({n: spell_series(part.column(n)) for n in unlike}, book) for part in held]
    return Microdata.concat(alike)


def _spoken_of(name: str, parts: Sequence[Microdata]) -> bool:
    return any(name in part.dictionary for part in parts)


def _described(name: str, parts: Sequence[Microdata], before: Variable) -> Variable:
    """One variable of the whole file; a fact on which parts differ is not known, unless it protects."""
    said = [part.dictionary[name] for part in parts]
    if all(one == said[0] for one in said):
        return said[0]
    agreed = {
        fact: getattr(said[0], fact)
        for fact in Variable.model_fields
        if all(getattr(one, fact) == getattr(said[0], fact) for one in said)
    }
    labels = _united(name, [one.values for one in said])
    empty = {one.null for one, part in zip(said, parts, strict=True) if part.column(name).null_count()}
    whole = Variable(
        **{
            **agreed,
            "values": {code: labels[code] for code in (*(c for c in before.values if c in labels), *labels)},
            "missing": _united(name, [one.missing for one in said]),
            "missing_ranges": tuple(dict.fromkeys(span for one in said for span in one.missing_ranges)),
            "null": next(iter(empty), said[-1].null),
            "identification": _strictest([one.identification for one in said]),
            "sensitive": any(one.sensitive for one in said) or agreed.get("sensitive"),
        }
    )
    kept = all(
        one.missing_mask(part.column(name)).equals(whole.missing_mask(part.column(name)))
        for one, part in zip(said, parts, strict=True)
    )
    if len(empty) > 1 or not kept:
        raise OptionError("scope-codes", variable=name)
    return whole


def _united(name: str, said: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """What is said of each code by any part; two things said of one code are refused."""
    whole: dict[str, Any] = {}
    for facts in said:
        for code, fact in facts.items():
            if whole.setdefault(code, fact) != fact:
                raise OptionError("scope-codes", variable=name)
    return whole


def _strictest(said: Sequence[Identification | None]) -> Identification | None:
    """The first kind that any part is of; nobody is identified only where all say so."""
    found = [kind for kind in (Identification.DIRECT, Identification.INDIRECT, None) if kind in said]
    return found[0] if found else Identification.NONE
