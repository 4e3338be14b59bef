"""Readers and writers: microdata in the formats offices use, code books, and suggestions for them.

Nothing here is loaded before it is asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from celosia.core.lazy import lazy

if TYPE_CHECKING:
    from celosia.io.codebook import read_dictionary, write_dictionary
    from celosia.io.csv_form import CsvForm, sniff
    from celosia.io.formats import Support, support
    from celosia.io.reading import read
    from celosia.io.suggestions import Suggestion, suggest, suggested_dictionary
    from celosia.io.writing import write

_HOME = {
    "CsvForm": "csv_form",
    "Suggestion": "suggestions",
    "Support": "formats",
    "read": "reading",
    "read_dictionary": "codebook",
    "sniff": "csv_form",
    "suggest": "suggestions",
    "suggested_dictionary": "suggestions",
    "support": "formats",
    "write": "writing",
    "write_dictionary": "codebook",
}

__all__ = [
    "CsvForm",
    "Suggestion",
    "Support",
    "read",
    "read_dictionary",
    "sniff",
    "suggest",
    "suggested_dictionary",
    "support",
    "write",
    "write_dictionary",
]


__getattr__ = lazy(__name__, {name: f"{__name__}.{home}" for name, home in _HOME.items()})


def __dir__() -> list[str]:
    return __all__
