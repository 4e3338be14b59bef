"""The last resort of tiny files, where a record may lose all its keys: those still open lose every one, together."""

from __future__ import annotations

import numpy as np

from celosia.methods.covering import LEFT, Cover, KeySet, Task


def whole_records(task: Task, found: Cover) -> Cover:
    """Where some key is still open, it is emptied whole, with all that lost a cell in its stratum.

    Nothing less makes a class there; safe keys join, the first ones first, if need be.
    """
    fixed, keys = task.fixed, task.digits.shape[1]
    everything = KeySet(tuple(range(fixed, keys)), float("inf"), keys - fixed)
    stratum = task.digits[:, 0] if fixed else np.zeros(task.count.size, dtype=np.int32)
    losing = found.sets != LEFT
    rows, counts, sets = (parts[losing] for parts in (found.rows, found.counts, found.sets))
    keeping = task.count - np.bincount(rows, weights=counts, minlength=task.count.size).astype(np.int64)
    open_ = np.isin(np.arange(task.count.size), found.rows_left)
    for s in np.unique(stratum[open_]):
        here = stratum == s
        joining = np.flatnonzero(here & open_).tolist()
        have = int((counts * task.each[rows])[here[rows]].sum() + (keeping * task.each)[joining].sum())
        for row in np.flatnonzero(here & (keeping > 0) & ~open_).tolist():
            if have >= task.need:
                break
            joining.append(row)
            have += int(keeping[row] * task.each[row])
        enough = have >= task.need
        sets = np.where(enough & here[rows], len(found.key_sets), sets)
        rows = np.concatenate([rows, joining])
        counts = np.concatenate([counts, keeping[joining]])
        sets = np.concatenate([sets, np.full(len(joining), len(found.key_sets) if enough else LEFT)])
    return Cover([*found.key_sets, everything], rows, counts, sets)
