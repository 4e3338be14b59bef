"""Published counts: every way in which a table can be wrong is told, in both languages, without a cell's value."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from celosia.core.errors import CelosiaError
from celosia.core.language import LANGUAGES, speaking
from celosia.datasets import register_counts
from celosia.demography import Counts, CountsForm, expected_anonymity

SECRET = 987654321


def table(**columns):
    """Two places, two sexes, two groups of age."""
    rows = [
        {"place": place, "sex": sex, "age": age, "count": 10 + 3 * i}
        for i, (place, sex, age) in enumerate((p, s, a) for p in ("a", "b") for s in ("1", "2") for a in ("0-4", "5+"))
    ]
    return pl.DataFrame(rows).with_columns(**{name: pl.Series(values) for name, values in columns.items()})


def with_row(**row):
    return pl.concat([table(), pl.DataFrame([row])])


def totals(right=True):
    """The table with a total of every kind."""
    base = table()
    sexes = base.group_by("place", "age").agg(pl.col("count").sum()).with_columns(sex=pl.lit("Ambos sexos"))
    ages = base.group_by("place", "sex").agg(pl.col("count").sum()).with_columns(age=pl.lit("Total"))
    whole = pl.DataFrame([{"place": "Total", "sex": "Ambos sexos", "age": "Total", "count": base["count"].sum()}])
    made = pl.concat([base, *(part.select(base.columns) for part in (sexes, ages, whole))])
    return (
        made
        if right
        else made.with_columns(pl.when(pl.col("age") == "Total").then(SECRET).otherwise("count").alias("count"))
    )


def hidden():
    """Sexes 0, 1 and 2, of which 0 is both."""
    base = register_counts(3, 5000)
    both = (
        base.group_by("place", "province", "age_group").agg(pl.col("count").sum()).with_columns(sex=pl.lit(0, pl.Int8))
    )
    return pl.concat([base, both.select(base.columns)])


WRONG = {
    "no rows": (table().clear(), {}, "counts-empty", "no tiene filas", "no rows"),
    "no column of counts": (table().rename({"count": "n"}), {}, "counts-column", "«count»", "'count'"),
    "age column unknown": (table(), {"age": "edad"}, "counts-column", "«edad»", "'edad'"),
    "negative": (table(count=[-SECRET, *[5] * 7]), {}, "counts-negative", "1 recuento negativo", "1 count"),
    "fractional": (table(count=[SECRET + 0.5, *[5.0] * 7]), {}, "counts-fractional", "decimales", "decimals"),
    "text": (table(count=["1.234", *["5"] * 7]), {}, "counts-text", "no es numérica", "not numeric"),
    "hidden cells": (table(count=["*", *["5"] * 7]), {}, "counts-text", "celdas ocultas", "hidden cells"),
    "logical": (table(count=[True] * 8), {}, "counts-text", "no es numérica", "not numeric"),
    "empty count": (table(count=[None, *[5] * 7]), {}, "counts-null", "vacío", "empty"),
    "not a number": (table(count=[float("nan"), *[5.0] * 7]), {}, "counts-null", "vacío", "empty"),
    "infinite": (table(count=[float("inf"), *[5.0] * 7]), {}, "counts-null", "vacío", "empty"),
    "nobody": (table(count=[0] * 8), {}, "counts-nobody", "no hay población", "no population"),
    "too many": (table(count=[2**53] * 8), {}, "counts-overflow", "exactitud", "exactly"),
    "label missing": (table(sex=["1", None, *["2"] * 6]), {}, "counts-label-empty", "sin valor en «sex»", "'sex'"),
    "label blank": (table(sex=["1", " ", *["2"] * 6]), {}, "counts-label-empty", "sin valor en «sex»", "'sex'"),
    "repeated": (
        with_row(place="a", sex="1", age="0-4", count=SECRET), {},
        "counts-repeated", "1 celda repetida", "1 cell is repeated",
    ),
    "a cell is absent": (table()[1:], {}, "counts-absent", "Falta 1 celda", "1 cell is absent"),
    "a group is missing": (
        table(age=["0-4", "10+"] * 4), {}, "ages-missing", "entre 5 y 9 años", "from 5 to 9 years",
    ),
    "groups overlap": (table(age=["0-4", "4+"] * 4), {}, "ages-overlap", "en la edad 4", "at age 4"),
    "open group below": (table(age=["0+", "5-9"] * 4), {}, "ages-overlap", "en la edad 5", "at age 5"),
    "two columns of ages": (
        table().rename({"sex": "edad"}), {},
        "age-ambiguous", "Varias columnas", "Several columns",
    ),
    "totals that disagree": (totals(right=False), {}, "totals-disagree", "5 filas de totales", "5 rows of totals"),
    "totals among the cells": (hidden(), {}, "totals-hidden", "un total entre las celdas", "a total among the cells"),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_wrong_tables_are_refused_in_both_languages(name):
    frame, form, code, es, en = WRONG[name]
    with pytest.raises(CelosiaError) as error:
        Counts.of(frame, **form)
    assert error.value.code == code
    for lang, said in zip(LANGUAGES, (es, en), strict=True):
        with speaking(lang):
            assert said in str(error.value)
            assert str(SECRET) not in str(error.value) and "error." not in str(error.value)


WITHOUT_WIDTH = {
    "open group": (table(), {"open_width": None}, "row", 2),
    "a label": (table(age=["niños", "adultos"] * 4), {"age": "age"}, "row", 2),
    "unknown age": (table(age=["0-4", "no consta"] * 4), {}, "row", 2),
}


@pytest.mark.parametrize("name", WITHOUT_WIDTH)
def test_a_group_without_width(name):
    frame, form, fact, row = WITHOUT_WIDTH[name]
    counts = Counts.of(frame, **form)
    with pytest.raises(CelosiaError) as error:
        expected_anonymity(counts, "day")
    assert error.value.code == "age-without-width" and error.value.facts[fact] == row
    for lang, said in (("es", "cuántos años abarca"), ("en", "how many years it spans")):
        with speaking(lang):
            assert said in str(error.value)
    assert expected_anonymity(counts, 12).counts.total == counts.total, "a number of periods needs no width"


def test_a_group_of_declared_width_may_stand_between_others():
    frame = pl.DataFrame({"age": ["0-4", "escolares", "15+"], "count": [7, 8, 9]})
    counts = Counts.of(frame, widths={"escolares": 10})
    assert expected_anonymity(counts, "year").counts.total == 24
    with pytest.raises(CelosiaError) as error:
        expected_anonymity(Counts.of(frame), "year")
    assert error.value.code == "age-without-width"


def test_no_ages_at_all():
    frame = pl.DataFrame({"place": ["a", "b"], "count": [5, 6]})
    with pytest.raises(CelosiaError) as error:
        expected_anonymity(frame, "day")
    assert error.value.code == "counts-without-age"
    assert expected_anonymity(frame, 60).counts.total == 11
    assert expected_anonymity(pl.DataFrame({"count": [5, 6]}), 60).counts.total == 11


def test_widths_are_options():
    frame = table(age=["niños", "adultos"] * 4)
    counts = Counts.of(frame, age="age", widths={"niños": 18, "adultos": 70})
    assert counts.years("niños") == 18
    assert Counts.of(table(), open_width=20).years("5+") == 20 and Counts.of(table()).years("5+") == 5
    assert Counts.of(table(), widths={"5+": 90}).years("5+") == 90


def test_absent_cells_may_be_declared_empty():
    part = table()[1:].filter(pl.col("age") != "5+")
    counts = Counts.of(part, absent="zero")
    assert counts.total == part["count"].sum() and len(counts.ages) == 1
    gap = pl.DataFrame({"age": ["0-4", "10-14"], "count": [3, 4]})
    assert Counts.of(gap, absent="zero").total == 7


def test_right_totals_are_set_apart():
    counts = Counts.of(totals())
    assert counts.totals == 9 and counts.total == table()["count"].sum() and counts.people.size == 8
    only = Counts.of(table().with_columns(nationality=pl.lit("Total")))
    assert only.totals == 0 and only.total == counts.total, "a column of totals alone has no parts to be of"


def test_a_total_without_its_parts_is_no_total():
    with pytest.raises(CelosiaError) as error:
        Counts.of(with_row(place="Total", sex="3", age="0-4", count=5))
    assert error.value.code == "totals-disagree"


def test_every_kind_of_table_and_code():
    reference = Counts.of(table())
    for frame in (table().to_pandas(), table().to_arrow(), table().lazy()):
        assert Counts.of(frame).cells.equals(reference.cells)
    assert isinstance(table().to_pandas(), pd.DataFrame) and isinstance(table().to_arrow(), pa.Table)
    whole = table().with_columns(pl.col("count").cast(pl.Float64), pl.col("sex").cast(pl.Int8))
    assert Counts.of(whole).cells.equals(reference.cells)
    assert (Counts.of(whole).people == reference.people).all()
    assert Counts.of(reference) is reference


def test_the_form_is_a_value_of_its_own():
    form = CountsForm(count="n", absent="zero")
    counts = Counts.of(table().rename({"count": "n"}), form, open_width=7)
    assert (counts.form.count, counts.form.age, counts.form.open_width, counts.form.absent) == ("n", "age", 7, "zero")
    assert form.open_width == 5


def test_merging_cells_keeps_the_people():
    counts = Counts.of(table())
    merged = counts.only(["sex", "age"])
    assert merged.total == counts.total and merged.people.size == 4 and merged.form.age == "age"
    assert counts.only(["place"]).form.age is None
    assert counts.only(["age", "sex", "place"]) is counts
    with pytest.raises(CelosiaError) as error:
        counts.only(["nada"])
    assert error.value.code == "counts-column"


def test_the_synthetic_register_is_read():
    counts = Counts.of(register_counts(200, 100_000))
    assert counts.form.age == "age_group" and len(counts.ages) == 18 and counts.total == 100_000
    assert np.all(np.diff([group.first for group in counts.ages.values()]) == 5)
