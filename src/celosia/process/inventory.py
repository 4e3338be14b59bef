"""The inventory of data sets that an intruder could use (INE Tarea 3-1): what each gives, and who holds it."""

from __future__ import annotations

from celosia.core.model import Frozen, Names


class Source(Frozen):
    """A data set outside the office: a register, a roll, another survey, somebody's own knowledge.

    Parameters
    ----------
    keys
        The variables of our file that it holds, under our names.
    title
        What it is.
    holders
        Who has it.
    file
        Its records, where the office has them: population frequencies are then counted in it and not estimated.
    """

    name: str
    keys: Names
    title: str = ""
    holders: tuple[str, ...] = ()
    file: str | None = None
