"""The parser's own words in the reader's language, and what can be told of a command line before it is parsed.

Help texts and placeholders of ``app`` are codes of the catalogue; they become text when help is shown.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from typer.core import TyperCommand, TyperGroup

from celosia.core.errors import OptionError
from celosia.core.language import has_text, text


@dataclass(frozen=True)
class Glance:
    """What a command line asks of its output, well formed or not."""

    command: str = ""
    json: bool = False
    lang: str | None = None

    @classmethod
    def at(cls, arguments: Sequence[str], group: TyperGroup) -> Glance:
        """Command, ``--json`` and ``--lang`` as options, never as the value of another option."""
        valued = {name for command in (group, *group.commands.values()) for name in _valued(command)}
        found: dict[str, Any] = {}
        rest = iter(arguments)
        for argument in rest:
            name, equals, value = argument.partition("=")
            if argument == "--":
                break
            if argument == "--json":
                found["json"] = True
            elif name == "--lang":
                found["lang"] = value if equals else next(rest, "")
            elif argument in valued:
                next(rest, None)
            elif not argument.startswith("-") and argument in group.commands:
                found.setdefault("command", argument)
        return cls(**found)


def _valued(command: Any) -> list[str]:
    """Names of the options that take a value."""
    options = [p for p in command.params if p.param_type_name == "option" and not p.is_flag]
    return [name for option in options for name in option.opts]


def refusal(error: Any) -> OptionError | None:
    """The parser's usage error as one of ours; ``None`` for any other exception."""
    if not hasattr(error, "format_message"):
        return None
    kind = type(error).__name__
    parameter: Any = getattr(error, "param", None)
    if kind == "NoSuchOption":
        return OptionError("usage-option-unknown", option=error.option_name)
    if kind == "MissingParameter" and parameter.param_type_name == "argument":
        return OptionError(f"usage-{parameter.name}-missing")
    if kind == "MissingParameter":
        return OptionError("usage-option-missing", option=parameter.opts[0])
    if kind == "BadOptionUsage":
        return OptionError("usage-option-value", option=error.option_name)
    if isinstance(getattr(error.ctx, "command", None), TyperGroup):
        return OptionError("usage-command-missing", known=tuple(error.ctx.command.commands))
    return OptionError("usage-too-many")


class _Spoken:
    """Help whose every word comes from the catalogue."""

    help: str | None
    get_params: Any

    def format_usage(self, ctx: Any, formatter: Any) -> None:
        """Write the first line."""
        formatter.write_usage(
            ctx.command_path, " ".join(self.collect_usage_pieces(ctx)), prefix=f"{text('cli.usage')}: "
        )

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """What follows the command in the first line."""
        return [text("cli.metavar.options"), *(_metavar(p) for p in self._of_type(ctx, "argument"))]

    def format_help_text(self, ctx: Any, formatter: Any) -> None:
        """Write what the command does."""
        formatter.write_paragraph()
        with formatter.indentation():
            formatter.write_text(text(self.help or ""))

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write arguments and options."""
        for kind in ("argument", "option"):
            if parameters := self._of_type(ctx, kind):
                with formatter.section(text(f"cli.{kind}s")):
                    formatter.write_dl([(_names(p), _described(p)) for p in parameters])

    def _of_type(self, ctx: Any, kind: str) -> list[Any]:
        return [p for p in self.get_params(ctx) if p.param_type_name == kind]


class Command(_Spoken, TyperCommand):
    """A command that speaks the reader's language."""


class Group(_Spoken, TyperGroup):
    """The commands, and the refusal of one that does not exist."""

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """The options, and the place of the command."""
        return [*super().collect_usage_pieces(ctx), text("cli.metavar.command")]

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the options and the commands."""
        super().format_options(ctx, formatter)
        with formatter.section(text("cli.commands")):
            formatter.write_dl([(name, text(command.help or "")) for name, command in self.commands.items()])

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Find the command that was asked for."""
        if args[0] not in self.commands and not ctx.resilient_parsing:
            raise OptionError("usage-command-unknown", command=args[0], known=tuple(self.commands))
        return super().resolve_command(ctx, args)


def _metavar(parameter: Any) -> str:
    return text(f"cli.metavar.{parameter.metavar}") if parameter.metavar else ""


def _names(parameter: Any) -> str:
    if parameter.param_type_name == "argument":
        return _metavar(parameter)
    names = ", ".join(sorted(parameter.opts, key=len))
    return names if parameter.is_flag else f"{names} {_metavar(parameter)}".rstrip()


def _facts(parameter: Any) -> dict[str, Any]:
    """What the help of a parameter tells beside its words: the measures that may be asked for."""
    if parameter.name != "measure":
        return {}
    from celosia.risk.measures import NAMES

    return {"measures": NAMES}


def _described(parameter: Any) -> str:
    """The help of a parameter; the parser's own options have theirs by name."""
    own = f"cli.option.{parameter.name}"
    said = parameter.help or ""
    code = said if has_text(said) else own
    words = text(code, **_facts(parameter)) if has_text(code) else said
    default = parameter.default
    if parameter.required:
        return f"{words} [{text('cli.required')}]"
    if default is None or isinstance(default, bool):
        return words
    return f"{words} [{text('cli.default', value=default)}]"
