r"""Local suppression: empty as few cells as it takes for every record to share its key with k - 1 others.

Counted strictly (the default) a suppressed cell is a category of its own, so that what is promised holds under every
way of counting; which cells to empty is searched by ``methods.covering``. Counted with wildcards an emptied cell may be
anything, as users of sdcMicro expect, and the search is in ``methods.matching``. ``methods.suppression_search`` takes
turns between several aims.

References
----------
Samarati & Sweeney (1998); de Waal & Willenborg (1999), *Information loss through global recoding and local
suppression*, Netherlands Official Statistics 14, 17-20. Templ, Kowarik & Meindl (2015), Journal of Statistical
Software 67(4).
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from typing import Annotated, Any, ClassVar, Literal

from pydantic import BeforeValidator, Field, model_validator

from celosia.core.errors import OptionError
from celosia.core.frames import enter
from celosia.core.method import Method, Promise
from celosia.core.microdata import Microdata
from celosia.core.model import Frozen, Names, ReadOnly, Share
from celosia.core.run import Run
from celosia.methods.suppressed import Preview, Suppressed
from celosia.methods.suppressing import Suppressing
from celosia.verify import (
    EmptiedOnly,
    EmptiedTogether,
    KAnonymous,
    KAnonymousWildcard,
    LosesAtMost,
    LostTogether,
    RiskAtMost,
    SameRecords,
    SomeRecords,
    Treated,
    Untouched,
    VariablesLoseAtMost,
)


def _names(given: Any) -> Any:
    return () if given is None else (given,) if isinstance(given, str) else given


Some = Annotated[tuple[str, ...], BeforeValidator(_names)]


class Household(Frozen):
    """Records that belong together, and the keys that all of them share.

    Parameters
    ----------
    id
        The variable that tells households apart.
    keys
        Keys with one value in each household: emptied in one member they are emptied in all.
    """

    id: str
    keys: Names


class LocalSuppression(Method):
    """Reach k-anonymity by emptying single cells.

    Parameters
    ----------
    keys, k
        The key variables, and how many records must share each key at the least.
    max_risk, weight
        Instead of k: the individual risk that no record may exceed; by default the weight is the variable with that
        role, and without weights the risk is 1/f.
    importance
        Rank of each key, 1 = keep if possible: an order, in which one cell of a key outweighs a thousand of the
        next. Keys not named are the least important.
    cost
        Instead of an order: what losing a cell of each key costs, 1 where not named.
    strata
        Variables within whose values k must hold.
    subsets
        Sizes of subsets of the keys, each with its k: what must hold for every subset of that size, *instead of* the
        whole key (add the number of keys to ask for both). Sizes alone take ``k``; ``k`` may be a list beside them.
    counting
        ``"strict"``: an emptied cell is a category of its own. ``"wildcard"``: it may be anything.
    spare_covered
        Under ``wildcard``: leave violators as they are that cells emptied in others already cover. By default every
        violator loses something itself.
    max_share
        The largest share of its keys that a record may lose.
    max_lost
        The largest share of the records in which a key may be emptied.
    never
        Keys that are never emptied.
    linked
        Groups of variables that are emptied together; those that are no keys follow those that are.
    household
        Keys that members of a household lose together.
    impossible
        What to do where all this cannot hold: ``"stop"``, or ``"drop"`` the records that cannot be protected.
    effort
        How long to look for fewer cells: 10 takes about ten times as long as 1.

    Examples
    --------
    >>> import polars as pl
    >>> frame = pl.DataFrame({"sexo": ["M", "H", "H", "M"], "zona": ["r", "r", "r", "u"]})
    >>> LocalSuppression(keys=("sexo", "zona"), k=2).apply(frame).suppressed
    {'sexo': 0, 'zona': 2}
    """

    do: ClassVar[str] = "local_suppression"
    suppresses: ClassVar[bool] = True

    keys: Names
    k: Annotated[int, Field(ge=2)] | None = None
    max_risk: Annotated[float, Field(gt=0, lt=1)] | None = None
    weight: str | None = None
    importance: ReadOnly[str, Annotated[int, Field(ge=1)]] | None = None
    cost: ReadOnly[str, Annotated[float, Field(gt=0, le=1e6)]] | None = None
    strata: Some = ()
    subsets: ReadOnly[int, Annotated[int, Field(ge=2)]] | None = None
    counting: Literal["strict", "wildcard"] = "strict"
    spare_covered: bool = False
    max_share: Share = 0.5
    max_lost: ReadOnly[str, Share] | None = None
    never: Some = ()
    linked: tuple[Names, ...] = ()
    household: Household | None = None
    impossible: Literal["stop", "drop"] = "stop"
    effort: Annotated[float, Field(gt=0, le=1000)] = 1.0

    @model_validator(mode="before")
    @classmethod
    def _sizes(cls, given: Any) -> Any:
        """Sizes of subsets with the k of each, however they were given."""
        if not isinstance(given, Mapping):
            return given
        fields = dict(given)
        sizes, k = fields.get("subsets"), fields.get("k")
        if isinstance(k, list | tuple):
            if not isinstance(sizes, list | tuple) or len(sizes) != len(k):
                raise OptionError("subsets-k")
            fields["subsets"] = dict(zip(sizes, k, strict=True))
            fields["k"] = max(k, default=None)
        elif isinstance(sizes, int | list | tuple):
            fields["subsets"] = dict.fromkeys([sizes] if isinstance(sizes, int) else sizes, k)
        elif isinstance(sizes, Mapping) and k is None:
            fields["k"] = max(sizes.values(), default=None)
        return fields

    @model_validator(mode="after")
    def _agrees(self) -> LocalSuppression:
        if (self.k is None) == (self.max_risk is None):
            raise OptionError("options-one", options=("k", "max_risk"))
        if self.importance and self.cost:
            raise OptionError("options-either", options=("importance", "cost"))
        if self.max_risk is None and self.weight is not None:
            raise OptionError("option-needs", option="weight", needs="max_risk")
        if self.spare_covered and self.counting != "wildcard":
            raise OptionError("option-needs", option="spare_covered", needs="counting: wildcard")
        if self.subsets is not None and self.max_risk is not None:
            raise OptionError("option-needs", option="subsets", needs="k")
        for option, named in (
            ("importance", self.importance or {}),
            ("cost", self.cost or {}),
            ("never", self.never),
            ("max_lost", self.max_lost or {}),
            ("household", self.household.keys if self.household else ()),
        ):
            if unknown := set(named) - set(self.keys):
                raise OptionError("keys-only", option=option, variables=tuple(sorted(unknown)))
        if self.subsets and self.k not in self.subsets.values():
            raise OptionError("subsets-whole", k=self.k, size=len(self.keys))
        if any(not 1 <= size <= len(self.keys) for size in self.subsets or {}):
            raise OptionError("option-range", option="subsets", low=1, high=len(self.keys))
        linked = [name for group in self.linked for name in group]
        if len(set(linked)) < len(linked) or any(not set(group) & set(self.keys) for group in self.linked):
            raise OptionError("linked-groups")
        return self

    # -- what is done ------------------------------------------------------------------------------

    def preview(self, data: Any, run: Run | None = None) -> Preview:
        """What would be emptied, without doing it: the search alone."""
        before = enter(data)
        found = Suppressing(self, run or Run()).found(before)
        return Preview(
            before.height,
            found.violators,
            {name: int(mask.sum()) for name, mask in found.lost.items()},
            before.height - found.data.height,
            int(found.left.sum()),
        )

    def _transform(self, data: Microdata, run: Run) -> Suppressed:
        work = Suppressing(self, run)
        found = work.found(data)
        if found.left.any():
            raise work.impossible(found)
        treated = found.data.suppress({name: mask for name, mask in found.lost.items() if mask.any()})
        counts = {name: int((treated.suppressed(name) & ~found.data.suppressed(name)).sum()) for name in found.lost}
        return Suppressed(
            treated,
            method=self,
            run=run,
            suppressed=counts,
            dropped=data.height - treated.height,
            violators=found.violators,
            pair=(data, treated),
            asked=[((*self.strata, *names), k) for names, k in self.asked],
        )

    # -- what it promises --------------------------------------------------------------------------

    @property
    def asked(self) -> list[tuple[tuple[str, ...], int]]:
        """The sets of keys to protect, and how many records must share each (3 in the place of a risk limit)."""
        if self.subsets is None:
            return [(self.keys, self.k or 3)]
        return [(some, k) for size, k in sorted(self.subsets.items()) for some in combinations(self.keys, size)]

    @property
    def most(self) -> int:
        """How many keys a record may lose."""
        return int(self.max_share * len(self.keys) + 1e-9) or 1

    def promises(self, before: Microdata) -> tuple[Promise, ...]:
        """Cells of the keys emptied within the limits, and nothing else."""
        followers = tuple(name for group in self.linked for name in group if name not in self.keys)
        emptied = tuple(name for name in (*self.keys, *followers) if name not in self.never)
        kept: list[Promise] = [
            SameRecords() if self.impossible == "stop" else SomeRecords(),
            Untouched(frozenset(emptied)),
            EmptiedOnly(emptied),
            LosesAtMost(self.keys, self.most),
            *(EmptiedTogether(group) for group in self.linked),
        ]
        if self.max_lost:
            kept.append(VariablesLoseAtMost(tuple(self.max_lost.items())))
        if self.household:
            kept.append(LostTogether(self.household.id, self.household.keys))
        if self.counting == "wildcard" and not self.spare_covered and self.max_risk is None:
            kept += [Treated(names, k, self.strata) for names, k in self.asked]
        return tuple(kept)

    def lasting(self) -> tuple[Promise, ...]:
        """k (or the risk limit) within strata, for every set of keys asked for."""
        if self.max_risk is not None:
            return (RiskAtMost(self.keys, self.max_risk, self.weight, self.strata, self.counting),)
        kind = KAnonymous if self.counting == "strict" else KAnonymousWildcard
        return tuple(kind(names, k, self.strata) for names, k in self.asked)
