"""``celosia doctor``: what this machine offers, and, if asked, compiling now all that is compiled on first use."""

from __future__ import annotations

import os
import platform
import re
from importlib.metadata import PackageNotFoundError, requires, version
from typing import Any

import polars as pl

from celosia.cli.output import Output
from celosia.core.language import language, number, text

_REQUIREMENT = re.compile(r"(?P<name>[\w.-]+)(\[[^]]*])?[^;]*(?:;.*extra == ['\"](?P<extra>[\w-]+)['\"])?")
GIGABYTE = 1e9


def doctor(output: Output, warm: bool) -> int:
    """Look at the machine; after ``warm`` it passes if what was compiled is kept, else if all libraries are there."""
    from celosia.process.rehearsal import rehearse

    if warm:
        output.say(text("doctor.warming"))
        with output.working(), output.progress() as run:
            rehearse(run)
    found = _machine()
    compiled = found["compiled"]
    output.table(_table(found), title=text("doctor.title"))
    if not compiled["kept"]:
        output.say(f"{text('warning.kernel-cache')} {text('warning.kernel-cache.fix')}")
    elif not compiled["complete"]:
        output.say(text("doctor.warm-is-better"))
    whole = None not in found["libraries"].values()
    return output.done(found, passes=whole and (compiled["kept"] or not warm))


def _machine() -> dict[str, Any]:
    from celosia.kernels import cache_folder
    from celosia.process.rehearsal import rehearsed

    folder = cache_folder()
    libraries, extras = _libraries()
    return {
        "celosia": version("celosia"),
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}",
        "language": language(),
        "processors": os.cpu_count() or 1,
        "memory_bytes": _memory(),
        "compiled": {
            "folder": None if folder is None else str(folder),
            "kept": folder is not None,
            "complete": rehearsed(),
        },
        "libraries": libraries,
        "extras": extras,
    }


def _memory() -> int | None:
    """Bytes of memory, where the system says so."""
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return None


def _libraries() -> tuple[dict[str, str | None], dict[str, dict[str, str | None]]]:
    """The versions of the libraries that the package needs, and of those that its extras need."""
    needed: dict[str, str | None] = {}
    extras: dict[str, dict[str, str | None]] = {}
    for line in requires("celosia") or ():
        if read := _REQUIREMENT.match(line):
            into = needed if read["extra"] is None else extras.setdefault(read["extra"], {})
            into[read["name"]] = _installed(read["name"])
    return needed, extras


def _installed(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def _table(found: dict[str, Any]) -> pl.DataFrame:
    memory, compiled = found["memory_bytes"], found["compiled"]
    rows = [
        (text("doctor.celosia"), found["celosia"]),
        (text("doctor.python"), found["python"]),
        (text("doctor.system"), found["system"]),
        (text("doctor.processors"), str(found["processors"])),
        (text("doctor.memory"), "–" if memory is None else f"{number(memory / GIGABYTE, 1)} GB"),
        (text("doctor.compiled"), text(f"doctor.compiled.{_state(compiled)}")),
        (text("doctor.folder"), compiled["folder"] or "–"),
        (text("doctor.libraries"), _versions(found["libraries"])),
        *((text("doctor.extra", name=name), _versions(parts)) for name, parts in found["extras"].items()),
    ]
    return pl.DataFrame(rows, schema={"part": pl.String, "found": pl.String}, orient="row")


def _state(compiled: dict[str, Any]) -> str:
    return "complete" if compiled["complete"] else "partly" if compiled["kept"] else "lost"


def _versions(libraries: dict[str, str | None]) -> str:
    return ", ".join(f"{name} {found or text('doctor.absent')}" for name, found in libraries.items())
