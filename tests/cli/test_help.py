"""Help and usage in the reader's language, with honest exit codes."""

import pytest

CENSUS = ("census", "census-check", "census-example", "census-schema")
COMMANDS = ("inspect", "risk", "run", "check", "demo", "plan-schema", *CENSUS, "anonymity")
ENGLISH = ("Usage", "Options", "Arguments", "Commands", "required", "default:", "Show", "Missing", "Try", "Install")


@pytest.mark.parametrize("command", [(), *((name,) for name in COMMANDS)])
def test_help_in_both_languages(command, celosia):
    es, en = (celosia("--lang", lang, *command, "--help") for lang in ("es", "en"))
    assert (es.code, en.code, es.err, en.err) == (0, 0, "", "")
    assert es.out.startswith("Uso: celosia") and "Opciones:" in es.out
    assert en.out.startswith("Usage: celosia") and "Options:" in en.out
    assert not [word for word in ENGLISH if word in es.out]
    assert "cli." not in es.out + en.out, "a code without a text"


def test_help_lists_what_the_parser_takes(celosia):
    found = celosia("risk", "--help").out
    for name in (
        "ARCHIVO",
        "-k, --keys A,B,…",
        "-w, --weight NOMBRE",
        "[obligatorio]",
        "--missing wildcard|strict|intruder",
    ):
        assert name in found
    assert "[por defecto: demo]" in celosia("demo", "--help").out
    assert all(f"\n  {name} " in celosia("--help").out for name in COMMANDS)


@pytest.mark.parametrize(
    ("environment", "arguments", "first"),
    [
        ({"CELOSIA_LANG": "en"}, ("--help",), "Usage"),
        ({"CELOSIA_LANG": "en"}, ("--lang", "es", "--help"), "Uso"),
        ({"CELOSIA_LANG": "en"}, ("run", "--help", "--lang=es"), "Uso"),
        ({"CELOSIA_LANG": "", "LC_ALL": "en_US.UTF-8"}, ("--help",), "Usage"),
        ({"CELOSIA_LANG": "", "LC_ALL": "es_CL.UTF-8"}, ("--help",), "Uso"),
        ({"CELOSIA_LANG": "", "LC_ALL": "C"}, ("--help",), "Uso"),
        ({"CELOSIA_LANG": "fr", "LC_ALL": "C"}, ("--help",), "Uso"),
    ],
)
def test_where_the_language_comes_from(environment, arguments, first, celosia, monkeypatch):
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert celosia(*arguments).out.startswith(f"{first}: celosia")


@pytest.mark.parametrize("arguments", [("--lang", "fr"), ("run", "plan.yaml", "--lang", "fr"), ("--lang=fr", "--help")])
def test_another_language_is_refused(arguments, celosia):
    ran = celosia(*arguments)
    assert (ran.code, ran.out) == (2, "")
    assert "--lang" in ran.err and "es, en" in ran.err


@pytest.mark.parametrize(
    ("arguments", "es", "en"),
    [
        ((), "Falta el comando", "command is missing"),
        (("nada",), "No existe el comando «nada»", "no command 'nada'"),
        (("risk",), "Falta decir de qué archivo", "not said which data file"),
        (("risk", "a.csv"), "Falta la opción «--keys»", "Option '--keys' is missing"),
        (("risk", "a.csv", "--keys"), "«--keys» se dio sin valor", "'--keys' was given no value"),
        (("run", "a.yaml", "--json=1"), "«--json» se dio sin valor", "'--json' was given no value"),
        (("run", "a.yaml", "b.yaml"), "más argumentos", "more arguments"),
        (("run", "--nada"), "No existe la opción «--nada»", "no option '--nada'"),
    ],
)
def test_usage_errors(arguments, es, en, celosia, monkeypatch):
    for lang, said in (("es", es), ("en", en)):
        monkeypatch.setenv("CELOSIA_LANG", lang)
        ran = celosia(*arguments)
        assert (ran.code, ran.out) == (2, "")
        assert said in ran.err and "celosia" in ran.err


def test_version(celosia):
    from celosia import __version__

    assert celosia("--version").out == f"{__version__}\n"
