"""Numbers come through one door, and no missing code is a number."""

import numpy as np
import polars as pl
import pytest

from celosia import Dictionary, Microdata, Variable
from celosia.core.errors import DataError
from celosia.core.values import numeric


def test_every_missing_kind_is_masked():
    frame = pl.DataFrame({"x": [1, 99, None, -97, 4]})
    missing = {99: "non_response", -97: "not_applicable"}
    data = Microdata(frame, Dictionary.of(Variable(name="x", missing=missing)))
    data = data.suppress({"x": np.array([0, 0, 0, 0, 1], dtype=bool)})
    np.testing.assert_array_equal(numeric(data, "x"), [1, np.nan, np.nan, np.nan, np.nan])


def test_text_has_no_numbers():
    with pytest.raises(DataError, match="x"):
        numeric(Microdata(pl.DataFrame({"x": ["1"]})), "x")
