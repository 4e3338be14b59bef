"""YAML in its source spelling: every key and scalar is the text that was written."""

from __future__ import annotations

from io import StringIO
from typing import Any

from celosia.core.errors import FileError


def load(text: str, path: str) -> Any:
    """The document, with all scalars as text (``01101`` stays ``01101``)."""
    from ruamel.yaml import YAML
    from ruamel.yaml.error import YAMLError

    try:
        return YAML(typ="base", pure=True).load(text)
    except YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        raise FileError("yaml-broken", path=path, line=mark.line + 1 if mark else 1) from None


def dump(document: Any) -> str:
    """The document as YAML, in the order of its keys; texts that look like numbers are quoted."""
    from ruamel.yaml import YAML

    yaml = YAML(typ="safe", pure=True)
    yaml.default_flow_style = False
    yaml.width = 10_000
    yaml.sort_base_mapping_type_on_output = False  # type: ignore[assignment]
    buffer = StringIO()
    yaml.dump(document, buffer)
    return buffer.getvalue()
