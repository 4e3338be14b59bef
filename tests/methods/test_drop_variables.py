"""Variables leave with all that is known of them."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

from celosia.core.dictionary import Dictionary, Variable
from celosia.core.errors import DataError, OptionError, RoleError
from celosia.core.microdata import Microdata
from celosia.methods import DropVariables


def test_column_description_and_marks_leave():
    book = Dictionary.of(Variable(name="rut", label="RUT"), Variable(name="sexo", label="Sexo"))
    data = Microdata(pl.DataFrame({"rut": ["1-9", "2-7"], "sexo": [1, 2], "z": [0, 0]}), book)
    data = data.suppress({"rut": np.array([True, False])})
    left = DropVariables(variables=("rut",)).apply(data).data
    assert left.variables == ("sexo", "z")
    assert left.dictionary.names == ("sexo",)
    assert left.marked == ()
    assert data.variables == ("rut", "sexo", "z")


def test_a_dropped_id_still_names_the_records():
    data = Microdata(pl.DataFrame({"id": ["a", "b"], "x": [1, 2]}), Dictionary.of(Variable(name="id", role="id")))
    left = DropVariables(variables=("id",)).apply(data).data
    assert left.ids.tolist() == data.ids.tolist()


def test_pandas():
    frame = pd.DataFrame({"a": [1], "b": ["x"]}, index=["r"])
    pd.testing.assert_frame_equal(DropVariables(variables=("a",)).apply(frame).data, frame[["b"]])


def test_everything_may_not_leave():
    with pytest.raises(DataError) as caught:
        DropVariables(variables=("a", "b")).apply(pl.DataFrame({"a": [1], "b": [2]}))
    assert caught.value.code == "drop-all-variables"


def test_unknown_variables_and_fields():
    with pytest.raises(RoleError):
        DropVariables(variables=("nada",)).apply(pl.DataFrame({"a": [1], "b": [2]}))
    for options in ({"variables": ()}, {"variables": ("a",), "foo": 1}, {"variables": "a"}):
        with pytest.raises(OptionError):
            DropVariables(**options)
