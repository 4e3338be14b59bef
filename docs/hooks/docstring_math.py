r"""Docstrings write formulas as reStructuredText does; here they become what the pages of the site use.

``:math:`f``` becomes ``\(f\)``, and a ``.. math::`` block becomes ``\[ … \]``; ``mathml.py`` does the rest.
"""

from __future__ import annotations

import re
from textwrap import dedent
from typing import Any

import griffe

_ROLE = re.compile(r":math:`([^`]+)`", re.DOTALL)
_BLOCK = re.compile(
    r"^\.\. math::[ ]*(?P<first>[^\n]*)(?P<rest>(?:\n(?:[ \t]+[^\n]*|[ \t]*(?=\n[ \t]+\S)))*)", re.MULTILINE
)


def as_markdown(docstring: str) -> str:
    """The docstring with its formulas in the marks of Markdown."""
    return _ROLE.sub(lambda role: rf"\({' '.join(role[1].split())}\)", _BLOCK.sub(_block, docstring))


def _block(found: re.Match[str]) -> str:
    lines = [found["first"], *dedent(found["rest"]).splitlines()]
    latex = "\n".join(line.strip() for line in lines if line.strip())
    return f"\\[\n{latex}\n\\]"


class DocstringMath(griffe.Extension):
    """Rewrites the docstring of every object that has one."""

    def on_instance(self, *, obj: griffe.Object, **_: Any) -> None:
        """Rewrite one docstring."""
        if obj.docstring is not None:
            obj.docstring.value = as_markdown(obj.docstring.value)
