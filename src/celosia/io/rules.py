"""The rules by which a column is recognised: one small object each, the most dangerous first."""

from __future__ import annotations

from collections.abc import Callable

import polars as pl

from celosia.core.dictionary import DaneClass, Identification, Level, Role
from celosia.io import identifiers
from celosia.io.clues import Column, Rule
from celosia.io.identifiers import mostly

_DIRECT = Identification.DIRECT
_INDIRECT = Identification.INDIRECT


def _each(test: Callable[[str], bool], share: float = 0.9) -> Callable[[Column], bool]:
    return lambda column: mostly(column.sample, test, share)


def _phones(column: Column) -> bool:
    varied = column.distinct * 2 > column.filled
    return varied and not column.dtype.is_float() and mostly(column.sample, identifiers.is_phone)


def _coordinates(column: Column) -> bool:
    return column.distinct * 2 > column.filled and mostly(column.sample, identifiers.is_coordinate, 0.95)


def _dates(column: Column) -> bool:
    return column.dtype in (pl.Date, pl.Datetime) or mostly(column.sample, identifiers.is_date)


def _weights(column: Column) -> bool:
    return column.smallest is not None and column.smallest >= 0


def _direct(code: str, names: str, contents: Callable[[Column], bool] | None = None, but: str = "") -> Rule:
    return Rule(code, names, contents, but=but, level=Level.OPEN, identification=_DIRECT, dane=DaneClass.DIRECT)


def _topic(code: str, names: str, *, visible: bool = False) -> Rule:
    identification = _INDIRECT if visible else Identification.NONE
    return Rule(
        code,
        names,
        identification=identification,
        sensitive=True,
        role=Role.SENSITIVE,
        dane=DaneClass.SENSITIVE,
    )


_PLACE = (
    "region|provincia|province|comuna|municipio|municipality|departamento|depto|dpto|distrito|"
    "district|zona|zone|"
    "manzana|barrio|localidad|vereda|seccion_censal|entidad|codigo_postal|cod_postal|zip|pais|"
    "country|ciudad|city|"
    "urbano_rural|area_residencia|area_geografica"
)

RULES: tuple[Rule, ...] = (
    _direct("rut", "rut|run|rut_dv|num_rut", _each(identifiers.is_rut)),
    _direct("dni", "dni|nif|nie", _each(identifiers.is_dni)),
    _direct(
        "cedula",
        "cedula|nuip|cedula_ciudadania|pasaporte|passport|num_doc|nro_doc|numero_documento|nit",
    ),
    _direct("email", "email|e_mail|mail|correo|correo_electronico", _each(identifiers.is_email)),
    _direct("phone", "telefono|fono|tel|celular|movil|phone|whatsapp", _phones, but="tiene|tipo|usa"),
    _direct("plate", "patente|placa|plate|matricula_vehiculo", _each(identifiers.is_plate)),
    Rule(
        "coordinates",
        "lat|latitud|latitude|lon|lng|longitud|longitude|coord|coordenadas?|coord_x|coord_y|utm_x|utm_y|geo_x|geo_y",
        _coordinates,
        level=Level.CONTINUOUS,
        identification=_DIRECT,
        dane=DaneClass.GEOGRAPHIC,
    ),
    _direct("address", "direccion|domicilio|calle|address|street", but="tipo"),
    _direct(
        "person",
        "nombres?|apellidos?|nombre_completo|primer_nombre|surname|first_name|last_name|full_name",
        _each(identifiers.is_person, 0.5),
        but=f"{_PLACE}|ocupacion|empresa|rama|variable",
    ),
    Rule(
        "birth",
        "fecha_nac|fecha_nacimiento|fecha_de_nacimiento|fec_nac|fnac|fechanac|nacimiento|birth|dob|"
        "birthdate|birth_date",
        level=Level.DISCRETE,
        identification=_INDIRECT,
        role=Role.KEY,
        dane=DaneClass.CATEGORICAL,
        but=_PLACE,
    ),
    Rule(
        "household",
        "(id_?|folio_?|num_?|nro_?|cod_?|codigo_?|clave_?)?(hogar|vivienda|household|hh|dwelling)_?(id|"
        "num)?|directorio",
        also=lambda column: column.many and not column.dtype.is_float(),
        but="tipo|tamano|ingreso|ingresos|gasto|renta|income|size",
        level=Level.OPEN,
        identification=_DIRECT,
        role=Role.HOUSEHOLD,
        dane=DaneClass.DIRECT,
    ),
    Rule(
        "weight",
        "factor|factor_de_expansion|factor_expansion|fact_?exp|fact_?cal|factor_cal|fexp?|fex_c|expr|"
        "ponderador|"
        "weight|wgt|peso_muestral|peso_final|peso_calibrado|expansion",
        also=_weights,
        level=Level.CONTINUOUS,
        identification=Identification.NONE,
        role=Role.WEIGHT,
        dane=DaneClass.PUBLIC,
    ),
    Rule(
        "stratum",
        "estrato|varstrat|stratum|strata|var_estrat|estrato_muestral",
        but="socioeconomico|social|socioecon",
        level=Level.CATEGORICAL,
        identification=Identification.NONE,
        role=Role.STRATUM,
    ),
    Rule(
        "id",
        "id|ident|identificador|folio|correlativo|id_persona|persona_id|record_id|uuid|idpersona|consecutivo",
        also=lambda column: column.unique,
        level=Level.OPEN,
        identification=_DIRECT,
        role=Role.ID,
        dane=DaneClass.DIRECT,
    ),
    Rule(
        "geography",
        f"(?:{_PLACE})(?:_\\w+)?",
        level=Level.CATEGORICAL,
        identification=_INDIRECT,
        role=Role.KEY,
        dane=DaneClass.GEOGRAPHIC,
    ),
    _topic(
        "health",
        "salud|health|enfermedad\\w*|diagnostico|vih|sida|cancer|embarazo|aborto|medicamentos?|adiccion",
    ),
    _topic("disability", "discapacidad|disability|dependencia_funcional", visible=True),
    _topic("religion", "religion|religioso|credo|culto|iglesia"),
    _topic(
        "ethnicity",
        "etnia|etnico|pueblo|pueblo_originario|indigena|raza|ethnicity|race|afrodescendiente",
        visible=True,
    ),
    _topic(
        "income",
        "ingresos?|income|salario|sueldo|renta|remuneracion|patrimonio|deudas?|pension|ytot\\w*|yaut\\w*",
    ),
    _topic("conviction", "condena|condenas|delito|penal|carcel|antecedentes|conviction|prision"),
    _topic(
        "sexuality",
        "orientacion_sexual|sexualidad|identidad_genero|identidad_de_genero|sexual_orientation",
    ),
    _topic("politics", "partido|voto|politica|ideologia|sindicato|sindical|political"),
    _topic("violence", "violencia|abuso|victima|agresion|violence"),
    Rule(
        "demographic",
        "sexo|sex|genero|gender|edad|age|estado_civil|marital|parentesco|nacionalidad|nationality|"
        "ocupacion|oficio|"
        "occupation|rama|educacion|nivel_educ\\w*|escolaridad|education",
        identification=_INDIRECT,
        role=Role.KEY,
    ),
    Rule(
        "date",
        "fecha|date",
        _dates,
        level=Level.DISCRETE,
        identification=_INDIRECT,
        dane=DaneClass.CATEGORICAL,
    ),
    Rule(
        "id",
        contents=lambda column: column.unique,
        level=Level.OPEN,
        identification=_DIRECT,
        role=Role.ID,
        dane=DaneClass.DIRECT,
    ),
)
