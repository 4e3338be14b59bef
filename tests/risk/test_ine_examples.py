"""The worked examples of INE's standard (2021): Tablas 17 and 18, and the household risk of task 3-2.3.

The standard's text defines r = 1/F; the figures it prints are those of the Benedetti-Franconi estimator. The text also
says that half of the records exceed 1 %; by the printed figures it is six of ten.
"""

from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from celosia import risk
from celosia.core.errors import CelosiaWarning

KEYS = ["area", "sexo", "educacion", "laboral"]
TABLA_17 = """\
Urbana,Mujer,Secundaria incompleta,Ocupado,180
Urbana,Mujer,Secundaria incompleta,Ocupado,180
Urbana,Mujer,Primaria incompleta,No está en la fuerza laboral,215
Urbana,Hombre,Secundaria completa,Ocupado,76
Rural,Mujer,Secundaria completa,No ocupado,186
Urbana,Hombre,Secundaria completa,Ocupado,76
Urbana,Mujer,Primaria completa,No está en la fuerza laboral,180
Urbana,Hombre,Postsecundaria,No ocupado,215
Urbana,Mujer,Secundaria incompleta,No está en la fuerza laboral,186
Urbana,Mujer,Secundaria incompleta,No está en la fuerza laboral,76
"""
PRINTED = [0.0054, 0.0054, 0.0251, 0.0126, 0.0282, 0.0126, 0.0290, 0.0251, 0.0074, 0.0074]


@pytest.fixture(scope="module")
def persons():
    rows = [line.split(",") for line in TABLA_17.splitlines()]
    return pl.DataFrame(rows, schema=[*KEYS, "peso"], orient="row").with_columns(pl.col("peso").cast(pl.Int64))


def test_frequencies_of_tabla_17(persons):
    found = risk.frequencies(persons, keys=KEYS, weight="peso")
    assert found.sample.tolist() == [2, 2, 1, 2, 1, 2, 1, 1, 2, 2]
    assert found.population.tolist() == [360, 360, 215, 152, 186, 152, 180, 215, 262, 262]


def test_risks_of_tabla_17(persons):
    found = risk.individual(persons, keys=KEYS, weight="peso")
    assert found.risk.round(4).tolist() == PRINTED
    assert found.global_risk == pytest.approx(0.01582, abs=5e-6)
    assert found.above(0.01) == 6
    assert found.risk[0] != pytest.approx(1 / 360, abs=1e-4), "the text's own 1/F is not what it prints"


@pytest.mark.parametrize(("k", "violations"), [(2, 4), (3, 10)])
def test_k_anonymity_of_tabla_17(k, violations, persons):
    found = risk.k_anonymity(persons, keys=KEYS, k=k)
    assert (found.violations, found.share) == (violations, violations / 10)


def test_tabla_18_a_missing_value_may_be_any():
    """The third record shares its key with the first and with the second, which do not share theirs."""
    rows = [("Secundaria completa",), ("Secundaria incompleta",), (None,)]
    frame = pl.DataFrame(rows, schema=["educacion"], orient="row").with_columns(sexo=pl.lit("H"), laboral=pl.lit("O"))
    with pytest.warns(CelosiaWarning):
        found = risk.frequencies(frame, keys=["sexo", "educacion", "laboral"])
    assert found.sample.tolist() == [2, 2, 3]


def test_household_risk_is_that_some_member_is_found():
    """Task 3-2.3: members of risks 0.02, 0.03 and 0.03 make 0.078, the same for every member."""
    persons = pl.DataFrame({"sexo": ["a", "b", "c"], "hogar": [1, 1, 1]})
    found = replace(risk.individual(persons, keys=["sexo"], household="hogar"), of_key=np.array([0.02, 0.03, 0.03]))
    assert found.household_risk.round(3).tolist() == [0.078] * 3
    assert found.household_risk[0] == pytest.approx(1 - 0.98 * 0.97 * 0.97)
