"""Records counted into places and cells."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from celosia.core.errors import OptionError


def histogram(
    place: npt.NDArray[np.int32], cell: npt.NDArray[np.int32], places: slice, cells: int
) -> npt.NDArray[np.int32]:
    """How many records each place of a run of places has in each cell: one row a place, one column a cell.

    Parameters
    ----------
    place, cell
        Of each record, as ``Geography.place`` and ``Domain.encode`` give them.
    places
        The run of leaves to count, so that a domain of many cells goes one subtree at a time.
    """
    from celosia.kernels.census import count_cells

    if place.shape != cell.shape or place.size >= np.iinfo(np.int32).max:
        raise OptionError("histogram-records", places=place.size, cells=cell.size)
    counts = np.zeros((places.stop - places.start, cells), dtype=np.int32)
    count_cells(place, cell, places.start, counts)
    return counts
