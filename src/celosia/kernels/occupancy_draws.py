"""How many periods of a cell have how many people, drawn by counts and not by persons (``demography.simulated``).

The births of n people in N equal periods are N independent Poisson numbers of mean n/N, given that they add up to n.
Two samplers use it, both exact but for tails of exp(-44) (``occupancy.reach``):

* by levels, where there are many periods and few people in each: the numbers of periods M_k with k people are
  independent Poisson numbers, given that the M_k add up to N and the k M_k to n. All but the two most frequent levels
  are drawn; these follow from the two sums, and the draw is kept with the probability of both over the largest they
  can have;
* by periods: Poisson numbers of a smaller mean, redrawn while they add up to more than n; given their sum they are
  births of so many people, and the rest arrives one by one. Periods of unequal chances have unequal means.
"""

from __future__ import annotations

import math

import numpy as np

from celosia.kernels._jit import jit
from celosia.kernels.occupancy import reach
from celosia.kernels.stream import next_uniform, start_stream

GUIDES = 256
RARE = 0.05
"""Levels with fewer periods than this on the mean are drawn together."""
LEVELS = 256
CROWD = 32.0
"""People a period beyond which levels are too many."""
SHORT = 1.75
"""Standard deviations that the people of the beginning stay below those of the cell on the mean."""


@jit
def draw_people(rows, structure, size, cells, place, starts, number, chance, k0, k1, top, periods):
    """Draw the rows: ``periods[place, replicate, k]`` gains the periods with k people, k = 1 … top.

    Each row has a stream of its own, so that neither their order nor their grouping changes what is drawn. What is
    sure to have more than ``top`` people is not drawn.
    """
    state = np.empty(4, dtype=np.uint64)
    level, means = np.empty(LEVELS, dtype=np.int64), np.empty(LEVELS)
    for row in rows:
        first, last = starts[structure[row]], starts[structure[row] + 1]
        number_of, chance_of = number[first:last], chance[first:last]
        if size[row] == 0 or surely_above(size[row], chance_of, top):
            continue
        out = periods[place[row]]
        if chance_of[0] >= 1.0:
            if size[row] <= top:
                out[:, size[row]] += cells[row]
            continue
        start_stream(k0, k1, row, state)
        common, rare = 0, 0
        if number_of.size == 1 and size[row] < CROWD * number_of[0]:
            common, rare = split_levels(size[row], number_of[0], level, means)
        if common + rare > 0 and by_levels_is_quicker(size[row], number_of[0], common, means):
            draw_by_levels(state, size[row], cells[row], number_of[0], level, means, common, rare, top, out)
        else:
            draw_by_periods(state, size[row], cells[row], number_of, chance_of, top, out)


@jit
def surely_above(size, chance, top):
    """Whether every period has more than ``top`` people, but for a negligible tail."""
    for p in chance:
        if size * p - reach(size * p * (1.0 - p)) <= top:
            return False
    return True


@jit
def by_levels_is_quicker(size, periods, common, means):
    """Draws from tables that either way takes: trials (by the normal law of both sums) times levels, or periods."""
    trials = math.sqrt(size / periods) * periods / math.sqrt(means[0] * means[1])
    return trials * (common + 3) < periods + SHORT * math.sqrt(size)


@jit
def fill_poisson(mean, below, guide):
    """A table to draw Poisson numbers with: ``below[i]`` is P(X <= lowest + i); the lowest is given back."""
    far = reach(mean)
    low, high = max(0, int(mean - far)), int(mean + far) + 1
    mode = int(mean)
    below[mode - low] = 1.0
    total = 1.0
    for k in range(mode, low, -1):
        below[k - 1 - low] = below[k - low] * (k / mean)
        total += below[k - 1 - low]
    for k in range(mode, high):
        below[k + 1 - low] = below[k - low] * (mean / (k + 1))
        total += below[k + 1 - low]
    sum_so_far = 0.0
    for i in range(high - low + 1):
        sum_so_far += below[i] / total
        below[i] = sum_so_far
    fill_guide(below[: high - low + 1], guide)
    return low


@jit
def fill_guide(below, guide):
    """For each part of [0, 1), where the search in a table begins; nothing passes its end."""
    below[-1] = 2.0
    i = 0
    for g in range(GUIDES):
        while below[i] <= g / GUIDES:
            i += 1
        guide[g] = i


@jit
def poisson_width(mean):
    """How many entries the table of a mean has at most."""
    return int(2.0 * reach(mean)) + 3


@jit
def from_table(state, below, guide):
    """A place in a table: the first whose probability from below passes a uniform number."""
    u = next_uniform(state)
    i = guide[int(u * GUIDES)]
    while below[i] <= u:
        i += 1
    return i


@jit
def fill_relative(mean, relative):
    """Poisson probabilities over their largest one, from the lowest that counts on, which is given back."""
    far = reach(mean)
    low, mode = max(0, int(mean - far)), int(mean)
    relative[mode - low] = 1.0
    for k in range(mode, low, -1):
        relative[k - 1 - low] = relative[k - low] * (k / mean)
    for k in range(mode, low + relative.size - 1):
        relative[k + 1 - low] = relative[k - low] * (mean / (k + 1))
    return low


