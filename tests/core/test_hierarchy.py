"""The tree of codes: makers, checks, parents."""

import polars as pl
import pytest
from pydantic import ValidationError

from celosia.core.errors import DataError, FileError, OptionError
from celosia.core.hierarchy import Hierarchy
from celosia.core.language import speaking

ROWS = [("01101", "011", "01"), ("01107", "011", "01"), ("02101", "021", "02")]


def test_levels_and_parents():
    places = Hierarchy.from_rows(ROWS, name="comuna")
    assert places.depth == 3
    assert places.codes == (("01101", "01107", "02101"), ("011", "021"), ("01", "02"))
    assert [parents.tolist() for parents in places.parent_of] == [[0, 0, 1], [0, 1]]
    assert places.mapping(2) == {"01101": "01", "01107": "01", "02101": "02"}
    assert places.mapping(0)["01101"] == "01101"
    assert places.parents("02101") == ("021", "02")


@pytest.mark.parametrize("level", [-1, 3])
def test_a_level_that_is_not_there(level):
    with pytest.raises(OptionError) as caught:
        Hierarchy.from_rows(ROWS).mapping(level)
    assert caught.value.code == "option-range"


def test_from_prefix_and_columns_and_mapping_agree():
    by_prefix = Hierarchy.from_prefix([row[0] for row in ROWS], lengths=(3, 2))
    frame = pl.DataFrame(ROWS, schema=["c", "p", "r"], orient="row")
    assert Hierarchy.from_columns(frame, ["c", "p", "r"]).rows == by_prefix.rows == tuple(ROWS)
    assert Hierarchy.from_mapping({1: "a", 2: "a"}).rows == (("1", "a"), ("2", "a"))


@pytest.mark.parametrize("mark", [";", ",", "\t"])
def test_from_csv(tmp_path, mark):
    file = tmp_path / "comunas.csv"
    file.write_text("\ufeff" + "\n".join(mark.join(row) for row in [("c", "p", "r"), *ROWS]), "utf-8")
    assert Hierarchy.from_csv(file, header=True).rows == tuple(ROWS)
    assert Hierarchy.from_csv(file, header=True).name == "comunas"


def test_from_csv_that_is_not_there_or_empty(tmp_path):
    with pytest.raises(FileError) as caught:
        Hierarchy.from_csv(tmp_path / "no.csv")
    assert caught.value.code == "file-missing"
    (tmp_path / "blank.csv").write_text("\n\n")
    with pytest.raises(FileError) as caught:
        Hierarchy.from_csv(tmp_path / "blank.csv")
    assert caught.value.code == "file-empty"


@pytest.mark.parametrize(
    ("rows", "code"),
    [
        ([("a", "x"), ("b",)], "hierarchy-ragged"),
        ([("a", "x"), ("b", "")], "hierarchy-gap"),
        ([("a", "x", "1"), ("b", "x", "2")], "hierarchy-two-parents"),
        ([("a", "x"), ("a", "x")], "hierarchy-leaf-repeated"),
    ],
)
@pytest.mark.parametrize("language", ["es", "en"])
def test_what_is_no_tree_says_the_row_and_no_code(rows, code, language):
    with pytest.raises(DataError) as caught:
        Hierarchy.from_rows(rows)
    assert caught.value.code == code
    assert caught.value.facts["row"] == 2
    with speaking(language):
        assert "2" in str(caught.value)


def test_a_short_code_is_no_prefix():
    with pytest.raises(DataError) as caught:
        Hierarchy.from_prefix(["01101", "1"], lengths=(3,))
    assert caught.value.code == "hierarchy-code-short"


def test_labels_and_unknown_codes():
    places = Hierarchy(rows=tuple(ROWS), labels=({}, {}, {"01": "Tarapacá"}), name="comuna")
    assert places.label(2, "01") == "Tarapacá"
    assert places.label(2, "02") == "02"
    with pytest.raises(DataError) as caught:
        places.parents("77777")
    assert "77777" not in str(caught.value)


def test_it_does_not_change():
    with pytest.raises(ValidationError):
        Hierarchy.from_rows(ROWS).name = "x"
