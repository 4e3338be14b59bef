"""Search for the nearest points: a k-d tree with tight boxes over distinct points.

The distance of two points is a sum over coordinates of ``scale * gap ** 2`` (kind 0), ``scale * gap`` (kind 1) or
``scale`` where they differ (kind 2). The bound of a box adds the same terms in the same order, and rounding keeps
order, so a bound is never above the distance computed for a point inside: what is found is what the full matrix gives.
"""

from __future__ import annotations

import numpy as np

from celosia.kernels._jit import jit


@jit
def _term(kind, scale, gap):
    if kind == 0:
        return scale * gap * gap
    if kind == 1:
        return scale * gap
    return scale if gap > 0 else 0.0


@jit
def _to_point(query, points, row, kind, scale):
    total = 0.0
    for j in range(query.size):
        total += _term(kind[j], scale[j], abs(query[j] - points[row, j]))
    return total


@jit
def _to_box(query, low, high, node, kind, scale):
    total = 0.0
    for j in range(query.size):
        gap = max(low[node, j] - query[j], query[j] - high[node, j], 0.0)
        total += _term(kind[j], scale[j], gap)
    return total


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
    and ``high`` the box around its points.
    """
    span[0, 0], span[0, 1] = 0, points.shape[0]
    nodes = 1
    node = 0
    while node < nodes:
        start, end = span[node, 0], span[node, 1]
        widest, split = 0.0, -1
        for j in range(points.shape[1]):
            low[node, j] = high[node, j] = points[order[start], j]
            for i in range(start + 1, end):
                value = points[order[i], j]
                low[node, j] = min(low[node, j], value)
                high[node, j] = max(high[node, j], value)
            width = _term(kind[j], scale[j], high[node, j] - low[node, j])
            if width > widest:
                widest, split = width, j
        child[node] = -1
        if end - start > leaf and split >= 0:
            middle = _halve(points, order, start, end, split)
            child[node] = nodes
            span[nodes, 0], span[nodes, 1] = start, middle
            span[nodes + 1, 0], span[nodes + 1, 1] = middle, end
            nodes += 2
        node += 1
    return nodes


@jit
def nearest(queries, points, span, child, low, high, kind, scale, factor, best):
    """Lower ``best`` of each query to ``factor`` times the distance of its nearest point, if that is less."""
    stack = np.empty(128, dtype=np.int64)
    bound = np.empty(128)
    for i in range(queries.shape[0]):
        query = queries[i]
        closest = best[i]
        top = 0
        stack[0], bound[0] = 0, factor * _to_box(query, low, high, 0, kind, scale)
        while top >= 0:
            node, reach = stack[top], bound[top]
            top -= 1
            if reach >= closest:
                continue
            if child[node] < 0:
                for row in range(span[node, 0], span[node, 1]):
                    closest = min(closest, factor * _to_point(query, points, row, kind, scale))
                continue
            first = child[node]
            a = factor * _to_box(query, low, high, first, kind, scale)
            b = factor * _to_box(query, low, high, first + 1, kind, scale)
            nearer = 0 if a <= b else 1  # on top of the stack: visited first
            stack[top + 1], bound[top + 1] = first + 1 - nearer, max(a, b)
            stack[top + 2], bound[top + 2] = first + nearer, min(a, b)
            top += 2
        best[i] = closest


@jit
def within(queries, points, count, span, child, low, high, kind, scale, factor, limit, enough, found):
    """Add to ``found`` the records (``count`` a point) at distances up to ``limit``; stop a query at ``enough``."""
    stack = np.empty(128, dtype=np.int64)
    for i in range(queries.shape[0]):
        query = queries[i]
        top = 0
        stack[0] = 0
        while top >= 0 and found[i] < enough:
            node = stack[top]
            top -= 1
            if factor * _to_box(query, low, high, node, kind, scale) > limit[i]:
                continue
            if child[node] >= 0:
                stack[top + 1], stack[top + 2] = child[node] + 1, child[node]
                top += 2
                continue
            for row in range(span[node, 0], span[node, 1]):
                if factor * _to_point(query, points, row, kind, scale) <= limit[i]:
                    found[i] += count[row]
