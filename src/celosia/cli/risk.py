"""``celosia risk``: the risk of a file for one set of keys."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from celosia.cli.output import Output
from celosia.core.dictionary import Role
from celosia.core.errors import DataError, OptionError
from celosia.core.language import text
from celosia.core.microdata import Microdata
from celosia.core.results import Result

_ROWS = 40
"""A table on the screen shows so many rows; the whole of it is in the library."""


@dataclass(frozen=True)
class Asked:
    """What is asked of which file."""

    file: Path
    keys: tuple[str, ...]
    weight: str | None
    household: str | None
    missing: str | None
    dictionary: Path | None
    form: Mapping[str, str]

    def read(self, key: bytes | None = None) -> Microdata:
        """The file, checked for what no measure can work on."""
        from celosia.io import read
        from celosia.process.inspection import warn_of_identifiers

        data = read(self.file, dictionary=self.dictionary, key=key, csv=dict(self.form) or None)
        if data.height == 0:
            raise DataError("no-records")
        warn_of_identifiers(data, self.keys)
        return data


def measures(
    output: Output, asked: Asked, names: Sequence[str], more: Mapping[str, Any], options: Sequence[str]
) -> int:
    """Print the measures of these names, each as its table, and in each group where groups are given."""
    from celosia.risk.measures import measure

    with output.working(), output.progress() as run:
        refuse_idle(names, asked.missing, {**more, "weight": asked.weight, "household": asked.household})
        wanted = typed_options(names, options)
        masks = conditions(more["group"])
        key = run.step("record-ids").secret
        data, at_hand = asked.read(key), beside(more)
        if more["original"] is not None:
            at_hand["original"], data = _matched(read_table(more["original"], asked.dictionary, key), data)
        at_hand |= {
            "frame": data,
            "masked": data,
            "keys": asked.keys,
            "weight": asked.weight,
            "household": asked.household,
            "missing": asked.missing,
            "truth": at_hand.get("original") if asked.missing == "intruder" else None,
            "run": run,
        }
        found = {name: measure(name, at_hand, wanted[name]) for name in names}
        groups = by_groups(found, masks, at_hand.get("original") or data)
    show(output, found, groups)
    return output.done({"measures": plain(found)} | ({"groups": plain(groups)} if masks else {}))


def refuse_idle(names: Sequence[str], missing: str | None, more: Mapping[str, Any]) -> None:
    """Refuse an option that none of the measures asks for: it would change nothing, and be thought to."""
    from celosia.risk.measures import knows

    asked = {
        "--missing": (missing, ("missing",)),
        "--sensitive": (more["sensitive"], ("sensitive",)),
        "--register": (more["register"], ("register",)),
        "--matrices": (more["matrices"], ("matrices",)),
        "--hierarchy": (more["hierarchy"], ("hierarchy", "hierarchies")),
        "--weight": (more.get("weight"), ("weight",)),
        "--household": (more.get("household"), ("household",)),
        "--original": (names and more.get("original") and not more.get("group"), ("original", "truth")),
    }
    for option, (value, parameters) in asked.items():
        if value and not any(knows(name, parameter) for name in names for parameter in parameters):
            raise OptionError("option-idle", option=option, measures=tuple(names))


def typed_options(names: Sequence[str], options: Sequence[str]) -> dict[str, dict[str, Any]]:
    """What ``--option`` gives to each measure: to those that know it, and it is refused where none does."""
    from celosia.risk.measures import knows, typed

    written = pairs(options, "--option")
    if len(names) > 1:
        idle = [option for option in written if not any(knows(name, option) for name in names)]
        if idle:
            raise OptionError("option-idle", option=f"--option {idle[0]}", measures=tuple(names))
        return {name: typed(name, {o: value for o, value in written.items() if knows(name, o)}) for name in names}
    return {name: typed(name, written) for name in names}


def conditions(groups: Sequence[str]) -> dict[str, str]:
    """Name of each group → its condition."""
    return pairs(groups, "--group")


def by_groups(found: Mapping[str, Result], masks: Mapping[str, Any], data: Microdata) -> dict[str, Result]:
    """Each measure that says something of every record, in each group."""
    from celosia.risk.by_group import by_group, tells_of_the_file

    if not masks:
        return {}
    told: dict[str, Any] = {name: result for name, result in found.items() if tells_of_the_file(result)}
    if not told:
        raise OptionError("option-idle", option="--group", measures=tuple(found))
    return {name: by_group(result, masks, data) for name, result in told.items()}


def show(output: Output, found: Mapping[str, Result], groups: Mapping[str, Result], title: str = "") -> None:
    """Print each result as its table, its groups after it."""
    for name, result in found.items():
        spoken = text(f"title.{name}")
        show_result(output, result, f"{title}{name} · {spoken}")
        if name in groups:
            show_result(output, groups[name], text("risk.by-group", measure=f"{title}{name}"))


def show_result(output: Output, result: Result, title: str) -> None:
    """Print the tables of a result with their titles, and what they must not be read without."""
    for code, table in result.views().items():
        output.table(shown(table), title=text(code) if code else title)
        if table.height > _ROWS:
            output.say(text("risk.more-rows", count=table.height - _ROWS))
    for remark in result.remarks():
        output.say(remark)


def shown(table: pl.DataFrame) -> pl.DataFrame:
    """The first rows of a table, without the columns that say nothing."""
    return table.select(name for name in table.columns if table[name].null_count() < table.height).head(_ROWS)


def plain(found: Mapping[str, Result]) -> dict[str, Any]:
    """Results as plain numbers."""
    return {name: result.to_dict() for name, result in found.items()}


def beside(more: Mapping[str, Any]) -> dict[str, Any]:
    """What measures may ask for beside the data: other files, and the sensitive variables."""
    from celosia.core.hierarchy import Hierarchy

    written = pairs(more["hierarchy"], "--hierarchy")
    hierarchies = {name: Hierarchy.from_csv(path) for name, path in written.items()}
    sensitive = more["sensitive"]
    alone = sensitive[0] if len(sensitive) == 1 else None
    return {
        "sensitive": alone or sensitive or None,
        "hierarchy": hierarchies.get(alone or ""),
        "register": None if more["register"] is None else read_table(more["register"]),
        "matrices": None if more["matrices"] is None else read_table(more["matrices"]),
        "hierarchies": hierarchies,
    }


def read_table(path: Path, dictionary: Path | None = None, key: bytes | None = None) -> Microdata:
    """A file beside the data."""
    from celosia.io import read

    return read(path, dictionary=dictionary, key=key)


def _matched(original: Microdata, masked: Microdata) -> tuple[Microdata, Microdata]:
    """Both files in the order of the second, by the declared id where both hold it, else row by row.

    Rows of files that are not as long tell nothing of who is who.
    """
    role = original.role(Role.ID)
    if role is not None and role == masked.role(Role.ID):
        return original.in_order_of(masked.ids), masked
    if original.height != masked.height:
        raise DataError("original-unmatched", masked=masked.height, original=original.height)
    return _by_row(original), _by_row(masked)


def _by_row(data: Microdata) -> Microdata:
    """The data with the row as record id."""
    role = data.role(Role.ID)
    return data if role is None else Microdata(data.frame, data.dictionary.replace(role, role=None))


def pairs(written: Sequence[str], option: str) -> dict[str, str]:
    """Several ``name=value``, each name once: of two values neither is the one that is meant."""
    found: dict[str, str] = {}
    for one in written:
        name, value = named(one, option)
        if name in found:
            raise OptionError("option-repeated", option=option, name=name)
        found[name] = value
    return found


def named(written: str, option: str) -> tuple[str, str]:
    """``name=value``, the name without the value's own signs of equality."""
    name, equals, value = written.partition("=")
    if not equals or not name.strip():
        raise OptionError("option-form", option=option)
    return name.strip(), value.strip()


