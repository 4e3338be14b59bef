"""The list of places of a plan: names, groups that are no places, and limits by place from a file."""

import polars as pl
import pytest
from refusal import refused

import celosia
from celosia import Dictionary, Microdata, Variable
from celosia.census import Limit
from celosia.process.census.limits import Column, PlanLimit
from celosia.process.census.places import Places

LIST = pl.DataFrame(
    {
        "REGION": ["01", "01", "01", "01", "02"],
        "COMUNA": ["011", "011", "012", "013", "021"],
        "ZONA": ["1", "2", "3", "4", "5"],
        "NOMBRE": ["Uno", "Uno", "Dos", "Tres", "Cuatro"],
        "AREA": [1, 2, 1, 2, 1],
        "TIPO": [1, 1, 1, 2, 1],
    }
)
LEVELS = ("REGION", "COMUNA", "ZONA")


def made(**options):
    places = Places(file="lugares.csv", levels=LEVELS, root="PAIS", **options)
    return places, places.geography(Microdata(LIST))


def test_places_get_their_names_from_the_list_or_the_dictionary():
    places, tree = made(labels={"COMUNA": "NOMBRE"})
    book = Dictionary.of(Variable(name="REGION", label="Región", values={"01": "Norte", "02": "Sur", "99": "Fuera"}))
    region, comuna, zone = places.described(Microdata(LIST), tree, book)
    assert region.label == "Región" and dict(region.values) == {"01": "Norte", "02": "Sur"}, "of the list, no others"
    assert comuna.values["012"] == "Dos" and not zone.values


@pytest.mark.parametrize("labels", [{"COMUNA": "ZONA"}, {"PAIS": "NOMBRE"}, {"NADA": "NOMBRE"}])
def test_names_that_are_not_one_for_each_place_are_refused(labels):
    places, tree = made(labels=labels)
    with refused("census-place-labels"):
        places.described(Microdata(LIST), tree, Dictionary())


def test_groups_are_levels_of_the_tree_and_of_no_file():
    _, tree = made(gathered=[{"under": "REGION", "name": "GRUPO", "most": 2}])
    assert tree.levels == ("PAIS", "REGION", "GRUPO", "COMUNA", "ZONA") and tree.groups == {"GRUPO"}
    assert tree.told == LEVELS
    with_a_column_of_that_name = Microdata(LIST.with_columns(GRUPO=pl.lit("otra cosa")))
    assert tree.place(with_a_column_of_that_name).tolist() == [0, 1, 2, 3, 4]


def test_groups_do_not_mix_areas_of_the_list():
    _, tree = made(gathered=[{"under": "REGION", "name": "GRUPO", "most": 9, "by": "TIPO"}])
    assert tree.codes[tree.level("GRUPO")] == ("1-1", "2-1", "1-1")
    with refused("census-areas-mixed", column="AREA", level="COMUNA"):
        made(gathered=[{"under": "REGION", "name": "GRUPO", "most": 9, "by": "AREA"}])
    with refused("geography-group-level"):
        made(gathered=[{"under": "ZONA", "name": "GRUPO", "most": 9, "by": "AREA"}])


def limit(folder, rows, **options):
    pl.DataFrame(rows).write_csv(folder / "minimos.csv")
    _, tree = made()
    written = {"file": "minimos.csv", "column": "VIVIENDAS"}
    return PlanLimit(**{"level": "COMUNA", "at_least": written, **options}).limit(folder.joinpath, tree)


def test_limits_come_from_a_file_by_place(tmp_path):
    found = limit(tmp_path, {"REGION": ["01", "02"], "COMUNA": ["012", "021"], "VIVIENDAS": [7, 9]}, at_most=99)
    assert found == Limit(level="COMUNA", at_least={"012": 7, "021": 9}, at_most=99)
    assert limit(tmp_path, {"COMUNA": ["012"], "VIVIENDAS": [7]}).at_least == {"012": 7}, "the code alone is enough"
    written = PlanLimit(level="COMUNA", at_least={"012": 7})
    assert written.at_least == {"012": 7} and not isinstance(written.at_least, Column)


@pytest.mark.parametrize(
    ("rows", "code"),
    [
        ({"COMUNA": ["099"], "VIVIENDAS": [7]}, "limit-place-unknown"),
        ({"COMUNA": ["012", "012"], "VIVIENDAS": [7, 8]}, "census-limits-repeated"),
        ({"COMUNA": ["012"], "VIVIENDAS": ["muchas"]}, "census-limits-column"),
        ({"COMUNA": ["012", "021"], "VIVIENDAS": [7, None]}, "census-limits-column"),
        ({"COMUNA": ["012"], "VIVIENDAS": [7.5]}, "census-limits-column"),
        ({"COMUNA": ["012"], "HOGARES": [7]}, "variable-unknown"),
        ({"COMUNA": ["012"], "VIVIENDAS": [-7]}, "option-range"),
    ],
)
def test_a_file_of_limits_that_does_not_fit_is_refused(tmp_path, rows, code):
    with refused(code):
        found = limit(tmp_path, rows)
        found.bounds(_domain(), made()[1])


def _domain():
    return celosia.census.Domain(attributes=({"name": "P08", "codes": (1, 2)},))
