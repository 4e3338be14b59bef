"""INE's Tabla 20 in the five profiles, cell by cell; limits are strict, and judged on exact counts."""

import dataclasses
import warnings
from fractions import Fraction
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from celosia import Microdata, Plan, Policy, Run, Study
from celosia.core.errors import CelosiaWarning, FileError, PolicyError
from celosia.methods import DropVariables, LocalSuppression
from celosia.process import FileKind, Scenario, Threshold
from celosia.process.policy import BUILT_IN

TABLA_20 = """\
global_risk      | <10 % | <5 %  | <5 % | <2 % | <2 %
share_above 1 %  | <20 % | <20 % | <5 % | <1 % | <1 %
share_above 5 %  | <15 % | <15 % | <3 % | 0 %  | 0 %
share_above 25 % | 0 %   | <10 % | 0 %  | 0 %  | 0 %
share_above 50 % | 0 %   | <5 %  | 0 %  | 0 %  | 0 %
share_above 90 % | 0 %   | <1 %  | 0 %  | 0 %  | 0 %
share_above 100 %| 0 %   | 0 %   | 0 %  | 0 %  | 0 %
k_anonymity 2    | 0 %   | 0 %   | 0 %  | 0 %  | 0 %
k_anonymity 3    | <5 %  | 0 %   | <2 % | 0 %  | 0 %
k_anonymity 5    | <10 % | <5 %  | <5 % | <5 % | <5 %
"""
COLUMNS = ("ine-hogares", "ine-economicas", "ine-registros", "ine-censo-poblacion", "ine-censo-agropecuario")
CELLS = [
    (profile, cells[0].strip(), cells[number].strip())
    for line in TABLA_20.splitlines()
    for cells in [line.split("|")]
    for number, profile in enumerate(COLUMNS, start=1)
]


@pytest.mark.parametrize(("profile", "row", "limit"), CELLS)
def test_tabla_20(profile, row, limit):
    (threshold,) = [t for t in Policy.load(profile).thresholds if t.name == row]
    assert threshold.below == Fraction(limit.removeprefix("<").removesuffix("%").strip()) / 100


@pytest.mark.parametrize("profile", BUILT_IN)
def test_profiles_hold_the_ten_rows_and_say_where_from(profile):
    policy = Policy.load(profile)
    assert [t.name for t in policy.thresholds] == [line.split("|")[0].strip() for line in TABLA_20.splitlines()]
    assert set(policy.title) == {"es", "en"} and "Tabla 20" in policy.source and policy.name == profile
    assert policy.counting is None and policy.level is None


@pytest.mark.parametrize(
    ("below", "units", "of", "allowed"),
    [
        ("<20 %", 20, 100, False),
        ("<20 %", 19, 100, True),
        ("<20 %", 199_999, 10**6, True),
        ("<20 %", 200_000, 10**6, False),
        ("<1 %", 1, 100, False),
        ("<1 %", 1, 101, True),
        ("0 %", 0, 10**6, True),
        ("0 %", 1, 10**6, False),
        ("0", 1, 10**9, False),
    ],
)
def test_limits_are_strict(below, units, of, allowed):
    row = Threshold(measure="global_risk", below=below)
    assert row.allows(Fraction(units), of) is allowed


def test_an_estimate_within_rounding_of_the_limit_is_on_it():
    row = Threshold(measure="global_risk", below="<10 %")
    assert not row.allows(0.1 * 3 / 3 * 100 - 1e-14, 100)
    assert row.allows(9.999999, 100)


@pytest.mark.parametrize(
    "row",
    [
        {"measure": "share_above", "below": "1 %"},
        {"measure": "share_above", "at": "5 %", "k": 3, "below": "1 %"},
        {"measure": "k_anonymity", "below": "1 %"},
        {"measure": "k_anonymity", "k": 1, "below": "1 %"},
        {"measure": "global_risk", "at": "5 %", "below": "1 %"},
        {"measure": "global_risk", "below": "101 %"},
        {"measure": "global_risk", "below": "-1 %"},
        {"measure": "global_risk", "below": "poco"},
        {"measure": "nada", "below": "1 %"},
        {"measure": "global_risk"},
    ],
)
def test_a_row_that_does_not_hold_together_is_refused(row):
    with pytest.raises(ValueError, match="validation error"):
        Threshold(**row)


