"""Generalization: the optimum is that of brute force over the whole lattice, the bound is never above it."""

import itertools
import time

import polars as pl
import pytest
from brute_lattice import Brute
from generalised import NAMES, SENSITIVE_TREE, TREES, files, people
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from celosia import Dictionary, Microdata, Run, Variable
from celosia.core.errors import CancelledError, DataError, OptionError, RoleError
from celosia.core.hierarchy_builders import intervals, neighbours
from celosia.core.language import speaking
from celosia.datasets import bench_population
from celosia.engines import engine
from celosia.methods import Generalization
from celosia.methods.lattice import Lattice
from celosia.methods.losses import LOSSES

of_sensitive = st.one_of(
    st.fixed_dictionaries({"model": st.just("l_diversity"), "l": st.integers(1, 3), "kind": st.just("distinct")}),
    st.fixed_dictionaries(
        {"model": st.just("l_diversity"), "l": st.sampled_from([1.5, 2]), "kind": st.just("entropy")}
    ),
    st.fixed_dictionaries(
        {
            "model": st.just("l_diversity"),
            "l": st.integers(1, 3),
            "kind": st.just("recursive"),
            "c": st.sampled_from([0.7, 1.1, 2.3]),
        }
    ),
    st.fixed_dictionaries(
        {
            "model": st.just("t_closeness"),
            "t": st.sampled_from([0.11, 0.26, 0.43]),
            "distance": st.sampled_from(["equal", "ordered", "hierarchical"]),
        }
    ),
    st.fixed_dictionaries({"model": st.just("alpha_k"), "alpha": st.sampled_from([0.41, 0.63, 0.86])}),
    st.fixed_dictionaries({"model": st.just("delta_disclosure"), "delta": st.sampled_from([0.33, 0.77, 1.4])}),
    st.fixed_dictionaries(
        {
            "model": st.just("beta_likeness"),
            "beta": st.sampled_from([0.37, 0.91]),
            "kind": st.sampled_from(["basic", "enhanced"]),
        }
    ),
).map(
    lambda m: {**m, "sensitive": "s"} | ({"hierarchy": SENSITIVE_TREE} if m.get("distance") == "hierarchical" else {})
)
of_sample = st.one_of(
    st.fixed_dictionaries({"model": st.just("average_risk"), "risk": st.sampled_from([0.23, 0.37, 0.61])}),
    st.fixed_dictionaries({"model": st.just("sample_uniqueness"), "share": st.sampled_from([0.0, 0.11, 0.27])}),
    st.fixed_dictionaries(
        {
            "model": st.just("k_map"),
            "k": st.integers(2, 6),
            "population": st.sampled_from([31, 97, 400]),
            "alpha": st.sampled_from([0.07, 0.21]),
        }
    ),
)


@st.composite
def goals(draw):
    """k, limit, models, loss with its options."""
    models = draw(st.lists(st.one_of(of_sensitive, of_sample), max_size=2))
    name = draw(st.sampled_from(LOSSES))
    factor = draw(st.sampled_from([0.5, 0.5, 0.2, 0.8, 1.0, 0.0 if name != "average_class_size" else 0.3]))
    return {
        "k": draw(st.integers(1 if models else 2, 4)),
        "suppression_limit": draw(st.sampled_from([0.0, 0.1, 0.3, 1.0])),
        "models": models,
        "loss": name,
        "factor": factor,
        "weights": draw(st.lists(st.sampled_from([0.25, 0.5, 1.0]), min_size=3, max_size=3)),
        "aggregate": draw(st.sampled_from([None, None, "sum", "maximum", "arithmetic_mean", "geometric_mean"])),
    }


