"""The optimal recoding and local recoding against ARX 3.9.2, on adult (``arx`` of the reference folder).

Differences on purpose, each tested below:

* ``gs1`` and ``maximum`` have many nodes of equal loss; which one comes out depends on the order of the search.
* Sample-level models (``avg``, ``su``, ``pu``): among groups of one size ARX suppresses those first that lose least, we
  those that lose most anyway, and ARX bisects over all groups where a bisection may end at a needlessly long prefix, we
  look from the shortest up. Ours are never worse, and satisfied by the same definition.
* ``el3``: six records stand in groups of exactly three equally frequent values. Their entropy is log 3; ARX's sum of
  logarithms is rounded to less.
* The entropy without suppression (``entropym``) is ``entropy`` with a factor of 0.
* KL divergence is not offered as a loss: what ARX's choice suppresses is compared.
* Delta-presence and k-map on a research subset are not offered: they speak of a file of which a part is published.
"""

import json
from functools import cache

import polars as pl
import pytest
import reference

from celosia.core.hierarchy import Hierarchy
from celosia.methods.generalization import Generalization
from celosia.methods.local_recoding import LocalRecoding

LOSSES = {
    "loss": "loss",
    "disc": "discernibility",
    "entropy": "entropy",
    "entropym": "entropy",
    "nentropy": "normalised_entropy",
    "prec": "precision",
    "height": "height",
    "aecs": "average_class_size",
}
NOT_OFFERED = {"kl", "ambig", "discm", "dp", "kmapsub", "gel"}
TIED = {"k5_s0.05_loss_gs1", "k5_s0.05_loss_maximum"}
BETTER = ("avg", "su", "pu")
ROUNDED = {"k5_el3_s0.05_loss": 6}
USA = 318_900_000


def cases(local=False, without=frozenset()):
    path = reference.FOLDER / "arx" / "arx_adult.json"
    if not path.exists():
        return [pytest.param(None, marks=reference.needs_reference, id="arx")]
    known = json.loads(path.read_text("utf-8"))["configurations"]
    slow = ("PITMAN", "USA")
    return [
        pytest.param(case, id=case["id"], marks=[pytest.mark.long] if any(s in case["id"] for s in slow) else [])
        for case in known
        if local == ("local_recoding" in case) and asked_for(case) & NOT_OFFERED == without
    ]


def asked_for(case):
    return {part.split(":")[0] for part in case["privacy_models"].split(";")} | {case["metric"].split(":")[0]}


@cache
def adult():
    return pl.read_csv(reference.FOLDER / "arx" / "adult.csv", separator=";")


@cache
def hierarchy(name):
    return Hierarchy.from_csv(reference.FOLDER / "arx" / f"adult_hierarchy_{name}.csv")


def model(kind, *facts):
    """A model in our words."""
    name = facts[0]
    number = [float(fact) for fact in facts[1:] if fact.replace(".", "").isdigit()]
    if kind in ("dl", "el"):
        senses = {"dl": "distinct", "el": "entropy"}
        return {"model": "l_diversity", "sensitive": name, "l": number[0], "kind": senses[kind]}
    if kind == "rl":
        return {"model": "l_diversity", "sensitive": name, "c": number[0], "l": number[1], "kind": "recursive"}
    if kind in ("te", "to", "th"):
        distance = {"te": "equal", "to": "ordered", "th": "hierarchical"}[kind]
        tree = {"hierarchy": hierarchy(name)} if kind == "th" else {}
        return {"model": "t_closeness", "sensitive": name, "t": number[0], "distance": distance} | tree
    if kind == "dd":
        return {"model": "delta_disclosure", "sensitive": name, "delta": number[0]}
    if kind in ("bb", "eb"):
        sense = {"bb": "basic", "eb": "enhanced"}[kind]
        return {"model": "beta_likeness", "sensitive": name, "beta": number[0], "kind": sense}
    if kind == "kmap":
        people = adult().height / number[1]
        return {"model": "k_map", "k": int(name), "alpha": number[0], "population": people} | (
            {"zero_truncated": True} if facts[-1] == "zt" else {}
        )
    if kind == "avg":
        return {"model": "average_risk", "risk": float(name)}
    if kind == "avg3":
        return {"model": "average_risk", "risk": float(name), "highest": number[0], "at_risk": number[1]}
    if kind == "su":
        return {"model": "sample_uniqueness", "share": float(name)}
    people = USA if facts[2] == "USA" else adult().height / float(facts[2])
    return {
        "model": "population_uniqueness",
        "share": float(name),
        "estimator": facts[1].lower(),
        "population": people,
    }


