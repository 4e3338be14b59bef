r"""How far estimators of risk are from the truth, where the truth is known.

From a population, whole and known, samples of a fraction :math:`f` are drawn without replacement, keyed by the run. On
each, every estimator is computed as if only the sample and the size of the population were known, and set against
what holds in the population, with :math:`F_i` the people who have the key of record :math:`i`:

``population_uniques``
    people alone with their key; by ``pitman``, ``zayatz``, ``snb``, ``snb_shlosser`` and ``dankar``;
``tau1``, ``tau2``
    sample uniques with :math:`F_i = 1`, and the sum of :math:`1/F_i` over sample uniques; by the log-linear models
    ``main``, ``two-way`` and ``search``;
``global_risk``
    the mean of :math:`1/F_i` over the records; by ``individual``.

Bias is the mean of the estimates over the mean of the truths, less one; the error is the root mean square of
estimate less truth over the mean truth. An estimator that fails on a sample is counted as failed, not as zero.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from celosia.core.errors import DataError
from celosia.core.frames import variable_names
from celosia.core.language import number, percent, text
from celosia.core.picture import Picture, chart
from celosia.core.results import Tabular
from celosia.core.run import Run
from celosia.engines import Keys, engine
from celosia.kernels.reidentification import usual_risks
from celosia.risk.class_sizes import ClassSizes, Floats
from celosia.risk.log_linear import of_keys
from celosia.risk.options import one_of, whole_number, within
from celosia.risk.population_uniqueness import of_sizes
from celosia.risk.records import records_of

UNIQUENESS = ("pitman", "zayatz", "snb", "snb_shlosser", "dankar")
MODELS = ("main", "two-way", "search")
ALL_ESTIMATORS = (*UNIQUENESS, *MODELS, "individual")
TARGETS = ("population_uniques", "tau1", "tau2", "global_risk")

_SCHEMA = {
    "fraction": pl.Float64,
    "repeat": pl.Int64,
    "target": pl.String,
    "estimator": pl.String,
    "truth": pl.Float64,
    "estimate": pl.Float64,
}
_Row = tuple[float, int, str, str, float, float | None]


@dataclass(frozen=True, eq=False)
class Calibration(Tabular):
    """Estimates beside truths.

    Attributes
    ----------
    samples
        A row a fraction, repeat, target and estimator: ``truth`` and ``estimate``, null where there is none.
    """

    keys: tuple[str, ...]
    population: int
    samples: pl.DataFrame = field(repr=False)

    def table(self) -> pl.DataFrame:
        """Mean truth and estimate, relative bias and error, and failures, of each estimator at each fraction."""
        worked = pl.col("estimate").is_not_null()
        truth, estimate = pl.col("truth").filter(worked), pl.col("estimate").drop_nulls()
        off = (truth - estimate).pow(2).mean().sqrt()
        return self.samples.group_by("target", "estimator", "fraction", maintain_order=True).agg(
            pl.col("truth").mean(),
            estimate.mean(),
            pl.when(truth.mean() > 0).then(estimate.mean() / truth.mean() - 1).alias("bias"),
            pl.when(truth.mean() > 0).then(off / truth.mean()).alias("error"),
            (~worked).sum().cast(pl.Int64).alias("failed"),
        )

    def picture(self, target: str = "population_uniques") -> Picture:
        """Relative bias at each sampling fraction, a line an estimator, and a faint point a sample.

        The truth is the line across.
        """
        known = self.samples["target"].unique(maintain_order=True).to_list()
        one_of("target", target, known)
        rows = self.table().filter(pl.col("target") == target).drop_nulls("bias")
        at = pl.col("fraction").map_elements(_in_percent, return_dtype=pl.String)
        said = "; ".join(
            f"{estimator}, {_in_percent(fraction)}: {percent(bias, 1)}"
            for fraction, bias, estimator in rows.select("fraction", "bias", "estimator").iter_rows()
        )
        whole = self.samples.filter(pl.col("target") == target, pl.col("truth") > 0).drop_nulls("estimate")
        each = whole.select(at, (pl.col("estimate") / pl.col("truth") - 1).alias("bias"), "estimator")
        return chart(
            rows.select(at, "bias", "estimator"),
            "fraction",
            "bias",
            mark="line",
            group="estimator",
            share=True,
            rule=0.0,
            behind=each,
            alternative=text("picture.calibration", target=text(f"target.{target}"), said=said),
        )

    def to_dict(self) -> dict[str, Any]:
        """The table as plain rows, and what it was made from."""
        return {"keys": list(self.keys), "population": self.population, "rows": self.table().to_dicts()}


def _in_percent(fraction: float) -> str:
    """A fraction with the decimals that it has."""
    return number(round(100 * fraction, 6)) + "\u202f%"


def calibration(
    frame: Any,
    keys: Sequence[str],
    fractions: Sequence[float] = (0.01, 0.05, 0.1, 0.25, 0.5),
    estimators: Sequence[str] = ALL_ESTIMATORS,
    repeats: int = 10,
    run: Run | None = None,
) -> Calibration:
    """Draw samples of a known population and set each estimator against the truth.

    Parameters
    ----------
    frame
        Any table, or ``Microdata``, that is the whole population.
    keys
        Its key variables.
    fractions, repeats
        Sampling fractions, and samples of each.
    estimators
        Some of ``ALL_ESTIMATORS``.
    run
        The key of its draws, threads, progress and stop button.

    Examples
    --------
    >>> from celosia.datasets import bench_population
    >>> known = bench_population(5_000)
    >>> found = calibration(known, ["region", "sex", "age"], [0.5], ["zayatz"], repeats=3, run=Run(key=1))
    >>> found.table().select("target", "truth", "failed").row(0)
    ('population_uniques', 791.0, 0)
    """
    _require(fractions, estimators, repeats)
    data, run = records_of(frame), run or Run()
    known = engine(data).encode(variable_names(keys), "strict")
    jobs = [(float(fraction), repeat) for fraction in fractions for repeat in range(repeats)]

    def trial(job: tuple[float, int]) -> list[_Row]:
        run.check()
        fraction, repeat = job
        drawn = _draw(known, data.ids, fraction, run.step(f"calibration {fraction!r} {repeat}"))
        return [(fraction, repeat, *row) for row in _trial(known, drawn, estimators, run)]

    rows: list[_Row] = []
    with ThreadPoolExecutor(run.threads) as pool:
        for done, found in enumerate(pool.map(trial, jobs)):
            rows += found
            run.check("calibration", (done + 1) / len(jobs))
    order = {target: place for place, target in enumerate(TARGETS)}
    samples = pl.DataFrame(rows, schema=_SCHEMA, orient="row")
    samples = samples.sort(pl.col("target").replace_strict(order), maintain_order=True)
    return Calibration(known.names, known.records, samples)


def _require(fractions: Sequence[float], estimators: Sequence[str], repeats: int) -> None:
    whole_number("repeats", repeats)
    for fraction in fractions or (None,):
        within("fractions", fraction, 0, 1, above=True)
    for estimator in estimators or ("",):
        one_of("estimators", estimator, ALL_ESTIMATORS)


def _draw(known: Keys, ids: npt.NDArray[np.uint64], fraction: float, run: Run) -> npt.NDArray[np.int64]:
    """Records of each key of the population in a sample without replacement."""
    wanted = max(1, round(fraction * known.records))
    chosen = np.argpartition(run.order(ids), wanted - 1)[:wanted]
    return np.bincount(known.index[chosen], minlength=known.count.size).astype(np.int64)


def _trial(
    known: Keys, drawn: npt.NDArray[np.int64], estimators: Sequence[str], run: Run
) -> Iterator[tuple[str, str, float, float | None]]:
    """Target, estimator, truth and estimate, on one sample."""
    held = drawn > 0
    sample, people = drawn[held], known.count[held].astype(np.float64)
    alone = sample == 1
    truths = {
        "population_uniques": float((known.count == 1).sum()),
        "tau1": float((people[alone] == 1).sum()),
        "tau2": float((1 / people[alone]).sum()),
        "global_risk": float(sample @ (1 / people) / sample.sum()),
    }
    observed = replace(known, digits=known.digits[held], count=sample)
    for name in estimators:
        for target, estimate in _estimates(name, observed, float(known.records), run).items():
            yield target, name, truths[target], estimate


def _estimates(name: str, sample: Keys, population: float, run: Run) -> Mapping[str, float | None]:
    """What an estimator says of each of its targets."""
    if name in UNIQUENESS:
        sizes = ClassSizes.of(sample.count)
        return {"population_uniques": _or_none(lambda: of_sizes(sizes, population, name).uniques)}
    raised = sample.count * (population / sample.count.sum())
    if name == "individual":
        return {"global_risk": _global_risk(sample.count.astype(np.float64), raised)}
    found = _or_none(lambda: of_keys(sample, raised, name, run=run))  # type: ignore[arg-type]
    return {"tau1": found and found.tau1, "tau2": found and found.tau2}


def _global_risk(sample: Floats, people: Floats) -> float:
    risk = np.empty(sample.size)
    usual_risks(sample, people, risk)
    return float(sample @ risk / sample.sum())


def _or_none(estimate: Callable[[], Any]) -> Any:
    """The estimate, or nothing where the sample allows none."""
    try:
        return estimate()
    except DataError as error:
        if error.code.startswith(("estimator-", "model-not-converged", "keys-one-class")):
            return None
        raise
