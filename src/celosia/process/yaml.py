"""YAML as the plan's authors wrote it: every scalar in its source spelling, comments kept on writing."""

from __future__ import annotations

import io
from typing import Any

from celosia.core.errors import PlanError

_NOTHING = ("", "~", "null")


def load_text(text: str, where: str) -> dict[str, Any]:
    """A YAML mapping with all scalars as text (comuna 01101 stays 01101), nothing as ``None``."""
    from ruamel.yaml import YAML
    from ruamel.yaml.error import MarkedYAMLError, YAMLError

    yaml = YAML(typ="base", pure=True)
    try:
        loaded = yaml.load(text)
    except MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 0
        raise PlanError("yaml-syntax", where=where, line=line) from None
    except YAMLError:
        raise PlanError("yaml-syntax", where=where, line=0) from None
    if not isinstance(loaded, dict):
        raise PlanError("yaml-not-mapping", where=where)
    return {key: _plain(value) for key, value in loaded.items()}


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_plain(item) for item in value]
    return None if value in _NOTHING else value


def edit(text: str) -> Any:
    """A YAML text as a tree that keeps its comments, to be changed and written again."""
    from ruamel.yaml import YAML

    return YAML(typ="rt").load(text)


def dump(tree: Any) -> str:
    """The text of a tree."""
    from ruamel.yaml import YAML

    yaml = YAML(typ="rt")
    yaml.indent(mapping=2, sequence=4, offset=2)
    yaml.width = 110
    buffer = io.StringIO()
    yaml.dump(tree, buffer)
    return buffer.getvalue()