def set_up(file, goal):
    """The frame, the method and brute force."""
    keys, sensitive, rows = file
    frame = pl.DataFrame(
        {
            name: pl.Series(list(column), dtype=pl.String)
            for name, column in zip(NAMES, zip(*keys, strict=True), strict=False)
        }
    ).with_columns(s=pl.Series(sensitive, dtype=pl.String))
    names = NAMES[: len(rows)]
    given = {**goal, "weights": dict(zip(names, goal["weights"], strict=False))}
    method = Generalization(hierarchies=dict(zip(names, rows, strict=True)), **given)
    return frame, method, Brute(keys, sensitive, rows)


def every_node(brute, goal, many):
    loss = {"name": goal["loss"], "factor": goal["factor"], "aggregate": goal["aggregate"]}
    loss["weights"] = goal["weights"][:many]
    return {levels: brute.judged(levels, goal["k"], goal["models"], loss) for levels in brute.nodes()}


def check_against_brute_force(file, goal):
    frame, method, brute = set_up(file, goal)
    if frame.height < goal["k"] or any(m.get("population", 99) < frame.height for m in goal["models"]):
        return
    nodes = every_node(brute, goal, len(file[2]))
    limit = int(goal["suppression_limit"] * frame.height + 1e-9)
    complying = [node for node in nodes.values() if node.lost <= limit]
    if not complying:
        with pytest.raises(DataError) as caught:
            method.apply(frame)
        assert caught.value.code == "generalization-impossible"
        return
    best = min(node.loss for node in complying)
    found = method.apply(frame)
    assert found.proven and found.bound == found.loss == pytest.approx(best, rel=1e-9, abs=1e-9)
    mine = nodes[tuple(found.levels.values())]
    assert (mine.lost, mine.loss) == (found.suppressed_records, pytest.approx(found.loss, rel=1e-9, abs=1e-9))
    assert found.data[NAMES[0]].null_count() >= found.suppressed_records
    for row in found.explored.iter_rows(named=True):
        node = nodes[tuple(row["levels"].values())]
        assert (row["suppressed"], row["feasible"]) == (node.lost, node.lost <= limit)
        assert (row["loss"], row["risk"]) == (pytest.approx(node.loss, rel=1e-9, abs=1e-9), pytest.approx(node.risk))


def check_the_bound(file, goal, looks):
    """Stopped after so many looks, the bound is not above the optimum and the best so far complies."""
    frame, method, brute = set_up(file, goal)
    nodes = every_node(brute, goal, len(file[2]))
    limit = int(goal["suppression_limit"] * frame.height + 1e-9)
    complying = [node.loss for node in nodes.values() if node.lost <= limit]
    if not complying or any(m.get("population", 99) < frame.height for m in goal["models"]):
        return
    if frame.height < goal["k"]:
        return
    found = stopped_after(method, frame, looks)
    assert found.bound <= min(complying) * (1 + 1e-9) + 1e-9
    assert found.loss >= min(complying) * (1 - 1e-9) - 1e-9
    assert found.proven == (found.bound >= found.loss)
    assert nodes[tuple(found.levels.values())].lost == found.suppressed_records <= limit


quick = settings(max_examples=250, deadline=None, suppress_health_check=[HealthCheck.too_slow])
full = settings(max_examples=4000, deadline=None, suppress_health_check=[HealthCheck.too_slow])

test_the_optimum_is_that_of_brute_force = quick(given(files(), goals())(check_against_brute_force))
test_the_bound_is_never_above_the_optimum = quick(given(files(), goals(), st.integers(1, 12))(check_the_bound))
test_the_optimum_long = pytest.mark.long(full(given(files(), goals())(check_against_brute_force)))
test_the_bound_long = pytest.mark.long(full(given(files(), goals(), st.integers(1, 12))(check_the_bound)))


def of_many_keys():
    """People with nine keys, and a lattice of 163,840 nodes."""
    frame = bench_population(4000).select("age", "edu", "region", "marital", "act", "sex", "nat", "industry", "hsize")
    trees = {"age": intervals(0, 110, levels=(5, 10, 20))}
    for name in frame.columns[1:]:
        codes = sorted(set(frame[name].to_list()))
        trees[name] = neighbours(codes, levels=[width for width in (2, 4) if width < len(codes)])
    return frame, Generalization(hierarchies=trees, k=3, suppression_limit=0.05)


