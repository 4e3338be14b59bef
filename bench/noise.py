"""Exact noise, in millions of draws a second, beside rounded normal draws of numpy (which are not exact) and OpenDP.

usage: python bench/noise.py [--draws 10000000]
"""

from __future__ import annotations

import argparse
import sys
from fractions import Fraction

import numpy as np
from measure import alternated, seconds

from celosia.census import SystemBits, noise
from celosia.census.distribution import DiscreteGaussian, DiscreteLaplace

LAWS = [DiscreteGaussian(Fraction(v)) for v in ("1/2", "125/32", "375/16", "10000")] + [DiscreteLaplace(Fraction(4))]
LEAST = 20e6
"""Draws a second: tens of millions are what is promised."""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=10_000_000)
    draws = parser.parse_args().draws
    rng, source, slow = np.random.default_rng(1), SystemBits(), 0
    for law in LAWS:
        sampler = noise.sampler(law)
        deviation = float(law.variance) ** 0.5

        def reference(deviation: float = deviation) -> object:
            return np.rint(rng.normal(0, deviation, draws)).astype(np.int64)

        ours, theirs = alternated(lambda: sampler.draw(draws, source), reference)  # noqa: B023 (called at once)
        slow += draws / ours < LEAST
        print(f"{law!s:<62} {draws / ours / 1e6:7.1f} M/s   {ours / theirs:5.2f} of numpy's rounded normal")
    _opendp(source)
    return 1 if slow else 0


def _opendp(source: SystemBits, draws: int = 1_000_000) -> None:
    """OpenDP's own rejection sampler on a vector, where it is installed."""
    try:
        import opendp.prelude as dp
    except ImportError:
        print("OpenDP is not installed (extra dp)")
        return
    dp.enable_features("contrib")
    space = dp.vector_domain(dp.atom_domain(T=int)), dp.l2_distance(T=float)
    theirs, zeros = dp.m.make_gaussian(*space, scale=(375 / 16) ** 0.5), [0] * draws
    theirs([0] * 10)
    ours = draws / seconds(lambda: noise.gaussian(Fraction(375, 16), draws, source)) / 1e6
    rate = draws / seconds(lambda: theirs(zeros)) / 1e6
    print(f"σ² = 375/16: OpenDP {rate:.2f} M/s, ours {ours:.1f} M/s")


if __name__ == "__main__":
    sys.exit(main())
