"""The commands; their options are in ``options``. Help texts are codes of the catalogue, spoken by ``parser``."""

from __future__ import annotations

import errno
from pathlib import Path
from typing import Any

import typer
from typer.main import get_command

from celosia.cli import streams
from celosia.cli.options import (
    Absent,
    Age,
    Below,
    Book,
    By,
    Count,
    CountsFile,
    Data,
    DataOrPlan,
    Date,
    Decimal,
    Delimiter,
    Encoding,
    ExampleFolder,
    Folder,
    Groups,
    Hierarchies,
    Household,
    InEach,
    Json,
    Keys,
    Lang,
    Level,
    Matches,
    Matrices,
    Measures,
    Missing,
    Months,
    NewBook,
    NoLeap,
    OpenWidth,
    Options,
    Original,
    PageFile,
    Periods,
    PictureFile,
    PlanFile,
    PlanOrFolder,
    Register,
    Scenarios,
    Seed,
    Sensitive,
    Shows,
    Simulations,
    SimulationSeed,
    SurveyFile,
    TableFile,
    Treated,
    Version,
    Warm,
    Weekdays,
    Weight,
    split,
)
from celosia.cli.output import CANCELLED, DONE, FAILED, Output
from celosia.cli.parser import Command, Glance, Group, refusal
from celosia.core.errors import CancelledError, CelosiaError, FileError, OptionError
from celosia.core.language import LANGUAGES, speaking

app = typer.Typer(
    name="celosia",
    help="cli.help",
    cls=Group,
    no_args_is_help=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["--help", "-h"], "max_content_width": 100},
)


def _form(delimiter: str | None, decimal: str | None, encoding: str | None) -> dict[str, str]:
    """What is said of the form of a CSV file."""
    form = {"delimiter": delimiter, "decimal": decimal, "encoding": encoding}
    return {option: value for option, value in form.items() if value}


def run(arguments: list[str]) -> int:
    """Parse and do one command."""
    streams.prepare()
    group: Any = get_command(app)
    seen = Glance.at(arguments, group)
    with speaking(seen.lang if seen.lang in LANGUAGES else None):
        output = Output(seen.json, seen.command)
        try:
            return _do(arguments, group, seen, output)
        except KeyboardInterrupt:
            return output.failed(CancelledError("cancelled"), CANCELLED)
        except CancelledError as error:
            return output.failed(error, CANCELLED)
        except CelosiaError as error:
            return output.failed(error, FAILED)
        except OSError as error:
            return output.failed(_refused_by_the_disk(error), FAILED)
        except BaseException as error:  # the last door, for panics of polars too: no traceback with values is shown
            if isinstance(error, SystemExit | GeneratorExit):
                raise
            return output.failed(CelosiaError("unexpected", type=type(error).__name__), FAILED)


def _refused_by_the_disk(error: OSError) -> CelosiaError:
    path = Path(error.filename or ".").name
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return FileError("disk-full", path=path)
    return FileError("write-failed", path=path, reason=error.strerror or type(error).__name__)


def _do(arguments: list[str], group: Any, seen: Glance, output: Output) -> int:
    if seen.lang is not None and seen.lang not in LANGUAGES:
        raise OptionError("option-unknown", option="--lang", known=LANGUAGES)
    try:
        code = group.main(args=arguments, prog_name="celosia", standalone_mode=False, obj=output)
    except SystemExit:  # so the parser ends where the reader of its help has left
        return DONE
    except Exception as error:  # noqa: BLE001 (only the parser's own are turned into ours)
        raise (refusal(error) or error) from None
    if code == CANCELLED:  # the parser turns Ctrl-C into this code
        raise CancelledError("cancelled")
    return code if isinstance(code, int) else DONE


@app.callback()
def _top(version: Version = False, lang: Lang = None) -> None:
    """Options before any command."""


@app.command("inspect", cls=Command, help="cli.inspect.help")
def _inspect(
    context: typer.Context,
    file: Data,
    dictionary: Book = None,
    delimiter: Delimiter = None,
    decimal: Decimal = None,
    encoding: Encoding = None,
    write_dictionary: NewBook = None,
    lang: Lang = None,
    json: Json = False,
) -> int:
    from celosia.cli.inspect import inspect

    return inspect(context.obj, file, dictionary, _form(delimiter, decimal, encoding), write_dictionary)


@app.command("risk", cls=Command, help="cli.risk.help")
def _risk(
    context: typer.Context,
    file: DataOrPlan,
    keys: Keys = None,
    weight: Weight = None,
    household: Household = None,
    missing: Missing = None,
    dictionary: Book = None,
    measure: Measures = None,
    sensitive: Sensitive = None,
    register: Register = None,
    original: Original = None,
    matrices: Matrices = None,
    hierarchy: Hierarchies = None,
    group: Groups = None,
    option: Options = None,
    treated: Treated = False,
    scenario: Scenarios = None,
    delimiter: Delimiter = None,
    decimal: Decimal = None,
    encoding: Encoding = None,
    lang: Lang = None,
    json: Json = False,
) -> int:
    from celosia.cli.risk import Asked, measures, risk
    from celosia.cli.risk_plan import is_plan, plan_risk

    more = {"sensitive": split(sensitive), "register": register, "matrices": matrices, "hierarchy": hierarchy or []}
    form = _form(delimiter, decimal, encoding)
    if is_plan(file):
        said = {"keys": keys, "weight": weight, "household": household, "dictionary": dictionary}
        _refuse(said | {"original": original, "group": group} | form, "option-of-plan")
        more |= {"scenario": scenario or []}
        return plan_risk(context.obj, file, missing, measure or [], more, option or [], treated)
    _refuse({"treated": treated, "scenario": scenario}, "option-of-data")
    if keys is None:
        raise OptionError("usage-option-missing", option="--keys")
    asked = Asked(file, split(keys), weight, household, missing, dictionary, form)
    more |= {"original": original, "group": group or []}
    return measures(context.obj, asked, measure, more, option or []) if measure else risk(context.obj, asked, more)


