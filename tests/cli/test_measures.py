"""``celosia risk --measure``: every measure by its name, with what it asks for; groups, and a plan's scenarios."""

from pathlib import Path

import polars as pl
import pytest

from celosia import Microdata, Plan, Run, Study, read, risk, write
from celosia.core.language import has_text, speaking
from celosia.risk.measures import BEFORE_AND_AFTER, NAMES, OF_ONE_FILE, knows

KEYS = ("--keys", "region,sexo,estado_civil")
WEIGHT = ("--weight", "factor")
SENSITIVE = ("--sensitive", "enf_cronica")
NEEDED = {
    "k_anonymity": ("-o", "k=3"),
    "k_map": ("--register", "encuesta.csv"),
    "exact_linkage": ("--register", "encuesta.csv", *SENSITIVE),
    "alpha_k": ("-o", "alpha=0.9", "-o", "k=2", *SENSITIVE),
    "panel": ("-o", "person=id_persona", "-o", "round=area"),
    "log_linear": ("--keys", "region,sexo"),
    "outliers": ("-o", "percentile=0.9"),
    "calibration": ("-o", "fractions=0.5,0.9", "-o", "estimators=zayatz,individual", "-o", "repeats=1"),
    "transition_risk": ("--matrices", "matrices.csv"),
    "probabilistic_linkage": ("-o", "variables=edad,sexo", "-o", "categorical=sexo"),
} | dict.fromkeys(("l_diversity", "t_closeness", "delta_disclosure", "beta_likeness"), SENSITIVE)
MATRICES = pl.DataFrame(
    [("sexo", 1, 1, 0.9), ("sexo", 1, 2, 0.1), ("sexo", 2, 1, 0.1), ("sexo", 2, 2, 0.9)],
    schema=["variable", "from", "to", "probability"],
    orient="row",
)


def asked_of(ran, name):
    assert ran.code == 0, ran.out
    return ran.json["results"]["measures"][name]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", sorted(NAMES))
def test_every_measure_answers_as_one_object(name, celosia, folder):
    if name == "probabilistic_linkage":
        pytest.importorskip("splink")
    MATRICES.write_csv("matrices.csv")
    more = ["--original", "encuesta.csv"] if name in BEFORE_AND_AFTER else []
    weight = WEIGHT if knows(name, "weight") else ()
    ran = celosia("risk", "encuesta.csv", *KEYS, *weight, "--measure", name, *more, *NEEDED.get(name, ()), "--json")
    assert ran.code == 0, ran.out
    assert set(ran.json["results"]["measures"]) == {name}


def test_several_measures_print_a_table_each(celosia, folder):
    ran = celosia("risk", "encuesta.csv", *KEYS, *WEIGHT, "-m", "suda2", "-m", "attackers")
    assert ran.code == 0 and "Periodista" in ran.out
    assert "suda2 · Únicos especiales (SUDA2)\n" in ran.out and "attackers · Tres atacantes\n" in ran.out


@pytest.mark.parametrize("language", ["es", "en"])
def test_every_measure_has_a_title(language):
    with speaking(language):
        assert all(has_text(f"title.{name}") for name in NAMES)


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("-m", "desconocida"), "option-unknown"),
        (("-m", "l_diversity"), "measure-needs"),
        (("-m", "interval"), "measure-needs"),
        (("-m", "k_map"), "measure-needs"),
        (("-m", "transition_risk", "--original", "encuesta.csv"), "measure-needs"),
        (("-m", "suda2", "-o", "k=3"), "measure-option"),
        (("-m", "suda2", "-m", "k_anonymity", "-o", "k=3", "-o", "levels=0.1"), "option-idle"),
        (("-m", "suda2", "-o", "run=1"), "measure-option"),
        (("-m", "suda2", "-o", "scores=otros"), "option-unknown"),
        (("-m", "suda2", "-o", "max_size=2", "-o", "max_size=3"), "option-repeated"),
        (("-m", "suda2", "-o", "k"), "option-form"),
        (("-m", "suda2", "-o", "max_size=dos"), "option-value"),
        (("-m", "l_diversity", *SENSITIVE, "-o", "c=2,5"), "option-value"),
        (("-m", "suda2", "--missing", "strict"), "option-idle"),
        (("-m", "suda2", "--register", "encuesta.csv"), "option-idle"),
        (("-m", "suda2", "--weight", "factor"), "option-idle"),
        (("-m", "suda2", "--household", "id_hogar"), "option-idle"),
        (("-m", "suda2", "--original", "encuesta.csv"), "option-idle"),
        (("-m", "risky_cells", "--group", "a=sexo == 1"), "option-idle"),
        (("-m", "exact_linkage", "--register", "encuesta.csv", "--group", "a=sexo == 1"), "option-idle"),
        (("-m", "k_anonymity", "-o", "k=3", "--missing", "otra"), "option-unknown"),
        (("-m", "k_anonymity", "-o", "k=3", "--missing", "intruder"), "truth-needed"),
        (("--sensitive", "enf_cronica"), "option-idle"),
        (("--treated",), "option-of-data"),
        (("--scenario", "vecina"), "option-of-data"),
        (("--group", "a"), "option-form"),
        (("--group", "a=sexo == 1", "--group", "a=sexo == 2"), "option-repeated"),
        (("--group", "a=sexo =="), "condition-syntax"),
    ],
)
def test_what_is_missing_unknown_or_idle_is_named_in_both_languages(arguments, code, celosia, folder):
    said = set()
    for language in ("es", "en"):
        ran = celosia("risk", "encuesta.csv", *KEYS, *arguments, "--json", "--lang", language)
        assert ran.code == 2 and ran.json["errors"][0]["code"] == code
        said.add(ran.json["errors"][0]["message"])
    assert len(said) == 2


