"""One file of HTML in both languages, to be opened by its path: no script, nothing from elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from html import escape
from importlib.resources import files

from celosia.core.language import LANGUAGES, language, speaking, text
from celosia.report.blocks import Block

_NAMES = {"es": "Español", "en": "English"}


def page(title: Callable[[], str], blocks: Callable[[], Sequence[Block]], footer: str = "page.footer") -> str:
    """The page; ``title`` and ``blocks`` are called once in each language, ``footer`` is the code of a text."""
    first = language()
    style = files("celosia.report").joinpath("page.css").read_text("utf-8")
    mains, buttons = [], []
    for name in LANGUAGES:
        chosen = " checked" if name == first else ""
        buttons.append(
            f'<input type="radio" name="language" id="language-{name}"{chosen}>'
            f'<label class="language" for="language-{name}" lang="{name}">{_NAMES[name]}</label>'
        )
        with speaking(name):
            body = "\n".join(block.html() for block in blocks())
            mains.append(f'<main lang="{name}">\n{body}\n<footer><p>{escape(text(footer))}</p></footer>\n</main>')
    head = (
        f'<!doctype html>\n<html lang="{first}">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title())}</title>\n<style>\n{style}</style>\n</head>\n<body>\n"
    )
    return head + "\n".join([*buttons, *mains]) + "\n</body>\n</html>\n"
