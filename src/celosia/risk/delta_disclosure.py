r"""δ-disclosure privacy: how much the odds of a sensitive value move once a person's class is known.

With :math:`q_s` the share of value :math:`s` in a class and :math:`p_s` in the whole file, both among observed values,

.. math:: \delta = \max_{s:\,q_s > 0} \Bigl|\log_2\frac{q_s}{p_s}\Bigr|,

and a class complies with a limit where its :math:`\delta` is **below** it. Bits: at :math:`\delta = 1` a value is
twice, or half, as frequent in the class as in the file. Only values present in the class are compared, as ARX does:
the definition's other values would make every class that lacks one infinitely bad. A missing key is a category, a
missing sensitive value is none (see ``risk.classes``).

References
----------
Brickell & Shmatikov (2008), *The cost of privacy: destruction of data-mining utility in anonymized data publishing*,
KDD 2008, 70-78.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from celosia.risk.class_figure import ClassFigure
from celosia.risk.classes import one_sensitive


class DeltaDisclosure(ClassFigure):
    """δ of every class, in bits; a class at the limit violates it."""

    measure = "delta_disclosure"
    levels = (0.5, 1.0, 1.5, 2.0, 3.0)
    strict = True


def delta_disclosure(frame: Any, keys: Sequence[str], sensitive: str) -> DeltaDisclosure:
    """Measure δ for every class of equal keys.

    Parameters
    ----------
    frame, keys
        As in ``l_diversity``.
    sensitive
        The sensitive variable.

    Examples
    --------
    Half of the file has asthma, and all of the women.

    >>> import polars as pl
    >>> frame = pl.DataFrame({"sexo": [2, 2, 1, 1], "salud": ["asma", "asma", "gripe", "tos"]})
    >>> delta_disclosure(frame, keys=["sexo"], sensitive="salud").of_record.tolist()
    [1.0, 1.0, 1.0, 1.0]
    """
    _, classes = one_sensitive(frame, keys, sensitive)
    moved = np.abs(np.log2(classes.share / classes.whole[classes.value]))
    return DeltaDisclosure(classes, classes.largest(moved))