@pytest.fixture
def odd(folder):
    """Files that a measure cannot work on, beside the survey."""
    frame = read("encuesta.csv").frame.with_columns(
        uno=pl.lit(1.0), nada=pl.lit(None, dtype=pl.Float64), vacia=pl.lit(None, dtype=pl.String)
    )
    frame.write_csv("rara.csv")
    frame.drop("sexo").write_csv("sin_sexo.csv")
    frame.head(2).write_csv("dos.csv")


REGISTER = ("--register", "sin_sexo.csv")
BEFORE = ("--original", "rara.csv")


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("file", "arguments", "code"),
    [
        ("rara.csv", ("-m", "l_diversity", "--sensitive", "sexo"), "sensitive-is-key"),
        ("rara.csv", ("-m", "exact_linkage", "--register", "rara.csv", "--sensitive", "sexo"), "sensitive-is-key"),
        ("rara.csv", ("-m", "k_map", *REGISTER), "register-without-keys"),
        ("rara.csv", ("-m", "attackers", *REGISTER), "register-without-keys"),
        ("rara.csv", ("-m", "exact_linkage", *REGISTER), "register-without-keys"),
        *(
            ("rara.csv", ("-m", name, *BEFORE, "-o", f"variables={variable}"), code)
            for name in ("interval", "robust_interval", "outliers", "linkage", "rank_linkage")
            for variable, code in (("uno", "variable-constant"), ("nada", "variable-all-missing"))
        ),
        ("rara.csv", ("-m", "l_diversity", "--sensitive", "vacia"), "sensitive-empty"),
        ("rara.csv", ("-m", "t_closeness", "--sensitive", "vacia"), "sensitive-empty"),
        ("dos.csv", ("-m", "alpha_k", *SENSITIVE, "-o", "alpha=0.5", "-o", "k=3"), "fewer-than-k"),
        (
            "dos.csv",
            ("-m", "robust_interval", *BEFORE[:1], "dos.csv", "-o", "variables=edad"),
            "covariance-few-records",
        ),
        ("rara.csv", ("-m", "log_linear", *WEIGHT, "-o", "max_cells=10"), "model-cells"),
        ("rara.csv", ("-k", "id_hogar,id_persona,ing_hogar,edad", "-m", "log_linear", *WEIGHT), "model-cells"),
    ],
)
def test_what_a_measure_cannot_work_on_is_told_clearly_in_both_languages(file, arguments, code, celosia, odd):
    said = set()
    for language in ("es", "en"):
        ran = celosia("risk", file, *KEYS, *arguments, "--lang", language)
        assert (ran.code, ran.out) == (2, "") and "{" not in ran.err
        said.add(ran.err)
        found = celosia("risk", file, *KEYS, *arguments, "--lang", language, "--json")
        assert [error["code"] for error in found.json["errors"]] == [code]
    assert len(said) == 2


@pytest.mark.parametrize("measure", [("k_anonymity", "-o", "k=3"), ("k_map", "-o", "k=3", "--register", "dos.csv")])
def test_fewer_records_than_k_are_measured_and_told(measure, celosia, odd):
    for language, words in (("es", "ninguno puede cumplir"), ("en", "none can comply")):
        ran = celosia("risk", "dos.csv", *KEYS, "-m", *measure, "--lang", language)
        assert ran.code == 0 and words in ran.err


