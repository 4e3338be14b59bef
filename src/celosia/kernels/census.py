"""Loops of the census: records counted into a place and a cell, cells summed into answers."""

from __future__ import annotations

import numpy as np

from celosia.kernels._jit import jit


@jit
def sum_groups(histogram, group, answers):
    """Add every cell of every row to its group's answer; group -1 is left out."""
    for row in range(histogram.shape[0]):
        for c in range(group.size):
            if group[c] >= 0:
                answers[row, group[c]] += histogram[row, c]


@jit
def gather_cells(first, members, cell, count, cells, out_first, out_cell, out_count):
    """Add up the rows of each run of ``members``: the cells that hold somebody, in order, and how many.

    Run r has the entries ``first[members[r]]`` up to ``first[members[r + 1]]`` of ``cell`` and ``count``.
    Returns the number of entries written.
    """
    seen = np.zeros(cells, dtype=np.int64)
    written = 0
    for run in range(members.size - 1):
        out_first[run] = written
        start = written
        for entry in range(first[members[run]], first[members[run + 1]]):
            if seen[cell[entry]] == 0:
                out_cell[written] = cell[entry]
                written += 1
            seen[cell[entry]] += count[entry]
        out_cell[start:written].sort()
        for entry in range(start, written):
            out_count[entry] = seen[out_cell[entry]]
            seen[out_cell[entry]] = 0
    out_first[members.size - 1] = written
    return written


@jit
def sum_entries(first, cell, count, group, answers):
    """Add every counted cell of every place to its group's answer; group -1 is left out."""
    for place in range(first.size - 1):
        for entry in range(first[place], first[place + 1]):
            answer = group[cell[entry]]
            if answer >= 0:
                answers[place, answer] += count[entry]


@jit
def sort_by_place(place, cell, first, out):
    """The cells of the records, place by place; ``first`` says where each place begins."""
    following = first.copy()
    for i in range(place.size):
        out[following[place[i]]] = cell[i]
        following[place[i]] += 1
