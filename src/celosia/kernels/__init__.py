"""Loops on arrays, compiled by numba. They import numpy and numba only, and each other."""

from celosia.kernels._jit import cache_folder

__all__ = ["cache_folder"]