def fields(case):
    """The options of a configuration."""
    parts = [part.split(":") for part in case["privacy_models"].split(";")]
    metric, *rest = case["metric"].split(":")
    weights = [pair.split(":") for pair in (case["weights"] or "").split(",") if pair]
    return {
        "hierarchies": {name: hierarchy(name) for name in case["levels"]},
        "k": next((int(part[1]) for part in parts if part[0] == "k"), 1),
        "models": [model(*part) for part in parts if part[0] != "k"],
        "suppression_limit": case["suppression_limit"],
        "loss": LOSSES[metric],
        "factor": float(rest[0]) if rest else 0.0 if metric == "entropym" else 0.5,
        "aggregate": rest[1].lower() if rest[1:] else None,
        "weights": {name: float(weight) for name, weight in weights},
    }


@pytest.mark.parametrize("case", cases())
def test_the_optimum_is_that_of_arx(case):
    found = Generalization(**fields(case)).apply(adult())
    assert found.proven and found.bound == found.loss
    if case["privacy_models"].startswith(BETTER):
        assert found.loss <= case["score"] * (1 + 1e-9)
        return
    if case["id"] in ROUNDED:
        assert found.levels == case["levels"] and found.loss < case["score"]
        assert found.suppressed_records == case["suppressed_in_output"] - ROUNDED[case["id"]]
        return
    assert found.loss == pytest.approx(case["score"], rel=1e-9, abs=1e-9)
    if case["id"] not in TIED:
        assert found.levels == case["levels"]
        assert found.suppressed_records == case["suppressed_in_output"]


@pytest.mark.parametrize("case", cases(without={"kl"}))
def test_where_the_loss_is_not_offered_its_choice_suppresses_the_same(case):
    wanted = {**fields({**case, "metric": "loss"}), "levels": case["levels"]}
    found = Generalization(**wanted).apply(adult())
    assert dict(found.levels) == case["levels"]
    assert found.suppressed_records == case["suppressed_in_output"] == case["verified"]["suppressed"]


def share_lost(found, names):
    """The loss of published cells: a code has the share of the lowest level that holds it."""
    total = 1.0
    for name in names:
        tree = hierarchy(name)
        leaves = {}
        for level in reversed(range(tree.depth)):
            at = [row[level] for row in tree.rows]
            leaves |= {code: at.count(code) / len(at) for code in set(at)}
        cells = found[name].cast(pl.String).value_counts(name="n")
        given = sum(n * (1.0 if code is None else leaves[code]) for code, n in cells.iter_rows())
        least = found.height / len(tree.rows)
        total *= 1 + max(0.0, (given - least) / (found.height - least))
    return total ** (1 / len(names)) - 1


@pytest.mark.parametrize("case", cases(local=True))
def test_local_recoding_loses_no_more_than_arx(case):
    names = list(case["levels"])
    wanted = fields(case)
    options = {name: wanted[name] for name in ("hierarchies", "k", "models")}
    found = LocalRecoding(**options).apply(adult())
    assert share_lost(found.data, names) <= case["local_recoding"]["verified_loss_geometric"]


@reference.needs_reference
def test_local_recoding_of_adult_at_five():
    names = adult().columns
    found = LocalRecoding(hierarchies={name: hierarchy(name) for name in names}, k=5).apply(adult())
    assert share_lost(found.data, names) <= 0.053
    assert found.loss == pytest.approx(share_lost(found.data, names), abs=1e-6)
