"""Short ways to write the variables of a code book, with the missing codes of the house's synthetic files."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from celosia.core.dictionary import Identification, Level, MissingKind, Variable

Missing = Literal["none", "answers", "skip", "all"]
"""Which missing codes a question uses: no one's, no sabe and no responde, no aplica, or the three."""

NOTE = "Datos sintéticos: ningún registro corresponde a nadie real."
"""What every variable says of itself, unless it says more."""

NOT_APPLICABLE, DOES_NOT_KNOW, NO_ANSWER = 97, 98, 99
UNANSWERED = {DOES_NOT_KNOW: 0.008, NO_ANSWER: 0.006}
"""Share of those asked who give each missing answer."""

_NAMES = {"skip": "No aplica", "know": "No sabe", "answer": "No responde"}


def missing_codes(sign: int = 1) -> dict[int, tuple[str, MissingKind]]:
    """The three missing codes with label and kind; amounts write them with a minus (``sign=-1``)."""
    return {
        sign * NOT_APPLICABLE: (_NAMES["skip"], MissingKind.NOT_APPLICABLE),
        sign * DOES_NOT_KNOW: (_NAMES["know"], MissingKind.NON_RESPONSE),
        sign * NO_ANSWER: (_NAMES["answer"], MissingKind.NON_RESPONSE),
    }


def coded(name: str, label: str, values: Mapping[Any, str], missing: Missing = "none", **facts: Any) -> Variable:
    """A closed question: every code has a label."""
    return _variable(name, label, values, missing, 1, {"level": Level.CATEGORICAL, **facts})


def uncoded(name: str, label: str, missing: Missing = "none", **facts: Any) -> Variable:
    """A number (continuous, unless said otherwise), a text or a date; its missing codes are negative."""
    return _variable(name, label, {}, missing, -1, {"level": Level.CONTINUOUS, **facts})


def _variable(
    name: str, label: str, values: Mapping[Any, str], missing: Missing, sign: int, facts: dict[str, Any]
) -> Variable:
    kept = {
        code: (text, kind)
        for code, (text, kind) in missing_codes(sign).items()
        if missing == "all"
        or (missing == "skip" and kind is MissingKind.NOT_APPLICABLE)
        or (missing == "answers" and kind is MissingKind.NON_RESPONSE)
    }
    facts.setdefault("identification", Identification.NONE)
    facts.setdefault("sensitive", False)
    facts.setdefault("note", NOTE)
    return Variable(
        name=name,
        label=label,
        values={**values, **{code: text for code, (text, _) in kept.items()}},
        missing={code: kind for code, (_, kind) in kept.items()},
        **facts,
    )
