"""The stream of words: numpy's own SFC64, word for word, and one stream a number."""

import numpy as np

from celosia.kernels.stream import next_uniform, next_word, start_stream

KEY = np.uint64(11), np.uint64(22)


def begun(number):
    state = np.empty(4, dtype=np.uint64)
    start_stream(*KEY, number, state)
    return state


def test_it_is_the_generator_of_numpy():
    state = begun(7)
    theirs = np.random.SFC64(0)
    whole = theirs.state
    whole["state"]["state"] = state.copy()
    theirs.state = whole
    assert [int(next_word(state)) for _ in range(1000)] == theirs.random_raw(1000).tolist()


def test_streams_differ_and_come_back():
    words = {number: [int(next_word(state)) for _ in range(8)] for number in range(50) for state in [begun(number)]}
    assert len({word for row in words.values() for word in row}) == 400
    state = begun(3)
    assert [int(next_word(state)) for _ in range(8)] == words[3]


def test_uniform_numbers_are_uniform():
    state = begun(1)
    drawn = np.array([next_uniform(state) for _ in range(100_000)])
    assert drawn.min() >= 0 and drawn.max() < 1
    counts = np.bincount((drawn * 50).astype(int), minlength=50)
    assert ((counts - 2000) ** 2 / 2000).sum() < 100  # 49 degrees of freedom: P < 1e-4
