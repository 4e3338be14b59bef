"""A plan as YAML: the lines its authors wrote, with only the steps that changed written anew."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from celosia.process.step import Step
from celosia.process.yaml import dump, lines_of

if TYPE_CHECKING:
    from celosia.process.plan import Plan


def render(plan: Plan) -> str:
    """The text of a plan: its own where it has one, comments and all, with the steps as they are now."""
    if not plan.text:
        return _from_nothing(plan)
    from celosia.process.plan import Plan as Loaded

    before = Loaded.parse(plan.text, plan.path).steps
    lines = plan.text.splitlines()
    starts, end = lines_of(plan.text, "steps")
    blocks = _blocks(lines, starts, end)
    head, tail = _around(lines, blocks, end)
    body: list[str] = []
    for step in plan.steps:
        known = next((i for i, old in enumerate(before) if old == step), None)
        body += _step_lines(step) if known is None else _named(lines[slice(*blocks[known])], step)
    return "\n".join([*head, *body, *tail]) + "\n"


def written(step: Step) -> dict[str, Any]:
    """A step as a plan writes it: its name, and what differs from the defaults."""
    own: dict[str, Any] = {"do": step.method.do, "name": step.name}
    if step.level != "record":
        own["level"] = step.level
    if step.where:
        own["where"] = step.where
    if step.step_strata:
        own["strata"] = list(step.step_strata)
    return own | step.method.model_dump(mode="json", exclude_defaults=True)


def _blocks(lines: Sequence[str], starts: Sequence[int], end: int) -> list[tuple[int, int]]:
    """First and last line of each step, the comments right above it included."""
    firsts = [_with_comments(lines, start) for start in starts]
    return list(zip(firsts, [*firsts[1:], _with_comments(lines, end)] if firsts else [], strict=True))


def _with_comments(lines: Sequence[str], start: int) -> int:
    while start > 0 and lines[start - 1].lstrip().startswith("#"):
        start -= 1
    return start


def _around(lines: Sequence[str], blocks: Sequence[tuple[int, int]], end: int) -> tuple[list[str], list[str]]:
    """What stands before the first step and after the last one."""
    if blocks:
        return list(lines[: blocks[0][0]]), list(lines[blocks[-1][1] :])
    head = [line for line in lines[:end] if not line.startswith("steps:")]
    return [*head, "steps:"], list(lines[end:])


def _named(block: Sequence[str], step: Step) -> list[str]:
    """An old step's lines, with its name written where it was only implied."""
    if any(line.strip().startswith(("name:", "- name:")) for line in block):
        return list(block)
    at = next(i for i, line in enumerate(block) if line.lstrip().startswith("- "))
    indent = " " * (len(block[at]) - len(block[at].lstrip()) + 2)
    return [*block[: at + 1], f"{indent}name: {step.name}", *block[at + 1 :]]


def _step_lines(step: Step) -> list[str]:
    return ["  " + line for line in dump([written(step)]).splitlines()]


def _from_nothing(plan: Plan) -> str:
    whole: dict[str, Any] = {"celosia": 1}
    for name in ("title", "source", "policy"):
        if getattr(plan, name):
            whole[name] = getattr(plan, name)
    if plan.kind is not None:
        whole["kind"] = plan.kind.value
    if plan.dictionary_file:
        whole["dictionary"] = plan.dictionary_file
    elif len(plan.dictionary):
        facts = {v.name: v.model_dump(mode="json", exclude={"name"}, exclude_defaults=True) for v in plan.dictionary}
        whole["dictionary"] = facts
    whole["scenarios"] = {
        s.name: s.model_dump(mode="json", exclude={"name"}, exclude_defaults=True) for s in plan.scenarios
    }
    whole["steps"] = [written(step) for step in plan.steps]
    whole["release"] = plan.release.model_dump(mode="json")
    return dump(whole)