def risk(output: Output, asked: Asked, more: Mapping[str, Any]) -> int:
    """Measure and print frequencies, individual, household and global risk, the ways of counting side by side."""
    from celosia.cli.risk_figures import agree, figures
    from celosia.cli.risk_figures import plain as plain_figures
    from celosia.risk import scenarios
    from celosia.risk.frequencies import COUNTINGS
    from celosia.risk.options import one_of

    refuse_idle((), None, more)
    with output.working(), output.progress() as run:
        key = run.step("record-ids").secret
        data, truth = asked.read(key), None
        if more["original"] is not None:
            truth, data = _matched(read_table(more["original"], asked.dictionary, key), data)
        if asked.missing is not None:
            one_of("missing", asked.missing, COUNTINGS)
        ways: Any = COUNTINGS if truth is not None else COUNTINGS[:2]
        ways = ways if asked.missing is None else (asked.missing,)
        known = truth if "intruder" in ways else None
        file = asked.file.name
        risks = scenarios(data, {file: asked.keys}, asked.weight, asked.household, ways, known, run).risks
        found = {way: risk for (_, way), risk in risks.items()}
        grouped = by_groups({"individual": found[ways[0]]}, conditions(more["group"]), truth or data)
    output.table(figures(found), title=file)
    if grouped:
        output.table(shown(grouped["individual"].table()), title=text("risk.by-group", measure=text("figure.global")))
    counting = text("counting.both") if agree(found) else ", ".join(text(f"counting.{way}") for way in found)
    output.say(text("risk.basis", keys=asked.keys, counting=counting))
    output.say(text("risk.weighted" if asked.weight else "risk.whole"))
    return output.done(plain_figures(found) | ({"groups": plain(grouped)} if grouped else {}))
