"""The synthetic survey: exact size, exact skips, families that hold together."""

from __future__ import annotations

import polars as pl
import pytest

from celosia.core.codes import spell_series
from celosia.core.dictionary import Identification, Level, MissingKind
from celosia.core.errors import OptionError
from celosia.core.microdata import Microdata
from celosia.datasets import survey
from celosia.datasets.families import Relationship
from celosia.datasets.identities import IMPOSSIBLE
from celosia.datasets.survey import POPULATION

EMPLOYED = pl.col("actividad") == 1


@pytest.fixture(scope="module")
def data() -> Microdata:
    return survey(n=30_000, key=11)


@pytest.fixture(scope="module")
def frame(data: Microdata) -> pl.DataFrame:
    return data.frame


def always(frame: pl.DataFrame, rule: pl.Expr) -> bool:
    return frame.select(rule.fill_null(False).all()).item()


@pytest.mark.parametrize("n", [1, 2, 3, 17, 1000])
def test_it_has_exactly_n_persons(n: int) -> None:
    assert survey(n=n).height == n


def test_no_persons_is_an_error() -> None:
    with pytest.raises(OptionError) as caught:
        survey(n=0)
    assert caught.value.code == "dataset-size"


def test_the_key_alone_decides() -> None:
    one, again, other = survey(n=800, key=5), survey(n=800, key=5), survey(n=800, key=6)
    assert one.frame.equals(again.frame)
    assert (one.ids == again.ids).all()
    assert not one.frame.equals(other.frame)


def test_columns_and_dictionary_are_the_same_names(data: Microdata) -> None:
    assert data.variables == data.dictionary.names
    assert all(v.label and v.level and v.identification and v.sensitive is not None for v in data.dictionary)
    assert all("sintéticos" in v.note for v in data.dictionary)


def test_every_code_is_declared(data: Microdata) -> None:
    for variable in data.dictionary:
        if variable.level is Level.CATEGORICAL:
            codes = spell_series(data.column(variable.name)).drop_nulls().unique()
            assert set(codes) <= set(variable.values), variable.name
        if data.column(variable.name).null_count():
            assert variable.null is MissingKind.NON_RESPONSE, variable.name


def test_both_kinds_of_missing_and_nulls_occur(data: Microdata) -> None:
    kinds = {kind for variable in data.dictionary for kind in variable.missing.values()}
    assert kinds == {MissingKind.NOT_APPLICABLE, MissingKind.NON_RESPONSE}
    assert data.column("horas").null_count() > 0
    assert data.column("enf_cronica").null_count() > 0


def test_amounts_are_positive_or_declared_missing(data: Microdata) -> None:
    for name in ("horas", "ing_trabajo"):
        values = data.column(name).filter(~data.dictionary[name].missing_mask(data.column(name)))
        assert values.min() > 0


@pytest.mark.parametrize(
    ("variable", "asked", "skip"),
    [
        ("estado_civil", pl.col("edad") >= 15, 97),
        ("actividad", pl.col("edad") >= 15, 97),
        ("nivel_educ", pl.col("edad") >= 5, 97),
        ("ocupacion", EMPLOYED, 97),
        ("rama", EMPLOYED, "97"),
        ("horas", EMPLOYED, -97),
        ("ing_trabajo", EMPLOYED, -97),
    ],
)
def test_not_applicable_exactly_where_not_asked(
    frame: pl.DataFrame, variable: str, asked: pl.Expr, skip: int | str
) -> None:
    assert always(frame, pl.col(variable).eq_missing(pl.lit(skip)) == ~asked)


def test_household_variables_are_constant_within_it(frame: pl.DataFrame) -> None:
    shared = ["comuna", "area", "estrato", "factor", "tot_per", "tipo_vivienda", "tenencia", "ing_hogar"]
    distinct = frame.group_by("id_hogar").agg(pl.col(*shared, "fecha_entrevista").n_unique())
    assert distinct.drop("id_hogar").max().row(0) == (1,) * 9


