"""Search for the nearest points: a k-d tree with tight boxes over distinct points, some of whose values are missing.

The distance of two points is a sum over the coordinates that both observe, of ``scale * gap ** 2`` (kind 0),
``scale * gap`` (kind 1) or ``scale`` where they differ (kind 2), times ``whole`` over the importance of those
coordinates. The bound of a box adds the same terms in the same order, and rounding keeps order, so a bound is never
above the distance computed for a point inside: what is found is what the full matrix gives.

A box is (NaN, NaN) in a coordinate that none of its points observes, (-inf, inf) where only some do.
"""

from __future__ import annotations

import numpy as np

from celosia.kernels._jit import jit

_DEPTH = 128


@jit
def _term(kind, scale, gap):
    if kind == 0:
        return scale * gap * gap
    if kind == 1:
        return scale * gap
    return scale if gap > 0 else 0.0


@jit
def _scaled(total, common, whole):
    if common == whole:
        return total
    return whole / common * total if common > 0 else np.inf


@jit
def _to_point(query, points, row, kind, scale, importance, whole):
    total = common = 0.0
    for j in range(query.size):
        gap = abs(query[j] - points[row, j])
        if not np.isnan(gap):
            total += _term(kind[j], scale[j], gap)
            common += importance[j]
    return _scaled(total, common, whole)


@jit
def _to_box(query, low, high, node, kind, scale, importance, whole):
    total = common = 0.0
    for j in range(query.size):
        below, above = low[node, j] - query[j], query[j] - high[node, j]
        if not np.isnan(below):
            total += _term(kind[j], scale[j], max(below, above, 0.0))
            common += importance[j]
    return _scaled(total, common, whole)


@jit
def _enclose(points, order, start, end, node, low, high):
    """The box around rows start..end; returns a coordinate that only some of them observe, or -1."""
    partial = -1
    for j in range(points.shape[1]):
        smallest, largest, missing = np.inf, -np.inf, 0
        for i in range(start, end):
            value = points[order[i], j]
            if np.isnan(value):
                missing += 1
            else:
                smallest, largest = min(smallest, value), max(largest, value)
        if missing == end - start:
            smallest = largest = np.nan
        elif missing:
            smallest, largest, partial = -np.inf, np.inf, j
        low[node, j], high[node, j] = smallest, largest
    return partial


@jit
def _widest(low, high, node, kind, scale):
    widest, split = 0.0, -1
    for j in range(kind.size):
        width = _term(kind[j], scale[j], high[node, j] - low[node, j])
        if width > widest:
            widest, split = width, j
    return split


@jit
def _part_missing(points, order, start, end, j):
    """Reorder rows start..end so that those that miss coordinate ``j`` come first; returns where they end."""
    middle = start
    for i in range(start, end):
        if np.isnan(points[order[i], j]):
            order[i], order[middle] = order[middle], order[i]
            middle += 1
    return middle


@jit
def _halve(points, order, start, end, j):
    """Reorder rows start..end so that those with the smaller values of coordinate ``j`` fill the first half."""
    middle = (start + end) // 2
    left, right = start, end - 1
    while left < right:
        pivot = points[order[(left + right) // 2], j]
        a, b = left, right
        while a <= b:
            while points[order[a], j] < pivot:
                a += 1
            while points[order[b], j] > pivot:
                b -= 1
            if a <= b:
                order[a], order[b] = order[b], order[a]
                a += 1
                b -= 1
        if middle <= b:
            right = b
        elif middle >= a:
            left = a
        else:
            break
    return middle


@jit
def build(points, kind, scale, leaf, order, span, child, low, high):
    """Grow the tree; ``order`` holds 0..n-1 and comes out as the order of the leaves. Returns the number of nodes.

    ``span`` holds first and last row of each node, ``child`` its first child (the second is next to it) or -1, ``low``
    and ``high`` the box around its points. Points are first parted by what they observe.
    """
    span[0, 0], span[0, 1] = 0, points.shape[0]
    nodes, node = 1, 0
    while node < nodes:
        start, end = span[node, 0], span[node, 1]
        partial = _enclose(points, order, start, end, node, low, high)
        split = partial if partial >= 0 else _widest(low, high, node, kind, scale)
        child[node] = -1
        if end - start > leaf and split >= 0:
            if partial >= 0:
                middle = _part_missing(points, order, start, end, split)
            else:
                middle = _halve(points, order, start, end, split)
            child[node] = nodes
            span[nodes, 0], span[nodes, 1] = start, middle
            span[nodes + 1, 0], span[nodes + 1, 1] = middle, end
            nodes += 2
        node += 1
    return nodes


@jit
def nearest(queries, best, points, span, child, low, high, kind, scale, importance, whole):
    """Lower ``best`` of each query to the distance of its nearest point, if that is less."""
    stack, bound = np.empty(_DEPTH + kind.size, dtype=np.int64), np.empty(_DEPTH + kind.size)
    for i in range(queries.shape[0]):
        query = queries[i]
        closest = best[i]
        top = 0
        stack[0], bound[0] = 0, _to_box(query, low, high, 0, kind, scale, importance, whole)
        while top >= 0:
            node, reach = stack[top], bound[top]
            top -= 1
            if reach >= closest:
                continue
            if child[node] < 0:
                for row in range(span[node, 0], span[node, 1]):
                    closest = min(closest, _to_point(query, points, row, kind, scale, importance, whole))
                continue
            first = child[node]
            a = _to_box(query, low, high, first, kind, scale, importance, whole)
            b = _to_box(query, low, high, first + 1, kind, scale, importance, whole)
            nearer = 0 if a <= b else 1  # on top of the stack: visited first
            stack[top + 1], bound[top + 1] = first + 1 - nearer, max(a, b)
            stack[top + 2], bound[top + 2] = first + nearer, min(a, b)
            top += 2
        best[i] = closest


@jit
def within(queries, limit, enough, found, count, points, span, child, low, high, kind, scale, importance, whole):
    """Add to ``found`` the records (``count`` a point) at distances up to ``limit``; stop a query at ``enough``."""
    stack = np.empty(_DEPTH + kind.size, dtype=np.int64)
    for i in range(queries.shape[0]):
        query = queries[i]
        top = 0
        stack[0] = 0
        while top >= 0 and found[i] < enough:
            node = stack[top]
            top -= 1
            if _to_box(query, low, high, node, kind, scale, importance, whole) > limit[i]:
                continue
            if child[node] >= 0:
                stack[top + 1], stack[top + 2] = child[node] + 1, child[node]
                top += 2
                continue
            for row in range(span[node, 0], span[node, 1]):
                if _to_point(query, points, row, kind, scale, importance, whole) <= limit[i]:
                    found[i] += count[row]
