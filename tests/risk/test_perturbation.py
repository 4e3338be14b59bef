"""Risk of perturbed files: posterior weights by their definition, and the best guess by brute force."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import key_frames

from celosia import Dictionary, Microdata, Variable, risk
from celosia.core.errors import CelosiaError

quiet = pytest.mark.filterwarnings("ignore::celosia.core.errors.CelosiaWarning")


def matrix(codes, stay):
    return {a: {b: stay + (1 - stay) / len(codes) if a == b else (1 - stay) / len(codes) for b in codes} for a in codes}


def perturbed(frame, keys, stay, seed):
    chance = np.random.Generator(np.random.PCG64(seed))
    columns = {}
    for key in keys:
        codes = frame[key].unique().sort().to_numpy()
        moved = chance.random(frame.height) >= stay
        columns[key] = pl.Series(np.where(moved, chance.choice(codes, frame.height), frame[key].to_numpy()))
    return frame.with_columns(**columns)


@given(key_frames(max_keys=3, missing=False, max_rows=25), st.sampled_from([0.0, 0.4, 0.9, 1.0]))
def test_the_posterior_is_its_definition(frame, stay):
    keys = [name for name in frame.columns if name != "w"]
    masked = perturbed(frame, keys, stay, 1)
    matrices = {key: matrix(frame[key].unique().to_list(), stay) for key in keys}
    found = risk.transition_risk(frame, masked, keys, matrices)

    def chance(x, y):
        return np.prod([matrices[k][a][b] for k, a, b in zip(keys, x, y, strict=True)])

    true, shown = frame.select(keys).rows(), masked.select(keys).rows()
    expected = [chance(x, y) / sum(chance(z, y) for z in true) for x, y in zip(true, shown, strict=True)]
    np.testing.assert_allclose(found.posterior, expected, atol=1e-12)


@given(key_frames(max_keys=3, missing=False, max_rows=25), st.sampled_from([0.4, 1.0]), st.data())
def test_an_emptied_cell_tells_nothing_and_hides_nothing_else(frame, stay, draw):
    keys = [name for name in frame.columns if name != "w"]
    masked = perturbed(frame, keys[:1], stay, 5)
    gone = {k: np.array(draw.draw(st.lists(st.booleans(), min_size=frame.height, max_size=frame.height))) for k in keys}
    matrices = {keys[0]: matrix(frame[keys[0]].unique().to_list(), stay)}
    found = risk.transition_risk(Microdata(frame), Microdata(masked).suppress(gone), keys, matrices)

    def chance(i, j):
        visible = [k for k in keys if not gone[k][j]]
        cells = [(k, frame[k][i], masked[k][j]) for k in visible]
        return np.prod([matrices[k][a][b] if k in matrices else a == b for k, a, b in cells])

    people = range(frame.height)
    expected = [chance(j, j) / sum(chance(i, j) for i in people) for j in people]
    np.testing.assert_allclose(found.posterior, expected, atol=1e-12)


def test_shuffled_records_are_matched_by_their_id():
    frame = pl.DataFrame({"a": [1, 1, 2, 3], "id": [7, 8, 9, 10]})
    book = Dictionary.of(Variable(name="id", role="id"))
    before = Microdata(frame, book, key=bytes(16))
    after = Microdata(frame[[3, 1, 0, 2]], book, key=bytes(16))
    assert risk.best_guess(before, after, ["a"]).chance.tolist() == [1.0, 0.5, 0.5, 1.0]
    assert risk.transition_risk(before, after, ["a"], {}).posterior.tolist() == [1.0, 0.5, 0.5, 1.0]
    counts = risk.frequencies(after, ["a"], missing="intruder", truth=before)
    assert counts.sample.tolist() == [1, 2, 2, 1]


def test_files_of_other_ids_are_not_the_same_people():
    frame = pl.DataFrame({"a": [1, 1, 2, 3], "id": [7, 8, 9, 10]})
    book = Dictionary.of(Variable(name="id", role="id"))
    before, after = Microdata(frame, book, key=bytes(16)), Microdata(frame, book, key=bytes([1] * 16))
    for call in (
        lambda: risk.best_guess(before, after, ["a"]),
        lambda: risk.frequencies(after, ["a"], missing="intruder", truth=before),
    ):
        with pytest.raises(CelosiaError) as error:
            call()
        assert error.value.code == "masked-ids" and error.value.facts["count"] == 4 and "key=" in error.value.fix


@given(key_frames(max_keys=3, missing=False))
def test_the_identity_gives_the_unperturbed_risk_and_equal_rows_one_over_n(frame):
    keys = [name for name in frame.columns if name != "w"]
    plain = risk.individual(frame, keys).risk
    same = {key: matrix(frame[key].unique().to_list(), 1.0) for key in keys}
    np.testing.assert_allclose(risk.transition_risk(frame, frame, keys, same).posterior, plain)
    np.testing.assert_allclose(risk.transition_risk(frame, frame, keys, {}).posterior, plain)
    flat = {key: matrix(frame[key].unique().to_list(), 0.0) for key in keys}
    masked = perturbed(frame, keys, 0.0, 2)
    np.testing.assert_allclose(risk.transition_risk(frame, masked, keys, flat).posterior, 1 / frame.height)


def test_sample_uniques_by_hand():
    frame = pl.DataFrame({"a": [1, 1, 2], "w": [10.0, 30.0, 5.0]})
    found = risk.transition_risk(frame, frame, ["a"], {"a": {1: {1: 0.9, 2: 0.1}, 2: {2: 0.8, 1: 0.2}}}, weight="w")
    # the only unique shows 2: M_22 / (F_1 M_12 + F_2 M_22)
    assert found.uniques.tolist() == pytest.approx([0.8 / (40 * 0.1 + 5 * 0.8)])


def test_a_unique_whose_key_is_nobody_s_is_never_right():
    frame = pl.DataFrame({"a": [1, 1, 2], "b": [1, 1, 1]})
    masked = frame.with_columns(b=pl.Series([1, 1, 2]))
    found = risk.transition_risk(frame, masked, ["a", "b"], {"b": {1: {1: 0.9, 2: 0.1}, 2: {1: 0.1, 2: 0.9}}})
    assert found.uniques.tolist() == [0.0], "(2, 2) is nobody's true key"


@given(key_frames(max_keys=3, missing=False, max_rows=25), st.sampled_from([0.0, 0.4, 0.9, 1.0]))
def test_the_chance_of_a_sample_unique_is_its_definition(frame, stay):
    keys = [name for name in frame.columns if name != "w"]
    masked = perturbed(frame, keys, stay, 4)
    matrices = {key: matrix(frame[key].unique().to_list(), stay) for key in keys}
    found = risk.transition_risk(frame, masked, keys, matrices).uniques
    true, shown = frame.select(keys).rows(), masked.select(keys).rows()
    expected = []
    for j in (y for y in shown if shown.count(y) == 1):
        lands = [np.prod([matrices[k][a][b] for k, a, b in zip(keys, x, j, strict=True)]) for x in (j, *true)]
        expected.append(lands[0] / sum(lands[1:]) if j in true else 0.0)
    np.testing.assert_allclose(found, expected, atol=1e-12)
    assert (found <= 1 + 1e-12).all()


def test_matrices_may_be_a_table_of_transitions():
    frame = pl.DataFrame({"a": ["01", "01", "02"], "b": [1, 2, 2]})
    matrices = {"a": {"01": {"01": 0.9, "02": 0.1}, "02": {"02": 0.8, "01": 0.2}}}
    rows = [(name, x, y, p) for name, matrix in matrices.items() for x, row in matrix.items() for y, p in row.items()]
    table = pl.DataFrame(rows, schema=["variable", "from", "to", "probability"], orient="row")
    expected = risk.transition_risk(frame, frame, ["a", "b"], matrices)
    for given_ in (table, table.to_pandas(), table.to_arrow(), table[::-1]):
        np.testing.assert_array_equal(
            risk.transition_risk(frame, frame, ["a", "b"], given_).posterior, expected.posterior
        )
    for wrong in (pl.concat([table, table[:1]]), table.with_columns(probability=pl.lit(None, dtype=pl.Float64))):
        with pytest.raises(CelosiaError) as error:
            risk.transition_risk(frame, frame, ["a", "b"], wrong)
        assert error.value.code == "matrix-table"
    with pytest.raises(CelosiaError) as error:
        risk.transition_risk(frame, frame, ["a", "b"], table.rename({"to": "a"}))
    assert error.value.code == "variable-unknown"


@quiet
@given(key_frames(max_keys=3, missing=False, max_rows=20), st.sampled_from([0.2, 0.8]), st.booleans())
def test_the_best_guess_is_its_definition(frame, stay, hide):
    keys = [name for name in frame.columns if name != "w"]
    masked = Microdata(perturbed(frame, keys, stay, 3))
    if hide:
        masked = masked.suppress({keys[0]: np.arange(frame.height) % 3 == 0})
    found = risk.best_guess(frame, masked, keys)
    true, shown = frame.select(keys).rows(), masked.frame.select(keys).rows()
    for i, x in enumerate(true):
        agree = [sum(b is None or a == b for a, b in zip(x, y, strict=True)) for y in shown]
        best = max(agree)
        expected = 1 / agree.count(best) if agree[i] == best else 0.0
        assert found.chance[i] == pytest.approx(expected) and found.agreeing[i] == best


def test_k_anonymity_improves_while_the_guess_hardly_moves():
    chance = np.random.Generator(np.random.PCG64(6))
    frame = pl.DataFrame(chance.integers(0, 12, (2000, 3)), schema=["a", "b", "c"])
    masked = frame.with_columns(a=pl.Series(np.where(chance.random(2000) < 0.1, 0, frame["a"].to_numpy())))
    keys = ["a", "b", "c"]
    before, after = risk.k_anonymity(frame, keys, k=3), risk.k_anonymity(masked, keys, k=3)
    guess_before, guess_after = risk.best_guess(frame, frame, keys), risk.best_guess(frame, masked, keys)
    assert after.violations < before.violations
    assert guess_after.share > 0.85 * guess_before.share


def test_wrong_matrices_and_files_are_refused():
    frame = pl.DataFrame({"a": [1, 2]})
    for call, code in (
        (lambda: risk.transition_risk(frame, frame, ["a"], {"z": {}}), "matrix-not-key"),
        (lambda: risk.transition_risk(frame, frame, ["a"], {"a": {1: {1: 0.5}}}), "matrix-row"),
        (lambda: risk.transition_risk(frame, frame[:1], ["a"], {}), "truth-records"),
        (lambda: risk.transition_risk(frame, frame[::-1], ["a"], {}), "matrix-impossible"),
        (lambda: risk.transition_risk(frame, frame[::-1], ["a"], {"a": {1: {1: 1}, 2: {1: 1}}}), "matrix-impossible"),
        (lambda: risk.transition_risk(frame[:0], frame[:0], ["a"], {}), "no-records"),
        (lambda: risk.best_guess(frame, frame[:1], ["a"]), "truth-records"),
    ):
        with pytest.raises(CelosiaError) as error:
            call()
        assert error.value.code == code
