import warnings

import polars as pl
import pytest

from celosia import CelosiaWarning, risk


def test_a_warning_points_at_the_line_that_called_however_deep_it_was_found():
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always", CelosiaWarning)
        risk.frequencies(pl.DataFrame({"edad": [1, None, 2]}), keys=["edad"])
    assert found
    assert {warning.filename for warning in found} == {__file__}


def test_a_warning_without_anybody_outside_is_still_issued():
    code = "from celosia.core.errors import warn; warn('sample-all-unique')"
    with pytest.warns(CelosiaWarning):
        exec(compile(code, "<house>", "exec"), {"__name__": "celosia.somewhere"})
