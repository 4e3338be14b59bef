"""The table of formats, printed from ``celosia.io.support()`` so that it says what the code does."""

from __future__ import annotations

from typing import Any

from celosia.io import Support, support
from celosia.io.formats import Side

MARK = "<!-- formats -->"
_HEADS = {
    "es": (
        "Formato",
        "Sufijos",
        "Se escribe",
        "Etiquetas de variables",
        "Etiquetas de valores",
        "Códigos perdidos",
        "Diccionario al lado",
    ),
    "en": ("Format", "Suffixes", "Written", "Variable labels", "Value labels", "Missing codes", "Side dictionary"),
}
_WORDS = {
    "es": {
        "yes": "sí",
        "no": "no",
        "numbers": "solo de números",
        "none": "no",
        "codes": "3, o un rango y 1",
        "letters": "letras `.a`–`.z`",
        "inside": "todos",
        "never": "nunca",
        "needed": "si hace falta",
        "always": "siempre",
        "not-written": "—",
    },
    "en": {
        "yes": "yes",
        "no": "no",
        "numbers": "of numbers only",
        "none": "no",
        "codes": "3, or a range and 1",
        "letters": "letters `.a`–`.z`",
        "inside": "all",
        "never": "never",
        "needed": "where needed",
        "always": "always",
        "not-written": "—",
    },
}


def format_table(language: str) -> str:
    """One row a format, in Markdown."""
    heads = _HEADS[language]
    rows = [heads, ("---",) * len(heads), *(_cells(row, _WORDS[language]) for row in support())]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _cells(row: Support, words: dict[str, str]) -> tuple[str, ...]:
    holds = {True: words["yes"], False: words["no"]}
    if row.side is Side.NEVER:  # the whole dictionary is inside
        holds[False] = words["yes"]
    labels = holds[row.value_labels] if row.text_value_labels or not row.value_labels else words["numbers"]
    missing = words["inside"] if row.side is Side.NEVER else words[row.missing.value]
    return (
        row.format,
        " ".join(f"`{suffix}`" for suffix in row.suffixes),
        holds[row.writes],
        holds[row.variable_labels],
        labels,
        missing,
        words[row.side.value] if row.writes else words["not-written"],
    )


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Put the table where a page asks for it."""
    if MARK not in markdown:
        return markdown
    return markdown.replace(MARK, format_table("es" if page.file.src_uri.startswith("es/") else "en"))
