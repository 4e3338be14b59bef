"""A file of published counts, as plans name it: where it is and how it is laid out."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from pydantic import BeforeValidator, Field, PrivateAttr

from celosia.core.model import ReadOnly
from celosia.demography.counts import Counts, CountsForm


class PublishedCounts(CountsForm):
    """A file of counts, read when it is needed.

    Parameters
    ----------
    file
        Any table that ``celosia.read`` takes.
    csv
        What is known of the form of a CSV file; the rest is found out.
    """

    file: str
    csv: ReadOnly[str, Any] = Field(default_factory=dict, validate_default=True)
    _folder: Path = PrivateAttr(default=Path())

    def within(self, folder: Path) -> PublishedCounts:
        """The same file, its name starting at a folder."""
        placed = self.model_copy()
        placed._folder = folder
        return placed

    def read(self) -> Counts:
        """The counts, checked; an error says which file it is."""
        from celosia.core.errors import CelosiaError
        from celosia.io import read

        laid = CountsForm(**self.model_dump(include=set(CountsForm.model_fields), exclude_unset=True))
        try:
            return Counts.of(read(self._folder / self.file, csv=dict(self.csv) or None), laid)
        except CelosiaError as error:
            error.facts.setdefault("where", Path(self.file).name)
            raise


def _from_name(given: Any) -> Any:
    return {"file": given} if isinstance(given, str) else given


CountsFile = Annotated[PublishedCounts, BeforeValidator(_from_name, json_schema_input_type=PublishedCounts | str)]
"""A file of counts, or its name alone."""
