"""The code book of the synthetic census: its variables, as INE classifies them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from celosia.core.dictionary import Dictionary, Identification, Level, MissingKind, Role, Variable
from celosia.datasets.census_codes import (
    ATTENDS,
    BEDROOMS,
    BORN,
    COUNTRY_MISSING,
    COUNTRY_SKIP,
    DWELLING_TYPES,
    FLOORS,
    KINSHIP,
    LIVED,
    MISSING,
    OCCUPANCY,
    OTHER_PEOPLES,
    PERIODS,
    RESIDENCE,
    ROOFS,
    SCHOOLING,
    SKIP,
    WALLS,
    WATER,
    WORKED,
    YEAR_MISSING,
    YEAR_SKIP,
)
from celosia.datasets.codebook import NOTE
from celosia.datasets.draws import labels
from celosia.datasets.geography import PROVINCE_LABELS, REGION_LABELS, comuna_labels
from celosia.datasets.nomenclatures import COUNTRIES, PEOPLES, SECTIONS


def dwellings_dictionary() -> Dictionary:
    """The variables of the dwellings, in file order."""
    return Dictionary.of(
        *_geography(),
        _open("ID_VIVIENDA", "Identificador de la vivienda", note=f"{NOTE} Solo en el archivo confidencial."),
        _closed("P01", "Tipo de vivienda", labels(DWELLING_TYPES), identification=Identification.INDIRECT),
        _closed("P02", "Ocupación de la vivienda", labels(OCCUPANCY), sensitive=True, role=Role.SENSITIVE),
        _closed("P03A", "Material de las paredes exteriores", labels(WALLS), SKIP, MISSING),
        _closed("P03B", "Material de la cubierta del techo", labels(ROOFS), SKIP, MISSING),
        _closed("P03C", "Material del piso", labels(FLOORS), SKIP, MISSING),
        _closed("P04", "Piezas usadas solo como dormitorio", BEDROOMS, SKIP, MISSING),
        _closed("P05", "Origen del agua", labels(WATER), SKIP, MISSING),
        _open("CANT_PER", "Personas que alojaron en la vivienda", unit="personas"),
    )


def persons_dictionary() -> Dictionary:
    """The variables of the persons, in file order."""
    countries = labels(COUNTRIES)
    places = comuna_labels()
    indirect: dict[str, Any] = {"identification": Identification.INDIRECT}
    return Dictionary.of(
        *_geography(),
        _open("ID_VIVIENDA", "Identificador de la vivienda", role=Role.HOUSEHOLD,
              note=f"{NOTE} Solo en el archivo confidencial."),
        _open("PERSONAN", "Número de la persona en la vivienda"),
        _closed("P07", "Parentesco con el jefe o jefa de hogar", KINSHIP),
        _closed("P08", "Sexo", {1: "Hombre", 2: "Mujer"}, role=Role.KEY, **indirect),
        _open("P09", "Edad en años cumplidos (100: 100 y más)", unit="años", role=Role.KEY, **indirect),
        _closed("P10", "Residencia habitual", labels(RESIDENCE), None, MISSING, **indirect),
        _closed("P10COMUNA", "Comuna de residencia habitual", places, str(SKIP), str(MISSING), **indirect),
        _closed("P10PAIS", "País de residencia habitual", countries, COUNTRY_SKIP, COUNTRY_MISSING,
                **indirect),
        _closed("P11", "Residencia en abril de 2012", LIVED, None, MISSING),
        _closed("P11COMUNA", "Comuna de residencia en abril de 2012", places, str(SKIP), str(MISSING)),
        _closed("P11PAIS", "País de residencia en abril de 2012", countries, COUNTRY_SKIP, COUNTRY_MISSING),
        _closed("P12", "Lugar de residencia de la madre al nacer", BORN, None, MISSING),
        _closed("P12COMUNA", "Comuna de la madre al nacer", places, str(SKIP), str(MISSING)),
        _closed("P12PAIS", "País de la madre al nacer", countries, COUNTRY_SKIP, COUNTRY_MISSING),
        _open("P12_LLEGADA", "Año de llegada al país", YEAR_SKIP, YEAR_MISSING,
              note=f"{NOTE} P12A_LLEGADA en la base del INE."),
        _closed("P12_TRAMO", "Período de llegada al país", PERIODS, SKIP, MISSING,
                note=f"{NOTE} P12A_TRAMO en la base del INE."),
        _closed("P13", "Asistencia a la educación formal", ATTENDS),
        _closed("P14", "Curso o año más alto aprobado", {n: str(n) for n in range(9)}, SKIP, MISSING),
        _closed("P15", "Nivel del curso más alto aprobado", labels(SCHOOLING), SKIP, MISSING, sensitive=True),
        _closed("P15A", "Completó el nivel", {1: "Sí", 2: "No"}, SKIP, MISSING, sensitive=True),
        _closed("P16", "Pertenencia a un pueblo originario", {1: "Sí", 2: "No"}, None, MISSING,
                sensitive=True),
        _closed("P16A", "Pueblo originario", labels(PEOPLES), SKIP, MISSING, sensitive=True,
                role=Role.SENSITIVE),
        _closed("P16_OTRO", "Otro pueblo originario", labels(OTHER_PEOPLES), SKIP, MISSING, sensitive=True,
                note=f"{NOTE} P16A_OTRO en la base del INE; códigos inventados."),
        _closed("P17", "Trabajo en la semana pasada (15 años y más)", WORKED, SKIP, MISSING),
        _closed("P18", "Rama de actividad CIIU Rev. 4", labels(SECTIONS), str(SKIP), str(MISSING)),
        _open("P19", "Hijos nacidos vivos (mujeres de 15 años y más)", SKIP, MISSING, sensitive=True),
        _open("P20", "Hijos actualmente vivos", SKIP, MISSING, sensitive=True),
        _open("P21M", "Mes de nacimiento del último hijo", SKIP, MISSING, sensitive=True),
        _open("P21A", "Año de nacimiento del último hijo", YEAR_SKIP, YEAR_MISSING, sensitive=True),
    )  # fmt: skip


def _geography() -> tuple[Variable, ...]:
    indirect: dict[str, Any] = {"identification": Identification.INDIRECT}
    codes = f"{NOTE} Código de la comuna y número; sin nombre."
    return (
        _closed("REGION", "Región", REGION_LABELS, role=Role.KEY, **indirect),
        _closed("PROVINCIA", "Provincia", PROVINCE_LABELS, **indirect),
        _closed("COMUNA", "Comuna", comuna_labels(), **indirect),
        _open("DC", "Distrito censal", level=Level.OPEN, note=codes, **indirect),
        _open("ID_ZONA_LOC", "Zona o localidad", level=Level.OPEN, note=codes, **indirect),
        _closed("AREA", "Área", {1: "Urbana", 2: "Rural"}, **indirect),
    )


def _closed(
    name: str, label: str, values: Mapping[Any, str], skip: Any = None, missing: Any = None, **facts: Any
) -> Variable:
    return _open(name, label, skip, missing, level=Level.CATEGORICAL, values=dict(values), **facts)


def _open(name: str, label: str, skip: Any = None, missing: Any = None, **facts: Any) -> Variable:
    """A variable; the codes of *no aplica* and *missing* get their label and kind."""
    values, kinds = facts.pop("values", {}), {}
    if skip is not None:
        values[skip], kinds[skip] = "No aplica", MissingKind.NOT_APPLICABLE
    if missing is not None:
        values[missing], kinds[missing] = "Missing", MissingKind.NON_RESPONSE
    facts = {"level": Level.DISCRETE, "identification": Identification.NONE, "note": NOTE, **facts}
    return Variable(name=name, label=label, values=values, missing=kinds, **{"sensitive": False, **facts})
