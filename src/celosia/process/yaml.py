"""YAML as the plan's authors wrote it: every scalar in its source spelling, comments kept on writing."""

from __future__ import annotations

import io
import re
from collections.abc import Iterable
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
    """Where a top-level list stands; ``None`` in a text that is all within braces.

    The text is only composed, never made into values, so that codes like ``01`` and ``1`` stay two.
    """
    from ruamel.yaml import YAML

    tree = YAML(typ="base", pure=True).compose(text)
    if tree.flow_style:
        return None
    lines = text.splitlines()
    total = len(lines)
    starts = {key.value: key.start_mark.line for key, _ in tree.value}
    if field not in starts:
        return Place(total, (), total, 0)
    key = starts[field]
    end = min((line for line in starts.values() if line > key), default=total)
    items = next(value for name, value in tree.value if name.value == field)
    if not isinstance(items.value, list) or not items.value or items.flow_style:
        return Place(key, (), end, 0)
    indent = items.start_mark.column
    return Place(key, tuple(_dash(lines, item.start_mark.line, indent) for item in items.value), end, indent)


def _dash(lines: list[str], line: int, column: int) -> int:
    """The line of the dash before an item that begins on this line."""
    while lines[line][column : column + 1] != "-":
        line -= 1
    return line


def comments(lines: Iterable[str]) -> list[str]:
    """The comments in some lines, without what stands before them."""
    found = (_COMMENT.match(line) for line in lines)
    return [match[1] for match in found if match]


_COMMENT = re.compile(r"""(?:[^"'#]|"[^"]*"|'[^']*'|(?<=\S)#|(?<=\w)')*?(?<!\S)(#.*)""")
"""A comment after anything that is not one: text in quotes, or a sign within a word."""


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
