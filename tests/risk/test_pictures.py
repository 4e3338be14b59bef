"""Every measure has a picture with a sentence that says what it shows."""

import polars as pl
import pytest

from celosia import risk

FRAME = pl.DataFrame({"a": [1, 1, 2, 3], "h": [1, 1, 2, 2]})
RESULTS = [
    risk.frequencies(FRAME, ["a"]),
    risk.individual(FRAME, ["a"], household="h"),
    risk.k_anonymity(FRAME, ["a"], k=3),
]


@pytest.mark.parametrize("result", RESULTS, ids=lambda result: type(result).__name__)
def test_it_draws_and_tells(result):
    picture = result.picture()
    assert "%" in picture.alternative and picture.svg().startswith("<svg")
    assert "<table>" in result._repr_html_()


def test_bands_cover_every_record():
    assert RESULTS[0].by_size()["share"].to_list() == [0.5, 0.5, 0, 0, 0, 0]
