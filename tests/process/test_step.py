"""Steps on households, on some records, in strata; members of a household never come to disagree."""

import warnings

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from celosia import Microdata, Plan, Run, Study
from celosia.core.errors import CelosiaWarning, DataError, OptionError, PlanError, RoleError
from celosia.methods import LocalSuppression, RecodeCategories
from celosia.process import Step


def study(frame, household="hogar"):
    roles = f"roles: {{household: {household}}}\n" if household else ""
    return Study.of(frame, Plan.parse(f"kind: census\n{roles}scenarios: {{e: [zona]}}\n"), Run(key=1))


households = st.lists(
    st.tuples(st.sampled_from("abcd"), st.sampled_from("xyz"), st.integers(1, 4)), min_size=6, max_size=25
)


@given(households, st.integers(2, 4), st.randoms(use_true_random=False))
def test_members_never_disagree(homes, k, chance):
    rows = [(i, zona, tipo) for i, (zona, tipo, size) in enumerate(homes) for _ in range(size)]
    chance.shuffle(rows)
    frame = pl.DataFrame(rows, schema=["hogar", "zona", "tipo"], orient="row")
    method = LocalSuppression(keys=("zona", "tipo"), k=k, max_share=1.0)
    done = study(frame).household_level().apply(method).data
    assert done.column("hogar").to_list() == frame["hogar"].to_list(), "records stay where they were"
    published = pl.DataFrame(
        {"hogar": done.column("hogar"), "zona": done.column("zona"), "tipo": done.column("tipo")}
        | {f"marked {n}": done.suppressed(n) for n in ("zona", "tipo")}
    )
    assert published.unique().height == len(homes), "every member of a household has the same cells"
    homes_out = published.unique(subset="hogar").group_by("zona", "tipo").len()
    assert homes_out["len"].min() >= k, "k households share each combination"


def test_a_variable_that_varies_within_the_household_is_refused():
    frame = pl.DataFrame({"hogar": [1, 1, 2], "zona": ["a", "b", "a"]})
    with pytest.raises(DataError) as error:
        study(frame).apply({"do": "recode_categories", "variables": ["zona"], "mapping": {"a": "b"},
                            "level": "household"})  # fmt: skip
    assert error.value.code == "household-varies"
    assert error.value.facts == {"variable": "zona", "count": 1, "where": "recode_categories"}


def test_a_step_that_drops_records_is_not_for_households():
    frame = pl.DataFrame({"hogar": [1, 1, 2, 3], "zona": ["a", "a", "b", "c"]})
    with pytest.raises(OptionError) as error:
        study(frame).apply({"do": "sample", "share": 0.5, "new_weight": "w", "level": "household"})
    assert error.value.code == "household-drops"


HOMES = {"hogar": [1, 1, 2, 3], "zona": ["a", "a", "b", "b"], "edad": [1, 2, 3, 4]}


def test_variables_dropped_by_household_are_dropped_for_every_member():
    done = study(pl.DataFrame(HOMES)).household_level().apply({"do": "drop_variables", "variables": ["zona"]})
    assert done.data.variables == ("hogar", "edad")


def test_the_household_itself_can_be_dropped_or_renamed_by_household():
    at_home = study(pl.DataFrame(HOMES)).household_level()
    assert at_home.apply({"do": "drop_variables", "variables": ["hogar"]}).data.variables == ("zona", "edad")
    new = at_home.apply({"do": "new_ids", "variable": "hogar"}).data
    assert new.variables == ("hogar", "zona", "edad")
    assert sorted(new.frame.group_by("hogar").len()["len"]) == [1, 1, 2]


@pytest.mark.parametrize(
    "step",
    [
        {"do": "local_suppression", "keys": ["zona"], "k": 2, "strata": ["edad"]},
        {"do": "local_suppression", "keys": ["zona"], "k": 2, "linked": [["zona", "edad"]]},
        {"do": "drop_records", "where": "edad > 1"},
    ],
)
def test_whatever_variable_a_method_names_is_the_same_for_all_members(step):
    with pytest.raises(DataError) as error:
        study(pl.DataFrame(HOMES)).household_level().apply(step)
    assert error.value.code == "household-varies" and error.value.facts["variable"] == "edad"


