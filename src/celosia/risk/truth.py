"""What an intruder knows who knows a person: her true key, as the published file would have written it.

The true key is mapped through every recode: where each true code of a variable is published as one other, that
one takes its place. And an emptied cell hides nothing that the rest of the file gives away: with rules that hold for
every record (household composition, sums, skips, what a stratum says of the place; ``verify.deduction``), cells that
follow from published ones count as published. Only right deductions do.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from celosia.core.codes import spell_series
from celosia.core.dictionary import MissingKind
from celosia.core.errors import DataError, warn
from celosia.core.microdata import Microdata
from celosia.engines import Keys
from celosia.risk.records import beside
from celosia.verify.deduction import Rule, deduce

_LISTED = 200
"""A variable with so many codes or fewer can be settled by trying them."""


@dataclass(frozen=True, eq=False)
class Truth:
    """The records as they were, and what is true of all of them.

    Attributes
    ----------
    data
        The same records before cells were suppressed or perturbed: any table.
    rules
        What the intruder knows to hold for every record (``verify.deduction``).

    Examples
    --------
    Whoever reads the stratum needs no region:

    >>> import polars as pl
    >>> from celosia import risk
    >>> from celosia.verify.deduction import Dependency
    >>> before = pl.DataFrame({"estrato": [1, 1, 2, 2], "region": ["a", "a", "b", "b"]})
    >>> after = before.with_columns(region=pl.Series(["a", None, "b", "b"]))
    >>> known = Truth(before, rules=(Dependency(of=("estrato",), gives="region"),))
    >>> [
    ...     risk.frequencies(after, ["region"], missing="intruder", truth=truth).sample.tolist()
    ...     for truth in (before, known)
    ... ]
    [[2, 2, 3, 3], [2, 2, 2, 2]]
    """

    data: Any = field(repr=False)
    rules: tuple[Rule, ...] = ()

    @classmethod
    def of(cls, given: Any) -> Truth:
        """As given, or a table without rules."""
        return given if isinstance(given, Truth) else cls(given)

    def beside(self, published: Any, names: Sequence[str]) -> tuple[Microdata, Microdata]:
        """The published records with what can be deduced filled in, and the true ones in their order."""
        shown, true = beside(published, self.data)
        true.require(*names)
        rules = [rule for rule in self.rules if all(name in shown for name in rule.variables)]
        spoken = dict.fromkeys([*names, *(name for rule in rules for name in rule.variables)])
        gone = {n: emptied(shown, n) & true.column(n).is_not_null().to_numpy() for n in spoken if n in true}
        marked = shown.suppress(gone)
        return (deduced(marked, true, rules) if rules else marked), true


def deduced(published: Microdata, truth: Microdata, rules: Sequence[Rule]) -> Microdata:
    """The published records with every emptied cell filled in that the rules give away, rightly."""
    domains = {name: truth.column(name).unique() for name in published.marked if name in truth}
    listed = {name: spell_series(codes).to_list() for name, codes in domains.items() if codes.len() <= _LISTED}
    found = deduce(published, rules, listed)
    if not found.total:
        return published
    filled = found.filled()
    told = {name: spell_series(filled.column(name)) for name in found.cells if name in truth}
    right = {name: codes.eq_missing(spell_series(truth.column(name))).to_numpy() for name, codes in told.items()}
    return filled.suppress({name: found.mask(name) & ~mask for name, mask in right.items()})


def emptied(data: Microdata, name: str) -> npt.NDArray[np.bool_]:
    """Cells that hold nothing, or a code that says that we took it away."""
    values, missing = data.column(name), data.dictionary[name].missing
    ours = [code for code, kind in missing.items() if kind is MissingKind.SUPPRESSED]
    empty = values.is_null()
    return np.asarray((empty | spell_series(values).is_in(ours).fill_null(False) if ours else empty).to_numpy())


def in_published_coding(published: Keys, true: Keys) -> Keys:
    """The true keys with each variable mapped as it was recoded; both keys come in one coding.

    A variable was recoded where it is published in codes that the truth does not know and every true code is published
    as one. Where true codes are published as several the values were changed, and it is said.
    """
    digits = true.digits.copy()
    for j, name in enumerate(published.names):
        before, after = true.digits[true.index, j], published.digits[published.index, j]
        seen = after > 0  # what is emptied tells nothing
        changed = int((before[seen] != after[seen]).sum())
        if not changed:
            continue
        size = len(published.categories[j]) + 1
        pairs = np.unique(before[seen].astype(np.int64) * size + after[seen])
        source, image = np.divmod(pairs, size)
        foreign = np.setdiff1d(image, before).size > 0
        if foreign and source[0] > 0 and np.unique(source).size == source.size:
            recode = np.arange(size, dtype=digits.dtype)
            recode[source] = image
            digits[:, j] = recode[digits[:, j]]
        elif changed == int(seen.sum()):
            raise DataError("truth-coding", variable=name)
        else:
            warn("truth-disagrees", variable=name, count=changed)
    return replace(true, digits=digits)
