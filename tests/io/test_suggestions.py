from __future__ import annotations

import datetime as dt

import polars as pl
import pytest

from celosia import io
from celosia.core.dictionary import Dictionary, Identification, Role, Variable
from celosia.core.language import LANGUAGES, speaking
from celosia.io import identifiers
from celosia.io.rules import RULES

N = 100


def rut(number: int) -> str:
    total = sum(int(c) * (2 + place % 6) for place, c in enumerate(reversed(str(number))))
    return f"{number}-{'0K987654321'[total % 11]}"


def one(name: str, values: list[object]) -> io.Suggestion | None:
    found = io.suggest(pl.DataFrame({name: values}))
    return found[0] if found else None


@pytest.mark.parametrize(
    ("reason", "values"),
    [
        ("rut", [rut(5_000_000 + 7919 * i) for i in range(N)]),
        ("dni", [f"{n:08d}{'TRWAGMYFPDXBNJZSQVHLCKE'[n % 23]}" for n in range(10_000_000, 10_000_000 + N)]),
        ("email", [f"persona{i}@correo.cl" for i in range(N)]),
        ("phone", [f"+56 9 {5_000_0000 + 7919 * i}" for i in range(N)]),
        ("phone", [600_000_000 + 7919 * i for i in range(N)]),
        ("plate", [f"BC-DF-{10 + i % 90}" for i in range(N)]),
        ("plate", [f"ABC {100 + i}" for i in range(N)]),
        ("plate", [f"{1000 + i} BCD" for i in range(N)]),
        ("coordinates", [-33.4 - i / 7919 for i in range(N)]),
        ("person", ["María Pérez", "Juan Soto", "Ana Díaz", "Luis Mora", "Pedro Rojas"] * (N // 5)),
        ("date", [dt.date(2020, 1, 1 + i % 28) for i in range(N)]),
        ("id", list(range(N))),
    ],
)
def test_contents_speak_where_the_name_does_not(reason, values):
    found = one("v1", values)
    assert (found.reason, found.evidence) == (reason, "contents")


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("RUT", "rut"),
        ("num_doc", "cedula"),
        ("cédula", "cedula"),
        ("telefono1", "phone"),
        ("patente", "plate"),
        ("latitud", "coordinates"),
        ("direccion", "address"),
        ("apellidos", "person"),
        ("fecha_nacimiento", "birth"),
        ("FechaNac", "birth"),
        ("comuna", "geography"),
        ("nombreComuna", "geography"),
        ("cod_region", "geography"),
        ("municipio", "geography"),
        ("factor_exp", "weight"),
        ("FEX_C18", "weight"),
        ("estrato", "stratum"),
        ("salud_percibida", "health"),
        ("religion", "religion"),
        ("ingreso_total", "income"),
        ("pueblo_originario", "ethnicity"),
        ("discapacidad", "disability"),
        ("condena", "conviction"),
        ("orientacion_sexual", "sexuality"),
        ("sexo", "demographic"),
        ("edad", "demographic"),
    ],
)
def test_names_speak(name, reason):
    assert one(name, [1, 2] * 50).reason == reason


@pytest.mark.parametrize("name", ["p12", "tipo_vivienda", "peso", "tiene_telefono", "acuerdo"])
def test_what_says_nothing_gets_no_suggestion(name):
    assert one(name, [1, 2] * 50) is None


def test_households_repeat_and_ids_do_not():
    frame = pl.DataFrame({"id_hogar": [i // 3 for i in range(N)], "folio": range(N), "tamano_hogar": [3] * N})
    household, record = io.suggest(frame)
    assert (household.role, record.role) == (Role.HOUSEHOLD, Role.ID)


def test_labels_count_as_names():
    book = Dictionary.of(Variable(name="p7", label="Comuna de residencia"))
    from celosia.core.microdata import Microdata

    (found,) = io.suggest(Microdata(pl.DataFrame({"p7": [1, 2] * 50}), book))
    assert found.reason == "geography"


def test_reasons_are_said_in_both_languages_and_show_no_value():
    frame = pl.DataFrame({"x": [f"zorobabel{i}@correo.cl" for i in range(N)]})
    (found,) = io.suggest(frame)
    said = set()
    for language in LANGUAGES:
        with speaking(language):
            said.add(found.text)
            assert "zorobabel" not in repr(found) + found.text
            assert "x" in found.text
            for rule in RULES:
                assert not found.model_copy(update={"reason": rule.code}).text.count("suggestion.")
    assert len(said) == 2


def test_suggestions_make_a_dictionary_that_respects_what_is_declared():
    frame = pl.DataFrame({"comuna": ["01101"] * N, "fexp": [1.5] * N, "factor": [2.0] * N, "folio": range(N)})
    base = Dictionary.of(Variable(name="comuna", identification="none"))
    book = io.suggested_dictionary(io.suggest(frame), base)
    assert book["comuna"].identification is Identification.NONE
    assert book["comuna"].role is Role.KEY
    assert book["fexp"].role is book["factor"].role is None  # two weights: a person must choose
    assert book["folio"].role is Role.ID
    io_roles = book.with_role(Role.ID)
    assert io_roles == ("folio",)


def test_check_digits():
    assert identifiers.is_rut("12.345.678-5")
    assert not identifiers.is_rut("12.345.678-6")
    assert identifiers.is_rut("11111112-K") == (rut(11111112)[-1] == "K")
    assert identifiers.is_dni("12345678Z")
    assert not identifiers.is_dni("12345678A")
    assert identifiers.is_dni("X1234567L")
