"""Charts: what goes where, and that long names can be read."""

import polars as pl

from celosia.core.picture import chart

LONG = "records close to their treated version"


def specified(rows, **options):
    return chart(rows, "name", "share", alternative="said", **options).specification


def test_bars_with_long_names_lie_on_their_side():
    short, long = (pl.DataFrame({"name": ["a", name], "share": [0.1, 0.2]}) for name in ("b", LONG))
    assert specified(short)["encoding"]["x"]["field"] == "name" and specified(short)["height"] == 240
    drawn = specified(long)
    assert drawn["encoding"]["y"]["field"] == "name" and drawn["encoding"]["x"]["field"] == "share"
    assert drawn["height"] == 68
    grouped = long.with_columns(way=pl.lit("strict"))
    assert "yOffset" in specified(grouped, group="way")["encoding"]
    assert "xOffset" in specified(short.with_columns(way=pl.lit("strict")), group="way")["encoding"]


def test_what_stands_behind_a_line_comes_first():
    rows = pl.DataFrame({"name": [1, 2], "share": [0.1, 0.2]})
    samples = pl.DataFrame({"name": [1, 1, 2], "share": [0.0, 0.2, 0.2]})
    whole = chart(rows, "name", "share", alternative="said", mark="line", rule=0.0, behind=samples)
    across, faint, line = whole.specification["layer"]
    assert across["mark"]["type"] == "rule" and line["mark"]["type"] == "line"
    assert faint["data"]["values"] == samples.to_dicts() and faint["mark"]["opacity"] < 1
    assert whole.svg().startswith("<svg")
