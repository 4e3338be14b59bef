"""Methods that do something else than they say: what they make is thrown away, whatever it is that they do."""

import numpy as np
import polars as pl
import pytest

from celosia import Dictionary, Microdata, Run, Variable
from celosia.core.errors import PromiseError
from celosia.core.language import speaking
from celosia.core.method import Method, Protected
from celosia.methods import NewIds, RecodeCategories, RecodeIntervals, Rounding, Sample, TopBottomCoding

STUDIES = {"b": "Básica", "m": "Media", "u": "Universitaria"}
DATA = Microdata(
    pl.DataFrame(
        {
            "hogar": range(1, 61),
            "edad": [i % 90 for i in range(60)],
            "sexo": ["A", "B"] * 30,
            "estudios": ["b", "m", "u"] * 20,
            "ingreso": [1234 + i for i in range(60)],
            "peso": [2.5] * 60,
        }
    ),
    Dictionary.of(Variable(name="estudios", values=STUDIES), Variable(name="peso", role="weight", decimals=1)),
)


def broken(honest: Method, make) -> Method:
    """The same method, but for what it makes of the data."""

    def _transform(self, data, run):
        return Protected(make(data), method=self, run=run)

    kind = type(honest)
    return type(kind.__name__, (kind,), {"_transform": _transform})(**honest.model_dump(exclude_unset=True))


def column(name, values):
    return lambda data: data.with_columns({name: pl.Series(values)})


def reweighted(rows, factor):
    def make(data):
        part = data.take(rows)
        return part.with_columns({"peso": part.column("peso") * factor})

    return make


HALF = np.arange(0, 60, 2)
BANDS = ({"beyond": 30, "value": 40}, {"beyond": 50, "value": 60})
SWAPPED = column("edad", [60 if 30 < age <= 50 else 40 if age > 50 else age for age in range(60)])
BROKEN = {
    "new ids that are the old ones": (NewIds(variable="hogar"), lambda data: data, "promise-renumbered"),
    "new ids in the order of the file": (
        NewIds(variable="hogar", within=("sexo",)),
        column("hogar", range(60, 0, -1)),
        "promise-renumbered",
    ),
    "new ids that begin at 100": (
        NewIds(variable="hogar"),
        column("hogar", np.random.default_rng(1).permutation(60) + 100),
        "promise-renumbered",
    ),
    "codes swapped": (
        RecodeCategories(variables=("sexo",), mapping={"A": "1", "B": "2"}),
        column("sexo", ["2", "1"] * 30),
        "promise-recoded",
    ),
    "a mapping that is not followed": (
        RecodeCategories(variables=("sexo",), mapping={"A": "B"}, others="A"),
        column("sexo", ["A"] * 60),
        "promise-recoded",
    ),
    "everything in the first interval": (
        RecodeIntervals(variable="edad", breaks=(0, 30), open_high=True),
        column("edad", ["[0, 30)"] * 60),
        "promise-intervals",
    ),
    "ordered codes left as they were": (
        TopBottomCoding(variable="estudios", top="b"),
        lambda data: data,
        "promise-banded",
    ),
    "numbers left as they were, no more of them than bands": (
        TopBottomCoding(variable="edad", top={"beyond": 58, "value": 70}),
        lambda data: data,
        "promise-banded",
    ),
    "bands swapped": (TopBottomCoding(variable="edad", top=BANDS), SWAPPED, "promise-banded"),
    "a number within the cuts changed": (
        TopBottomCoding(variable="edad", top=30),
        column("edad", [min(max(age, 1), 30) for age in range(60)]),
        "promise-untouched",
    ),
    "a mean that lies within the cuts": (
        TopBottomCoding(variable="edad", top={"beyond": 30, "by": "mean"}),
        column("edad", [min(age, 30) for age in range(60)]),
        "promise-banded",
    ),
    "rounded down, not up": (
        Rounding(variables=("ingreso",), base=1000, mode="up"),
        column("ingreso", [1000] * 60),
        "promise-grid",
    ),
    "everybody in the sample": (
        Sample(share=0.5, weight="peso"),
        reweighted(np.arange(60), 2),
        "promise-drawn",
    ),
    "weights that grew too much": (Sample(share=0.5, weight="peso"), reweighted(HALF, 200), "promise-weights"),
    "one stratum only": (
        Sample(share=0.5, weight="peso", strata=("sexo",)),
        reweighted(HALF, 2),
        "promise-drawn",
    ),
}


@pytest.mark.parametrize("language", ["es", "en"])
@pytest.mark.parametrize("case", BROKEN)
def test_what_they_make_is_thrown_away(case, language):
    honest, make, code = BROKEN[case]
    honest.apply(DATA, Run(key=1))
    with pytest.raises(PromiseError) as error, speaking(language):
        broken(honest, make).apply(DATA, Run(key=1))
    assert error.value.code == code
    with speaking(language):
        assert not error.value.message.startswith("error.")


def test_a_few_identifiers_may_stay_in_place_by_chance():
    few = DATA.take(np.arange(15))
    assert broken(NewIds(variable="hogar"), lambda data: data).apply(few).data.height == 15


@pytest.mark.parametrize("seed", range(30))
def test_honest_numbers_are_never_thrown_away(seed):
    data = Microdata(pl.DataFrame({"casa": range(1, 2001)}))
    NewIds(variable="casa").apply(data, Run(key=seed))


@pytest.mark.parametrize(
    "options",
    [
        {"share": 0.3, "weight": "peso"},
        {"share": 0.3, "new_weight": "w"},
        {"share": 0.01, "weight": "peso", "strata": ("sexo", "estudios")},
        {"share": 0.7, "weight": "peso", "household": "edad", "strata": ("sexo",)},
    ],
)
def test_honest_samples_are_never_thrown_away(options):
    Sample(**options).apply(DATA, Run(key=3))