def test_an_office_writes_its_own(tmp_path):
    file = tmp_path / "propia.yaml"
    file.write_text("name: propia\nthresholds:\n  - {measure: share_above, at: '0,5 %', below: '< 2,5 %'}\n")
    (row,) = Policy.load(file).thresholds
    assert (row.at, row.below, row.name) == (Fraction(1, 200), Fraction(1, 40), "share_above 0.5 %")
    assert Policy(**Policy.load(file).model_dump()) == Policy.load(file)


def test_policies_that_cannot_be_read(tmp_path):
    for name, code in (("ine-nada", "policy-unknown"), (tmp_path / "nada.yaml", "policy-missing")):
        with pytest.raises(PolicyError) as error:
            Policy.load(name)
        assert error.value.code == code
    file = tmp_path / "rota.yaml"
    file.write_bytes(b"\xff\xfe")
    with pytest.raises(FileError, match="rota"):
        Policy.load(file)


# -- files without weights: the risk is 1/f -----------------------------------------------------------


def implied(profile):
    policy = Policy.load(profile)
    return {t.name: (t.implied_k, policy.idle(t)) for t in policy.thresholds}


@pytest.mark.parametrize("profile", ["ine-censo-poblacion", "ine-censo-agropecuario"])
def test_a_census_needs_20_for_everybody_and_100_for_99_percent(profile):
    found = implied(profile)
    binding = {name: k for name, (k, idle) in found.items() if not idle}
    assert binding == {"share_above 1 %": 100, "share_above 5 %": 20}
    assert found["k_anonymity 5"] == (5, True)
    assert found["share_above 25 %"] == (4, True)
    assert found["global_risk"] == (None, True), "0.99/100 + 0.01/20 is below 2 %"


def test_idle_rows_of_the_other_profiles():
    assert {n: k for n, (k, idle) in implied("ine-registros").items() if not idle} == {
        "share_above 1 %": 100,
        "share_above 5 %": 20,
        "share_above 25 %": 4,
    }
    assert implied("ine-economicas")["k_anonymity 3"] == (3, False)


# -- verdicts ---------------------------------------------------------------------------------------


def study(frame, kind=FileKind.CENSUS, keys=("zona",), **roles):
    plan = Plan(kind=kind, scenarios=(Scenario(name="e", keys=keys),))
    for name, role in roles.items():
        plan = plan.with_role(name, role)
    return Study.of(Microdata(frame), plan)


def classes(*sizes):
    """A file with classes of these sizes."""
    return pl.DataFrame({"zona": [i for i, size in enumerate(sizes) for _ in range(size)]})


def rows(policy, found):
    return {(row.measure, row.file): row for row in policy.check(found).rows}


def test_exactly_on_the_limit_does_not_pass():
    policy = Policy(name="p", thresholds=({"measure": "share_above", "at": "5 %", "below": "<20 %"},))
    assert not policy.check(study(classes(10, 10, 80))).passes
    assert policy.check(study(classes(10, 9, 81))).passes


def test_zero_percent_is_not_one_record():
    policy = Policy(name="p", thresholds=({"measure": "k_anonymity", "k": 2, "below": "0 %"},))
    assert not policy.check(study(classes(1, 999))).passes
    assert policy.check(study(classes(2, 999))).passes


def test_the_global_risk_of_a_census_is_exact():
    """Two classes in a hundred records are 2 %, whatever the last bit of 49 * (1/49)."""
    policy = Policy(name="p", thresholds=({"measure": "global_risk", "below": "<2 %"},))
    for first in range(1, 100):
        row = rows(policy, study(classes(first, 100 - first)))[("global_risk", "after")]
        assert not row.passes and row.value == pytest.approx(0.02)
    assert policy.check(study(classes(50, 51))).passes


def test_a_census_of_classes_of_20_and_100_passes_and_one_of_19_does_not():
    policy = Policy.load("ine-censo-poblacion")
    assert policy.check(study(classes(20, *[100] * 20))).passes
    assert {row.measure for row in policy.check(study(classes(19, *[100] * 20))).failures} == {"share_above 5 %"}
    assert {row.measure for row in policy.check(study(classes(20, *[100] * 19, 80))).failures} == {"share_above 1 %"}