@jit
def split_levels(size, periods, level, means):
    """The two most frequent adjacent levels, the common other ones and the rare ones.

    ``level`` and ``means`` hold the lower of the two and the upper, then the common levels, then the rare ones;
    given back is how many are common and how many rare.
    """
    mean = size / periods
    lower = 0
    while (lower + 1) * (lower + 2) <= mean * mean:
        lower += 1
    level[0], level[1] = lower, lower + 1
    means[0] = periods * math.exp(lower * math.log(mean) - mean - math.lgamma(lower + 1.0))
    means[1] = means[0] * mean / (lower + 1)
    least = math.exp(-44.0)
    common = 0
    for rare in (False, True):
        last = 2 + common if rare else 2
        expected = means[0]
        for k in range(lower - 1, -1, -1):
            expected *= (k + 1) / mean
            if (expected < RARE) == rare and expected > least:
                level[last], means[last] = k, expected
                last += 1
        expected = means[1]
        for k in range(lower + 2, size + 1):
            expected *= mean / k
            if expected <= least or last == LEVELS:
                break
            if (expected < RARE) == rare:
                level[last], means[last] = k, expected
                last += 1
        if not rare:
            common = last - 2
    return common, last - 2 - common


@jit
def draw_by_levels(state, size, cells, periods, level, means, common, rare, top, out):
    """Levels drawn one by one, the two most frequent of them solved for."""
    rest = np.cumsum(means[2 + common : 2 + common + rare])
    width = poisson_width(max(means[0], means[1], rest[-1] if rare > 0 else 0.0))
    relative_lower, relative_upper = np.empty(width), np.empty(width)
    low_lower, low_upper = fill_relative(means[0], relative_lower), fill_relative(means[1], relative_upper)
    below, guide = np.empty((common + 1, width)), np.empty((common + 1, GUIDES), dtype=np.int64)
    lowest, found = np.zeros(common + 1, dtype=np.int64), np.empty(common, dtype=np.int64)
    for c in range(common):
        lowest[c] = fill_poisson(means[2 + c], below[c], guide[c])
    if rare > 0:
        fill_poisson(rest[-1], below[common], guide[common])
    seldom = np.empty(width, dtype=np.int64)
    for replicate in range(out.shape[0]):
        counts = out[replicate]
        for _ in range(cells):
            while True:
                left, people, odd = periods, size, 0
                for c in range(common):
                    found[c] = lowest[c] + from_table(state, below[c], guide[c])
                    left -= found[c]
                    people -= level[2 + c] * found[c]
                if rare > 0:
                    odd = from_table(state, below[common], guide[common])
                    for i in range(odd):
                        which = np.searchsorted(rest, next_uniform(state) * rest[-1], side="right")
                        seldom[i] = level[2 + common + min(which, rare - 1)]
                        left -= 1
                        people -= seldom[i]
                upper = people - level[0] * left
                lower = left - upper
                if lower < 0 or upper < 0:
                    continue
                i, j = lower - low_lower, upper - low_upper
                if i < 0 or j < 0 or i >= width or j >= width:
                    continue
                if next_uniform(state) < relative_lower[i] * relative_upper[j]:
                    break
            if 0 < level[0] <= top:
                counts[level[0]] += lower
            if level[1] <= top:
                counts[level[1]] += upper
            for c in range(common):
                if 0 < level[2 + c] <= top:
                    counts[level[2 + c]] += found[c]
            for i in range(odd):
                if 0 < seldom[i] <= top:
                    counts[seldom[i]] += 1


@jit
def draw_by_periods(state, size, cells, number, chance, top, out):
    """Periods filled one by one by Poisson numbers, or not at all, and the rest of the people one by one."""
    classes = number.size
    bounds = np.zeros(classes + 1, dtype=np.int64)
    bounds[1:] = np.cumsum(number)
    of_class, class_guide = np.cumsum(number * chance), np.empty(GUIDES, dtype=np.int64)
    fill_guide(of_class, class_guide)
    begun = max(0.0, size - SHORT * math.sqrt(size)) if size > bounds[-1] else 0.0
    width = poisson_width(begun * chance.max())
    below, guide = np.empty((classes, width)), np.empty((classes, GUIDES), dtype=np.int64)
    lowest = np.zeros(classes, dtype=np.int64)
    if begun > 0:
        for c in range(classes):
            lowest[c] = fill_poisson(begun * chance[c], below[c], guide[c])
    born = np.zeros(bounds[-1], dtype=np.int64)
    filled = np.empty(bounds[-1], dtype=np.int64)
    for replicate in range(out.shape[0]):
        counts = out[replicate]
        for _ in range(cells):
            used, there = 0, 0
            while begun > 0:
                there = 0
                for c in range(classes):
                    for b in range(bounds[c], bounds[c + 1]):
                        born[b] = lowest[c] + from_table(state, below[c], guide[c])
                        there += born[b]
                if there <= size:
                    break
            if begun > 0:
                used = born.size
                for b in range(used):
                    filled[b] = b
            for _ in range(size - there):
                c = from_table(state, of_class, class_guide) if classes > 1 else 0
                b = bounds[c] + int(next_uniform(state) * number[c])
                if born[b] == 0 and begun == 0:
                    filled[used] = b
                    used += 1
                born[b] += 1
            for i in range(used):
                b = filled[i]
                if 0 < born[b] <= top:
                    counts[born[b]] += 1
                born[b] = 0
