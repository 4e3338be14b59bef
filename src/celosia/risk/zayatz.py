r"""Population uniques by Zayatz's method: sample uniques times the chance that one is unique in the population.

The shares of the classes of each size in the sample, :math:`c_i/u`, stand for those of the population. A class of
:math:`i` people shows as a sample unique with the chance of a hypergeometric :math:`X_i` (:math:`i` marked among
:math:`N`, :math:`n` draws) being 1, so that

.. math::
    P(F=1 \mid f=1) = \frac{(c_1/u)\,n/N}{\sum_i (c_i/u)\,P(X_i = 1)}, \qquad
    \hat U = \frac{N}{n}\,c_1\,P(F=1 \mid f=1),

.. math:: P(X_i = 1) = \frac{i\,n}{N} \prod_{t=0}^{i-2} \frac{N-n-t}{N-1-t}.

The product is summed as logarithms, which keeps all digits whatever N (binomials by log-gamma do not).

References
----------
Zayatz (1991), *Estimation of the number of unique population elements using a sample*, Bureau of the Census SRD 91/08.
Dankar, El Emam, Neisa & Roffey (2012), *Estimating the re-identification risk of clinical data sets*,
BMC Medical Informatics and Decision Making 12:66.
"""

from __future__ import annotations

import numpy as np

from celosia.risk.class_sizes import ClassSizes, Estimate, Floats


def zayatz(sizes: ClassSizes, population: float) -> Estimate:
    """Population uniques from a sample of a population of this size.

    Examples
    --------
    >>> import numpy as np
    >>> sizes = ClassSizes.of(np.array([1, 1, 1, 2, 2, 5]))
    >>> round(zayatz(sizes, population=24).uniques, 3)
    3.354
    """
    fraction = sizes.records / population
    shown = float(sizes.classes @ once_drawn(sizes.size, sizes.records, population))
    given = sizes.having(1) * fraction / shown if shown > 0 else 0.0
    return Estimate(sizes.having(1) * given / fraction, {"unique_given_sample_unique": given})


def once_drawn(size: Floats, records: float, population: float) -> Floats:
    """The chance that exactly one of a class of each size is among the records drawn from the population."""
    t = np.arange(size.max() - 1)
    with np.errstate(divide="ignore"):
        steps = np.log(np.maximum(population - records - t, 0) / (population - 1 - t))
    missed = np.concatenate([[0.0], np.cumsum(steps)])
    return np.asarray(size * records / population * np.exp(missed[size.astype(np.int64) - 1]))
