"""A policy: the thresholds that an institution sets, and their verdict on one evaluated file.

The policy is data. INE's Tabla 20 is built in as five profiles; an office writes its own in the same form. ``< 10 %``
is strict, ``0 %`` means no unit at all; both are judged on exact counts.
"""

from __future__ import annotations

from fractions import Fraction
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from pydantic import Field, ValidationError, model_validator

from celosia.core.errors import FileError, PolicyError
from celosia.core.model import Frozen, ReadOnly
from celosia.core.shares import Below, ExactShare, stays_below
from celosia.process.yaml import load_text

if TYPE_CHECKING:
    from celosia.process.study import Study
    from celosia.process.verdict import Verdict

BUILT_IN = ("ine-hogares", "ine-economicas", "ine-registros", "ine-censo-poblacion", "ine-censo-agropecuario")


class Threshold(Frozen):
    """One row of a policy: a measure and the share of units that it allows.

    ``below`` is strict; ``below`` zero means none at all.
    """

    measure: Literal["global_risk", "share_above", "k_anonymity"]
    at: ExactShare | None = None
    k: int | None = Field(default=None, ge=2)
    below: Below

    @model_validator(mode="after")
    def _whole(self) -> Threshold:
        """``at`` belongs to shares above a risk, ``k`` to k-anonymity."""
        wanted = {"share_above": (True, False), "k_anonymity": (False, True)}.get(self.measure, (False, False))
        if (bool(self.at), self.k is not None) != wanted:
            raise ValueError("at goes with share_above, k with k_anonymity")
        return self

    def allows(self, units: float | Fraction, of: int) -> bool:
        """Whether so many units (or expected units) of so many are within the limit."""
        return stays_below(units, of, self.below)

    @property
    def implied_k(self) -> int | None:
        """Where risk is 1/f, the f that a record needs not to count against this row."""
        if self.measure == "k_anonymity":
            return self.k
        if self.measure == "share_above" and self.at is not None:
            return -(-self.at.denominator // self.at.numerator) if self.at < 1 else 2
        return None

    @property
    def name(self) -> str:
        """Stable name of the row: ``share_above 5 %``."""
        if self.measure == "share_above" and self.at is not None:
            return f"share_above {float(self.at * 100):g} %"
        return f"k_anonymity {self.k}" if self.measure == "k_anonymity" else self.measure


class Policy(Frozen):
    """The thresholds that a file must meet before it may leave."""

    name: str
    title: ReadOnly[str, str] = Field(default_factory=dict, validate_default=True)
    source: str = ""
    counting: Literal["wildcard", "strict"] | None = None
    """The rule of counting that verdicts rest on; by default the least favourable of both."""
    level: Literal["individual", "household"] | None = None
    """The level that verdicts rest on; by default both where there are households."""
    thresholds: tuple[Threshold, ...] = Field(min_length=1)

    @classmethod
    def load(cls, name: str | Path) -> Policy:
        """A built-in profile by name, or an institution's own from a YAML file."""
        if str(name) in BUILT_IN:
            text = files("celosia.process").joinpath("policies", f"{name}.yaml").read_text("utf-8")
            return cls.parse(text, str(name))
        path = Path(name)
        if not path.suffix:
            raise PolicyError("policy-unknown", policy=str(name), known=BUILT_IN)
        try:
            return cls.parse(path.read_text("utf-8"), path.name)
        except FileNotFoundError:
            raise PolicyError("policy-missing", path=path.name) from None
        except (OSError, UnicodeDecodeError):
            raise FileError("file-unreadable", path=path.name) from None

    @classmethod
    def parse(cls, text: str, where: str) -> Policy:
        """A policy from YAML."""
        try:
            return cls(**load_text(text, where))
        except ValidationError as error:
            raise PolicyError.of_fields(error, where=where, model=cls) from None

    def check(self, study: Study) -> Verdict:
        """The verdict on a study, row by row."""
        from celosia.process.verdict import judge

        return judge(self, study)

    def idle(self, threshold: Threshold) -> bool:
        """Whether, in a file whose risk is 1/f, other rows always say no before this one can."""
        k = threshold.implied_k
        if k is None:
            return self._highest_global_risk < threshold.below
        for other in self.thresholds:
            other_k = other.implied_k
            if other is threshold or other_k is None or other_k < k or other.below > threshold.below:
                continue
            if (other_k, -other.below) != (k, -threshold.below):
                return True
        return False

    @property
    def _highest_global_risk(self) -> Fraction:
        """The most that the mean of 1/f can be in a file that meets every row about f."""
        rows = [(row.implied_k, row.below) for row in self.thresholds if row.implied_k is not None]
        highest, reached, f = Fraction(0), Fraction(0), 1
        for k in sorted({k for k, _ in rows}):
            share = max(reached, min(below for other, below in rows if other >= k))
            highest += (share - reached) / f
            reached, f = share, k
        return highest + (1 - reached) / f
