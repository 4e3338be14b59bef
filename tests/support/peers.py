"""Peers that pin old libraries, called in the environment that ``make peers`` makes, over Parquet."""

from __future__ import annotations

import json
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import polars as pl
import pytest

PYTHON = Path(__file__).parents[2] / ".venv-peers" / "bin" / "python"

needs_peers = pytest.mark.skipif(not PYTHON.exists(), reason="no environment of the peers; `make peers` makes it")

_CALL = """
import json, os, sys
import pandas as pd
from pycanon import anonymity
frame = pd.read_parquet(sys.argv[1], use_threads=False)
measure, *arguments = json.loads(sys.argv[2])
found = getattr(anonymity, measure)(frame, *arguments)
print(json.dumps(list(found) if isinstance(found, tuple) else found, default=float), flush=True)
os._exit(0)  # old libraries may abort while they are unloaded
"""


def pycanon(frame: pl.DataFrame, measure: str, *arguments: Any) -> Any:
    """What pycanon says of a frame."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "frame.parquet"
        frame.write_parquet(path)
        call = [str(PYTHON), "-c", _CALL, str(path), json.dumps([measure, *arguments])]
        done = subprocess.run(call, capture_output=True, text=True, check=True, timeout=120)
    return json.loads(done.stdout.strip().splitlines()[-1])