def _refuse(options: dict[str, Any], code: str) -> None:
    """Refuse options that say nothing here: a plan has its own, a data file has no steps."""
    if given := [f"--{name}" for name, value in options.items() if value]:
        raise OptionError(code, options=tuple(given))


@app.command("anonymity", cls=Command, help="cli.anonymity.help")
def _anonymity(
    context: typer.Context,
    counts: CountsFile,
    periods: Periods = "day,month,year",
    by: By = None,
    shows: Shows = None,
    count: Count = None,
    age: Age = None,
    open_width: OpenWidth = None,
    absent: Absent = None,
    date: Date = None,
    no_leap: NoLeap = False,
    weekdays: Weekdays = None,
    months: Months = None,
    below: Below = None,
    at_most: Level = None,
    in_each: InEach = None,
    simulations: Simulations = None,
    seed: SimulationSeed = None,
    survey: SurveyFile = None,
    keys: Keys = None,
    weight: Weight = None,
    match: Matches = None,
    dictionary: Book = None,
    table: TableFile = None,
    picture: PictureFile = None,
    page: PageFile = None,
    delimiter: Delimiter = None,
    decimal: Decimal = None,
    encoding: Encoding = None,
    lang: Lang = None,
    json: Json = False,
) -> int:
    from celosia.cli.anonymity import Asked, Files, Survey, anonymity

    form = {"count": count, "age": age, "open_width": open_width, "absent": absent}
    births = {"date": date, "weekdays": split(weekdays), "months": split(months), "leap": False if no_leap else None}
    _need({"at-most": at_most, "in-each": in_each}, {"below": below})
    _need({"seed": seed}, {"simulations": simulations})
    _need({"keys": keys, "weight": weight, "match": match, "dictionary": dictionary}, {"survey": survey})
    _need({"survey": survey}, {"keys": keys})
    asked = Asked(
        counts,
        split(periods),
        split(by),
        split(shows) if shows is not None else None,
        _given(form),
        _form(delimiter, decimal, encoding),
        _given(births),
        1 if at_most is None else at_most,
        below,
        split(in_each),
        simulations,
        seed,
    )
    looked = None if survey is None else Survey(survey, split(keys), weight, dictionary, tuple(match or ()))
    return anonymity(context.obj, asked, looked, Files(table, picture, page))


def _given(options: dict[str, Any]) -> dict[str, Any]:
    """The options that were given."""
    return {name: value for name, value in options.items() if value is not None and value != ()}


def _need(options: dict[str, Any], other: dict[str, Any]) -> None:
    """Refuse options that say nothing without another one."""
    ((needed, value),) = other.items()
    for name, given in options.items():
        if given is not None and value is None:
            raise OptionError("option-needs", option=f"--{name}", needs=f"--{needed}")


@app.command("run", cls=Command, help="cli.run.help")
def _run(context: typer.Context, plan: PlanFile, lang: Lang = None, json: Json = False) -> int:
    from celosia.cli.plans import run_plan

    return run_plan(context.obj, plan)


@app.command("check", cls=Command, help="cli.check.help")
def _check(context: typer.Context, plan: PlanFile, lang: Lang = None, json: Json = False) -> int:
    from celosia.cli.plans import check_plan

    return check_plan(context.obj, plan)


@app.command("demo", cls=Command, help="cli.demo.help")
def _demo(context: typer.Context, folder: Folder = Path("demo"), lang: Lang = None, json: Json = False) -> int:
    from celosia.cli.demo import demo

    return demo(context.obj, folder)


@app.command("doctor", cls=Command, help="cli.doctor.help")
def _doctor(context: typer.Context, warm: Warm = False, lang: Lang = None, json: Json = False) -> int:
    from celosia.cli.doctor import doctor

    return doctor(context.obj, warm)


@app.command("plan-schema", cls=Command, help="cli.plan-schema.help")
def _plan_schema(context: typer.Context, lang: Lang = None, json: Json = False) -> int:
    from celosia.cli.plans import plan_schema

    return plan_schema(context.obj)


@app.command("census", cls=Command, help="cli.census.help")
def _census(
    context: typer.Context, plan: PlanFile, test_seed: Seed = None, lang: Lang = None, json: Json = False
) -> int:
    from celosia.cli.census import census

    return census(context.obj, plan, test_seed)


@app.command("census-check", cls=Command, help="cli.census-check.help")
def _census_check(context: typer.Context, plan: PlanOrFolder, lang: Lang = None, json: Json = False) -> int:
    from celosia.cli.census import check_census

    return check_census(context.obj, plan)


@app.command("census-example", cls=Command, help="cli.census-example.help")
def _census_example(
    context: typer.Context, folder: ExampleFolder = Path("censo"), lang: Lang = None, json: Json = False
) -> int:
    from celosia.cli.census import census_example

    return census_example(context.obj, folder)


@app.command("census-schema", cls=Command, help="cli.census-schema.help")
def _census_schema(context: typer.Context, lang: Lang = None, json: Json = False) -> int:
    from celosia.cli.census import census_schema

    return census_schema(context.obj)
