"""What today's tools took on the same data (``peers.json``), beside our own times on this machine."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from measure import calibration

_MEASURED = json.loads((Path(__file__).parent / "peers.json").read_text("utf-8"))


def peers(bench: str) -> list[dict[str, Any]]:
    """The measured times of a bench; ``here`` is what they would be on this machine."""
    scale = calibration() / _MEASURED["calibration"]
    return [peer | {"here": peer["seconds"] * scale} for peer in _MEASURED[bench]]


def beside(bench: str, task: str, rows: int, took: float) -> None:
    """Print how many times our time the peers of a task took."""
    for peer in peers(bench):
        if (peer["task"], peer["rows"]) == (task, rows):
            loaded = ", on a loaded machine" if peer.get("loaded") else ""
            said = f"{peer['tool']}, {peer['op']}, {rows:,} rows{loaded}"
            print(f"    {said}: {peer['here']:.2f} s scaled; here {took:.3f} s: {peer['here'] / took:,.1f} times")
