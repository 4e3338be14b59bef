"""The words a code book may use, in Spanish and English, and the facts they name."""

from __future__ import annotations

import unicodedata

_FIELDS = {
    "name": "nombre variable name",
    "label": "etiqueta label descripcion description",
    "level": "nivel nivel_de_medida level",
    "identification": "identificacion identification",
    "sensitive": "sensible sensibilidad sensitive",
    "dane": "dane clase_dane dane_class",
    "role": "rol papel role",
    "hierarchy": "jerarquia hierarchy",
    "unit": "unidad unit",
    "decimals": "decimales decimals",
    "format": "formato format",
    "null": "vacio vacia null empty",
    "note": "nota note",
    "values": "valores valor categorias values",
    "missing": "perdidos perdido faltantes faltante missing",
    "missing_ranges": "rangos_perdidos missing_ranges",
    "code": "codigo code",
}
PROPERTIES = tuple(name for name in _FIELDS if name not in ("name", "code"))
"""What may be said of a variable."""

_KIND = {
    "not_applicable": "not_applicable no_aplica no_corresponde",
    "non_response": "non_response no_respuesta no_responde no_sabe",
    "suppressed": "suppressed suprimido suprimida",
}
_VALUES = {
    "level": {
        "categorical": "categorical categorica categorico nominal ordinal",
        "open": "open abierta abierto",
        "discrete": "discrete discreta discreto",
        "continuous": "continuous continua continuo",
    },
    "identification": {
        "direct": "direct directa directo",
        "indirect": "indirect indirecta indirecto",
        "none": "none ninguna ninguno no_identifica",
    },
    "sensitive": {"true": "true si yes sensible", "false": "false no"},
    "dane": {
        "geographic": "geographic geografica",
        "direct": "direct directa identificador_directo",
        "magnitude": "magnitude magnitud",
        "sensitive": "sensitive sensible",
        "public": "public publica",
        "categorical": "categorical categorica",
    },
    "role": {
        "key": "key clave llave",
        "numeric_key": "numeric_key clave_numerica llave_numerica",
        "sensitive": "sensitive sensible",
        "weight": "weight peso factor ponderador factor_de_expansion",
        "household": "household hogar",
        "stratum": "stratum estrato",
        "linked": "linked ligada vinculada",
        "id": "id identificador",
    },
    "null": _KIND,
    "missing": _KIND,
}


def plain(word: object) -> str:
    """A word without accents, case or blanks."""
    bare = unicodedata.normalize("NFKD", str(word).strip().casefold())
    return "_".join("".join(c for c in bare if not unicodedata.combining(c)).split())


def _table(entries: dict[str, str]) -> dict[str, str]:
    return {spelling: meaning for meaning, spellings in entries.items() for spelling in spellings.split()}


_FIELD_TABLE = _table(_FIELDS)
_VALUE_TABLES = {field: _table(entries) for field, entries in _VALUES.items()}


def field(header: object) -> str | None:
    """The fact that a column's header names."""
    return _FIELD_TABLE.get(plain(header))


def value(field: str, word: str) -> str:
    """The value that a word means in a field; words that are not known come back as they are."""
    return _VALUE_TABLES[field].get(plain(word), word) if field in _VALUE_TABLES else word


def known(field: str, word: str) -> bool:
    """Whether a word means something in a field of named values."""
    return field not in _VALUE_TABLES or plain(word) in _VALUE_TABLES[field]
