"""Chance of a record: the published vectors, one value in numpy and in numba, even spread, no global state."""

import numpy as np
import polars as pl
import pytest

from celosia import Run
from celosia.core.chance import hash_texts, hash_words, uniforms
from celosia.core.errors import CancelledError, OptionError
from celosia.kernels import chance as loops

KEY = bytes(range(16))
MESSAGE = bytes(range(64))
AUTHORS = {  # SipHash-2-4, 64 bits, key 00..0f, message 00..n-1 (Aumasson & Bernstein, reference vectors)
    0: 0x726FDB47DD0E0E31,
    1: 0x74F839C593DC67FD,
    7: 0xAB0200F58B01D137,
    8: 0x93F5F5799A932462,
    15: 0xA129CA6149BE45E5,
    16: 0x3F2ACC7F57C29BDB,
    63: 0x958A324CEB064572,
}


@pytest.mark.parametrize(("length", "value"), AUTHORS.items())
def test_the_authors_vectors(length, value):
    text = pl.Series([MESSAGE[:length].decode("latin-1")])
    assert text.str.len_bytes()[0] == length
    assert int(hash_texts(KEY, text)[0]) == value


def test_words_are_texts_of_eight_bytes():
    words = np.frombuffer(MESSAGE[:16], dtype="<u8")
    assert int(hash_words(KEY, words[:1], words[1:])[0]) == AUTHORS[16]


def test_texts_of_any_length_and_alphabet_stand_alone():
    texts = pl.Series(["", "ñandú", "a" * 40, "ñandú", "01101"])
    whole = hash_texts(KEY, texts)
    assert whole.tolist() == [int(hash_texts(KEY, texts[i : i + 1])[0]) for i in range(5)]
    assert whole[1] == whole[3] and len(set(whole.tolist())) == 4


def test_loops_and_arrays_agree():
    ids = np.arange(1000, dtype=np.uint64) * np.uint64(2**50 + 3)
    k0, k1 = np.frombuffer(KEY, dtype="<u8")
    out = np.empty(ids.size)
    loops.uniforms(k0, k1, ids, np.uint64(7), out)
    np.testing.assert_array_equal(out, uniforms(KEY, ids, 7))
    assert loops.hash_pair(k0, k1, ids[5], np.uint64(0)) == hash_words(KEY, ids[5:6], np.uint64(0))[0]


def test_uniforms_are_even_and_draws_differ():
    ids = np.arange(200_000, dtype=np.uint64)
    u = Run(key=1).uniforms(ids)
    counts = np.histogram(u, bins=50, range=(0, 1))[0]
    assert ((counts - 4000) ** 2 / 4000).sum() < 95  # chi-square, 49 degrees of freedom, p about 1e-4
    assert abs(np.corrcoef(u, Run(key=1).uniforms(ids, draw=1))[0, 1]) < 0.01


def test_a_run_repeats_and_its_steps_do_not_share():
    ids = np.arange(5, dtype=np.uint64)
    assert Run(key=3).uniforms(ids).tolist() == Run(key=3).uniforms(ids).tolist()
    assert Run(key=3).step("a").uniforms(ids).tolist() != Run(key=3).step("b").uniforms(ids).tolist()
    assert Run(key=3).rng("x").random() == Run(key=3).rng("x").random() != Run(key=3).rng("y").random()
    assert Run().key != Run().key


def test_the_key_does_not_show():
    run = Run(key=bytes(range(32)))
    assert "key" not in repr(run)
    for wrong in (b"short", bytes(16)):
        with pytest.raises(OptionError):
            Run(key=wrong)
    with pytest.raises(OptionError):
        Run(threads=0)


def test_a_cancelled_run_stops():
    seen = []
    run = Run(progress=lambda step, done: seen.append((step, done)))
    run.check("paso", 0.5)
    run.step("otro").cancel()
    with pytest.raises(CancelledError):
        run.check("paso", 1.0)
    assert seen == [("paso", 0.5)]