def test_members_that_differ_in_what_was_emptied_are_refused():
    data = Microdata(pl.DataFrame({"hogar": [1, 1], "zona": [None, None]}, schema_overrides={"zona": pl.String}))
    marked = data.suppress({"zona": pl.Series([True, False]).to_numpy()})
    with pytest.raises(DataError) as error:
        study(marked).household_level().apply({"do": "drop_variables", "variables": ["zona"]})
    assert error.value.code == "household-varies"


@pytest.mark.parametrize(
    ("step", "code"),
    [
        ({"do": "shuffle_order"}, "household-drops"),
        ({"do": "shuffle_order", "household": "hogar"}, "household-twice"),
        ({"do": "household_size", "household": "hogar"}, "household-twice"),
    ],
)
def test_what_cannot_be_done_by_household_is_refused(step, code):
    frame = pl.DataFrame({"hogar": range(50), "zona": ["a"] * 50})
    with pytest.raises(OptionError) as error:
        study(frame).household_level().apply(step)
    assert error.value.code == code


@pytest.mark.parametrize("scope", [{"where": "zona == 'a'"}, {"strata": ["zona"]}])
def test_an_order_that_a_scope_would_undo_is_refused(scope):
    frame = pl.DataFrame({"hogar": range(50), "zona": ["a"] * 50})
    with pytest.raises(OptionError) as error:
        study(frame).apply({"do": "shuffle_order", **scope})
    assert error.value.code == "scope-order"


def test_household_level_needs_a_household():
    with pytest.raises(RoleError) as error:
        study(pl.DataFrame({"zona": ["a", "b"]}), household="").apply(
            RecodeCategories(variables=("zona",), mapping={"a": "b"}), level="household"
        )
    assert error.value.code == "household-missing"


def test_a_condition_limits_a_step_to_some_records():
    frame = pl.DataFrame({"edad": [3, 40, 5, 70], "zona": ["a", "a", "b", "a"]})
    done = study(frame, "").apply({"do": "recode_categories", "variables": ["zona"], "mapping": {"a": "z"},
                                   "where": "edad < 18 or edad > 65"})  # fmt: skip
    assert done.data.column("zona").to_list() == ["z", "a", "b", "z"]
    assert done.result.changed == {"zona": 2}
    assert done.data.ids.tolist() == [0, 1, 2, 3]


def test_a_step_in_strata_keeps_its_promise_in_each():
    frame = pl.DataFrame({"region": ["n"] * 6 + ["s"] * 6, "zona": list("aabbbcaaabcc")})
    step = {"do": "recode_intervals", "variable": "edad", "groups": 2, "strata": ["region"]}
    aged = frame.with_columns(edad=pl.Series([1, 2, 3, 4, 5, 6, 101, 102, 103, 104, 105, 106]))
    done = study(aged, "").apply(step)
    north, south = (done.data.frame.filter(pl.col("region") == r)["edad"] for r in "ns")
    assert north.n_unique() == south.n_unique() == 2 and not set(north) & set(south)
    assert done.data.column("region").to_list() == aged["region"].to_list()


def test_a_method_with_strata_of_its_own_keeps_them():
    step = Step.parse({"do": "local_suppression", "keys": ["zona"], "k": 2, "strata": ["region"]}, "s")
    assert step.step_strata == () and step.method.strata == ("region",)


def test_a_method_with_a_condition_of_its_own_keeps_it():
    frame = pl.DataFrame({"edad": [3, 40], "zona": ["a", "a"]})
    done = study(frame, "").apply({"do": "drop_records", "where": "edad < 18"})
    assert done.plan.steps[0].where is None and done.data.height == 1


def test_a_method_that_adds_variables_cannot_act_on_some_records():
    frame = pl.DataFrame({"hogar": [1, 1, 2], "zona": ["a", "a", "b"]})
    with pytest.raises(OptionError) as error:
        study(frame).apply({"do": "household_size", "household": "hogar", "where": "zona == 'a'"})
    assert error.value.code == "scope-columns"


