"""Loops of the census: records counted into a place and a cell, cells summed into answers."""

from __future__ import annotations

from celosia.kernels._jit import jit


@jit
def count_cells(place, cell, first, counts):
    """Count the records of the places from ``first`` on, as many as ``counts`` has rows, in their cells."""
    for i in range(place.size):
        row = place[i] - first
        if 0 <= row < counts.shape[0]:
            counts[row, cell[i]] += 1


@jit
def sum_groups(histogram, group, answers):
    """Add every cell of every row to its group's answer; group -1 is left out."""
    for row in range(histogram.shape[0]):
        for c in range(group.size):
            if group[c] >= 0:
                answers[row, group[c]] += histogram[row, c]
