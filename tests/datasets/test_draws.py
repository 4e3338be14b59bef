"""The ways the generators draw."""

from __future__ import annotations

import numpy as np
import pytest

from celosia.core.errors import OptionError
from celosia.core.language import speaking
from celosia.datasets.draws import collected, draw, draw_by, require_size, stream, subdivide


def test_streams_differ_by_name_and_by_key() -> None:
    first = {(key, name): stream(key, name).random() for key in (1, 2, -1) for name in ("a", "b")}
    assert len(set(first.values())) == 6
    assert stream(1, "a").random() == first[1, "a"]


def test_draw_follows_the_shares() -> None:
    found = draw(stream(1, "draw"), {"x": ("X", 3.0), "yy": ("Y", 1.0), "z": ("Z", 0.0)}, 20_000)
    assert set(found) == {"x", "yy"}
    assert (found == "x").mean() == pytest.approx(0.75, abs=0.02)


def test_draw_by_follows_the_shares_of_the_group() -> None:
    group = np.repeat([0, 1, 2], 20_000)
    found = draw_by(stream(1, "by"), [[1, 1, 0], [0, 0, 5], [0, 3, 1]], group)
    shares = [np.bincount(found[group == g], minlength=3) / 20_000 for g in range(3)]
    assert np.allclose(shares, [[0.5, 0.5, 0], [0, 0, 1], [0, 0.75, 0.25]], atol=0.02)
    assert shares[0][2] == shares[1][0] == shares[1][1] == shares[2][0] == 0


def test_collected_skips_exactly_and_leaves_its_input_alone() -> None:
    answers = np.full(10_000, "A")
    asked = np.arange(10_000) % 2 == 0
    found = collected(stream(1, "q"), answers, unanswered={"98": 0.1, "99": 0.2}, asked=asked, skip="97")
    assert (answers == "A").all()
    assert ((found == "97") == ~asked).all()
    assert (found[asked] == "98").mean() == pytest.approx(0.1, abs=0.02)
    assert (found[asked] == "99").mean() == pytest.approx(0.2, abs=0.02)


def test_parts_add_up_to_their_area() -> None:
    share = np.array([0.6, 0.3, 0.1])
    area, size = subdivide(stream(1, "parts"), share, 40, even=0.5, spread=1.0)
    assert np.allclose(np.bincount(area, size), share)
    assert area.size == pytest.approx(40, abs=2)


@pytest.mark.parametrize("language", ["es", "en"])
def test_a_size_below_the_least_is_named(language: str) -> None:
    with pytest.raises(OptionError) as caught, speaking(language):
        require_size("places", 0)
    with speaking(language):
        assert "places" in caught.value.message
