from itertools import product

import numpy as np
import polars as pl
from hypothesis import given
from hypothesis import strategies as st
from refusal import refused

from celosia.census.attribute import Attribute, Grouping
from celosia.census.domain import Domain
from celosia.census.rules import Rule, Skip
from celosia.core.dictionary import Dictionary, MissingKind, Variable
from celosia.core.microdata import Microdata
from celosia.datasets.census import census

BOOK = Dictionary.of(
    Variable(name="P08", values={1: "Hombre", 2: "Mujer"}),
    Variable(name="P09", label="Edad"),
    Variable(
        name="P17",
        values={1: "Sí", 2: "No", 98: "No aplica", 99: "Missing"},
        missing={98: MissingKind.NOT_APPLICABLE, 99: MissingKind.NON_RESPONSE},
    ),
)
WORK = Rule(given="P09 < 15", then="P17 == 98")
ADULTS = Rule(given="P09 >= 15", then="P17 != 98")


def small(rules=(WORK, ADULTS), **options):
    return Domain.of(BOOK, {"P08": None, "P09": {"from": 13, "to": 16}, "P17": None}, rules=rules, **options)


def test_bands_of_a_grouping():
    ages = Grouping(variable="P09", bands={"joven": {"from": "0", "to": 2}, "viejo": [3]})
    assert dict(ages.groups) == {"0": "joven", "1": "joven", "2": "joven", "3": "viejo"}
    assert Grouping.model_validate(ages.model_dump()) == ages
    with refused("domain-codes-repeated"):
        Grouping(variable="P09", bands={"a": [1, 2], "b": [2]})
    with refused("domain-range"):
        Grouping(variable="P09", bands={"a": {"from": "x", "to": 2}})
    with refused("domain-range"):
        Grouping(variable="P09", bands={"a": {"de": 1, "to": 2}})


def test_the_cells_are_the_declared_combinations():
    domain = Domain.of(BOOK, {"P08": None, "P09": {"from": 0, "to": 100}})
    assert domain.shape == (2, 101) and domain.size == 202
    assert domain.codes(np.array([0, 101, 201])) == {"P08": ["1", "2", "2"], "P09": ["0", "0", "100"]}


def test_structural_zeros_are_no_cells():
    domain = small()
    assert domain.size == 2 * (2 * 1 + 2 * 3)
    cells = domain.codes(np.arange(domain.size))
    for age, work in zip(cells["P09"], cells["P17"], strict=True):
        assert (work == "98") == (int(age) < 15)
    assert small(rules=(Rule(never="P09 < 15 and P17 != 98"),)).size == 2 * (2 * 1 + 2 * 4)
    assert small(rules=("P09 >= 15 or P17 == 98",)).size == 20, "a bare text is what always holds"


def test_missing_codes_are_categories_like_the_others():
    frame = pl.DataFrame({"P08": [1, 2], "P09": [13, 16], "P17": [98, 99]})
    domain = small()
    cell = domain.encode(Microdata(frame, BOOK))
    assert domain.codes(cell) == {"P08": ["1", "2"], "P09": ["13", "16"], "P17": ["98", "99"]}


def test_the_empty_cell_is_a_code_only_where_it_is_declared():
    frame = pl.DataFrame({"a": [1, None]})
    declared = Domain(attributes=(Attribute(name="a", codes=(1, "")),))
    assert declared.encode(frame).tolist() == [0, 1]
    with refused("domain-code-outside", variable="a", records=1):
        Domain(attributes=(Attribute(name="a", codes=(1, 2)),)).encode(frame)


def test_recodes_and_rules_that_speak_of_the_file_codes():
    bands = {age: "13-14" if age < 15 else "15-16" for age in range(13, 17)}
    domain = small(recodes={"P09": bands})
    assert domain.attributes[1].categories == ("13-14", "15-16")
    assert domain.size == 2 * (1 + 3)
    mixed = small(recodes={"P09": {13: "x", 14: "x", 15: "x"}})
    assert mixed.size == 2 * (4 + 3), "a category keeps what any of its codes allows"
    cell = domain.encode(pl.DataFrame({"P08": [1, 1], "P09": [14, 15], "P17": [98, 1]}))
    assert domain.codes(cell)["P09"] == ["13-14", "15-16"]


def test_rules_that_contradict_or_do_nothing_are_refused():
    with refused("rules-contradict", rule=str(WORK)):
        small(rules=(WORK, Rule(given="P09 < 15", then="P17 in (1, 2)"), ADULTS))
    with refused("domain-code-impossible", variable="P09", count=2):
        small(rules=({"never": "P09 < 15"},))
    with refused("rule-idle", rule="given: P09 > 100, then: P17 == 1"):
        small(rules=(WORK, Rule(given="P09 > 100", then="P17 == 1")))
    with refused("rules-contradict"):
        small(rules=(Rule(given="P08 == 1", then="P17 == 1"), Rule(given="P08 == 1", then="P17 == 2")))


def test_rules_of_an_unknown_form_or_variable_are_refused():
    with refused("domain-variable-unknown", variable="P99"):
        small(rules=("P99 == 1",))
    for wrong in ({"given": "P09 < 15"}, {}, {"never": "P09 < 15", "given": "P09 < 15", "then": "P17 == 98"}):
        with refused("domain-rule-form"):
            Rule(**wrong)
    with refused("condition-syntax"):
        Rule(never="P09 <")


