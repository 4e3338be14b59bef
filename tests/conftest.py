"""Settings of every test: hypothesis profiles, a language, and a cache of compiled kernels that tests share."""

import os

import pytest
from hypothesis import HealthCheck, settings

common = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}
settings.register_profile("quick", max_examples=60, **common)
settings.register_profile("long", max_examples=2000, **common)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "quick"))


@pytest.fixture(autouse=True)
def _spanish(monkeypatch):
    monkeypatch.setenv("CELOSIA_LANG", "es")
