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


def lines_of(text: str, field: str) -> tuple[list[int], int]:
    """The line on which each item of a top-level list starts, and the line after the list (from 0)."""
    from ruamel.yaml import YAML

    tree = YAML(typ="rt").load(text)
    items = tree.get(field)
    total = len(text.splitlines())
    later = [tree.lc.key(key)[0] for key in tree if field in tree and tree.lc.key(key)[0] > tree.lc.key(field)[0]]
    starts = [items.lc.item(i)[0] for i in range(len(items))] if items else []
    return starts, min(later, default=total)


def dump(value: Any) -> str:
    """A value as YAML, with text that looks like something else in quotes."""
    from ruamel.yaml import YAML

    yaml = YAML(typ="safe", pure=True)
    yaml.default_flow_style = None
    yaml.allow_unicode = True
    yaml.sort_base_mapping_type_on_output = False  # type: ignore[assignment]
    yaml.indent(mapping=2, sequence=4, offset=2)
    yaml.width = 110
    buffer = io.StringIO()
    yaml.dump(value, buffer)
    return buffer.getvalue()