def test_a_skip_needs_a_code_of_not_applicable():
    book = Dictionary.of(
        Variable(name="P02", values={1: "Occupied", 2: "Empty"}),
        Variable(name="P05", values={1: "Mains", 2: "Well"}, null="not_applicable"),
        Variable(name="P06", values={1: "Yes", 2: "No"}),
    )
    domain = Domain.of(book, {"P02": None, "P05": (1, 2, ""), "P06": None}, rules=[Skip(asked="P05", where="P02 == 1")])
    assert domain.size == (2 + 1) * 2
    with refused("skip-without-code", variable="P06"):
        Domain.of(book, ["P02", "P06"], rules=[{"asked": "P06", "where": "P02 == 1"}])


def test_a_code_outside_the_domain_is_refused_by_its_variable_alone():
    frame = pl.DataFrame({"P08": [1, 1, 2], "P09": [13, 77, 77], "P17": [98, 1, 1]})
    with refused("domain-code-outside", variable="P09", records=2, codes=1) as caught:
        small().encode(frame)
    assert "77" not in str(caught.value)
    with refused("domain-cell-impossible", records=1, rules=(str(WORK),)):
        small().encode(pl.DataFrame({"P08": [1, 1], "P09": [13, 16], "P17": [1, 1]}))
    with refused("variable-unknown"):
        small().encode(pl.DataFrame({"P08": [1]}))


def test_what_the_dictionary_does_not_list_must_be_listed():
    with refused("domain-codes-undeclared", variable="P09"):
        Domain.of(BOOK, ["P08", "P09"])
    with refused("domain-recode-unknown", variable="P08"):
        Domain.of(BOOK, ["P08"], recodes={"P08": {3: "x"}})
    with refused("domain-codes-repeated"):
        Attribute(name="a", codes=(1, 1))
    with refused("domain-range"):
        Attribute(name="a", codes={"from": 1})
    with refused("keys-repeated"):
        Domain(attributes=(Attribute(name="a", codes=(1,)),) * 2)
    with refused("domain-too-large"):
        Domain(attributes=tuple(Attribute(name=f"v{i}", codes=range(100)) for i in range(6))).size  # noqa: B018


def test_margins_and_groupings():
    domain = small(groupings={"edad": Grouping(variable="P09", groups={13: "menor", 14: "menor", 15: "mayor"})})
    cells = domain.codes(np.arange(domain.size))
    sex = domain.query("P08")
    assert sex.labels == ("1", "2") and sex.variables == ("P08",)
    assert [sex.labels[g] for g in sex.group] == cells["P08"]
    age = domain.query("edad")
    assert age.labels == ("menor", "mayor") and age.variables == ("P09",)
    assert [None if g < 0 else age.labels[g] for g in age.group] == [
        {"13": "menor", "14": "menor", "15": "mayor"}.get(code) for code in cells["P09"]
    ]
    both = domain.query("P09 * P17")
    assert both.size == 2 * 1 + 2 * 3, "answers without a cell are left out"
    assert both.name == "P09 * P17" and "13|98" in both.labels
    assert domain.detailed().refines(both) and both.refines(domain.total())
    with refused("domain-variable-unknown", variable="P99"):
        domain.query("P99")
    with refused("keys-repeated"):
        domain.query("P08 * P08")
    with refused("domain-grouping-name"):
        small(groupings={"P08": Grouping(variable="P08", groups={1: 1})})
    with refused("domain-grouping-unknown"):
        small(groupings={"x": Grouping(variable="P08", groups={7: 1})})


def test_a_query_of_one_group_tells_no_variable_apart():
    domain = small(groupings={"todas": Grouping(variable="P08", groups={1: "x", 2: "x"})})
    assert domain.query("todas").variables == () and domain.total().variables == ()
    assert domain.detailed().variables == ("P08", "P09", "P17")


def test_a_domain_is_written_and_read_back():
    domain = small(groupings={"edad": Grouping(variable="P09", groups={13: "x"})}, recodes={"P08": {2: 1}})
    again = Domain.model_validate_json(domain.model_dump_json())
    assert again == domain and np.array_equal(again.cells, domain.cells)


@given(st.data())
def test_every_record_gets_the_cell_with_its_codes(data):
    sizes = data.draw(st.lists(st.integers(1, 4), min_size=1, max_size=3))
    names = [f"v{i}" for i in range(len(sizes))]
    domain = Domain(attributes=tuple(Attribute(name=n, codes=range(s)) for n, s in zip(names, sizes, strict=True)))
    record = st.tuples(*(st.integers(0, size - 1) for size in sizes))
    rows = data.draw(st.lists(record, min_size=1, max_size=20))
    cell = domain.encode(pl.DataFrame(rows, schema=names, orient="row"))
    every = list(product(*(range(size) for size in sizes)))
    assert [every[c] for c in cell] == rows


def test_the_census_of_dwellings_with_its_skips():
    files = census(3000)
    skip = {"asked": ("P03A", "P05"), "where": "P02 == 1"}
    domain = Domain.of(files.dwellings.dictionary, ["P01", "P02", "P03A", "P05"], rules=[skip])
    skipped = [Rule(given="P02 != 1", then=f"{name} == 98") for name in ("P03A", "P05")]
    asked = [Rule(given="P02 == 1", then=f"{name} != 98") for name in ("P03A", "P05")]
    spelled = Domain.of(files.dwellings.dictionary, ["P01", "P02", "P03A", "P05"], rules=[*skipped, *asked])
    assert np.array_equal(domain.cells, spelled.cells)
    free = Domain.of(files.dwellings.dictionary, ["P01", "P02", "P03A", "P05"])
    assert domain.size < free.size / 4
    cell = domain.encode(files.dwellings)
    assert cell.min() >= 0 and cell.max() < domain.size
    assert (np.array(domain.codes(cell)["P02"]) == files.dwellings.column("P02").cast(pl.String).to_numpy()).all()