def test_register_like_a_census_and_like_a_sample():
    frame = classes(3, 97).with_columns(peso=pl.lit(50.0))
    policy = Policy.load("ine-registros")
    whole = rows(policy, study(frame, FileKind.REGISTER_CENSUS, peso="weight"))[("share_above 25 %", "after")]
    sample = rows(policy, study(frame, FileKind.REGISTER_SAMPLE, peso="weight"))[("share_above 25 %", "after")]
    assert (whole.value, whole.implied_k, whole.passes) == (0.03, 4, False)
    assert (sample.value, sample.implied_k, sample.idle, sample.passes) == (0.0, None, False, True)


def holed():
    """100 records: under wildcard everybody matches, under strict two stand alone."""
    return pl.DataFrame({"zona": ["u"] * 98 + [None, "r"], "sexo": ["m"] * 98 + ["m", None]})


@pytest.fixture
def disagreeing():
    with warnings.catch_warnings(action="ignore"):
        yield study(holed(), keys=("zona", "sexo"))


def test_where_the_rules_disagree_the_verdict_is_the_least_favourable(disagreeing):
    policy = Policy(name="p", thresholds=({"measure": "k_anonymity", "k": 2, "below": "0 %"},))
    (row,) = [row for row in policy.check(disagreeing).rows if row.file == "after"]
    assert (row.counting, row.value, row.passes) == ("strict", 0.02, False)
    assert row.other is not None and row.other < row.value


@pytest.mark.parametrize("rule", ["wildcard", "strict"])
def test_a_policy_that_names_its_rule_says_so(rule, disagreeing):
    policy = Policy(name="p", counting=rule, thresholds=({"measure": "k_anonymity", "k": 2, "below": "0 %"},))
    with pytest.warns(match="descansa solo"):
        verdict = policy.check(disagreeing)
    assert verdict.counting == rule and verdict.to_dict()["counting"] == rule
    assert {row.counting for row in verdict.rows} == {rule}


class TestDeductions:
    """What the file gives away is suppressed for nobody, and a verdict knows."""

    policy = Policy.parse("name: x\nthresholds: [{measure: k_anonymity, k: 3, below: 0}]", "x")

    def emptied(self, importance, drop=()):
        chance = np.random.Generator(np.random.PCG64(0))
        stratum = chance.integers(0, 30, 400)
        frame = pl.DataFrame(
            {
                "estrato": stratum,
                "region": stratum // 5,
                "sexo": chance.integers(1, 3, 400),
                "edad": chance.integers(0, 12, 400),
            }
        )
        plan = Plan.parse("kind: census\nscenarios: {vecino: [region, sexo, edad]}")
        keys = ("region", "sexo", "edad")
        study = Study.of(frame, plan, Run(key=1)).apply(LocalSuppression(keys=keys, k=3, importance=importance))
        return study.apply(DropVariables(variables=drop)) if drop else study

    def test_cells_that_follow_from_others_do_not_pass(self):
        study = self.emptied({"region": 3, "sexo": 1, "edad": 1})
        ways = {way: study.risk(missing=way).frequencies.below(3) for way in ("wildcard", "strict", "intruder")}
        assert ways["wildcard"] == ways["strict"] == 0 < ways["intruder"]
        (row,) = self.policy.check(study).failures
        assert (row.counting, row.value, row.other) == ("intruder", ways["intruder"] / 400, 0.0)
        named = Policy.parse("name: x\ncounting: strict\nthresholds: [{measure: k_anonymity, k: 3, below: 0}]", "x")
        with pytest.warns(CelosiaWarning):
            assert named.check(study).passes, "a policy that names its rule rests on it, and says so"

    def test_what_gives_them_away_may_leave_or_other_cells_be_emptied(self):
        assert self.policy.check(self.emptied({"region": 3, "sexo": 1, "edad": 1}, drop=("estrato",))).passes
        kept = self.emptied({"region": 1, "sexo": 1, "edad": 3})
        assert self.policy.check(kept).passes
        assert {row.counting for row in self.policy.check(kept).rows if row.file == "after"} == {"both"}


