"""Two languages: which is in force, complete catalogues, numbers."""

import importlib.util
import re
from pathlib import Path

import pytest

from celosia.core.errors import DataError
from celosia.core.language import language, number, percent, power_of_ten, speaking, text
from celosia.methods import REGISTRY

ROOT = Path(__file__).parents[2]
_spec = importlib.util.spec_from_file_location("catalogues", ROOT / "scripts" / "catalogues.py")
catalogues = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(catalogues)


def test_the_language_is_chosen_then_asked_then_spanish(monkeypatch):
    for variable in ("LC_ALL", "LC_MESSAGES", "LANG", "CELOSIA_LANG"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("LANG", "fr_FR.UTF-8")
    assert language() == "es"
    monkeypatch.setenv("LC_ALL", "en_GB.UTF-8")
    assert language() == "en"
    monkeypatch.setenv("CELOSIA_LANG", "es")
    assert language() == "es"
    with speaking("en"):
        assert language() == "en"
    with pytest.raises(ValueError, match="unknown"), speaking("fr"):
        pass


def test_numbers_read_as_in_the_language():
    assert number(1234567.5, 1) == "1.234.567,5" and percent(0.0125) == "1,25\u202f%"
    with speaking("en"):
        assert number(1234567.5, 1) == "1,234,567.5"


def test_tiny_numbers_do_not_read_as_none():
    assert (
        power_of_ten(1e-10) == "10⁻¹⁰" and power_of_ten(2.5e-7) == "2,5 · 10⁻⁷" and power_of_ten(-3e-6) == "-3,0 · 10⁻⁶"
    )


def test_a_share_that_is_not_none_does_not_read_as_none():
    with speaking("en"):
        assert [percent(share) for share in (0.0, 1e-9, 4.9e-5, 5.1e-5)] == [
            "0.00\u202f%",
            "<0.01\u202f%",
            "<0.01\u202f%",
            "0.01\u202f%",
        ]
    with speaking("es"):
        assert percent(1e-6, 3) == "<0,001\u202f%"


def test_errors_read_in_both_languages_and_keep_their_code():
    error = DataError("id-repeated", variable="rut", count=2)
    spanish = str(error)
    with speaking("en"):
        english = str(error)
    assert "se repite" in spanish and "repeated" in english and error.to_dict()["code"] == "id-repeated"


def test_catalogues_are_complete_equal_and_compiled():
    assert catalogues.problems() == []


def used_codes() -> set[str]:
    """Codes that the source names in full."""
    found = set()
    for source in (ROOT / "src" / "celosia").rglob("*.py"):
        body = source.read_text("utf-8")
        found |= {f"error.{code}" for code in re.findall(r'\b\w*Error\(\s*"([a-z-]+)"', body)}
        found |= {f"warning.{code}" for code in re.findall(r'\bwarn\(\s*"([a-z-]+)"', body)}
        found |= set(re.findall(r'\btext\(\s*"([a-z][\w.-]+)"', body))
    return found


def test_every_code_in_the_source_has_a_text():
    known = catalogues.texts(catalogues.load("es"))
    assert sorted(code for code in used_codes() if code not in known) == []


def test_an_unknown_code_is_its_own_text():
    assert text("no.such.code") == "no.such.code"


def test_a_text_that_nobody_uses_is_found():
    assert catalogues.unused(["error.file-missing", "error.file-missing.fix", "error.nobody-says-this"]) == [
        "error.nobody-says-this"
    ]


@pytest.mark.parametrize("spoken", ["es", "en"])
def test_every_method_has_a_name(spoken):
    with speaking(spoken):
        assert [do for do in REGISTRY if text(f"method.{do}") == f"method.{do}"] == []


def test_types_of_data_are_named_in_the_language():
    error = DataError("column-not-numeric", variable="fecha", type="Datetime")
    assert "fecha y hora" in str(error) and error.to_dict()["facts"]["type"] == "Datetime"
    assert "Extraño" in str(DataError("column-not-numeric", variable="fecha", type="Extraño"))


def test_long_numbers_are_grouped_in_a_sentence():
    error = DataError("id-repeated", variable="rut", count=1_234_567)
    assert "1.234.567 registros" in str(error) and error.to_dict()["facts"]["count"] == 1_234_567
    assert " 9999 registros" in str(DataError("id-repeated", variable="rut", count=9_999))


@pytest.mark.parametrize(
    ("spoken", "one", "several"), [("es", "1 registro.", "2 registros."), ("en", "1 rec", "2 rec")]
)
def test_one_thing_and_several(spoken, one, several):
    with speaking(spoken):
        said = [str(DataError("id-missing", variable="rut", count=count)) for count in (1, 2)]
    assert one in said[0] and several in said[1]


def test_braces_that_belong_to_a_text_are_shown_once():
    for name in ("es", "en"):
        with speaking(name):
            shown = text("error.file-kind-missing.fix")
            assert "{weight: …}" in shown and "{{" not in shown
