"""Record suppression leaves the largest safe part of a file, and is chosen only where it costs less than cells."""

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import key_frames

from celosia import Dictionary, Microdata, Run, Variable, risk
from celosia.core.errors import DataError, OptionError, PromiseError, RoleError
from celosia.core.language import speaking
from celosia.methods.drop_records import DropRecords
from celosia.methods.local_suppression import LocalSuppression
from celosia.methods.record_suppression import RecordSuppression, cheaper

pytestmark = pytest.mark.filterwarnings("ignore::celosia.core.errors.CelosiaWarning")

FRAME = pl.DataFrame({"sexo": ["M", "H", "H", "M", "M"], "zona": ["r", "r", "r", "u", "u"], "w": [1.5, 2, 2, 3, 4]})


@given(key_frames(), st.integers(2, 4))
def test_exactly_the_violators_leave_and_none_are_left(frame, k):
    keys = [name for name in frame.columns if name != "w"]
    method = RecordSuppression(keys=keys, k=k, weight="w")
    sizes = frame.select(pl.len().over(keys)).to_series()
    if (sizes < k).all():
        with pytest.raises(DataError) as caught:
            method.apply(frame)
        assert caught.value.code == "record-suppression-all"
        return
    result = method.apply(frame)
    assert result.data.equals(frame.filter(sizes >= k))
    assert result.lost_records == (sizes < k).sum()
    assert result.lost_weight == pytest.approx(frame["w"].filter(sizes < k).sum())
    assert result.weight_total == pytest.approx(frame["w"].sum())
    assert risk.k_anonymity(result.data, keys, k=k, missing="strict").violations == 0
    assert method.apply(result.data).lost_records == 0


def test_a_suppressed_cell_is_a_category_and_strata_count_apart():
    data = Microdata(FRAME).suppress({"zona": (FRAME["sexo"] == "H").to_numpy()})
    assert RecordSuppression(keys=("sexo", "zona"), k=2).apply(data).lost_records == 1
    assert RecordSuppression(keys=("sexo",), k=2, strata=("zona",)).apply(FRAME).data["sexo"].to_list() == list("HHMM")


def test_the_weight_is_the_one_of_the_dictionary_unless_named():
    weighted = Microdata(FRAME, Dictionary.of(Variable(name="w", role="weight")))
    assert RecordSuppression(keys=("sexo", "zona"), k=2).apply(weighted).lost_weight == 1.5
    assert RecordSuppression(keys=("sexo", "zona"), k=2).apply(FRAME).lost_weight is None


def test_the_cheaper_way_is_taken():
    method = LocalSuppression(keys=("sexo", "zona"), k=2, max_share=1.0)
    cells, records = method.apply(FRAME), RecordSuppression(keys=("sexo", "zona"), k=2).apply(FRAME)
    assert cells.total > 0 and records.lost_records == 1
    assert cheaper(cells, records, record_cost=cells.total) is cells
    assert cheaper(cells, records, record_cost=cells.total - 0.5) is records
    assert cheaper(cells, records, 1.0, cell_costs={"sexo": 0.0, "zona": 0.0}) is cells
    assert cheaper(cells, records, 5.0, cell_costs={"sexo": 9.0, "zona": 9.0}) is records


@pytest.mark.parametrize(
    ("other", "options", "code"),
    [
        (RecordSuppression(keys=("sexo",), k=2), {"record_cost": 1.0}, "choice-unlike"),
        (RecordSuppression(keys=("sexo",), k=2, strata=("zona",)), {"record_cost": 1.0}, "choice-unlike"),
        (DropRecords(where='zona == "u"'), {"record_cost": 1.0}, "choice-unlike"),
        (RecordSuppression(keys=("zona", "sexo"), k=2), {"record_cost": -1.0}, "cost-negative"),
        (
            RecordSuppression(keys=("zona", "sexo"), k=2),
            {"record_cost": 1.0, "cell_costs": {"w": 1.0}},
            "keys-only",
        ),
    ],
)
def test_what_cannot_be_compared(other, options, code):
    cells = LocalSuppression(keys=("sexo", "zona"), k=2, max_share=1.0).apply(FRAME)
    with pytest.raises(OptionError) as caught:
        cheaper(cells, other.apply(FRAME), **options)
    assert caught.value.code == code


@pytest.mark.parametrize("language", ["es", "en"])
def test_messages_show_no_value(language):
    frame = pl.DataFrame({"x": ["ZZUNOZZ", "ZZDOSZZ"]})
    with pytest.raises(DataError) as caught:
        RecordSuppression(keys=("x",), k=2).apply(frame)
    with speaking(language):
        assert "ZZ" not in str(caught.value) and "2" in str(caught.value)


def test_wrong_options():
    for fields in ({"keys": (), "k": 2}, {"keys": ("x",), "k": 1}, {"keys": ("x",), "k": 2, "counting": "loose"}):
        with pytest.raises(OptionError):
            RecordSuppression(**fields)
    with pytest.raises(RoleError):
        RecordSuppression(keys=("nada",), k=2).apply(FRAME)


def test_a_violator_that_stays_throws_the_output_away(monkeypatch):
    transform = RecordSuppression._transform

    def lenient(self, data, run):
        result = transform(self, data, run)
        return type(result)(**{**vars(result), "data": data})

    monkeypatch.setattr(RecordSuppression, "_transform", lenient)
    with pytest.raises(PromiseError):
        RecordSuppression(keys=("sexo", "zona"), k=2).apply(FRAME, Run(key=1))