def test_names_are_measures_and_no_measure_is_forgotten():
    functions = {name for name in risk.__all__ if name.islower()}
    assert set(NAMES) == functions - {"by_group", "scenarios"}, "groups have --group, scenarios a plan"
    assert not set(OF_ONE_FILE) & set(BEFORE_AND_AFTER)
    assert pl.Series(NAMES).is_unique().all()


def test_lists_truths_and_numbers_reach_the_measure(celosia, folder):
    frame = read("encuesta.csv")
    keys = KEYS[1].split(",")
    cells = asked_of(
        celosia("risk", "encuesta.csv", *KEYS, "-m", "risky_cells", "-o", "threshold=9,5,3", "--json"), "risky_cells"
    )
    assert cells["total"] == risk.risky_cells(frame, keys, threshold=(9, 5, 3)).total
    linked = (
        "-m",
        "linkage",
        "--original",
        "encuesta.csv",
        "-o",
        "variables=edad,ing_hogar",
        "-o",
        "standardise=false",
    )
    found = asked_of(celosia("risk", "encuesta.csv", *KEYS, *linked, "--json"), "linkage")
    assert found["variables"] == ["edad", "ing_hogar"]
    assert found["share"] == risk.linkage(frame, frame, ["edad", "ing_hogar"], standardise=False).share
    one = asked_of(celosia("risk", "encuesta.csv", *KEYS, *linked[:4], "-o", "variables=edad", "--json"), "linkage")
    assert one["variables"] == ["edad"]


def test_the_way_of_counting_reaches_the_measure_and_the_intruder_has_the_original(celosia, folder):
    frame = read("encuesta.csv").frame
    frame.with_columns(pl.when(pl.int_range(pl.len()) % 9 > 0).then("estado_civil")).write_csv("tratado.csv")
    found = {
        way: asked_of(
            celosia(
                *("risk", "tratado.csv", *KEYS, "-m", "k_anonymity", "-o", "k=3", "--missing", way, "--json"),
                *(("--original", "encuesta.csv") if way == "intruder" else ()),
            ),
            "k_anonymity",
        )
        for way in ("wildcard", "strict", "intruder")
    }
    assert {way: one["missing"] for way, one in found.items()} == {way: way for way in found}
    assert found["wildcard"]["violations"] <= found["intruder"]["violations"] <= found["strict"]["violations"]
    assert found["wildcard"]["violations"] < found["strict"]["violations"]
    whole = celosia("risk", "tratado.csv", *KEYS, "--missing", "intruder", "--original", "encuesta.csv", "--json")
    assert whole.json["results"]["violations"]["3"] == found["intruder"]["violations"]


def test_the_ways_of_counting_stand_side_by_side_where_keys_are_missing(celosia, folder):
    frame = read("encuesta.csv").frame
    frame.with_columns(pl.when(pl.int_range(pl.len()) % 9 > 0).then("estado_civil")).write_csv("tratado.csv")
    original = ("--original", "encuesta.csv")
    for arguments, ways in (
        (("encuesta.csv",), ["wildcard", "strict"]),
        (("tratado.csv", *original), ["wildcard", "strict", "intruder"]),
        (("tratado.csv", *original, "--missing", "strict"), ["strict"]),
    ):
        found = celosia("risk", *arguments, *KEYS, "--json").json["results"]
        assert list(found["countings"]) == ways and found["frequencies"]["missing"] == ways[0]
        for way, figures in found["countings"].items():
            assert figures["frequencies"]["missing"] == way
        assert found["violations"] == found["countings"][ways[0]]["violations"]
    said = celosia("risk", "tratado.csv", *original, *KEYS)
    for way in ("Lo perdido, cualquier valor", "Lo perdido, una categoría", "Lo que un intruso encontraría"):
        assert way in said.out
    whole = celosia("risk", "encuesta.csv", "--keys", "region,sexo")
    assert "todas las formas coinciden" in whole.out and "cualquier valor" not in whole.out


