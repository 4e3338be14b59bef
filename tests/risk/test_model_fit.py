"""The test of fit: its derivatives, its law where the model holds, and its sign where it does not."""

import numpy as np
import pytest

from celosia.core.language import speaking
from celosia.core.run import Run
from celosia.risk.cells import Cells
from celosia.risk.model_fit import ModelFit, _match_derivatives, assess
from celosia.risk.poisson import fit_margins

SHAPE, FRACTION = (12, 10, 8), 0.1


def sampled(dependence: float, seed: int) -> Cells:
    """Cells of a population with main effects and as much interaction as asked for."""
    chance = np.random.Generator(np.random.PCG64(seed))
    main = [np.exp(chance.normal(0, 0.7, size)) for size in SHAPE]
    mean = np.einsum("i,j,k->ijk", *main) * np.exp(chance.normal(0, dependence, SHAPE))
    records = chance.poisson(mean * 0.6 / mean.mean()).ravel().astype(float)
    return Cells(("a", "b", "c"), SHAPE, records, records / FRACTION, np.flatnonzero(records))


def main_effects(cells: Cells) -> ModelFit:
    return assess(cells, fit_margins(cells.records, SHAPE, [(0,), (1,), (2,)], None, Run(key=0)), 28)


def test_the_statistic_is_near_standard_where_the_model_holds():
    found = [main_effects(sampled(0.0, seed)) for seed in range(60)]
    for z in (np.array([fit.z_1 for fit in found]), np.array([fit.z_2 for fit in found])):
        assert abs(z.mean()) < 0.8 and 0.4 < z.std() < 1.4


def test_missing_interactions_are_seen_as_too_simple_and_every_interaction_as_too_rich():
    cells = sampled(1.2, seed=1)
    assert main_effects(cells).verdict == "under" and main_effects(cells).bias_2 > 0
    rich = assess(cells, cells.records * 0.98 + 0.02 * cells.records.mean(), 900)
    assert rich.verdict == "over"


def test_derivatives_agree_with_differences_and_where_series_and_closed_form_meet():
    v = np.array([0.0099999, 0.0100001, 0.3, 2.0, 30.0])
    slope, curve = _match_derivatives(v)
    h = lambda x: -np.expm1(-x) / x  # noqa: E731
    step = 1e-4 * np.maximum(v, 0.1)
    np.testing.assert_allclose(slope, (h(v + step) - h(v - step)) / (2 * step), rtol=1e-6)
    np.testing.assert_allclose(curve, (h(v + step) - 2 * h(v) + h(v - step)) / step**2, rtol=2e-4)
    assert slope[0] == pytest.approx(slope[1], rel=1e-6) and curve[0] == pytest.approx(curve[1], rel=1e-6)
    assert [float(x[0]) for x in _match_derivatives(np.zeros(1))] == [-1 / 2, 1 / 3]


def test_the_sentence_is_in_both_languages():
    fit = ModelFit(1, 1, 0, 3.21, 5, 4, 3)
    with speaking("es"):
        assert "3,21" in fit.sentence and "simple" in fit.sentence
    with speaking("en"):
        assert "3.21" in str(fit) and "overstates" in str(fit)