def test_rows_name_scenario_level_file_and_rule():
    frame = classes(1, 1, 98).with_columns(hogar=pl.Series([i // 2 for i in range(100)]))
    found = study(frame, hogar="household")
    verdict = Policy.load("ine-hogares").check(found)
    table = verdict.table()
    assert set(table["level"]) == {"individual", "household"} and set(table["file"]) == {"before", "after"}
    assert table.filter(pl.col("measure").str.starts_with("k_"))["level"].unique().to_list() == ["individual"]
    assert table.height == 2 * (10 + 7)
    named = Policy(name="p", level="household", thresholds=({"measure": "global_risk", "below": "50 %"},))
    with pytest.warns(match="nombra su nivel"):
        verdict = named.check(found)
    assert {row.level for row in verdict.rows} == {"household"} and verdict.to_dict()["level"] == "household"


def test_before_and_after_are_judged_apart():
    policy = Policy(name="p", thresholds=({"measure": "k_anonymity", "k": 3, "below": "0 %"},))
    done = study(classes(2, 98)).apply({"do": "recode_categories", "variables": ["zona"], "mapping": {"0": "1"}})
    found = rows(policy, done)
    assert not found[("k_anonymity 3", "before")].passes and found[("k_anonymity 3", "after")].passes
    assert policy.check(done).passes, "the verdict is of the treated file"


def test_a_direct_identifier_fails_whatever_the_risk(tmp_path):
    frame = classes(100).with_columns(rut=pl.Series([f"{i}-k" for i in range(100)]))
    plan = Plan.parse(
        "kind: census\nscenarios: {e: [zona]}\ndictionary: {rut: {identification: direct}}\n", tmp_path / "p.yaml"
    )
    verdict = Policy(name="p", thresholds=({"measure": "k_anonymity", "k": 2, "below": "0 %"},)).check(
        Study.of(frame, plan)
    )
    assert verdict.direct == ("rut",) and not verdict.passes and not verdict.failures


def test_a_plan_names_a_policy_of_its_own_folder(tmp_path):
    (tmp_path / "propia.yaml").write_text("name: propia\nthresholds: [{measure: global_risk, below: 1 %}]\n")
    plan = Plan.parse("policy: propia.yaml\nkind: census\nscenarios: {e: [zona]}\n", Path(tmp_path) / "plan.yaml")
    assert Study.of(classes(50, 51), plan).check().policy == "propia"


@given(st.lists(st.integers(1, 6), min_size=1, max_size=12), st.sampled_from([None, "individual", "household"]))
def test_no_threshold_goes_unjudged_at_any_level(sizes, level):
    """Every threshold has its row of the treated file; k-anonymity that of persons, whichever level is named."""
    frame = classes(*sizes).with_row_index("hogar")
    policy = Policy(
        name="p",
        level=level,
        thresholds=({"measure": "k_anonymity", "k": 3, "below": "0 %"}, {"measure": "global_risk", "below": "100 %"}),
    )
    with warnings.catch_warnings(action="ignore"):
        verdict = policy.check(study(frame, hogar="household"))
    judged = {(row.measure, row.level) for row in verdict.rows if row.file == "after"}
    assert judged >= {("k_anonymity 3", "individual"), ("global_risk", level or "household")}
    assert ("k_anonymity 3" in {row.measure for row in verdict.failures}) == (min(sizes) < 3)


def test_a_policy_that_names_its_level_says_so_and_no_rows_are_no_pass():
    policy = Policy(name="p", level="household", thresholds=({"measure": "k_anonymity", "k": 3, "below": "0 %"},))
    found = study(classes(1, 99).with_row_index("hogar"), hogar="household")
    with pytest.warns(match="nombra su nivel"):
        verdict = policy.check(found)
    assert not verdict.passes and len(verdict.failures) == 1
    assert not dataclasses.replace(verdict, rows=()).passes


def test_the_id_of_the_records_is_a_direct_identifier_until_it_is_made_anew():
    policy = Policy(name="p", thresholds=({"measure": "k_anonymity", "k": 2, "below": "0 %"},))
    found = study(classes(100).with_row_index("codigo"), codigo="id")
    assert policy.check(found).direct == ("codigo",) and not policy.check(found).passes
    assert policy.check(found.apply({"do": "new_ids", "variable": "codigo"})).passes
    declared = found.plan.model_copy(
        update={"dictionary": found.plan.dictionary.replace("codigo", identification="none")}
    )
    assert policy.check(Study.of(found.data.frame, declared)).passes
