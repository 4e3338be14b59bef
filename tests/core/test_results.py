"""How cells read: shares as percentages, digits that mean something, names in the reader's language."""

import pytest

from celosia.core.language import speaking
from celosia.core.results import cell


@pytest.mark.parametrize(
    ("value", "column", "read"),
    [
        (None, "", ""),
        (None, "group", "whole file"),
        (None, "round", "all rounds"),
        ("none", "group", "none"),
        ("strict", "way", "a category"),
        (True, "", "yes"),
        (1234, "", "1,234"),
        (0.5, "share", "50.000\u202f%"),
        (0.05, "at", "5\u202f%"),
        (0.25, "highest_risk", "25.000\u202f%"),
        (0.12731, "", "0.12731"),
        (276.30866, "", "276.309"),
        (18459.73239, "", "18,459.7"),
        (123456789.5, "", "123,456,789.5"),
        (3.0, "", "3"),
        (0.1, "", "0.1"),
        (5.18, "", "5.18"),
        (1394939.97, "", "1,394,940"),
        (1e-9, "", "10⁻⁹"),
        (float("inf"), "", "∞"),
    ],
)
def test_a_cell(value, column, read):
    with speaking("en"):
        assert cell(value, column) == read