def stopped_after(method, frame, looks):
    """What is found where time is counted by the times that it is asked for."""
    ticks = itertools.count()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(time, "monotonic", lambda: float(next(ticks)))
        return method.model_copy(update={"time_budget": float(looks)}).apply(frame)


def test_there_is_a_good_choice_long_before_the_proof():
    frame, method = of_many_keys()
    whole = method.apply(frame)
    early, later = (stopped_after(method, frame, looks) for looks in (100, 800))
    assert whole.proven and not early.proven and early.explored.height < 100
    assert early.loss <= 1.1 * whole.loss and early.bound < later.bound <= whole.loss <= later.loss <= early.loss


def check_pruning(file, goal):
    """A hopeless node rules out only what does not comply; no node above one is below its floor."""
    frame, method, brute = set_up(file, goal)
    if frame.height < goal["k"] or any(m.get("population", 99) < frame.height for m in goal["models"]):
        return
    data = Microdata(frame)
    lattice = Lattice.of(
        engine(data).encode((*method.keys, *method.sensitive), "strict"), [*method.trees(data).values()]
    )
    wanted = method._goal(lattice, data)
    seen = {levels: wanted.look(levels) for levels in brute.nodes()}
    for node in seen.values():
        before = wanted.loss.floor(node.levels)
        for other in seen.values():
            if all(mine >= theirs for mine, theirs in zip(node.levels, other.levels, strict=True)):
                assert not (node.hopeless and other.feasible)
            if all(mine <= theirs for mine, theirs in zip(node.levels, other.levels, strict=True)):
                assert max(before, node.floor) <= other.loss * (1 + 1e-9) + 1e-9


test_pruning_is_sound = quick(given(files(), goals())(check_pruning))
test_pruning_long = pytest.mark.long(full(given(files(), goals())(check_pruning)))


def test_groups_without_observed_values_do_not_make_a_node_hopeless():
    """Two records with a value spoil a joined group of ten; apart, eight without one comply."""
    frame = pl.DataFrame({"a": ["x"] * 2 + ["y"] * 8, "s": ["u", "u"] + [None] * 8})
    found = Generalization(
        hierarchies={"a": [("x", "*"), ("y", "*")]},
        k=2,
        suppression_limit=0.3,
        models=({"model": "l_diversity", "sensitive": "s", "l": 2},),
    ).apply(frame)
    assert (dict(found.levels), found.suppressed_records) == ({"a": 0}, 2)


def test_the_signature_of_the_design():
    frame = people()
    found = Generalization(hierarchies=TREES, k=3, suppression_limit=0.02, loss="loss").apply(frame)
    assert type(found.data) is pl.DataFrame and found.data.columns == frame.columns
    assert dict(found.levels) == {"edad": 1, "sexo": 0}
    assert found.suppressed_records == 0 and 0 < found.loss < 1
    assert found.data["edad"].to_list() == [f"{age // 10 * 10}s" for age in frame["edad"]]
    assert found.data["ingreso"].equals(frame["ingreso"])


def test_labels_levels_and_missing_codes_reach_the_dictionary():
    book = Dictionary.of(
        Variable(name="edad", level="discrete", missing={999: "non_response"}),
        Variable(name="sexo", values={"M": "Mujer", "H": "Hombre"}),
    )
    rows = [*people()["edad"].to_list(), 999, 999, 999, None, None, None]
    frame = pl.DataFrame({"edad": rows, "sexo": people()["sexo"].to_list() + ["M"] * 6})
    found = Generalization(hierarchies=TREES, k=3).apply(Microdata(frame, book)).data
    assert found.column("edad")[-6:].to_list() == ["999"] * 3 + [None] * 3
    edad = found.dictionary["edad"]
    assert edad.level == "categorical" and dict(edad.missing) == {"999": "non_response"}
    assert found.dictionary["sexo"].values["M"] == "Mujer"