@pytest.mark.parametrize(
    ("measure", "options", "said"),
    [
        ("k_anonymity", ("-o", "k=3"), ("Conteo: lo perdido puede ser cualquier valor.", "Hay claves vacías.")),
        ("k_anonymity", ("-o", "k=3", "--missing", "strict"), ("Conteo: lo perdido es una categoría.",)),
        ("attackers", (), ("Conteo: ",)),
        ("individual", WEIGHT, ("Benedetti y Franconi",)),
        ("l_diversity", SENSITIVE, ("una clave perdida es una categoría", "lo perdido no cuenta como valor")),
        ("log_linear", WEIGHT, ("El modelo", "Ajuste del modelo")),
        ("population_uniqueness", WEIGHT, ("Se tomó", "menos del 1 %")),
        ("k_map", ("--register", "encuesta.csv"), ("personas del registro",)),
        ("suda2", (), ("por cada variable", "Registros por tramo de DIS")),
        ("drivers", (), ("las bajas son desde ahí",)),
        ("suda2", ("--keys", "region,edad"), ("filas más",)),
    ],
)
def test_what_a_table_must_not_be_read_without_is_printed_after_it(measure, options, said, celosia, folder):
    ran = celosia("risk", "encuesta.csv", *KEYS, "-m", measure, *options)
    assert ran.code == 0, ran.err
    assert all(words in ran.out for words in said), ran.out


def test_groups_stand_beside_the_mean(celosia, folder):
    group = ("--group", "mayores=edad >= 60", "-g", "mujeres=sexo == 2")
    ran = celosia("risk", "encuesta.csv", *KEYS, *group, "-m", "suda2", "-m", "attackers")
    assert ran.code == 0 and "suda2, por grupo" in ran.out and ran.out.count("El grupo más expuesto: mayores") == 2
    found = celosia("risk", "encuesta.csv", *KEYS, *group, "--json").json["results"]["groups"]["individual"]
    table = risk.by_group(
        risk.individual(read("encuesta.csv"), KEYS[1].split(",")), {"mayores": "edad >= 60"}, read("encuesta.csv")
    ).table()
    shown = {row["group"]: row["global_risk"] for row in found["groups"]}
    assert shown["mayores"] == pytest.approx(table["global_risk"][1]) and set(shown) == {None, "mayores", "mujeres"}


def test_groups_of_the_file_are_not_asked_of_the_people_of_a_register(celosia, folder):
    frame = read("encuesta.csv").frame
    pl.concat([frame, frame]).write_csv("padron.csv")
    both = ("-m", "k_map", "-m", "exact_linkage", "--register", "padron.csv", "-g", "mujeres=sexo == 2")
    found = celosia("risk", "encuesta.csv", *KEYS, *both, "--json")
    assert found.code == 0, found.out
    assert set(found.json["results"]["measures"]) == {"k_map", "exact_linkage"}
    assert set(found.json["results"]["groups"]) == {"k_map"}


def test_files_of_other_lengths_are_matched_by_their_id_or_not_at_all(celosia, folder):
    """Row by row a file without its first records would look as if nobody could be found."""
    frame = read("encuesta.csv").frame
    frame.drop("id_persona").write_csv("antes.csv")
    frame[5:].drop("id_persona").write_csv("sin_cinco.csv")
    for more in (("-m", "best_guess"), ("-m", "interval", "-o", "variables=edad"), ()):
        said = set()
        for language in ("es", "en"):
            asked = (*KEYS, *more, "--original", "antes.csv", "--json", "--lang", language)
            ran = celosia("risk", "sin_cinco.csv", *asked)
            assert ran.code == 2 and ran.json["errors"][0]["code"] == "original-unmatched"
            said.add(ran.json["errors"][0]["message"])
        assert len(said) == 2


def test_groups_are_those_of_the_same_people_in_a_file_of_another_order(celosia, folder):
    data = read("encuesta.csv")
    write(Microdata(data.frame.reverse()[5:], data.dictionary), "vuelta.csv")
    group = ("-g", "mayores=edad >= 60")
    one = ("-m", "k_anonymity", "-o", "k=3", "--missing", "strict", *group, "--json")
    alone = celosia("risk", "vuelta.csv", *KEYS, *one).json["results"]["groups"]
    beside = celosia("risk", "vuelta.csv", *KEYS, *one, "--original", "encuesta.csv")
    assert beside.json["results"]["groups"] == alone


def test_an_option_goes_to_the_measures_that_know_it(celosia, folder):
    options = ("-m", "suda2", "-m", "k_anonymity", "-o", "k=4", "-o", "max_size=2", "--json")
    found = celosia("risk", "encuesta.csv", *KEYS, *options).json["results"]["measures"]
    assert found["k_anonymity"]["k"] == 4 and found["suda2"]["max_size"] == 2


