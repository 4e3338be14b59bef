"""The rules of 2017, sentence by sentence as Kullmer (2024), section 7.2, reports them."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from celosia import Plan, Study
from celosia.core.errors import CelosiaError, DataError, OptionError, RoleError
from celosia.core.language import speaking
from celosia.datasets import census
from celosia.methods import IneCensus2017, RecodeCategories

RULES = {"area": "DC", "parent": "REGION", "rare_below": 20}
MIGRATION = ["P10", "P10COMUNA", "P10PAIS", "P11", "P11COMUNA", "P11PAIS", "P12", "P12COMUNA", "P12PAIS"]
BLANK = ["P08", "P09", "P16", "P16A", "P16_OTRO", *MIGRATION, "P12_LLEGADA", "P12_TRAMO"]


@pytest.fixture(scope="module")
def persons():
    return census(4_000).persons


@pytest.fixture(scope="module")
def few(persons):
    """Who lives in an area of three persons or fewer."""
    return persons.frame.select(pl.len().over("DC") <= 3).to_series()


@pytest.fixture(scope="module")
def treated(persons):
    return IneCensus2017(**RULES, keep_area=True).apply(persons)


def test_only_zones_and_localities_are_published_not_blocks(persons):
    """«quedarse con un nivel de agregación geográfico a nivel de zona o localidad en vez de manzana o entidad»."""
    after = IneCensus2017(**RULES).apply(persons).data
    assert "DC" not in after and "ID_ZONA_LOC" in after
    assert after.column("ID_ZONA_LOC").equals(persons.column("ID_ZONA_LOC"))


def test_three_persons_or_fewer_lose_sex_age_people_and_migration(persons, few, treated):
    """«en las manzanas o entidades que presentan 3 personas o menos, se suprimió información relacionada al sexo,
    edad, pertenencia a pueblos indígenas y migración»."""
    assert 100 < few.sum() < persons.height / 2
    for name in BLANK:
        assert treated.data.suppressed(name).to_list() == few.to_list()
        assert treated.data.column(name).filter(few).null_count() == few.sum()
    assert treated.persons == few.sum()
    assert treated.small_areas == persons.frame.filter(few)["DC"].n_unique()
    others = [name for name in persons.variables if name not in (*BLANK, "DC")]
    assert treated.data.frame.select(others).equals(persons.frame.select(others))


def test_four_persons_keep_everything(persons, few, treated):
    four = persons.frame.select(pl.len().over("DC") == 4).to_series()
    assert four.any() and treated.data.column("P08").filter(four).equals(persons.column("P08").filter(four))


def test_areas_are_put_together_until_they_have_more_than_three_dwellings(persons, treated):
    """«cuando las manzanas o entidades no cumplen con la restricción de que tengan más de 3 viviendas, entonces se
    agrupan múltiples manzanas/entidades»."""
    assert persons.frame.group_by("DC").agg(pl.col("ID_VIVIENDA").n_unique())["ID_VIVIENDA"].min() <= 3
    sizes = treated.data.frame.group_by("DC").agg(pl.col("ID_VIVIENDA").n_unique(), pl.col("REGION").n_unique())
    assert sizes["ID_VIVIENDA"].min() > 3 and sizes["REGION"].max() == 1
    assert treated.areas - treated.merges == sizes.height


def test_ages_above_a_hundred_are_one(persons):
    """«Esto incluye a las personas mayores a 100 años»."""
    older = persons.with_columns({"P09": pl.Series(np.where(persons.column("P09") > 80, 104, persons.column("P09")))})
    after = IneCensus2017(**RULES).apply(older).data
    assert after.column("P09").max() == 100 and older.column("P09").max() == 104


@pytest.mark.parametrize("name", ["P10PAIS", "P11PAIS", "P12PAIS", "P16A", "P16_OTRO"])
def test_rare_countries_and_peoples_are_one_code(persons, few, treated, name):
    """«a los países de residencia y pueblos originarios con muy poca presencia»."""
    missing = persons.dictionary[name].missing
    counts = persons.frame[name].cast(pl.String).value_counts().filter(~pl.col(name).is_in(list(missing)))
    rare = counts.filter(pl.col("count") < 20)[name].to_list()
    after = treated.data.column(name)
    shown = persons.frame[name].cast(pl.String).filter(~few)
    assert not set(after.drop_nulls()) & set(rare)
    assert set(shown.filter(after.filter(~few).cast(pl.String) == "otros")) >= set(shown) & set(rare)
    pool = IneCensus2017(**RULES)._rare(persons, name)
    assert treated.pooled.get(name, 0) == len(pool) and set(rare) <= set(pool)
    held = counts.filter(pl.col(name).is_in(pool))["count"].sum()
    assert not pool or held >= 20 or held == counts["count"].sum()


def test_the_year_of_arrival_is_a_period(persons, few, treated):
    """«y el año de llegada al país»; the periods are those of the questionnaire."""
    years = persons.column("P12_LLEGADA").filter(~few).to_numpy()
    periods = treated.data.column("P12_LLEGADA").filter(~few).to_list()
    for year, period in zip(years, periods, strict=True):
        if year >= 9998:
            assert period == str(year)
        else:
            assert period == next(
                code
                for code, first in (("2010+", 2010), ("[2000, 2010)", 2000), ("[1990, 2000)", 1990), ("<1990", 0))
                if year >= first
            )


def test_the_file_of_dwellings_takes_the_same_areas():
    both = census(4_000)
    result = IneCensus2017(**RULES, keep_area=True).apply(both.persons)
    dwellings = RecodeCategories(variables=("DC",), mapping=result.mapping).apply(both.dwellings).data
    lived_in = dwellings.frame.filter(pl.col("CANT_PER") > 0)
    assert set(lived_in["DC"]) == set(result.data.column("DC"))


def test_a_plan_names_the_preset(persons):
    plan = Plan.parse(
        "celosia: 1\nkind: census\nscenarios:\n  vecino: [REGION, P08]\nsteps:\n"
        "  - do: ine_census_2017\n    area: DC\n    parent: REGION\n    rare_below: 20\n"
    )
    study = Study.of(persons, plan).replay(plan)
    assert study.data.frame.equals(IneCensus2017(**RULES).apply(persons).data.frame)
    assert plan.steps[0].name == "ine_census_2017"


@settings(deadline=None, max_examples=25)
@given(
    st.lists(st.tuples(st.integers(1, 5), st.integers(1, 3), st.integers(0, 110)), min_size=4, max_size=30),
    st.integers(1, 4),
)
def test_any_file_keeps_the_rules_or_is_refused(records, rare):
    frame = pl.DataFrame(records, schema=["zona", "casa", "edad"], orient="row").with_columns(
        sexo=pl.col("edad") % 2, pais=pl.col("edad") % 3, casa=10 * pl.col("zona") + pl.col("casa")
    )
    rules = IneCensus2017(
        area="zona", rare_below=rare, dwelling="casa", sex="sexo", age="edad", peoples=(), migration=("pais",),
        countries=("pais",), arrival=None, keep_area=True,
    )  # fmt: skip
    if frame["casa"].n_unique() < 4:
        with pytest.raises(DataError):
            rules.apply(frame)
        return
    after = rules.apply(frame).data
    few = frame.select(pl.len().over("zona") <= 3).to_series()
    for name in ("sexo", "edad", "pais"):
        assert after[name].is_null().to_list() == few.to_list()
    assert after.group_by("zona").agg(pl.col("casa").n_unique())["casa"].min() > 3
    held = after["pais"].drop_nulls().len()
    assert held == (~few).sum() and (after["edad"].drop_nulls() <= 100).all()


@pytest.mark.parametrize(
    ("fields", "kind"),
    [
        ({"area": "P08", "rare_below": 5}, OptionError),
        ({"area": "nada", "rare_below": 5}, RoleError),
        ({"area": "DC", "rare_below": 5, "sex": "nada"}, RoleError),
        ({"area": "DC", "rare_below": 50, "pooled_code": "604"}, DataError),
    ],
)
@pytest.mark.parametrize("language", ["es", "en"])
def test_wrong_options(persons, fields, kind, language):
    with pytest.raises(kind) as caught, speaking(language):
        IneCensus2017(**fields).apply(persons)
    assert isinstance(caught.value, CelosiaError) and str(caught.value)
