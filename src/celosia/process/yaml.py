"""YAML as the plan's authors wrote it: every scalar in its source spelling, comments kept on writing."""

from __future__ import annotations

import io
import re
from typing import Any, NamedTuple

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


class Place(NamedTuple):
    """Where a top-level list stands in a text; lines count from 0."""

    key: int
    """The line of its name, or the last line where the text has no such list."""
    items: tuple[int, ...]
    """The line on which each item starts; none where the list is written within brackets."""
    end: int
    """The line after it."""
    indent: int
    """The column of its dashes."""


def place_of(text: str, field: str) -> Place | None:
    """Where a top-level list stands; ``None`` in a text that is all within braces."""
    from ruamel.yaml import YAML

    tree = YAML(typ="rt").load(text)
    if tree.fa.flow_style():
        return None
    total = len(text.splitlines())
    if field not in tree:
        return Place(total, (), total, 0)
    key, items = tree.lc.key(field)[0], tree[field]
    end = min((tree.lc.key(other)[0] for other in tree if tree.lc.key(other)[0] > key), default=total)
    if not items or items.fa.flow_style():
        return Place(key, (), end, 0)
    return Place(key, tuple(items.lc.item(i)[0] for i in range(len(items))), end, items.lc.col)


_PLAIN = re.compile(r"\w([\w .()%/<>=-]*\w)?")
"""Text that reads the same without quotes, unless it looks like a number or the like."""


def dump(value: Any) -> str:
    """A value as YAML, with text that looks like something else in quotes."""
    from ruamel.yaml import YAML
    from ruamel.yaml.representer import SafeRepresenter

    class Quoting(SafeRepresenter):
        def represent_str(self, data: str) -> Any:
            style = None if _PLAIN.fullmatch(data) else "'"
            return self.represent_scalar("tag:yaml.org,2002:str", data, style=style)

    Quoting.add_representer(str, Quoting.represent_str)
    yaml = YAML(typ="safe", pure=True)
    yaml.Representer = Quoting
    yaml.default_flow_style = None
    yaml.allow_unicode = True
    yaml.sort_base_mapping_type_on_output = False  # type: ignore[assignment]
    yaml.width = 110
    buffer = io.StringIO()
    yaml.dump(value, buffer)
    return buffer.getvalue()
