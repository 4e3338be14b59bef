"""Birth dates coarsened: by name, or to the finest detail that published counts allow; never without an answer."""

import datetime as dt

import polars as pl
import pytest

from celosia import Dictionary, Microdata, Run, Variable
from celosia.core.errors import CelosiaError, DataError, OptionError, PromiseError
from celosia.core.language import LANGUAGES, speaking
from celosia.methods import CoarsenBirth
from celosia.verify import BirthsNoFiner

DATES = pl.DataFrame({"nac": [dt.date(1987, 6, 30), None, dt.date(1987, 6, 1), dt.date(1990, 1, 2)]})


def coarse(values, detail, **options):
    return CoarsenBirth(variable="nac", detail=detail, **options).apply(pl.DataFrame({"nac": values})).data["nac"]


@pytest.fixture
def counts(tmp_path):
    """A file of counts with so many people in each cell."""

    def write(people):
        rows = [(place, sex, age, people) for place in "ab" for sex in "12" for age in ("0-4", "5-9", "10+")]
        path = tmp_path / f"padron-{people}.csv"
        pl.DataFrame(rows, schema=["place", "sex", "age", "count"], orient="row").write_csv(path)
        return str(path)

    return write


def test_dates_become_months_and_years():
    assert coarse(DATES["nac"], "month").to_list() == ["1987-06", None, "1987-06", "1990-01"]
    assert coarse(DATES["nac"], "year").to_list() == ["1987", None, "1987", "1990"]
    same = coarse(DATES["nac"], "day")
    assert same.dtype == pl.Date and same.equals(DATES["nac"], null_equal=True)


@pytest.mark.parametrize(
    ("code", "month", "year"),
    [
        ("1987-06-30", "1987-06", "1987"),
        ("19870630", "198706", "1987"),
        ("1987-06", "1987-06", "1987"),
        ("198706", "198706", "1987"),
        ("1987", "1987", "1987"),
        ("1980-1989", "1980-1989", "1980-1989"),
        ("1987-06-30T12:00:00", "1987-06", "1987"),
    ],
)
def test_every_form_keeps_its_own(code, month, year):
    assert coarse([code], "month").to_list() == [month] and coarse([code], "year").to_list() == [year]


def test_numbers_stay_numbers():
    assert coarse([19870630, 19900102], "year").to_list() == [1987, 1990]
    assert coarse([19870630, 19900102], "month").to_list() == [198706, 199001]


def test_missing_codes_and_labels_stay():
    book = Dictionary.of(Variable(name="nac", values={"9999": "No sabe"}, missing={"9999": "non_response"}))
    data = Microdata(pl.DataFrame({"nac": ["1987-06-30", "9999"]}), book)
    after = CoarsenBirth(variable="nac", detail="year").apply(data).data
    assert after.column("nac").to_list() == ["1987", "9999"]
    assert dict(after.dictionary["nac"].values) == {"9999": "No sabe"}


@pytest.mark.parametrize("code", ["30/06/1987", "ayer", "87/6", "1987-13", "1987-02-30", "ZZSECRETZZ"])
def test_what_is_no_date_stops_the_step(code):
    with pytest.raises(DataError) as error:
        coarse(["1987-06-30", code], "month")
    assert error.value.code == "birth-unreadable" and code not in str(error.value)


def test_counts_decide_the_finest_detail(counts):
    limit = {"below": "5 %"}
    for people, detail in ((20, "year"), (300, "month"), (9000, "day")):
        result = CoarsenBirth(variable="nac", counts=counts(people), limit=limit).apply(DATES, Run(key=1))
        assert result.detail == detail, people
        assert [answer.detail for answer in result.answers] == ["day", "month", "year"]
        assert result.to_dict()["answers"][2]["passes"] is True
        expected = coarse(DATES["nac"], detail)
        assert result.data["nac"].equals(expected, null_equal=True)


def test_where_no_detail_is_allowed_it_fails_closed(counts):
    with pytest.raises(DataError) as error:
        CoarsenBirth(variable="nac", counts=counts(3), limit={"below": "5 %"}).apply(DATES)
    assert error.value.code == "birth-no-detail"
    for lang, said in zip(LANGUAGES, ("no puede mostrarse", "cannot be shown"), strict=True):
        with speaking(lang):
            assert said in str(error.value) and "drop_variables" in str(error.value)


def test_counts_that_are_wrong_stop_the_step(tmp_path):
    (tmp_path / "malo.csv").write_text("place,age,count\na,0-4,-3\n")
    step = CoarsenBirth(variable="nac", counts=str(tmp_path / "malo.csv"), limit={"below": "5 %"})
    with pytest.raises(DataError) as error:
        step.apply(DATES)
    assert (error.value.code, error.value.facts["where"]) == ("counts-negative", "malo.csv")
    with pytest.raises(CelosiaError) as error:
        CoarsenBirth(variable="nac", counts=str(tmp_path / "nada.csv"), limit={"below": "5 %"}).apply(DATES)
    assert error.value.code == "file-missing"


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"detail": "month", "counts": "x.csv", "limit": {"below": "5 %"}},
        {"counts": "x.csv"},
        {"detail": "day", "limit": {"below": 0.1}},
    ],
)
def test_one_way_or_the_other(fields):
    with pytest.raises(OptionError):
        CoarsenBirth(variable="nac", **fields)


def test_the_checker_sees_what_is_finer():
    def data(*values):
        return Microdata(pl.DataFrame({"nac": values}))

    for detail, good, bad in (
        ("month", ("1987-06", "198706", "1987", "1980-1989"), ("1987-06-30", "19870630", "ayer")),
        ("year", ("1987", "1980-1989"), ("1987-06", "198706", "1987-06-30")),
    ):
        BirthsNoFiner("nac", detail).check(data(*good, None), data(*good, None))
        for code in bad:
            with pytest.raises(PromiseError) as error:
                BirthsNoFiner("nac", detail).check(data(code), data(code))
            assert error.value.code == "promise-birth" and code not in str(error.value)
    BirthsNoFiner("nac", "day").check(data("1987-06-30"), data("1987-06-30"))
