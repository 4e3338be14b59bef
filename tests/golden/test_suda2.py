"""Special uniques against sdcMicro 5.8.1 (suda2), whose columns ``*_bf`` were computed from the definition."""

import numpy as np
import pytest
import reference

from celosia import risk  # noqa: F401
from celosia.risk.suda2 import suda2

pytestmark = pytest.mark.filterwarnings("ignore::celosia.core.errors.CelosiaWarning")


def measured(case):
    params = case["params"]
    scores = "original" if params["original_scores"] else "ihsn"
    return suda2(
        reference.data(case["dataset"]), params["key_vars"], dis_fraction=params["dis_fraction"], scores=scores
    )


@pytest.mark.parametrize("case", reference.cases("suda2"))
def test_scores_and_contributions_agree_record_by_record(case):
    found, want = measured(case), reference.records(case["expect"]["per_record"])
    np.testing.assert_allclose(found.scores, want["score_bf"], rtol=1e-12, atol=1e-9)
    np.testing.assert_allclose(found.dis, want["dis_score"], rtol=0, atol=case["tolerance"])
    np.testing.assert_allclose(found.dis, want["dis_score_bf"], rtol=1e-9)
    for name in case["params"]["key_vars"]:
        np.testing.assert_allclose(found.contributions[name], want[f"{name}_contribution_bf"], rtol=0, atol=1e-9)
    if not case["expect"]["brute_force"]["n_score_differs_from_R"]:
        np.testing.assert_allclose(found.scores, want["score"], rtol=0, atol=case["tolerance"])


@pytest.mark.parametrize("case", reference.cases("suda2"))
def test_minimal_uniques_by_size_agree(case):
    found = measured(case)
    assert found.table()["minimal_uniques"].to_list() == case["expect"]["brute_force"]["n_msu_by_size"]
    assert 2 * int((found.keys.count == 2).sum()) == case["expect"]["brute_force"]["n_in_pairs"]


@pytest.mark.parametrize("case", reference.cases("suda2"))
def test_contributions_of_variables_and_levels_agree(case):
    found, expect = measured(case), case["expect"]
    ours = dict(found.attribute_contributions().iter_rows())
    for row in expect["attribute_contributions"]:
        assert 100 * ours[row["variable"]] == pytest.approx(row["contribution"], abs=1e-4)
    levels = {(name, level): share for name, level, share in found.level_contributions().iter_rows()}
    for row in expect["attribute_level_contributions"]:
        share = levels[row["variable"], str(row["attribute"])]
        assert (share is None) == (row["contribution"] is None)
        assert share is None or 100 * share == pytest.approx(row["contribution"], abs=1e-4)


@pytest.mark.parametrize("case", reference.cases("suda2"))
def test_bands_of_dis_agree(case):
    found, want = measured(case), case["expect"]["dis_table"]
    assert found.by_dis()["records"].to_list() == want
