"""A hierarchy in any of its forms, outside of a plan: the same tree."""

import polars as pl
import pytest
from pydantic import ValidationError

from celosia import Microdata
from celosia.core.errors import FileError, OptionError
from celosia.core.hierarchy import Hierarchy
from celosia.core.hierarchy_rules import HierarchyRule, read_tree
from celosia.methods import Generalization

ROWS = [("a1", "a", "*"), ("a2", "a", "*"), ("b1", "b", "*")]


def test_rows_groups_and_a_file_are_the_same_tree(tmp_path, monkeypatch):
    (tmp_path / "zonas.csv").write_text("zona;grupo;todo\na1;a;*\na2;a;*\nb1;b;*\n")
    monkeypatch.chdir(tmp_path)
    tree = Hierarchy.from_rows(ROWS)
    for form in (ROWS, {"csv": "zonas.csv", "header": True}, {"csv": str(tmp_path / "zonas.csv"), "header": True}):
        assert read_tree(form).rows == tree.rows
    assert read_tree({"a1": "a", "b1": "b"}).parents("b1") == ("b",)
    frame = pl.DataFrame({"zona": ["a1", "a2", "b1", "b1"]})
    found = Generalization(hierarchies={"zona": {"csv": "zonas.csv", "header": True}}, k=2).apply(frame)
    assert found.data["zona"].to_list() == ["a", "a", "b", "b"]


def test_a_file_that_is_not_there_or_not_described_is_refused(tmp_path):
    with pytest.raises(FileError):
        read_tree({"csv": str(tmp_path / "nada.csv")})
    with pytest.raises(ValidationError):
        read_tree({"csv": str(tmp_path / "nada.csv"), "cabecera": True})


def test_prefixes_get_ever_shorter():
    rule = HierarchyRule(prefixes={"lengths": (2, 1)})
    assert rule.on(Microdata(pl.DataFrame({"c": ["abc"]})), "c").parents("abc") == ("ab", "a", "*")
    for lengths in ((1, 2), (2, 2)):
        with pytest.raises(OptionError) as caught:
            HierarchyRule(prefixes={"lengths": lengths})
        assert caught.value.code == "prefixes-not-shorter"
