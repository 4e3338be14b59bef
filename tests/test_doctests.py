"""Every example in a docstring is run."""

import doctest
import importlib
import pkgutil

import pytest

import celosia

MODULES = [m.name for m in pkgutil.walk_packages(celosia.__path__, "celosia.") if ".kernels" not in m.name]


@pytest.mark.parametrize("name", ["celosia", *MODULES])
def test_examples(name):
    found = doctest.testmod(importlib.import_module(name), optionflags=doctest.NORMALIZE_WHITESPACE)
    assert found.failed == 0
