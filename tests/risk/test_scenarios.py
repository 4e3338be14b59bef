"""Several scenarios, several ways of counting, one table."""

import numpy as np
import polars as pl
import pytest

from celosia import Microdata, risk
from celosia.core.errors import CelosiaError

TRUTH = pl.DataFrame({"a": [1, 1, 2, 2, 3, 3], "b": [1, 2, 1, 2, 1, 2], "h": [1, 1, 2, 2, 3, 3], "w": [5.0] * 6})
SHOWN = Microdata(TRUTH).suppress({"b": np.array([1, 1, 0, 0, 0, 0], dtype=bool)})
SCENARIOS = {"vecino": ["a"], "registro": ["a", "b"]}


@pytest.mark.filterwarnings("ignore::celosia.core.errors.CelosiaWarning")
def test_every_row_is_what_it_is_alone():
    rules = ("wildcard", "strict", "intruder")
    found = risk.scenarios(SHOWN, SCENARIOS, weight="w", household="h", missing=rules, truth=TRUTH)
    for (name, rule), together in found.risks.items():
        truth = TRUTH if rule == "intruder" else None
        alone = risk.individual(SHOWN, SCENARIOS[name], weight="w", household="h", missing=rule, truth=truth)
        np.testing.assert_array_equal(together.risk, alone.risk)
        np.testing.assert_array_equal(together.household_risk, alone.household_risk)
    table = found.table()
    assert table.height == 6 and table["counting"].unique().sort().to_list() == sorted(rules)
    assert found["registro", "strict"].frequencies.below(2) == 4
    assert found.picture().svg().startswith("<svg")


def test_one_to_five_scenarios_and_no_truth_in_vain():
    for call in (
        lambda: risk.scenarios(TRUTH, {}),
        lambda: risk.scenarios(TRUTH, {str(i): ["a"] for i in range(6)}),
        lambda: risk.scenarios(TRUTH, SCENARIOS, missing=["intruder"]),
        lambda: risk.scenarios(TRUTH, SCENARIOS, truth=TRUTH),
    ):
        with pytest.raises(CelosiaError):
            call()
