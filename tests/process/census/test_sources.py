"""What comes before the noise: steps that treat each record by itself, and a dictionary without records."""

import numpy as np
import polars as pl
import pytest
from refusal import refused

import celosia
from celosia import Dictionary, Microdata, Variable
from celosia.process.census import CensusPlan
from celosia.process.census.sources import Confidential

BOOK = Dictionary.of(
    Variable(name="P09"),
    Variable(name="P12", values={1: "Aquí", 2: "Perú", 3: "Otro", 99: "Missing"}),
    Variable(name="z"),
)
PERSONS = Microdata(
    pl.DataFrame({"P09": [3, 40, 77, 101], "P12": [1, 2, 3, 7], "z": ["a", "b", "a", "b"]}), dictionary=BOOK
)
HEAD = """\
census: 1
data: c
protection: {unit: person, neighbours: bounded}
limits: {person: 1}
sources:
  persons:
    file: p.parquet
    steps:
%s
places: {file: l.csv, levels: [z]}
tables: {persons: {variables: {P12: }, budget: {rho: 1, queries: {detailed: 1}}}}
"""


def source(*steps):
    written = HEAD % "\n".join(f"      - {step}" for step in steps)
    return CensusPlan.parse(written).sources["persons"]


def test_steps_are_done_and_the_dictionary_is_made_without_a_record(tmp_path):
    celosia.write(PERSONS, tmp_path / "p.parquet")
    made = source(
        "{do: drop_records, where: P09 > 100}",
        "{do: recode_categories, variables: [P12], mapping: {3: 2}, labels: {2: Otro país}}",
        "{do: recode_intervals, variable: P09, breaks: [0, 15, 65], open_high: true}",
    )
    data = made.read(tmp_path.joinpath)
    assert data.height == 3 and data.column("P12").to_list() == [1, 2, 2]
    assert data.column("P09").to_list() == ["[0, 15)", "[15, 65)", "65+"]
    assert dict(data.dictionary["P12"].values) == {"1": "Aquí", "2": "Otro país", "99": "Missing"}
    assert list(data.dictionary["P09"].values) == ["[0, 15)", "[15, 65)", "65+"]
    fewer = PERSONS.take(np.array([0]))
    celosia.write(fewer, tmp_path / "p.parquet")
    assert made.read(tmp_path.joinpath).dictionary == data.dictionary, "whatever the records are"


def test_a_code_that_only_the_data_have_is_not_in_the_dictionary(tmp_path):
    celosia.write(PERSONS, tmp_path / "p.parquet")
    made = source("{do: recode_categories, variables: [P12], mapping: {3: 2}}")
    assert "7" not in made.read(tmp_path.joinpath).dictionary["P12"].values


@pytest.mark.parametrize(
    "step",
    [
        "{do: local_suppression, keys: [z], k: 3}",
        "{do: recode_intervals, variable: P09, groups: 3}",
        "{do: recode_categories, variables: [z], prefix: 1}",
        "{do: top_bottom_coding, variable: P09, top: {beyond: 80, by: mean}}",
        "{do: drop_records, where: P09 > 100, weight: w}",
        "{do: drop_variables, variables: [z], level: household}",
        "{do: drop_variables, variables: [P12], strata: [z]}",
        "{do: shuffle_order}",
        "{do: generalization, hierarchies: {z: {a: x, b: x}}, k: 3}",
    ],
)
def test_steps_that_look_at_other_records_are_refused(step):
    with refused("census-step-looks-around"):
        source(step)


def test_steps_are_read_as_those_of_other_plans():
    with refused("method-unknown"):
        source("{do: nada}")
    with refused("field-unknown"):
        source("{do: drop_variables, variables: [z], nada: 1}")
    with refused("step-name-taken"):
        source("{do: rounding, variables: [P09], base: 5, name: a}", "{do: drop_variables, variables: [z], name: a}")
    named = CensusPlan.parse(
        (HEAD % "      - {do: recode_categories, variables: [z], hierarchy: zonas, to_level: 1}")
        + "hierarchies: {zonas: {a: norte, b: norte}}\n"
    )
    assert isinstance(named.sources["persons"], Confidential) and named.sources["persons"].steps[0].name
