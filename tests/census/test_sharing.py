import numpy as np
import pytest

from celosia.census.sharing import share_out


def shared(total, near, variance, high=100):
    near = np.array(near, dtype=float)
    zeros = np.zeros(near.size, dtype=np.int64)
    return share_out(total, near, np.array(variance, dtype=float), zeros, zeros + high).tolist()


def test_what_was_never_measured_gives_way_to_all_the_rest():
    assert shared(10, [3, 0], [1, np.inf]) == pytest.approx([3, 7], abs=1e-6)
    assert shared(10, [3, 0, 0], [1, np.inf, np.inf]) == pytest.approx([3, 3.5, 3.5], abs=1e-6)
    assert shared(1, [0, 0], [np.inf, np.inf]) == pytest.approx([0.5, 0.5])
    assert sum(shared(150, [3, 0], [1, np.inf])) == pytest.approx(150)
