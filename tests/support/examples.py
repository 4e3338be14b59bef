"""One file and one use of every method, for the promises that all methods make."""

from __future__ import annotations

import polars as pl

from celosia import Dictionary, Microdata, Variable, methods

KEYS = ("zona", "sexo", "edad")
TREES = {
    "zona": {"01": "norte", "02": "norte", "03": "sur", "04": "sur"},
    "sexo": [["1", "*"], ["2", "*"]],
    "edad": {"intervals": {"low": 0, "high": 99, "levels": [10, 20]}},
}

USES = {
    "blank_small_areas": {"area": "hogar", "variables": ("edad", "ingreso"), "at_most": 2},
    "coarsen_birth": {"variable": "nacimiento", "detail": "month"},
    "drop_variables": {"variables": ("nombre",)},
    "drop_records": {"where": 'zona == "04"'},
    "generalization": {
        "hierarchies": TREES,
        "k": 3,
        "suppression_limit": 0.1,
        "models": [{"model": "average_risk", "risk": 0.2}],
    },
    "household_size": {"household": "hogar"},
    "ine_census_2017": {
        "area": "zona",
        "rare_below": 7,
        "dwelling": "hogar",
        "sex": "sexo",
        "age": "edad",
        "peoples": (),
        "migration": (),
        "countries": (),
        "arrival": None,
        "keep_area": True,
    },
    "local_recoding": {"hierarchies": TREES, "k": 3},
    "local_suppression": {"keys": KEYS, "k": 3, "max_share": 1.0},
    "merge_areas": {"area": "zona", "minimum_persons": 40},
    "mondrian": {"keys": ("zona", "edad"), "k": 5},
    "new_ids": {"variable": "hogar"},
    "recode_categories": {"variables": ("zona",), "mapping": {"03": "04"}},
    "recode_intervals": {"variable": "edad", "breaks": (0, 30, 60), "open_high": True},
    "record_suppression": {"keys": ("zona", "sexo"), "k": 16},
    "rounding": {"variables": ("ingreso",), "base": 1000},
    "sample": {"share": 0.5, "weight": "peso", "household": "hogar"},
    "shuffle_order": {"household": "hogar"},
    "top_bottom_coding": {"variable": "edad", "top": {"beyond": 70, "value": 70}},
}


def household_file(rows: int = 120) -> Microdata:
    """Persons in households with every kind of missing value, the same each time."""
    number = range(rows)
    frame = pl.DataFrame(
        {
            "hogar": [i // 3 + 1 for i in number],
            "nombre": [f"persona {i}" for i in number],
            "zona": [f"0{(i // 3) % 4 + 1}" for i in number],
            "sexo": [(i * 7) % 2 + 1 for i in number],
            "nacimiento": [None if i % 23 == 0 else f"{1930 + i % 90}-{i % 12 + 1:02}-{i % 28 + 1:02}" for i in number],
            "edad": [None if i % 29 == 0 else 999 if i % 31 == 0 else (i * 37) % 95 for i in number],
            "ingreso": [-97.0 if i % 5 == 0 else 1234.5 * i for i in number],
            "peso": [10.0 + (i // 3) % 7 for i in number],
        }
    )
    return Microdata(
        frame,
        Dictionary.of(
            Variable(name="hogar", role="household"),
            Variable(name="zona", values={"01": "Norte", "02": "Centro", "03": "Sur", "04": "Austral"}, role="key"),
            Variable(name="sexo", values={1: "Hombre", 2: "Mujer"}, role="key"),
            Variable(name="nacimiento", null="non_response"),
            Variable(name="edad", missing={999: "non_response"}, null="non_response", role="key"),
            Variable(name="ingreso", missing={-97: "not_applicable"}, role="numeric_key"),
            Variable(name="peso", role="weight"),
        ),
    )


def use(do: str) -> methods.Method:
    """The example use of a method."""
    return methods.method(do)(**USES[do])
