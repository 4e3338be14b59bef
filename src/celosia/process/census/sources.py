"""The confidential files of a census, and the steps that prepare them.

What comes before the noise is part of what the guarantee speaks of: a step that looked at other records would let one
person change many. Only steps that treat each record by itself are taken, and the codes of the domain come from the
dictionary that they make of the declared one, without a single record.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from pydantic import model_validator

from celosia.core.errors import PlanError
from celosia.core.microdata import Microdata
from celosia.core.model import Frozen
from celosia.core.run import Run
from celosia.process.step import Step

Resolve = Callable[[str], Path]
"""A name written in a plan → the file."""


class DataFile(Frozen):
    """A file of records, and its dictionary where it is not beside it."""

    file: str
    dictionary: str | None = None

    @model_validator(mode="before")
    @classmethod
    def _from_name(cls, value: Any) -> Any:
        return {"file": value} if isinstance(value, str) else value

    def read(self, resolve: Resolve) -> Microdata:
        """The records with their dictionary."""
        from celosia.io import read

        book = None if self.dictionary is None else resolve(self.dictionary)
        return read(resolve(self.file), dictionary=book)


class Confidential(DataFile):
    """A confidential file of the census, and what is done to each of its records before they are counted."""

    steps: tuple[Step, ...] = ()

    @model_validator(mode="after")
    def _each_record_by_itself(self) -> Confidential:
        for step in self.steps:
            if step.level != "record" or step.step_strata or not step.method.record_wise:
                raise PlanError("census-step-looks-around", step=step.name, do=step.method.do)
        return self

    def read(self, resolve: Resolve) -> Microdata:
        """The records after the steps, under a dictionary that no record has a part in."""
        data = super().read(resolve)
        if not self.steps:
            return data
        return done(self.steps, data).with_dictionary(done(self.steps, data.take(np.arange(0))).dictionary)


def done(steps: tuple[Step, ...], data: Microdata, run: Run | None = None) -> Microdata:
    """The data after some steps."""
    circumstances = run or Run()
    for step in steps:
        data = step.apply(data, circumstances).data
    return data
