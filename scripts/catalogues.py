"""Compile the gettext catalogues; with ``--check``, refuse what is missing, unequal, unused or out of date."""

from __future__ import annotations

import io
import re
import sys
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "celosia"
LOCALE = SOURCE / "locale"
LANGUAGES = ("es", "en")
_PLACEHOLDER = re.compile(r"{(\w+)[^}]*}")
_BUILT = re.compile(r'f"((?:[a-z_]+\.)*[a-z_-]*[.-])\{')
"""The beginning of a code that is put together where it is used."""


def folder(language: str) -> Path:
    """Where a language's catalogue lives."""
    return LOCALE / language / "LC_MESSAGES"


def load(language: str) -> Catalog:
    """The catalogue as its translators wrote it."""
    with (folder(language) / "celosia.po").open("rb") as file:
        return read_po(file, locale=language, abort_invalid=True)


def compiled(catalogue: Catalog) -> bytes:
    """The catalogue as gettext reads it; the same bytes for the same texts, whenever it is done."""
    catalogue.creation_date = catalogue.revision_date = datetime(2026, 1, 1, tzinfo=UTC)
    buffer = io.BytesIO()
    write_mo(buffer, catalogue)
    return buffer.getvalue()


def texts(catalogue: Catalog) -> dict[str, tuple[str, ...]]:
    """Code to text; to the texts of one and of several, where it counts something."""
    found = {}
    for message in catalogue:
        if message.id:
            plural = isinstance(message.id, tuple)
            found[message.id[0] if plural else message.id] = message.string if plural else (message.string,)
    return found


def placeholders(texts: tuple[str, ...]) -> list[set[str]]:
    """The placeholders of each form."""
    return [set(_PLACEHOLDER.findall(text)) for text in texts]


def problems() -> list[str]:
    """What is wrong with the catalogues, in words."""
    found = []
    books = {language: texts(load(language)) for language in LANGUAGES}
    es, en = books["es"], books["en"]
    found += [f"{code}: only in one language" for code in sorted(es.keys() ^ en.keys())]
    for language, book in books.items():
        found += [f"{code}: empty in {language}" for code, forms in book.items() if not all(map(str.strip, forms))]
        mo = folder(language) / "celosia.mo"
        if not mo.exists() or mo.read_bytes() != compiled(load(language)):
            found.append(f"{language}: celosia.mo is out of date; run `make catalogues`")
    for code in sorted(es.keys() & en.keys()):
        if placeholders(es[code]) != placeholders(en[code]):
            found.append(f"{code}: other placeholders in es than in en")
    return found + [f"{code}: no source uses it" for code in unused(es)]


def unused(codes: Iterable[str]) -> list[str]:
    """Codes that no source names, whole or by their beginning; values of a column go by the column's name."""
    source = "\n".join(path.read_text("utf-8") for path in sorted(SOURCE.rglob("*.py")))
    listed = list(codes)
    built = (*_BUILT.findall(source), *(f"{code.removeprefix('column.')}." for code in listed if "column." in code))
    found = []
    for code in listed:
        bare = re.sub(r"^(error|warning)\.|\.fix$", "", code)
        named = any(f"{quote}{name}{quote}" in source for name in (bare, code) for quote in "\"'")
        if not (named or bare.startswith(built) or code.startswith(built)):
            found.append(code)
    return found


def main() -> int:
    """Compile, or check."""
    if "--check" in sys.argv:
        found = problems()
        sys.stderr.write("".join(f"{line}\n" for line in found))
        return 1 if found else 0
    for language in LANGUAGES:
        (folder(language) / "celosia.mo").write_bytes(compiled(load(language)))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
