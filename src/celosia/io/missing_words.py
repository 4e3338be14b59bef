"""The kind of a missing code, from its label, where the file format does not say it."""

from __future__ import annotations

import re

from celosia.core.dictionary import MissingKind
from celosia.io import suppression
from celosia.io.words import plain

_NOT_APPLICABLE = re.compile(
    r"no_?(se_)?(aplica|corresponde|procede)|not_applicable|inapplicable|does_not_apply|^n/?a$"
)


def kind_by_label(label: str) -> MissingKind:
    """*Suppressed* or *not applicable* where the label says so, else non-response."""
    if label in suppression.labels():
        return MissingKind.SUPPRESSED
    return MissingKind.NOT_APPLICABLE if _NOT_APPLICABLE.search(plain(label)) else MissingKind.NON_RESPONSE
