"""The reference values of another tool, where this machine has them."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import polars as pl
import pytest


def _folder() -> Path:
    """Where ``CELOSIA_REFERENCE`` says, else ``shared/reference`` beside the checkout or a folder above it."""
    named = os.environ.get("CELOSIA_REFERENCE")
    beside = [folder / "shared" / "reference" for folder in Path(__file__).resolve().parents[3:]]
    return Path(named) if named else next((folder for folder in beside if folder.is_dir()), beside[0])


FOLDER = _folder()

needs_reference = pytest.mark.skipif(not FOLDER.is_dir(), reason="the reference folder is not on this machine")


def cases(topic: str) -> list[Any]:
    """The golden cases of a topic, as pytest parameters; none where the folder is absent."""
    path = FOLDER / f"{topic}.json"
    if not path.exists():
        return [pytest.param(None, marks=needs_reference, id=topic)]
    return [pytest.param(case, id=case["id"]) for case in json.loads(path.read_text("utf-8"))]


def data(name: str) -> pl.DataFrame:
    """A data set of the reference."""
    return pl.read_csv(FOLDER / "data" / f"{name}.csv", infer_schema_length=None)


def records(file: str) -> pl.DataFrame:
    """A table of expected values, one row a record."""
    return pl.read_csv(FOLDER / file, infer_schema_length=None, null_values=["NA"])
