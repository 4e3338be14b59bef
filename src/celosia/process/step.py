"""A step of a plan: a method, its name, and on which level, records and strata it acts."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any, Literal

from pydantic import SerializeAsAny, ValidationError, model_validator

from celosia.core.condition import Condition
from celosia.core.errors import CelosiaError, DataError, OptionError, PlanError, RoleError
from celosia.core.method import Method, Protected
from celosia.core.microdata import Microdata
from celosia.core.model import Frozen
from celosia.core.run import Run
from celosia.methods import method
from celosia.process.household import on_households
from celosia.process.parts import on_some, on_strata


class Step(Frozen):
    """One step.

    Parameters
    ----------
    name
        Its chance derives from it; unique in the plan.
    method
        What is done.
    level
        ``household``: on one record a household, then given back to every member.
    where
        Only on the records where this condition holds.
    strata
        Separately in each combination of these variables.
    """

    name: str
    method: SerializeAsAny[Method]
    level: Literal["record", "household"] = "record"
    where: Condition | None = None
    step_strata: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _one_scope(self) -> Step:
        if self.level == "household" and (self.where or self.step_strata):
            raise OptionError("step-scope", step=self.name)
        return self

    @classmethod
    def of(cls, given: Step | Method | Mapping[str, Any], free: Callable[[str], str], **said: str | None) -> Step:
        """A step from any form of one, with what is said beside it (``name``, ``level``, ``where``), if anything."""
        said = {key: value for key, value in said.items() if value is not None}
        if isinstance(given, Method):
            return cls(**{"name": free(given.do), **said}, method=given)
        step = given if isinstance(given, Step) else cls.parse(given, free(str(given.get("do", "step"))))
        own = said.keys() if isinstance(given, Step) else step.model_fields_set & given.keys()
        if twice := tuple(key for key in said if key in own):
            raise OptionError("step-said-twice", step=step.name, options=twice)
        return cls(**{**{key: getattr(step, key) for key in step.model_fields_set}, **said}) if said else step

    @classmethod
    def parse(cls, written: Mapping[str, Any], name: str) -> Step:
        """A step as a plan writes it; ``name`` is used where it has none."""
        fields = dict(written)
        do = fields.pop("do", None)
        if not isinstance(do, str):
            raise PlanError("step-without-do", step=name)
        made = method(do)
        own = [key for key in ("name", "level", "where", "strata") if key in fields and key not in made.model_fields]
        scope: dict[str, Any] = {"step_strata" if key == "strata" else key: fields.pop(key) for key in own}
        where = str(scope.get("name", name))
        try:
            return cls(**{"name": name, **scope}, method=made(**fields))
        except ValidationError as error:
            raise PlanError.of_fields(error, where=where, model=cls) from None
        except CelosiaError as error:
            error.facts["where"] = where
            raise

    def apply(self, data: Microdata, run: Run) -> Protected:
        """The step done on data; an error says which step it was."""
        own = run.step(self.name)
        try:
            if self.level == "household":
                return on_households(self.method, self.name, data, own)
            if self.where is not None:
                return on_some(self.method, self.name, self.where, data, own)
            if self.step_strata:
                return on_strata(self.method, self.name, self.step_strata, data, own)
            return self.method.apply(data, own)
        except (DataError, RoleError, OptionError) as error:
            error.facts.setdefault("where", self.name)
            raise


def free_name(do: str, taken: Collection[str]) -> str:
    """A name for a new step that no step has: what it does, numbered from the second on."""
    number = 1
    while (name := do if number == 1 else f"{do}-{number}") in taken:
        number += 1
    return name
