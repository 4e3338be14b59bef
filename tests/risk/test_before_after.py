"""Standard deviations and standardised values, whatever the unit they are in."""

import numpy as np
import polars as pl
import pytest

from celosia import risk
from celosia.risk.before_after import deviations, standardised

X = np.random.Generator(np.random.PCG64(2)).normal(size=(60, 2)) + 3
BEFORE = pl.DataFrame(X, schema=["a", "b"])
AFTER = pl.DataFrame(np.round(X, 1), schema=["a", "b"])
MEASURES = {
    "interval": risk.interval,
    "robust_interval": risk.robust_interval,
    "outliers": risk.outliers,
    "linkage": risk.linkage,
    "rank_linkage": risk.rank_linkage,
}


@pytest.mark.parametrize("unit", [1.0, 1e300, 1e-300, 2.0**-1060])
def test_deviations_are_in_their_unit(unit):
    np.testing.assert_allclose(deviations(X * unit, ("a", "b")) / unit, X.std(axis=0, ddof=1), rtol=1e-3)
    expected = (X - X.mean(axis=0)) / X.std(axis=0, ddof=1)
    np.testing.assert_allclose(standardised(X * unit, ("a", "b")), expected, rtol=1e-2, atol=1e-2)


@pytest.mark.parametrize("name", MEASURES)
@pytest.mark.parametrize("unit", [1e300, 1e-300])
def test_the_unit_of_a_variable_plays_no_part(name, unit):
    plain = MEASURES[name](BEFORE, AFTER)
    assert MEASURES[name](BEFORE * unit, AFTER * unit).share == plain.share
