import json
from fractions import Fraction

import numpy as np
import polars as pl
from refusal import refused

from celosia.census import Geography, Measurement, Query
from celosia.census.measurement import read_measurements, write_measurements

TREE = Geography.of_table(
    pl.DataFrame({"facultad": ["FCFM", "FCFM", "FMED"], "departamento": ["1", "2", "1"]}), ("facultad", "departamento")
)
SEX = Query(name="sex", group=np.array([0, 1]), size=2, variables=("sex",), labels=("1", "2"))
TOTAL = Query.total(2)


def measured(level, query, variance, releasable=True):
    nodes = TREE.nodes[TREE.level(level)]
    values = np.arange(nodes * query.size).reshape(nodes, query.size) - 3
    return Measurement(level, query, Fraction(variance), values, releasable)


MADE = [measured("total", TOTAL, "1/3"), measured("departamento", SEX, "375/16"), measured("facultad", SEX, 2)]


def test_the_file_has_the_six_columns_and_the_exact_variances(tmp_path):
    path = tmp_path / "measurements.parquet"
    write_measurements(MADE, TREE, path)
    rows = pl.read_parquet(path)
    assert rows.columns == ["level", "place", "query", "cell", "value", "variance"]
    assert rows.height == 1 + 6 + 4
    last = rows.filter(pl.col("level") == "departamento").row(-1)
    assert last == ("departamento", "total/FMED/1", "sex", "2", 2, 375 / 16)
    about = json.loads(pl.read_parquet_metadata(path)["celosia"])
    assert about["releasable"] is True
    assert [one["variance"] for one in about["measurements"]] == ["1/3", "375/16", "2"]


def test_written_and_read_back_in_any_order_of_rows(tmp_path):
    path, again = tmp_path / "one.parquet", tmp_path / "two.parquet"
    write_measurements(MADE, TREE, path)
    pl.read_parquet(path).sample(fraction=1, shuffle=True, seed=1).write_parquet(
        again, metadata={"celosia": pl.read_parquet_metadata(path)["celosia"]}
    )
    for file in (path, again):
        for one, back in zip(MADE, read_measurements(file, TREE, [SEX, TOTAL]), strict=True):
            assert back.level == one.level and back.query is one.query and back.variance == one.variance
            assert back.values.tolist() == one.values.tolist() and back.releasable


def test_one_test_measurement_makes_the_file_not_releasable(tmp_path):
    path = tmp_path / "one.parquet"
    write_measurements([*MADE[:2], measured("facultad", SEX, 2, releasable=False)], TREE, path)
    assert json.loads(pl.read_parquet_metadata(path)["celosia"])["releasable"] is False
    assert [one.releasable for one in read_measurements(path, TREE, [SEX, TOTAL])] == [True, True, False]


def test_many_blocks(tmp_path, monkeypatch):
    monkeypatch.setattr("celosia.census.measurement._BLOCK", 2)
    path = tmp_path / "one.parquet"
    write_measurements(MADE, TREE, path)
    assert read_measurements(path, TREE, [SEX, TOTAL])[1].values.tolist() == MADE[1].values.tolist()


def test_what_is_not_ours_or_not_whole_is_refused(tmp_path):
    path = tmp_path / "one.parquet"
    write_measurements(MADE, TREE, path)
    with refused("query-unknown"):
        read_measurements(path, TREE, [SEX])
    frame, about = pl.read_parquet(path), pl.read_parquet_metadata(path)["celosia"]
    frame[:-1].write_parquet(path, metadata={"celosia": about})
    with refused("measurements-incomplete"):
        read_measurements(path, TREE, [SEX, TOTAL])
    other = frame.with_columns(place=pl.lit("?"))
    other.write_parquet(path, metadata={"celosia": about})
    with refused("measurements-other-names"):
        read_measurements(path, TREE, [SEX, TOTAL])
    frame.write_parquet(path)
    with refused("measurements-other"):
        read_measurements(path, TREE, [SEX, TOTAL])
    path.write_text("no es parquet")
    with refused("file-broken"):
        read_measurements(path, TREE, [SEX, TOTAL])
    with refused("file-unreadable"):
        read_measurements(tmp_path / "none.parquet", TREE, [SEX, TOTAL])