def test_levels_can_be_set_or_bounded():
    free = Generalization(hierarchies=TREES, k=3).apply(people())
    assert dict(free.levels) == {"edad": 1, "sexo": 0}
    assert dict(Generalization(hierarchies=TREES, k=3, levels={"edad": 2}).apply(people()).levels)["edad"] == 2
    kept = Generalization(hierarchies=TREES, k=3, suppression_limit=1.0, levels={"edad": (0, 0), "sexo": 0})
    found = kept.apply(people())
    assert dict(found.levels) == {"edad": 0, "sexo": 0} and found.suppressed_records > 0
    assert found.explored.height == 1 and found.proven


def test_the_office_sees_what_it_chooses_from():
    found = Generalization(hierarchies=TREES, k=3, suppression_limit=0.3).apply(people())
    choices = found.choices()
    assert choices.columns == ["levels", "feasible", "risk", "loss", "suppressed", "share", "chosen"]
    assert choices["suppressed"].is_sorted() and choices["loss"].is_sorted(descending=True)
    assert choices.filter("chosen")["loss"].to_list() == [found.loss]
    assert found.to_dict()["explored"] == found.explored.height
    for language in ("es", "en"):
        with speaking(language):
            picture = found.picture()
            assert str(found.explored.height) in picture.alternative
            assert picture.specification["data"]["values"][-1]["loss"] == found.loss
            assert "." not in {row["choice"] for row in picture.specification["data"]["values"]}


def test_progress_is_told_and_the_work_can_be_stopped():
    told = []
    Generalization(hierarchies=TREES, k=3).apply(
        people(), Run(key=1, progress=lambda step, done: told.append((step, done)))
    )
    assert {step for step, _ in told} == {"generalization"} and all(0 <= done <= 1 for _, done in told)
    run = Run(key=1)
    run.cancel()
    with pytest.raises(CancelledError):
        Generalization(hierarchies=TREES, k=3).apply(people(), run)


@pytest.mark.parametrize(
    ("fields", "error", "code"),
    [
        ({"k": 1}, OptionError, "option-range"),
        ({"weights": {"otra": 1}}, OptionError, "weights-unknown"),
        ({"levels": {"otra": 1}}, OptionError, "levels-unknown"),
        ({"levels": {"edad": 3}}, OptionError, "level-range"),
        ({"levels": {"edad": (2, 1)}}, OptionError, "level-range"),
        ({"loss": "average_class_size", "factor": 0}, OptionError, "option-range"),
        ({"k": 500}, DataError, "fewer-than-k"),
        ({"k": 199, "levels": {"edad": 0}}, DataError, "generalization-impossible"),
        ({"hierarchies": {"edad": [("20", "*")]}}, DataError, "hierarchy-incomplete"),
        ({"hierarchies": {"edad": [(str(age),) for age in range(20, 60)]}}, OptionError, "hierarchy-one-level"),
        ({"hierarchies": {"nada": TREES["sexo"]}}, RoleError, "variable-unknown"),
        ({"models": [{"model": "l_diversity", "sensitive": "sexo", "l": 2}]}, RoleError, "sensitive-is-key"),
        ({"models": [{"model": "k_map", "k": 5, "population": 10}]}, DataError, "population-too-small"),
    ],
)
@pytest.mark.parametrize("language", ["es", "en"])
def test_what_cannot_be_done_says_why(fields, error, code, language):
    with speaking(language), pytest.raises(error) as caught:
        Generalization(**{"hierarchies": TREES, "k": 3, **fields}).apply(people())
    assert caught.value.code == code
    with speaking(language):
        assert "{" not in str(caught.value) and str(caught.value) != code
