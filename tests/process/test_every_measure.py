"""Every measure works from a study, with what it has at hand, and says what it says of the frame itself."""

import inspect
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from celosia import Dictionary, Microdata, Plan, Run, Study, Variable, risk
from celosia.core.method import Method, Protected
from celosia.risk.measures import BEFORE_AND_AFTER, NAMES

CHANCE = np.random.Generator(np.random.PCG64(21))
ROWS = 90
FRAME = pl.DataFrame(
    {
        "a": CHANCE.integers(1, 4, ROWS),
        "b": CHANCE.integers(1, 6, ROWS),
        "s": CHANCE.choice(["x", "y", "z"], ROWS),
        "n": CHANCE.normal(size=ROWS).round(3),
        "m": CHANCE.normal(size=ROWS).round(3),
        "h": np.arange(ROWS) // 3,
        "id": np.arange(ROWS) % 45,
        "ola": np.arange(ROWS) // 45,
        "w": CHANCE.integers(2, 9, ROWS).astype(float),
    }
)
BOOK = Dictionary.of(Variable(name="n", role="numeric_key"), Variable(name="m", role="numeric_key"))
PLAN = """\
kind: sample
roles: {weight: w, household: h}
sources: {padron: {keys: [a, b], file: padron.csv}}
scenarios:
  padron: {sources: [padron], prioritised: true}
  panel: {keys: [a, b], person: id, round: ola}
groups: {algunos: a == 1}
"""
KEYS = ["a", "b"]
STAYS = {"a": {c: {d: 0.9 if c == d else 0.05 for d in (1, 2, 3)} for c in (1, 2, 3)}}
SENSITIVE = {"sensitive": "s"}
OPTIONS = {
    "k_anonymity": {"k": 3},
    "exact_linkage": SENSITIVE,
    "l_diversity": SENSITIVE,
    "t_closeness": SENSITIVE,
    "alpha_k": SENSITIVE | {"alpha": 0.5, "k": 2},
    "delta_disclosure": SENSITIVE,
    "beta_likeness": SENSITIVE,
    "outliers": {"percentile": 0.9},
    "transition_risk": {"matrices": STAYS},
    "calibration": {"fractions": [0.5], "estimators": ["zayatz", "individual"], "repeats": 2},
}


class Noise(Method):
    """A perturbing method, for these tests."""

    do = "noise-for-tests"
    perturbs = True

    def _transform(self, data, run):
        columns = {name: data.column(name) + 0.01 for name in ("n", "m")}
        moved = pl.Series(np.where(np.arange(data.height) % 10 == 0, 1, data.column("a").to_numpy()))
        return Protected(data.with_columns(columns | {"a": moved}), method=self, run=run)

    def promises(self, before):
        return ()


@pytest.fixture
def study(tmp_path):
    pl.concat([FRAME.select(KEYS)] * 3).write_csv(tmp_path / "padron.csv")
    (tmp_path / "plan.yaml").write_text(PLAN)
    plan = Plan.load(tmp_path / "plan.yaml")
    return Study.of(Microdata(FRAME, BOOK), plan, Run(key=1)).apply(Noise())


def directly(name, study):
    """The same call without a study."""
    before, after = Microdata(FRAME, BOOK), study.data.with_dictionary(BOOK)
    register = pl.read_csv(Path(study.plan.resolve("padron.csv")))
    more = OPTIONS.get(name, {})
    weighed = {"weight": "w"}
    if name in ("k_map", "exact_linkage"):
        return getattr(risk, name)(after, KEYS, register, **more)
    if name == "panel":
        return risk.panel(after, "id", "ola", KEYS, household="h", **weighed)
    if name in ("best_guess", "transition_risk"):
        pair = {"original": before, "masked": study.data, "keys": KEYS}
        return getattr(risk, name)(**pair, **more, **(weighed if name == "transition_risk" else {}))
    if name in BEFORE_AND_AFTER:
        return getattr(risk, name)(before, study.data, **more)
    if name == "attackers":
        return risk.attackers(after, KEYS, register=register, **weighed)
    extra = {"household": "h"} if name == "individual" else {}
    takes_weight = "weight" in inspect.signature(getattr(risk, name)).parameters
    run = {"run": study.run} if name == "calibration" else {}
    return getattr(risk, name)(after, KEYS, **(weighed if takes_weight else {}), **extra, **more, **run)


@pytest.mark.filterwarnings("ignore::celosia.core.errors.CelosiaWarning")
@pytest.mark.parametrize("name", NAMES)
def test_it_says_the_same_from_a_study(name, study):
    if name == "probabilistic_linkage":
        pytest.importorskip("splink", reason="the extra 'attack' (splink) is not installed")
    if name == "exact_linkage":
        pytest.skip("the register of a scenario holds keys only; see the test below")
    scenario = "panel" if name == "panel" else "padron"
    found, wanted = study.measure(name, scenario, **OPTIONS.get(name, {})), directly(name, study)
    assert type(found) is type(wanted) and found.to_dict() == wanted.to_dict()
    assert found.picture().alternative
    if hasattr(found, "by_record"):
        assert study.grouped(found, scenario).table()["group"].to_list() == [None, "algunos"]


def test_exact_linkage_takes_a_register_with_the_sensitive_value(study):
    found = study.measure("exact_linkage", "padron", register=FRAME, sensitive="s")
    assert found.to_dict() == risk.exact_linkage(study.data, KEYS, FRAME, "s").to_dict()