def test_hierarchies_are_files(celosia, folder):
    Path("civil.csv").write_text("\n".join(f"{code},{code > 1},*" for code in range(10)))
    found = asked_of(
        celosia("risk", "encuesta.csv", *KEYS, "-m", "drivers", "--hierarchy", "estado_civil=civil.csv", "--json"),
        "drivers",
    )
    assert [row["variables"] for row in found["sets"] if row["recode_fall"] is not None] == ["estado_civil"]
    near = ("-m", "t_closeness", "--sensitive", "estado_civil", "-o", "distance=hierarchical")
    ran = celosia("risk", "encuesta.csv", "-k", "region", *near, "--hierarchy", "estado_civil=civil.csv", "--json")
    assert asked_of(ran, "t_closeness")["distance"] == "hierarchical"


SCENARIOS = """\
source: encuesta.csv
kind: sample
roles: {weight: factor, household: id_hogar}
sources:
  padron: {keys: [region, sexo], file: padron.csv}
scenarios:
  vecina: {keys: [region, sexo, estado_civil], prioritised: true}
  padron: {sources: [padron]}
groups: {mayores: edad >= 60}
steps:
  - {do: recode_categories, variables: [region], mapping: {13: 13}, others: "0"}
  - {do: local_suppression, keys: [region, sexo, estado_civil], k: 5}
release: {folder: salida}
"""


@pytest.fixture
def planned(folder):
    Path("riesgo.yaml").write_text(SCENARIOS)
    read("encuesta.csv").frame.select("region", "sexo").write_csv("padron.csv")
    return "riesgo.yaml"


@pytest.mark.filterwarnings("ignore")
def test_a_plan_s_scenarios_stand_side_by_side(celosia, planned):
    ran = celosia("risk", planned)
    assert ran.code == 0 and "vecina" in ran.out and "lo perdido" in ran.out and "vecina, por grupo" in ran.out
    assert "archivo de origen" in ran.out
    study = Study.open(planned, Run(key=1))
    for treated in (False, True):
        more = ("--treated",) if treated else ()
        found = celosia("risk", planned, "--json", *more).json["results"]
        state = study.replay(Plan.load(planned)) if treated else study
        assert found["treated"] is treated
        rows = {(row["scenario"], row["counting"]): row["violations_5"] for row in found["scenarios"]}
        assert rows == {place: one.frequencies.below(5) for place, one in state.scenarios().risks.items()}
        assert set(found["groups"]) == {"vecina", "padron"}


@pytest.mark.filterwarnings("ignore")
def test_any_measure_for_each_scenario_of_a_plan(celosia, planned):
    ran = celosia("risk", planned, "-m", "suda2", "-m", "best_guess", "--treated", "--json")
    assert ran.code == 0, ran.out
    state = Study.open(planned, Run(key=1)).replay(Plan.load(planned))
    for name, found in ran.json["results"]["scenarios"].items():
        assert found["measures"]["suda2"]["keys"] == list(state.plan.scenario(name).keys)
        assert set(found["groups"]) == {"suda2", "best_guess"}
    one = celosia("risk", planned, "-m", "k_map", "--treated", "--scenario", "padron", "--json")
    assert set(one.json["results"]["scenarios"]) == {"padron"}
    side = celosia("risk", planned, "-s", "padron", "--json").json["results"]
    assert [row["scenario"] for row in side["inventory"]] == ["padron"]
    assert "Quién podría buscar a alguien" in celosia("risk", planned).out
    assert {row["scenario"] for row in side["scenarios"]} == set(side["groups"]) == {"padron"}
    people = celosia("risk", planned, "-m", "k_map", "--treated", "--json")
    assert people.code == 2 and people.json["errors"][0]["code"] == "measure-needs", "the neighbour has no register"
    strict = celosia("risk", planned, "-m", "k_anonymity", "-o", "k=5", "--treated", "--missing", "strict", "--json")
    assert strict.json["results"]["scenarios"]["vecina"]["measures"]["k_anonymity"]["violations"] == 0
    for arguments, code in (
        (("--keys", "sexo"), "option-of-plan"),
        (("--group", "a=sexo == 1"), "option-of-plan"),
        (("-m", "suda2", "--missing", "strict"), "option-idle"),
        (("--missing", "otra"), "option-unknown"),
        (("--scenario", "nadie"), "scenario-unknown"),
    ):
        refused = celosia("risk", planned, *arguments, "--json")
        assert refused.code == 2 and refused.json["errors"][0]["code"] == code
