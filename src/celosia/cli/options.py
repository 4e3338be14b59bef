"""The options and arguments of the commands. Help texts and placeholders are codes of the catalogue."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from celosia.cli import streams


def option(*names: str, metavar: str | None = None, **more: Any) -> Any:
    """An option; its help is the text of its first name."""
    code = names[0].removeprefix("--")
    return typer.Option(*names, help=f"cli.option.{code}", metavar=metavar, **more)


def argument(name: str) -> Any:
    """An argument; its help is the text of its name."""
    return typer.Argument(help=f"cli.argument.{name}", metavar=name)


def split(names: str | None) -> tuple[str, ...]:
    """Names with commas between them."""
    return tuple(name.strip() for name in (names or "").split(",") if name.strip())


def _print_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        streams.tell(version("celosia") + "\n")
        raise typer.Exit(0)


Lang = Annotated[str | None, option("--lang", metavar="lang")]
Json = Annotated[bool, option("--json")]
Data = Annotated[Path, argument("file")]
DataOrPlan = Annotated[Path, typer.Argument(help="cli.argument.data-or-plan", metavar="file")]
PlanFile = Annotated[Path, argument("plan")]
Book = Annotated[Path | None, option("--dictionary", "-d", metavar="file")]
Version = Annotated[bool, option("--version", is_eager=True, callback=_print_version)]
Warm = Annotated[bool, option("--warm")]
Keys = Annotated[str | None, option("--keys", "-k", metavar="names")]
Weight = Annotated[str | None, option("--weight", "-w", metavar="name")]
Household = Annotated[str | None, option("--household", metavar="name")]
Missing = Annotated[str | None, option("--missing", metavar="missing")]
Measures = Annotated[list[str] | None, option("--measure", "-m", metavar="name")]
Sensitive = Annotated[str | None, option("--sensitive", metavar="names")]
Register = Annotated[Path | None, option("--register", metavar="file")]
Original = Annotated[Path | None, option("--original", metavar="file")]
Options = Annotated[list[str] | None, option("--option", "-o", metavar="option")]
Hierarchies = Annotated[list[str] | None, option("--hierarchy", metavar="option")]
Matrices = Annotated[Path | None, option("--matrices", metavar="file")]
Groups = Annotated[list[str] | None, option("--group", "-g", metavar="option")]
Treated = Annotated[bool, option("--treated")]
Scenarios = Annotated[list[str] | None, option("--scenario", "-s", metavar="name")]
Delimiter = Annotated[str | None, option("--delimiter", metavar="sign")]
Decimal = Annotated[str | None, option("--decimal", metavar="sign")]
Encoding = Annotated[str | None, option("--encoding", metavar="name")]
NewBook = Annotated[Path | None, option("--write-dictionary", metavar="file")]
Folder = Annotated[Path, option("--folder", metavar="folder")]
PlanOrFolder = Annotated[Path, typer.Argument(help="cli.argument.plan-or-folder", metavar="plan")]
ExampleFolder = Annotated[Path, typer.Option("--folder", help="cli.option.example-folder", metavar="folder")]
Seed = Annotated[int | None, option("--test-seed", metavar="number")]
CountsFile = Annotated[Path, argument("counts")]
Periods = Annotated[str, option("--periods", "-p", metavar="periods")]
By = Annotated[str | None, option("--by", metavar="names")]
Shows = Annotated[str | None, option("--shows", metavar="names")]
Count = Annotated[str | None, option("--count", metavar="name")]
Age = Annotated[str | None, option("--age", metavar="name")]
OpenWidth = Annotated[int | None, option("--open-width", metavar="number")]
Absent = Annotated[str | None, option("--absent", metavar="absent")]
Date = Annotated[str | None, option("--date", metavar="date")]
NoLeap = Annotated[bool, option("--no-leap")]
Weekdays = Annotated[str | None, option("--weekdays", metavar="numbers")]
Months = Annotated[str | None, option("--months", metavar="numbers")]
Level = Annotated[int | None, option("--at-most", metavar="number")]
InEach = Annotated[str | None, option("--in-each", metavar="names")]
Below = Annotated[str | None, option("--below", metavar="share")]
Simulations = Annotated[int | None, option("--simulations", "-n", metavar="number")]
SimulationSeed = Annotated[int | None, option("--seed", metavar="number")]
SurveyFile = Annotated[Path | None, option("--survey", metavar="file")]
Matches = Annotated[list[str] | None, option("--match", metavar="option")]
TableFile = Annotated[Path | None, option("--table", metavar="file")]
PictureFile = Annotated[Path | None, option("--picture", metavar="file")]
PageFile = Annotated[Path | None, option("--page", metavar="file")]
