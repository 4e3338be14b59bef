"""Loops on arrays, compiled by numba. They import numpy and numba only, and each other."""
