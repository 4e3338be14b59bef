"""A plan as YAML: the lines its authors wrote, with only the steps that changed written anew."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from celosia.process.anonymity import Anonymity
from celosia.process.step import Step
from celosia.process.yaml import Place, comments, dump, load_text, place_of

if TYPE_CHECKING:
    from celosia.process.plan import Plan

_INDENT = 2


def render(plan: Plan) -> str:
    """The text of a plan: its own where it has one, comments and all, with the steps as they are now.

    Where more than steps is not as the text says, all is written anew under the comments of the old text.
    """
    from celosia.process.plan import Plan as Loaded

    place = place_of(plan.text, "steps") if plan.text else None
    if place is None:
        return _from_nothing(plan)
    lines = plan.text.splitlines()
    read = Loaded.parse(plan.text, plan.path)
    if read.without_steps() != plan.without_steps():
        return "\n".join([*comments(lines), _from_nothing(plan)])
    before = read.steps
    named = ["name" in step for step in load_text(plan.text, plan.path).get("steps") or []]
    blocks = _blocks(lines, place)
    indent = place.indent if blocks else _INDENT
    body: list[str] = []
    for step in plan.steps:
        known = before.index(step) if blocks and step in before else None
        if known is None:
            body = _appended(body, _step_lines(step, indent))
        else:
            block = lines[slice(*blocks[known])]
            body += block if named[known] or not _takes_name(step) else _named(block, step, indent)
    if blocks:
        head = lines[: blocks[0][0]]
    else:
        kept = comments(lines[place.key : _with_comments(lines, place.end)])
        head = [*lines[: place.key], *kept, "steps:" if body else "steps: []"]
    return "\n".join([*head, *body, *lines[_with_comments(lines, place.end) :]]) + "\n"


def written(step: Step) -> dict[str, Any]:
    """A step as a plan writes it: its name, and what differs from the defaults."""
    own: dict[str, Any] = {"do": step.method.do}
    if _takes_name(step):
        own["name"] = step.name
    if step.level != "record":
        own["level"] = step.level
    if step.where:
        own["where"] = step.where
    if step.step_strata:
        own["strata"] = list(step.step_strata)
    return own | step.method.model_dump(mode="json", exclude_defaults=True)


def _takes_name(step: Step) -> bool:
    """Whether ``name`` in the plan is the step's, and not a field of its method."""
    return "name" not in type(step.method).model_fields


def _blocks(lines: Sequence[str], place: Place) -> list[tuple[int, int]]:
    """First and last line of each step, the comments right above it included."""
    firsts = [_with_comments(lines, start) for start in place.items]
    return list(zip(firsts, [*firsts[1:], _with_comments(lines, place.end)] if firsts else [], strict=True))


def _with_comments(lines: Sequence[str], start: int) -> int:
    while start > 0 and lines[start - 1].lstrip().startswith("#"):
        start -= 1
    return start


def _appended(body: list[str], block: list[str]) -> list[str]:
    """One more block, set apart by a blank line where the last one is."""
    kept = list(body)
    while kept and not kept[-1].strip():
        kept.pop()
    return [*kept, "", *block, ""] if len(kept) < len(body) else [*body, *block]


def _named(block: Sequence[str], step: Step, indent: int) -> list[str]:
    """An old step's lines, with its name written where it was only implied."""
    at = next(i for i, line in enumerate(block) if line.lstrip().startswith("-"))
    within = _IN_BRACES.match(block[at])
    if within:
        return [*block[:at], f"{within[1]}, name: {step.name}{within[2]}", *block[at + 1 :]]
    if not block[at].lstrip().startswith("- do:"):
        rest = [line for line in block[at:] if not line.strip() or line.lstrip().startswith("#")]
        said = [" " * indent + comment for comment in comments(line for line in block[at:] if line not in rest)]
        return [*block[:at], *said, *_step_lines(step, indent), *rest]
    return [*block[: at + 1], f"{' ' * (indent + 2)}name: {step.name}", *block[at + 1 :]]


_IN_BRACES = re.compile(r"(\s*-\s+\{\s*do:\s*\w+)(.*)")
"""A step within braces, up to what it does."""


def _step_lines(step: Step, indent: int) -> list[str]:
    return [" " * indent + line for line in dump([written(step)]).splitlines()]


def _anonymity(section: Anonymity) -> dict[str, Any]:
    written = section.model_dump(mode="json", exclude={"questions"}, exclude_defaults=True)
    questions = {q.name: q.model_dump(mode="json", exclude={"name"}, exclude_defaults=True) for q in section.questions}
    return written | ({"questions": questions} if questions else {})


def _roles(plan: Plan) -> dict[str, list[str]]:
    """The variables of each role; all that a plan says of variables beside a dictionary of their own."""
    roles = dict.fromkeys(variable.role for variable in plan.dictionary if variable.role is not None)
    return {role.value: list(plan.dictionary.with_role(role)) for role in roles}


def _from_nothing(plan: Plan) -> str:
    whole: dict[str, Any] = {"celosia": 1}
    for name in ("title", "source", "policy"):
        if getattr(plan, name):
            whole[name] = getattr(plan, name)
    if plan.csv:
        whole["csv"] = dict(plan.csv)
    if plan.kind is not None:
        whole["kind"] = plan.kind.value
    if plan.dictionary_file:
        whole["dictionary"] = plan.dictionary_file
        whole["roles"] = _roles(plan)
    elif len(plan.dictionary):
        facts = {v.name: v.model_dump(mode="json", exclude={"name"}, exclude_defaults=True) for v in plan.dictionary}
        whole["dictionary"] = facts
    whole["rules"] = [rule.model_dump(mode="json", exclude_none=True) for rule in plan.rules]
    whole["sources"] = {
        s.name: s.model_dump(mode="json", exclude={"name"}, exclude_defaults=True) for s in plan.sources
    }
    whole["scenarios"] = {
        s.name: s.model_dump(mode="json", exclude={"name"}, exclude_defaults=True) for s in plan.scenarios
    }
    if plan.groups:
        whole["groups"] = dict(plan.groups)
    if plan.hierarchies:
        trees = {name: tree.model_dump(mode="json", exclude_defaults=True) for name, tree in plan.hierarchies.items()}
        whole["hierarchies"] = trees
    if plan.anonymity is not None:
        whole["anonymity"] = _anonymity(plan.anonymity)
    whole["steps"] = [written(step) for step in plan.steps]
    whole["release"] = plan.release.model_dump(mode="json", exclude_defaults=True)
    return dump({name: value for name, value in whole.items() if value != {} and (value or name != "rules")})
