from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from celosia import io
from celosia.core.dictionary import Dictionary, Level, MissingKind, MissingRange, Role, Variable
from celosia.core.errors import FileError
from celosia.io import pairs, words
from celosia.io.book_table import VARIABLE_FIELDS

SUFFIXES = ["csv", "tsv", "xlsx", "yaml", "yml"]
BOOK = Dictionary.of(
    Variable(
        name="sexo",
        label="=Sexo",
        values={1: "Hombre; sí = no", 2: " Mujer\\ ", "01": "x"},
        missing={99: "non_response", 98: "not_applicable"},
        missing_ranges=(MissingRange(low=900, high=float("inf"), kind="suppressed"),),
        null="not_applicable",
        level="categorical",
        identification="indirect",
        sensitive=False,
        dane="public",
        role="key",
        hierarchy="h",
        unit="u",
        decimals=2,
        format="F8.2",
        note="a\nb",
    ),
    Variable(name="solo"),
    Variable(name="comuna", sensitive=True, values={"01101": "Iquique"}),
)


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_a_code_book_comes_back_exactly(tmp_path, suffix):
    path = tmp_path / f"libro.{suffix}"
    io.write_dictionary(BOOK, path)
    assert io.read_dictionary(path) == BOOK


def test_every_fact_of_a_variable_has_its_column_and_words():
    assert set(VARIABLE_FIELDS) == set(Variable.model_fields)
    assert all(words.field(field) == field for field in VARIABLE_FIELDS)


texts = st.text(alphabet="aÑ;=\\ '-@1", min_size=1, max_size=8)


@given(st.dictionaries(texts, texts, max_size=4))
def test_pairs_come_back(items):
    assert dict(pairs.split(pairs.join(items.items()))) == items


@given(st.dictionaries(texts.map(str.strip).filter(bool), texts, max_size=3), texts)
@settings(max_examples=30, deadline=None)
def test_any_labels_come_back(tmp_path_factory, values, label):
    book = Dictionary.of(Variable(name="x", values=values, label=label.strip()))
    for suffix in ("csv", "yaml"):
        path = tmp_path_factory.mktemp("books") / f"b.{suffix}"
        io.write_dictionary(book, path)
        assert io.read_dictionary(path) == book


@pytest.mark.parametrize("encoding", ["utf-8", "latin-1"])
def test_spanish_headers_and_words(tmp_path, encoding):
    path = tmp_path / "libro.csv"
    path.write_bytes(
        "Nombre;Etiqueta;Nivel de medida;Identificación;Sensible;Rol;Categorías;Perdidos;Vacío\n"
        'sexo;Sexo;Categórica;Indirecta;No;Clave;"1=Hombre; 2=Mujer";"98; 99=No aplica";no corresponde\n'
        "salud;;Categórica;Ninguna;Sí;Sensible;;;\n".encode(encoding)
    )
    sexo, salud = io.read_dictionary(path)
    assert (sexo.label, sexo.level, sexo.role, sexo.sensitive) == ("Sexo", Level.CATEGORICAL, Role.KEY, False)
    assert dict(sexo.values) == {"1": "Hombre", "2": "Mujer"}
    assert dict(sexo.missing) == {"98": MissingKind.NON_RESPONSE, "99": MissingKind.NOT_APPLICABLE}
    assert sexo.null is MissingKind.NOT_APPLICABLE
    assert salud.sensitive is True


def test_one_row_a_code(tmp_path):
    path = tmp_path / "codigos.csv"
    rows = ["comuna,,Comuna de residencia,", "comuna,01101,Iquique,", "comuna,99,No sabe,no responde", "x,1,,"]
    path.write_text("\n".join(["variable,código,etiqueta,perdido", *rows]))
    comuna, x = io.read_dictionary(path)
    assert dict(comuna.values) == {"01101": "Iquique", "99": "No sabe"}
    assert dict(comuna.missing) == {"99": MissingKind.NON_RESPONSE}
    assert dict(x.values) == {"1": ""}
    assert (comuna.label, x.label) == ("Comuna de residencia", "")


def test_yaml_keeps_the_source_spelling(tmp_path):
    path = tmp_path / "libro.yaml"
    path.write_text(
        "variables:\n  comuna:\n    valores: {01101: Iquique, 1e3: Mil, no: Nones, 0x1F: Hex}\n"
        "    perdidos: [99]\n"
        "    rangos_perdidos: [{low: 900, high: 999, kind: no aplica}]\n    sensible: sí\n"
    )
    (comuna,) = io.read_dictionary(path)
    assert list(comuna.values) == ["01101", "1e3", "no", "0x1F"]
    assert dict(comuna.missing) == {"99": MissingKind.NON_RESPONSE}
    assert comuna.missing_ranges[0].kind is MissingKind.NOT_APPLICABLE
    assert comuna.sensitive is True


@pytest.mark.parametrize(
    ("content", "code", "row", "column"),
    [
        ("name,color\nx,1\n", "codebook-column", None, "color"),
        ("name,nombre\nx,1\n", "codebook-column-twice", None, "nombre"),
        ("label,level\nx,open\n", "codebook-layout", None, None),
        ("name,code,role\nx,1,key\n", "codebook-layout", None, None),
        ("name,level\nx,open\ny,nivelada\n", "codebook-cell", 3, "level"),
        ("name,rol\nx,jefe\n", "codebook-cell", 2, "rol"),
        ("name,values\nx,1=A=B\n", "codebook-cell", 2, "values"),
        ("name,values\nx,1\n", "codebook-cell", 2, "values"),
        ("name,values\nx,1=A; 1=B\n", "codebook-cell", 2, "values"),
        ("name,missing\nx,1=quizás\n", "codebook-cell", 2, "missing"),
        ("name,missing_ranges\nx,1-9\n", "codebook-cell", 2, "missing_ranges"),
        ("name,decimals\nx,dos\n", "codebook-cell", 2, "decimals"),
        ("name,label\nx,a\n,b\n", "codebook-nameless", 3, "name"),
        ("name,label\nx,a\nx,b\n", "codebook-repeated", 3, "name"),
        ("name,code\nx,1\nx,1\n", "codebook-repeated", 3, "code"),
    ],
)
def test_what_is_not_understood_names_its_row_and_column(tmp_path, content, code, row, column):
    path = tmp_path / "libro.csv"
    path.write_text(content)
    with pytest.raises(FileError) as caught:
        io.read_dictionary(path)
    assert caught.value.code == code
    assert caught.value.facts.get("row") == row
    assert caught.value.facts.get("column") == column
    assert str(path) in str(caught.value)


@pytest.mark.parametrize(
    ("content", "code"),
    [
        ("variables: [a]\n", "codebook-yaml"),
        ("variables: {x: hola}\n", "codebook-variable"),
        ("variables: {x: {color: rojo}}\n", "codebook-field"),
        ("variables: {x: {level: nivelada}}\n", "codebook-value"),
        ("variables: {x: {missing: {1: quizás}}}\n", "codebook-value"),
        ("variables: {x: {label: a}, x: {label: b}}\n", "yaml-broken"),
    ],
)
def test_yaml_that_is_not_understood_names_its_variable(tmp_path, content, code):
    path = tmp_path / "libro.yaml"
    path.write_text(content)
    with pytest.raises(FileError) as caught:
        io.read_dictionary(path)
    assert caught.value.code == code


def test_the_format_goes_by_the_suffix(tmp_path):
    with pytest.raises(FileError) as caught:
        io.write_dictionary(BOOK, tmp_path / "libro.docx")
    assert caught.value.code == "codebook-format"
    assert list(tmp_path.iterdir()) == []
