"""One file of HTML in both languages, to be opened by its path: no script, nothing from elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from html import escape

from celosia.core.language import LANGUAGES, language, speaking, text
from celosia.report.blocks import Block

_STYLE = """
:root { color-scheme: light dark; --ink: #1c2730; --paper: #fff; --line: #c9d2d9; --soft: #eef2f5; --accent: #0b5c8a;
  --good: #14633a; --bad: #a12622; --warning: #7a4b00 }
@media (prefers-color-scheme: dark) { :root { --ink: #e4eaee; --paper: #12181d; --line: #3a4751; --soft: #1c252c;
  --accent: #6cb6e4; --good: #7fd6a4; --bad: #ff9c95; --warning: #f0c060 } figure svg { background: #fff; border-radius: 4px } }
body { font: 16px/1.5 system-ui, "Segoe UI", "DejaVu Sans", sans-serif; color: var(--ink); background: var(--paper);
  max-width: 62rem; margin: 0 auto; padding: 1rem 1.25rem 4rem }
h1 { font-size: 1.7rem; line-height: 1.2 } h2 { font-size: 1.2rem; margin-top: 2.2rem; border-bottom: 1px solid var(--line) }
table { border-collapse: collapse; font-size: .9rem; font-variant-numeric: tabular-nums }
th, td { padding: .3rem .7rem; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top }
th.number, td.number { text-align: right } thead th { background: var(--soft) }
figure { margin: 1rem 0; overflow-x: auto } figcaption { font-size: .9rem; margin: .3rem 0 }
figure svg { max-width: 100%; height: auto }
.note { padding: .5rem .8rem; border-left: 4px solid var(--line); background: var(--soft) }
.good { border-color: var(--good); color: var(--good); font-weight: 600 } .bad { border-color: var(--bad); color: var(--bad); font-weight: 600 }
.warning { border-color: var(--warning) } .plain { background: none; border: 0; padding: 0 }
.choice { display: flex; gap: 1rem; justify-content: flex-end } .choice label { cursor: pointer; color: var(--accent) }
input[name=language]:checked + label { color: var(--ink); font-weight: 600; text-decoration: underline }
#language-es:not(:checked) ~ main[lang=es], #language-en:not(:checked) ~ main[lang=en] { display: none }
input[name=language] { position: absolute; opacity: 0 } input[name=language]:focus-visible + label { outline: 2px solid var(--accent) }
.bar { display: inline-block; margin-right: 1rem }
@media print { .bar, input { display: none } }
"""
_NAMES = {"es": "Español", "en": "English"}


def page(title: Callable[[], str], blocks: Callable[[], Sequence[Block]]) -> str:
    """The page; ``title`` and ``blocks`` are called once in each language."""
    first = language()
    mains, buttons = [], []
    for name in LANGUAGES:
        chosen = " checked" if name == first else ""
        buttons.append(
            f'<input type="radio" name="language" id="language-{name}"{chosen}>'
            f'<label class="bar" for="language-{name}" lang="{name}">{_NAMES[name]}</label>'
        )
        with speaking(name):
            body = "\n".join(block.html() for block in blocks())
            mains.append(f'<main lang="{name}">\n{body}\n<footer><p>{escape(text("page.footer"))}</p></footer>\n</main>')
    head = (
        f'<!doctype html>\n<html lang="{first}">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title())}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n"
    )
    return head + "\n".join([*buttons, *mains]) + "\n</body>\n</html>\n"
