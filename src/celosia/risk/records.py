"""Records as the measures take them: any table that has some, and two files of the same records side by side."""

from __future__ import annotations

from typing import Any

from celosia.core.errors import DataError
from celosia.core.frames import enter
from celosia.core.microdata import Microdata


def records_of(frame: Any) -> Microdata:
    """Any accepted table; one without records has no risk to measure, and none is not zero."""
    data = enter(frame)
    if not data.height:
        raise DataError("no-records")
    return data


def beside(published: Any, truth: Any) -> tuple[Microdata, Microdata]:
    """The published records, and the true ones in their order.

    Two ``Microdata`` are matched by record id, so that shuffled and dropped records do not matter; else row by row.
    """
    shown, true = records_of(published), records_of(truth)
    if isinstance(published, Microdata) and isinstance(truth, Microdata):
        true = true.in_order_of(shown.ids)
        if true.height != shown.height:
            raise DataError("masked-ids", count=shown.height - true.height)
    if true.height != shown.height:
        raise DataError("truth-records", published=shown.height, truth=true.height)
    return shown, true
