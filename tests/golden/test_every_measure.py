"""What every measure says of the same sixty people, kept from version to version.

The figures are ours, written when the tests of definitions (``tests/risk``) agreed with them; a change is a decision:
``CELOSIA_GOLDEN=write pytest tests/golden/test_every_measure.py`` writes them anew.
"""

import json
import os
import warnings
from pathlib import Path

import pytest
from every_measure import ALL, FRAME, MASKED

from celosia.core.language import speaking

FOLDER = Path(__file__).parent / "measures"


def rounded(value):
    """Numbers to ten digits, so that another processor's last bits are no difference."""
    if isinstance(value, float):
        return float(f"{value:.10g}")
    if isinstance(value, dict):
        return {str(name): rounded(item) for name, item in value.items()}
    return [rounded(item) for item in value] if isinstance(value, list | tuple) else value


@pytest.mark.parametrize("name", sorted(set(ALL) - {"calibration"}))
def test_the_figures_are_those_kept(name):
    with warnings.catch_warnings(action="ignore"), speaking("en"):
        result = ALL[name](FRAME, MASKED)
        found = {"figures": rounded(result.to_dict()), "table": rounded(result.table().to_dicts())}
    file = FOLDER / f"{name}.json"
    if os.environ.get("CELOSIA_GOLDEN") == "write":
        file.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", "utf-8")
    assert found == json.loads(file.read_text("utf-8"))
