"""What an intruder holds of a study: the true records in the coding of the file.

That is the study replayed without suppression and perturbation.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from celosia.core.codes import spell_series
from celosia.core.microdata import Microdata

if TYPE_CHECKING:
    from celosia.process.study import Study


def truth(study: Study) -> Microdata:
    """The records as they are coded now, with every cell as it was before suppression and perturbation."""
    data, untouched = study.root.data, True
    for before, after in pairwise(study.history):
        step = after.plan.steps[-1]
        if step.method.perturbs or step.method.suppresses:
            untouched = False
        elif untouched:
            data = after.data
        else:
            data = _recoded(before.data, after.data, data, step.apply(data, study.run).data)
    return data.in_order_of(study.data.ids)


def _recoded(before: Microdata, after: Microdata, true: Microdata, replayed: Microdata) -> Microdata:
    """The true records after a step: a cell that the file still held is coded as the file has it now.

    A step that looks at the data (merging small areas) may do otherwise where nothing was suppressed.
    """
    made = replayed.in_order_of(after.ids)
    known, held = true.in_order_of(after.ids), before.in_order_of(after.ids)
    columns = {}
    for name in (name for name in after.variables if name in held and name in known and name in made):
        same = spell_series(held.column(name)).eq_missing(spell_series(known.column(name)))
        if not same.all():
            shown, own = after.column(name), made.column(name)
            alike = (shown, own) if shown.dtype == own.dtype else (spell_series(shown), spell_series(own))
            columns[name] = alike[0].zip_with(same, alike[1])
        else:
            columns[name] = after.column(name)
    return made.with_columns(columns)
