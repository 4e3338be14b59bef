"""Age groups as published tables write them: ``0-4``, ``De 5 a 9 años``, ``85+``, ``85 y más``, ``under 5``, ``37``."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise

from celosia.core.errors import DataError

_NAME = re.compile(r"(?:^|[^a-z])(?:age|ages|edad|edades|idade|etari[oa])(?:$|[^a-z])")

_IDLE = re.compile(r"\b(?:de|del|entre|between|from|of|anos?|edad(?:es)?|years?|olds?|aged?|ages)\b")
_TWO = re.compile(r"(\d{1,3}) ?(?:-|–|—|a|to|hasta|y|and) ?(\d{1,3})")
_HALF_OPEN = re.compile(r"\[(\d{1,3}), ?(\d{1,3})\)")
_OPEN = re.compile(
    r"(?:>=|≥) ?(\d{1,3})|(\d{1,3}) ?(?:\+|plus|(?:y|o|e|and|or) (?:mas|mais|mayores|over|older|more|above))"
)
_UNDER = re.compile(r"(?:<|menos|menor|menores|under|below|less than) ?(\d{1,3})")
_ONE = re.compile(r"\d{1,3}")


@dataclass(frozen=True)
class AgeGroup:
    """Ages in completed years; ``last`` is ``None`` in an open group."""

    first: int
    last: int | None

    @property
    def years(self) -> int | None:
        """How many years of age it spans; ``None`` where nobody said."""
        return None if self.last is None else self.last - self.first + 1


def read_age(label: str) -> AgeGroup | None:
    """The ages that a label says, or ``None`` where it says none.

    >>> read_age("De 5 a 9 años"), read_age("85 y más"), read_age("Total")
    (AgeGroup(first=5, last=9), AgeGroup(first=85, last=None), None)
    """
    plain = unicodedata.normalize("NFKD", label.casefold())
    plain = "".join(sign for sign in plain if not unicodedata.combining(sign))
    plain = " ".join(_IDLE.sub(" ", plain).split())
    if found := _TWO.fullmatch(plain):
        first, last = int(found[1]), int(found[2])
    elif found := _HALF_OPEN.fullmatch(plain):
        first, last = int(found[1]), int(found[2]) - 1
    elif found := _OPEN.fullmatch(plain):
        return AgeGroup(int(found[1] or found[2]), None)
    elif found := _UNDER.fullmatch(plain):
        first, last = 0, int(found[1]) - 1
    elif found := _ONE.fullmatch(plain):
        first = last = int(plain)
    else:
        return None
    return AgeGroup(first, last) if first <= last else None


def names_ages(column: str) -> bool:
    """Whether a column is called as ages are (``age_group``, ``Grupo de edad``); labels alone could be of children."""
    return _NAME.search(column.casefold()) is not None


def check_ladder(groups: Iterable[AgeGroup], variable: str, gaps: bool) -> None:
    """Raise where groups overlap, or leave ages out between them (which ``gaps`` allows)."""
    steps = sorted(groups, key=lambda group: group.first)
    for lower, upper in pairwise(steps):
        if lower.last is None or upper.first <= lower.last:
            raise DataError("ages-overlap", variable=variable, age=upper.first)
        if upper.first > lower.last + 1 and not gaps:
            raise DataError("ages-missing", variable=variable, first=lower.last + 1, last=upper.first - 1)
