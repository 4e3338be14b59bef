import polars as pl
import pytest
from refusal import refused

from celosia.verify.census_files import check_columns, check_histogram

RECORDS = pl.DataFrame({"region": ["01", "01", "02"], "comuna": ["1", "1", "2"], "sexo": [1, 2, None]})
HISTOGRAM = pl.DataFrame(
    [
        ("total", None, None, "1", 1),
        ("total", None, None, "2", 1),
        ("total", None, None, None, 1),
        ("region", "01", None, "1", 1),
        ("region", "01", None, "2", 1),
        ("region", "02", None, None, 1),
        ("comuna", "01", "1", "1", 1),
        ("comuna", "01", "1", "2", 1),
        ("comuna", "02", "2", None, 1),
    ],
    schema={"level": pl.String, "region": pl.String, "comuna": pl.String, "sexo": pl.String, "count": pl.Int32},
    orient="row",
)
PLACES = ("region", "comuna")


def test_records_and_histograms_that_agree():
    check_histogram(RECORDS, HISTOGRAM, PLACES)
    check_columns(RECORDS, ("sexo", "region", "comuna"))


@pytest.mark.parametrize("row", range(9))
def test_any_count_that_is_wrong_or_absent(row):
    lost = pl.concat([HISTOGRAM[:row], HISTOGRAM[row + 1 :]])
    more = HISTOGRAM.with_columns(pl.when(pl.row_index() == row).then(2).otherwise("count").alias("count"))
    for wrong in (lost, more):
        with refused("promise-census-counts", level=HISTOGRAM["level"][row], count=1):
            check_histogram(RECORDS, wrong, PLACES)


def test_a_count_of_nobody_and_a_cell_too_many():
    none = HISTOGRAM[:1].with_columns(sexo=pl.lit("3"), count=pl.lit(0, pl.Int32))
    with refused("promise-census-counts", count=1):
        check_histogram(RECORDS, pl.concat([HISTOGRAM, none]), PLACES)


def test_a_column_too_many_or_too_few():
    with refused("promise-census-columns", variables=("rut",)):
        check_columns(RECORDS.with_columns(rut=1), ("sexo", "region", "comuna"))
    with refused("promise-census-columns", variables=("edad",)):
        check_columns(RECORDS, ("sexo", "region", "comuna", "edad"))
