r"""LaTeX becomes MathML when the site is built, so that a page needs no script to show a formula.

``pymdownx.arithmatex`` marks the formulas; a formula that cannot be converted stops the build.
"""

from __future__ import annotations

import re
from html import unescape
from typing import Any

from latex2mathml.converter import convert
from mkdocs.exceptions import PluginError

_MARKED = re.compile(
    r'<(?P<tag>span|div) class="arithmatex">\\(?P<open>[(\[])(?P<latex>.*?)\\[)\]]</(?P=tag)>', re.DOTALL
)
_ROW_SPACE = re.compile(r"\\\\\[[^\]]*\]")
_SIZED = re.compile(r"\\[Bb]ig+([lr])(?![a-z])")
_BRACE = re.compile(r"<mo [^>]*>&#x0007B;</mo>\s*<mtable>")
_FUNCTION = re.compile(r"<mi>(ln|log|exp|min|max)</mi>")


def mathml(latex: str, display: bool) -> str:
    r"""A formula as MathML; spaces between rows and sizes of brackets are the browser's business."""
    plain = _ROW_SPACE.sub(r"\\\\", latex)
    plain = _SIZED.sub(lambda size: r"\left" if size[1] == "l" else r"\right", plain)
    made = convert(plain, display="block" if display else "inline")
    # A brace stretches only in fonts made for mathematics; a rule on the left of the cases stretches everywhere.
    made = _BRACE.sub('<mtable class="cases">', made)
    return _FUNCTION.sub(r'<mi>\1</mi><mo>&#x2061;</mo><mspace width="0.17em"/>', made)


def _converted(found: re.Match[str]) -> str:
    latex = unescape(found["latex"]).strip()
    try:
        return mathml(latex, display=found["open"] == "[")
    except Exception as error:
        raise PluginError(f"formula cannot be converted: {latex}") from error


def on_page_content(html: str, **_: Any) -> str:
    """Replace every marked formula of a page."""
    return _MARKED.sub(_converted, html)