@pytest.mark.parametrize(
    ("written", "code"),
    [
        ({"variables": ["a"]}, "step-without-do"),
        ({"do": "nada"}, "method-unknown"),
        ({"do": "drop_variables"}, "field-absent"),
        ({"do": "drop_variables", "variables": ["a"], "borrar": 1}, "field-unknown"),
        ({"do": "drop_variables", "variables": "a"}, "field-invalid"),
        ({"do": "drop_variables", "variables": ["a"], "level": "casa"}, "field-invalid"),
        ({"do": "rounding", "variables": ["a"]}, "options-one"),
    ],
)
def test_strictness(written, code):
    with pytest.raises((PlanError, OptionError)) as error:
        Step.parse(written, "paso")
    assert error.value.code == code
    if "do" in written and code != "method-unknown":
        assert error.value.facts["where"] == "paso"


def test_level_and_condition_together_are_refused():
    with pytest.raises(OptionError) as error:
        Step.parse({"do": "drop_variables", "variables": ["a"], "level": "household", "where": "a == 1"}, "paso")
    assert error.value.code == "step-scope"


def test_marks_and_types_survive_a_merge():
    frame = pl.DataFrame({"zona": ["a", "a", "b", "c", "c"], "grupo": [1, 1, 1, 2, 2]})
    data = Microdata(frame).suppress({"zona": frame["zona"].eq("b").to_numpy()})
    done = study(data, "").apply({"do": "recode_categories", "variables": ["grupo"], "mapping": {"2": "dos"},
                                  "where": "grupo == 2"})  # fmt: skip
    assert done.data.column("grupo").to_list() == ["1", "1", "1", "dos", "dos"]
    assert done.data.suppressed("zona").to_list() == [False, False, True, False, False]


MERGE = {"do": "recode_categories", "variables": ["zona"], "mapping": {"a": "b"}}


def test_what_is_said_beside_a_step_is_done():
    """A mapping, a method and a step of the same words do the same."""
    known = study(pl.DataFrame(HOMES))
    method = RecodeCategories(variables=("zona",), mapping={"a": "b"})
    one = known.apply(MERGE, name="x", where="edad > 1")
    other = known.apply(method, name="x", where="edad > 1")
    assert one.plan.steps == other.plan.steps
    assert one.data.column("zona").to_list() == other.data.column("zona").to_list() == ["a", "b", "b", "b"]
    assert known.apply(MERGE, level="household").plan.steps[0].level == "household"
    assert known.apply({"do": "drop_records", "where": "edad > 1"}, where="zona == 'a'").data.height == 3


@pytest.mark.parametrize("said", [{"name": "y"}, {"level": "household"}, {"where": "edad > 1"}])
def test_what_a_step_says_is_not_said_again(said):
    known = study(pl.DataFrame(HOMES))
    with pytest.raises(OptionError) as error:
        known.apply(Step.parse(MERGE, "x"), **said)
    assert error.value.code == "step-said-twice"
    with pytest.raises(OptionError) as error:
        known.apply({**MERGE, **said}, **said)
    assert error.value.code == "step-said-twice"
    with pytest.raises(OptionError):
        known.household_level().apply(Step.parse(MERGE, "x"))


CODED = {
    "ing": {"missing": {"999": "non_response"}, "values": {"100": "cien", "300": "trescientos", "999": "no responde"}}
}


def coded(rows):
    frame = pl.DataFrame(rows, schema=["ing", "zona"], orient="row")
    plan = Plan.parse("kind: census\nscenarios: {e: [zona]}\n")
    known = plan.model_copy(update={"dictionary": plan.dictionary.replace("ing", **CODED["ing"])})
    return Study.of(frame, known, Run(key=1))


@given(st.lists(st.tuples(st.sampled_from([100, 300, 999]), st.sampled_from("ab")), min_size=1, max_size=12))
def test_the_dictionary_is_that_of_the_whole_file(rows):
    """What a step left as it was is missing or labelled as it was, and what it made is what it made."""
    before = coded(rows)
    step = {"do": "recode_categories", "variables": ["ing"], "mapping": {"999": "0"}, "where": "zona == 'a'"}
    with warnings.catch_warnings(action="ignore", category=CelosiaWarning):
        after = before.apply(step).data
    values, variable = after.column("ing"), after.dictionary["ing"]
    assert values.dtype == pl.Int64
    expected = [income == 999 and zone == "b" for income, zone in rows]
    assert variable.missing_mask(values).to_list() == expected
    for income in {income for income, _ in rows if income != 999}:
        assert variable.values[str(income)] == CODED["ing"]["values"][str(income)]