def test_a_household_has_one_head_first_and_its_size(frame: pl.DataFrame) -> None:
    homes = frame.group_by("id_hogar").agg(
        (pl.col("parentesco") == Relationship.HEAD).sum().alias("heads"),
        (pl.col("parentesco") == Relationship.PARTNER).sum().alias("partners"),
        pl.col("parentesco").first().alias("first"),
        (pl.len() == pl.col("tot_per").first()).alias("sized"),
    )
    assert homes["heads"].unique().to_list() == [1]
    assert homes["partners"].max() == 1
    assert homes["first"].unique().to_list() == [Relationship.HEAD]
    assert homes["sized"].all()


def test_ages_fit_relationships(frame: pl.DataFrame) -> None:
    couple = pl.col("parentesco") <= Relationship.PARTNER
    younger = pl.col("edad").filter(couple).min().over("id_hogar")
    head = pl.col("edad").filter(pl.col("parentesco") == Relationship.HEAD).min().over("id_hogar")
    relation = pl.col("parentesco")
    assert always(frame, ~couple | (pl.col("edad") >= 18))
    assert always(frame, (relation != Relationship.CHILD) | (younger - pl.col("edad") >= 15))
    assert always(frame, (relation != Relationship.GRANDCHILD) | (younger - pl.col("edad") >= 30))
    assert always(frame, (relation != Relationship.PARENT) | (pl.col("edad") - head >= 15))
    assert always(frame, pl.col("edad").is_between(0, 104))


def test_couples_agree_on_their_marital_status(frame: pl.DataFrame) -> None:
    heads_and_partners = frame.filter(pl.col("parentesco") <= Relationship.PARTNER)
    couples = heads_and_partners.filter(pl.len().over("id_hogar") == 2)
    assert couples.height > 0
    assert couples["estado_civil"].is_in([1, 2, 3]).all()
    assert couples.group_by("id_hogar").agg(pl.col("estado_civil").n_unique())["estado_civil"].max() == 1


def test_places_nest(frame: pl.DataFrame) -> None:
    assert always(frame, pl.col("comuna").str.head(3) == pl.col("provincia"))
    assert always(frame, pl.col("provincia").str.head(2) == pl.col("region"))
    assert always(frame, pl.col("estrato") == pl.col("region").cast(pl.Int64) * 10 + pl.col("area"))
    assert frame["region"].n_unique() == 16


def test_weights_add_up_and_have_two_decimals(frame: pl.DataFrame) -> None:
    assert frame["factor"].sum() == pytest.approx(POPULATION, rel=1e-4)
    assert frame["factor"].min() >= 1
    assert frame["factor"].round(2).equals(frame["factor"])


def test_a_household_earns_at_least_what_its_members_do(frame: pl.DataFrame) -> None:
    earned = frame.group_by("id_hogar").agg(
        pl.col("ing_trabajo").clip(0).sum().alias("members"), pl.col("ing_hogar").first()
    )
    assert (earned["ing_hogar"] >= earned["members"]).all()


def test_national_numbers_are_impossible_distinct_and_well_formed(data: Microdata) -> None:
    parts = data.column("rut").str.split_exact("-", 1)
    numbers = parts.struct.rename_fields(["body", "digit"]).struct.unnest()
    assert numbers["body"].cast(pl.Int64).min() > IMPOSSIBLE
    assert numbers["body"].str.len_chars().unique().to_list() == [9]
    assert numbers["body"].n_unique() == data.height
    for body, digit in numbers.head(50).iter_rows():
        total = sum(int(d) * (2 + i % 6) for i, d in enumerate(reversed(body)))
        assert digit == {10: "K", 11: "0"}.get(11 - total % 11, str(11 - total % 11))
    direct = {v.name for v in data.dictionary if v.identification is Identification.DIRECT}
    assert {"nombre", "rut"} <= direct


def test_it_is_skewed_like_life(frame: pl.DataFrame) -> None:
    countries = frame["nacionalidad"].value_counts(sort=True)["count"]
    comunas = frame["comuna"].value_counts(sort=True)["count"]
    pay = frame.filter(pl.col("ing_trabajo") > 0)["ing_trabajo"]
    assert countries[0] > 0.9 * frame.height
    assert countries.min() <= 5
    assert comunas[0] > 50 * comunas.min()
    assert pay.mean() > 1.2 * pay.median()
