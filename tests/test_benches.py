"""The benches speak of the house as it is: each can be loaded, and the census is run on a few persons."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import Any

import pytest

BENCH = Path(__file__).parents[1] / "bench"


@pytest.fixture(autouse=True)
def beside(monkeypatch: pytest.MonkeyPatch) -> None:
    """Benches import their timing from the file beside them."""
    monkeypatch.syspath_prepend(str(BENCH))


def loaded(name: str) -> Any:
    spec = importlib.util.spec_from_file_location(f"bench_{name}", BENCH / f"{name}.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("name", sorted(path.stem for path in BENCH.glob("*.py") if path.stem != "measure"))
def test_every_bench_can_be_loaded(name: str) -> None:
    assert loaded(name).__doc__


@pytest.mark.parametrize("case", ["sex-age", "chain", "crossing", "questions"])
def test_a_census_of_few_persons_passes_the_checks_of_its_bench(case: str, tmp_path: Path) -> None:
    bench = loaded("topdown")
    bench.population(3000).write_parquet(tmp_path / "few.parquet")
    found = bench.alone(case, str(tmp_path / "few.parquet"))
    assert found["cells"] == {"sex-age": 202, "chain": 2222, "crossing": 4444, "questions": 85_800}[case]
    assert set(found["errors"]) >= {"total"} and found["gb"] > 0
