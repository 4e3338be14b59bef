"""Risky cells against sdcMicro 5.8.1 (riskyCells)."""

import pytest
import reference

from celosia.risk.risky_cells import risky_cells


@pytest.mark.parametrize("case", reference.cases("risky_cells"))
def test_every_table_agrees(case):
    params, expect = case["params"], case["expect"]
    found = risky_cells(
        reference.data(case["dataset"]),
        keys=params["key_vars"],
        max_dim=params["max_dim"],
        threshold=params["threshold"],
    )
    ours = {frozenset(table.variables): (table.threshold, table.risky) for table in found.tables}
    want = reference.records(expect["table"])
    sides = [name for name in want.columns if name.startswith("dim")]
    assert len(ours) == want.height
    for row in want.iter_rows(named=True):
        assert ours[frozenset(row[side] for side in sides if row[side])] == (row["threshold"], row["unsafe_cells"])
    assert found.total == expect["total_unsafe"]
