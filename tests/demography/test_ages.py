"""Age groups as offices write them; ladders without gaps or overlaps."""

import pytest

from celosia.core.errors import DataError
from celosia.demography.ages import AgeGroup, check_ladder, names_ages, read_age

READ = {
    "0-4": (0, 4),
    "00-04": (0, 4),
    "5 – 9": (5, 9),
    "5 a 9": (5, 9),
    "De 5 a 9 años": (5, 9),
    "5 a 9 años de edad": (5, 9),
    "entre 10 y 14": (10, 14),
    "10 to 14 years": (10, 14),
    "aged 10-14": (10, 14),
    "[0, 15)": (0, 14),
    "37": (37, 37),
    "37 años": (37, 37),
    "menos de 5 años": (0, 4),
    "under 5": (0, 4),
    "<5": (0, 4),
    "85+": (85, None),
    "85 +": (85, None),
    ">=85": (85, None),
    "85 y más": (85, None),
    "85 y mas años": (85, None),
    "85 años o más": (85, None),
    "85 and over": (85, None),
    "100 y más años": (100, None),
    "75 years and over": (75, None),
}


@pytest.mark.parametrize("label", READ)
def test_labels_are_read(label):
    assert read_age(label) == AgeGroup(*READ[label])


@pytest.mark.parametrize("label", ["Total", "adultos", "9-5", "H", "01101", "1987", "", "5-", "1-2-3", "más de 85"])
def test_what_says_no_ages_is_not_guessed(label):
    assert read_age(label) is None


def test_columns_of_ages_are_told_by_their_name():
    assert all(map(names_ages, ("age", "AGE_GROUP", "Edad", "grupo de edad", "tramo_edad", "grupo etario", "edad5")))
    assert not any(map(names_ages, ("children", "average", "village", "stage", "ciudadanía", "language", "sex")))


def test_ladders():
    check_ladder([AgeGroup(5, 9), AgeGroup(0, 4), AgeGroup(10, None)], "edad", gaps=False)
    with pytest.raises(DataError) as error:
        check_ladder([AgeGroup(0, 4), AgeGroup(10, 14)], "edad", gaps=False)
    assert (error.value.code, error.value.facts["first"], error.value.facts["last"]) == ("ages-missing", 5, 9)
    check_ladder([AgeGroup(0, 4), AgeGroup(10, 14)], "edad", gaps=True)
    for steps in ([AgeGroup(0, 4), AgeGroup(4, 9)], [AgeGroup(0, None), AgeGroup(5, 9)]):
        with pytest.raises(DataError) as error:
            check_ladder(steps, "edad", gaps=True)
        assert error.value.code == "ages-overlap"