def test_a_condition_that_nobody_meets_changes_nothing():
    before = coded([(100, "a"), (999, "b")])
    step = {"do": "recode_categories", "variables": ["ing"], "mapping": {"100": "cien"}, "where": "zona == 'z'"}
    done = before.apply(step)
    assert done.data.frame.equals(before.data.frame) and done.data.dictionary == before.data.dictionary
    assert done.result is not None and not done.result.changed


@pytest.mark.parametrize(
    "step",
    [
        {"mapping": {"300": "100"}, "labels": {"100": "cien o más"}},
        {"mapping": {"300": "999"}, "others": "5", "missing": "300"},
    ],
)
def test_one_code_does_not_mean_two_things(step):
    with pytest.raises((OptionError, DataError)) as error:
        coded([(100, "a"), (300, "a"), (999, "a"), (100, "b"), (300, "b")]).apply(
            {"do": "recode_categories", "variables": ["ing"], "where": "zona == 'a'", **step}
        )
    assert error.value.code in ("scope-codes", "recode-into-missing")


def test_labels_of_every_stratum_stay():
    ages = pl.DataFrame({"region": ["n"] * 6 + ["s"] * 6, "zona": ["a"] * 12, "edad": [*range(1, 7), *range(101, 107)]})
    step = {"do": "recode_intervals", "variable": "edad", "groups": 2, "strata": ["region"]}
    done = study(ages, "").apply(step).data
    assert set(done.column("edad").cast(str)) <= set(done.dictionary["edad"].values)


PEOPLE = {"hogar": [1, 1, 2, 2, 3, 3, 4, 4], "zona": list("aabbccdd"), "reg": [1, 1, 1, 1, 2, 2, 2, 2]}


@pytest.mark.parametrize(
    ("step", "code"),
    [
        ({"do": "new_ids", "variable": "hogar", "strata": ["reg"]}, "scope-whole"),
        ({"do": "new_ids", "variable": "hogar", "where": "reg == 2"}, "scope-whole"),
        ({"do": "household_size", "household": "hogar", "strata": ["sexo"]}, "scope-whole"),
        ({"do": "sample", "share": 0.5, "household": "hogar", "weight": "w", "where": "sexo == 1"}, "scope-whole"),
    ],
)
def test_what_is_promised_of_whole_groups_is_not_done_in_parts(step, code):
    frame = pl.DataFrame(PEOPLE).with_columns(sexo=pl.Series([1, 2] * 4), w=pl.lit(1.0))
    with pytest.raises(OptionError) as error:
        study(frame).apply(step)
    assert error.value.code == code and error.value.facts["step"] == step["do"]


def test_what_holds_of_the_whole_may_be_done_in_parts():
    done = study(pl.DataFrame(PEOPLE)).apply({"do": "household_size", "household": "hogar", "strata": ["reg"]})
    assert done.data.column("household_size").to_list() == [2] * 8


def test_a_direct_identifier_stays_one_until_nobody_has_it():
    frame = pl.DataFrame(PEOPLE).with_columns(hogar=pl.Series([7, 7, 8, 8, 9, 9, 10, 10]))
    plan = Plan.parse("kind: census\ndictionary: {hogar: {identification: direct}}\nscenarios: {e: [zona]}\n")
    done = Study.of(frame, plan, Run(key=1)).apply({"do": "new_ids", "variable": "hogar", "where": "reg == 2"})
    assert done.data.dictionary["hogar"].is_direct


@pytest.mark.parametrize("scope", [{"strata": ["zona"]}, {"where": "zona == 'a'"}, {"where": "zona == 'z'"}])
def test_what_left_by_parts_is_told_of_the_whole_file(scope):
    method = {"do": "drop_records", "weight": "w", **({} if "where" in scope else {"where": "edad > 1"})}
    frame = pl.DataFrame(HOMES).with_columns(w=pl.Series([1.0, 2.0, 4.0, 8.0]), edad=pl.Series([1, 2, 1, 4]))
    known = study(frame)
    if "where" in scope:
        done = known.apply({**method, "where": "edad > 1"}, where=scope["where"])
    else:
        done = known.apply({**method, **scope})
    left = known.data.height - done.data.height
    lost = 15 - done.data.column("w").sum()
    assert (done.result.records, done.result.lost_records, done.result.lost_weight) == (4, left, lost)
