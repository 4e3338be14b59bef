"""What ``inspect`` shows people: words of their language, and why a variable seems to be what it seems."""

import pytest


@pytest.mark.parametrize(
    ("lang", "words", "others"),
    [
        (
            "es",
            ("un RUT, por su nombre", "directa", "factor de expansión", "categórica (abierta)", "entero"),
            "demographic",
        ),
        ("en", ("a Chilean RUT, by its name", "not identifying", "stratum", "discrete", "integer"), "directa"),
    ],
)
def test_people_read_words_and_reasons(lang, words, others, celosia, folder):
    shown = celosia("inspect", "encuesta.csv", "--lang", lang).out
    assert not [word for word in words if word not in shown]
    assert others not in shown and "Int64" not in shown


def test_programs_read_codes_and_a_message(celosia, folder):
    found = celosia("inspect", "encuesta.csv", "--json", "--lang", "en").json["results"]["suggestions"]
    rut = next(suggestion for suggestion in found if suggestion["variable"] == "rut")
    assert (rut["reason"], rut["identification"]) == ("rut", "direct")
    assert rut["message"] == "'rut' looks like a Chilean RUT: its name or label says so."
