"""The commands and their options, with help in the reader's language."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from celosia.cli.output import CANCELLED, FAILED, Output
from celosia.core.errors import CancelledError, CelosiaError
from celosia.core.language import LANGUAGES, speaking, text


def run(arguments: list[str]) -> int:
    """Parse and do one command."""
    wanted = _language_of(arguments)
    with speaking(wanted if wanted in LANGUAGES else None):
        output = Output(json="--json" in arguments, command=_command_of(arguments))
        try:
            return _do(arguments, output)
        except (KeyboardInterrupt, CancelledError):
            return output.failed(CancelledError("cancelled"), CANCELLED)
        except CelosiaError as error:
            return output.failed(error, FAILED)
        except Exception as error:  # noqa: BLE001 (the last door: no traceback with values reaches a user)
            return output.failed(CelosiaError("unexpected", type=type(error).__name__), FAILED)


def _do(arguments: list[str], output: Output) -> int:
    from typer import main as typer_main

    command = typer_main.get_command(build(output))
    try:
        result = command.main(args=arguments, prog_name="celosia", standalone_mode=False)
    except Exception as error:
        if hasattr(error, "format_message"):  # a usage error of the parser
            option = getattr(error, "option_name", None) or getattr(getattr(error, "param", None), "name", None) or ""
            raise CelosiaError("usage", detail=_usage(error, option)) from None
        raise
    return result if isinstance(result, int) else 0


def _usage(error: Any, option: str) -> str:
    kind = type(error).__name__
    code = {"NoSuchOption": "no-such-option", "MissingParameter": "missing-parameter"}.get(kind, "bad-usage")
    return text(f"usage.{code}", option=option)


def _language_of(arguments: list[str]) -> str | None:
    for i, argument in enumerate(arguments):
        if argument == "--lang" and i + 1 < len(arguments):
            return arguments[i + 1]
        if argument.startswith("--lang="):
            return argument.removeprefix("--lang=")
    return None


def _command_of(arguments: list[str]) -> str:
    return next((a for a in arguments if not a.startswith("-") and a not in LANGUAGES), "")


def build(output: Output) -> typer.Typer:
    """The application; built in each run, since its help is in the language in force."""
    app = typer.Typer(
        name="celosia", help=text("cli.help"), no_args_is_help=True, add_completion=True, rich_markup_mode=None,
        pretty_exceptions_enable=False, context_settings={"help_option_names": ["-h", "--help"]},
    )  # fmt: skip

    def option(*names: str, code: str, **more: Any) -> Any:
        return typer.Option(*names, help=text(f"cli.option.{code}"), **more)

    Lang = Annotated[str | None, option("--lang", code="lang", metavar="es|en")]
    Json = Annotated[bool, option("--json", code="json")]
    Data = Annotated[Path, typer.Argument(help=text("cli.argument.file"), metavar="FILE")]
    PlanFile = Annotated[Path, typer.Argument(help=text("cli.argument.plan"), metavar="PLAN")]
    Book = Annotated[Path | None, option("--dictionary", "-d", code="dictionary")]

    def command(name: str) -> Callable[[Any], Any]:
        return app.command(name, help=text(f"cli.{name}.help"))

    @app.callback()
    def _top(
        version: Annotated[bool, option("--version", code="version", is_eager=True, callback=_version)] = False,
        lang: Lang = None,
    ) -> None:
        _check_language(lang)

    @command("inspect")
    def _inspect(
        file: Data,
        dictionary: Book = None,
        delimiter: Annotated[str | None, option("--delimiter", code="delimiter")] = None,
        decimal: Annotated[str | None, option("--decimal", code="decimal")] = None,
        encoding: Annotated[str | None, option("--encoding", code="encoding")] = None,
        write_dictionary: Annotated[Path | None, option("--write-dictionary", code="write-dictionary")] = None,
        lang: Lang = None,
        json: Json = False,
    ) -> int:
        from celosia.cli.inspect import inspect

        _check_language(lang)
        form = {"delimiter": delimiter, "decimal": decimal, "encoding": encoding}
        return inspect(output, file, dictionary, {k: v for k, v in form.items() if v}, write_dictionary)

    @command("risk")
    def _risk(
        file: Data,
        keys: Annotated[str, option("--keys", "-k", code="keys", metavar="A,B,…")],
        weight: Annotated[str | None, option("--weight", "-w", code="weight")] = None,
        household: Annotated[str | None, option("--household", code="household")] = None,
        missing: Annotated[str, option("--missing", code="missing", metavar="wildcard|strict")] = "wildcard",
        dictionary: Book = None,
        lang: Lang = None,
        json: Json = False,
    ) -> int:
        from celosia.cli.risk import risk

        _check_language(lang)
        names = tuple(name.strip() for name in keys.split(",") if name.strip())
        return risk(output, file, names, weight, household, missing, dictionary)

    @command("run")
    def _run(plan: PlanFile, lang: Lang = None, json: Json = False) -> int:
        from celosia.cli.plans import run_plan

        _check_language(lang)
        return run_plan(output, plan)

    @command("check")
    def _check(plan: PlanFile, lang: Lang = None, json: Json = False) -> int:
        from celosia.cli.plans import check_plan

        _check_language(lang)
        return check_plan(output, plan)

    @command("demo")
    def _demo(
        folder: Annotated[Path, option("--folder", code="folder")] = Path("demo"), lang: Lang = None, json: Json = False
    ) -> int:
        from celosia.cli.demo import demo

        _check_language(lang)
        return demo(output, folder)

    return app


def _check_language(lang: str | None) -> None:
    if lang is not None and lang not in LANGUAGES:
        raise CelosiaError("option-unknown", option="--lang", known=LANGUAGES)


def _version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        sys.stdout.write(version("celosia") + "\n")
        raise typer.Exit(0)
