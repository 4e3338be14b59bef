"""The code book of the synthetic household survey, and the answers its questions draw from."""

from __future__ import annotations

from typing import Any

from celosia.core.dictionary import Dictionary, Identification, Level, MissingKind, Role, Variable
from celosia.datasets.codebook import NOTE, coded, uncoded
from celosia.datasets.draws import labels
from celosia.datasets.geography import PROVINCE_LABELS, REGION_LABELS, comuna_labels
from celosia.datasets.nomenclatures import CHILE, COUNTRIES, OCCUPATIONS, PEOPLES, SECTIONS

AREAS = {1: "Urbana", 2: "Rural"}
DWELLINGS = {
    1: ("Casa", 0.80),
    2: ("Departamento", 0.165),
    3: ("Pieza en casa antigua o conventillo", 0.015),
    4: ("Mediagua o rancho", 0.015),
    5: ("Vivienda tradicional indígena", 0.002),
    6: ("Móvil (carpa, casa rodante o similar)", 0.001),
}
TENURES = {
    1: ("Propia pagada", 0.46),
    2: ("Propia pagándose", 0.12),
    3: ("Arrendada", 0.27),
    4: ("Cedida por trabajo o familia", 0.13),
    5: ("Ocupación irregular", 0.02),
}
RELATIONSHIPS = {
    1: "Jefe o jefa de hogar",
    2: "Cónyuge o pareja",
    3: "Hijo o hija",
    4: "Yerno o nuera",
    5: "Nieto o nieta",
    6: "Padre, madre, suegro o suegra",
    7: "Hermano o hermana",
    8: "Otro pariente",
    9: "No pariente",
}
MARITAL = {
    1: "Casado/a",
    2: "Conviviente o pareja sin acuerdo de unión civil",
    3: "Conviviente civil",
    4: "Separado/a o anulado/a",
    5: "Divorciado/a",
    6: "Viudo/a",
    7: "Soltero/a",
}
EDUCATION = {
    0: "Nunca asistió",
    1: "Educación parvularia",
    2: "Educación básica",
    3: "Educación media",
    4: "Técnica superior",
    5: "Universitaria",
    6: "Postgrado",
}
ACTIVITY = {
    1: "Ocupado/a",
    2: "Desocupado/a",
    3: "Estudiante",
    4: "Quehaceres del hogar o cuidados",
    5: "Jubilado/a o pensionado/a",
    6: "Otra situación",
}
ILLNESSES = {
    0: "Ninguna",
    1: "Hipertensión arterial",
    2: "Diabetes mellitus",
    3: "Asma o enfermedad pulmonar crónica",
    4: "Depresión o trastorno bipolar",
    5: "Cáncer",
    6: "Insuficiencia renal crónica",
    7: "Epilepsia",
    8: "VIH",
}
_INDIRECT: dict[str, Any] = {"identification": Identification.INDIRECT}
_DIRECT: dict[str, Any] = {"identification": Identification.DIRECT}
_KEY: dict[str, Any] = {**_INDIRECT, "role": Role.KEY}


def survey_dictionary() -> Dictionary:
    """The variables of ``survey``, in file order."""
    return Dictionary(variables=(*_identity(), *_place(), *_household(), *_person(), *_work(), *_health()))


def _identity() -> tuple[Variable, ...]:
    invented = f"{NOTE} Apellidos inventados."
    impossible = f"{NOTE} Nueve cifras que empiezan por 9: nadie tiene un número así."
    return (
        uncoded("id_hogar", "Identificador del hogar", level=Level.DISCRETE, role=Role.HOUSEHOLD),
        uncoded("id_persona", "Identificador de la persona", level=Level.DISCRETE, role=Role.ID),
        uncoded("nombre", "Nombre completo", level=Level.OPEN, note=invented, **_DIRECT),
        uncoded("rut", "Rol Único Nacional", level=Level.OPEN, note=impossible, **_DIRECT),
        uncoded("fecha_entrevista", "Fecha de la entrevista", level=Level.DISCRETE),
    )


def _place() -> tuple[Variable, ...]:
    strata = {
        int(code) * 10 + area: f"{name}, {text.lower()}"
        for code, name in REGION_LABELS.items()
        for area, text in AREAS.items()
    }
    return (
        coded("region", "Región", REGION_LABELS, **_KEY),
        coded("provincia", "Provincia", PROVINCE_LABELS, **_INDIRECT),
        coded("comuna", "Comuna", comuna_labels(), **_INDIRECT),
        coded("area", "Área", AREAS, **_KEY),
        coded("estrato", "Estrato de muestreo (región y área)", strata, role=Role.STRATUM),
        uncoded("factor", "Factor de expansión", role=Role.WEIGHT),
    )


def _household() -> tuple[Variable, ...]:
    return (
        uncoded("tot_per", "Personas en el hogar", level=Level.DISCRETE, **_INDIRECT),
        coded("tipo_vivienda", "Tipo de vivienda", labels(DWELLINGS), **_INDIRECT),
        coded("tenencia", "Tenencia de la vivienda", labels(TENURES), "answers"),
    )


def _person() -> tuple[Variable, ...]:
    countries = {CHILE: "Chile", **labels(COUNTRIES)}
    peoples = {0: "No pertenece", **labels(PEOPLES)}
    return (
        coded("parentesco", "Parentesco con el jefe o jefa de hogar", RELATIONSHIPS, **_INDIRECT),
        coded("sexo", "Sexo", {1: "Hombre", 2: "Mujer"}, **_KEY),
        uncoded("edad", "Edad en años cumplidos", level=Level.DISCRETE, unit="años", **_KEY),
        coded("estado_civil", "Estado civil (15 años y más)", MARITAL, "all", **_KEY),
        coded("nivel_educ", "Nivel educacional más alto (5 años y más)", EDUCATION, "all", **_KEY),
        coded("nacionalidad", "País de nacionalidad", countries, "answers", **_KEY),
        coded("pueblo", "Pueblo indígena u originario", peoples, "answers", sensitive=True, **_INDIRECT),
    )


def _work() -> tuple[Variable, ...]:
    income: dict[str, Any] = {"unit": "pesos", "sensitive": True, "role": Role.NUMERIC_KEY}
    hours: dict[str, Any] = {"unit": "horas", "level": Level.DISCRETE, "null": MissingKind.NON_RESPONSE}
    return (
        coded("actividad", "Situación de actividad (15 años y más)", ACTIVITY, "skip", **_KEY),
        coded("ocupacion", "Grupo de ocupación CIUO-08 (ocupados)", OCCUPATIONS, "all", **_INDIRECT),
        coded("rama", "Rama de actividad CIIU Rev. 4 (ocupados)", labels(SECTIONS), "all", **_INDIRECT),
        uncoded("horas", "Horas de trabajo a la semana (ocupados)", "skip", **hours),
        uncoded("ing_trabajo", "Ingreso mensual del trabajo (ocupados)", "all", **income),
        uncoded("ing_hogar", "Ingreso mensual total del hogar", **income),
    )


def _health() -> tuple[Variable, ...]:
    facts: dict[str, Any] = {"sensitive": True, "role": Role.SENSITIVE, "null": MissingKind.NON_RESPONSE}
    return (coded("enf_cronica", "Enfermedad crónica principal", ILLNESSES, "answers", **facts),)
