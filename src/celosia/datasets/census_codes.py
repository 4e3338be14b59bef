"""The code lists of the synthetic census, after the questionnaire of the Chilean census of 2017.

Codes of *no aplica* and *missing*: 98 and 99; 998 and 999 for countries; 9998 and 9999 for years. Shares
are invented.
"""

from __future__ import annotations

SKIP, MISSING = 98, 99
COUNTRY_SKIP, COUNTRY_MISSING = 998, 999
YEAR_SKIP, YEAR_MISSING = 9998, 9999

DWELLING_TYPES = {
    1: ("Casa", 0.795),
    2: ("Departamento en edificio", 0.175),
    3: ("Vivienda tradicional indígena", 0.001),
    4: ("Pieza en casa antigua o en conventillo", 0.008),
    5: ("Mediagua, mejora, rancho o choza", 0.016),
    6: ("Móvil (carpa, casa rodante o similar)", 0.001),
    7: ("Otro tipo de vivienda particular", 0.004),
}
OCCUPIED = 1
OCCUPANCY = {
    1: ("Ocupada, con moradores presentes", 0.0),
    2: ("Ocupada, con moradores ausentes", 0.25),
    3: ("Desocupada: en venta, para arriendo, abandonada u otro", 0.33),
    4: ("Desocupada: de temporada", 0.42),
}
"""Shares among the dwellings where nobody was found."""
WALLS = {
    1: ("Hormigón armado", 0.18),
    2: ("Albañilería: bloque de cemento, piedra o ladrillo", 0.41),
    3: ("Tabique forrado por ambas caras", 0.33),
    4: ("Tabique sin forro interior", 0.04),
    5: ("Adobe, barro, quincha, pirca u otro artesanal", 0.035),
    6: ("Materiales precarios", 0.005),
}
ROOFS = {
    1: ("Tejas o tejuelas", 0.11),
    2: ("Losa de hormigón", 0.13),
    3: ("Planchas metálicas", 0.56),
    4: ("Planchas de fibrocemento", 0.18),
    5: ("Fonolita o plancha de fieltro embreado", 0.008),
    6: ("Paja, coirón, totora o caña", 0.001),
    7: ("Materiales precarios", 0.008),
    8: ("Sin cubierta sólida de techo", 0.001),
}
FLOORS = {
    1: ("Parqué, piso flotante, cerámico, madera o alfombra", 0.84),
    2: ("Radier sin revestimiento", 0.11),
    3: ("Baldosa de cemento", 0.02),
    4: ("Capa de cemento sobre tierra", 0.02),
    5: ("Tierra", 0.01),
}
BEDROOMS = {0: "0", 1: "1", 2: "2", 3: "3", 4: "4", 5: "5", 6: "6 o más"}
WATER = {
    1: ("Red pública", 0.93),
    2: ("Pozo o noria", 0.04),
    3: ("Camión aljibe", 0.012),
    4: ("Río, vertiente, estero, canal, lago u otro", 0.018),
}
KINSHIP = {
    1: "Jefe o jefa de hogar",
    2: "Esposo o esposa",
    3: "Conviviente por unión civil",
    4: "Conviviente de hecho o pareja",
    5: "Hijo o hija",
    6: "Hijo o hija del cónyuge",
    7: "Hermano o hermana",
    8: "Padre o madre",
    9: "Cuñado o cuñada",
    10: "Suegro o suegra",
    11: "Yerno o nuera",
    12: "Nieto o nieta",
    13: "Abuelo o abuela",
    14: "Otro pariente",
    15: "No pariente",
    16: "Servicio doméstico puertas adentro",
}
RESIDENCE = {
    1: ("En esta vivienda", 0.938),
    2: ("En otra vivienda de esta comuna", 0.017),
    3: ("En otra comuna", 0.041),
    4: ("En otro país", 0.004),
}
NAMED_COUNTRIES = {604: "Perú", 32: "Argentina", 68: "Bolivia", 218: "Ecuador", 170: "Colombia"}
"""Countries with a code of their own in questions 11 and 12, in the order of those codes."""
BORN = dict(enumerate(("En esta comuna", "En otra comuna", *NAMED_COUNTRIES.values(), "En otro país"), 1))
LIVED = {1: "Aún no nacía", **{code + 1: label for code, label in BORN.items()}}
PERIODS = {1: "2010 a 2017", 2: "2000 a 2009", 3: "1990 a 1999", 4: "Antes de 1990"}
ATTENDS = {1: "Asiste actualmente", 2: "No asiste actualmente", 3: "Nunca asistió"}
SCHOOLING = {
    1: ("Sala cuna o jardín infantil", 0),
    2: ("Prekínder", 0),
    3: ("Kínder", 0),
    4: ("Especial o diferencial", 4),
    5: ("Educación básica", 8),
    6: ("Primaria o preparatorias (sistema antiguo)", 6),
    7: ("Científico-humanista", 4),
    8: ("Técnica profesional", 4),
    9: ("Humanidades (sistema antiguo)", 6),
    10: ("Técnica comercial, industrial o normalista (sistema antiguo)", 6),
    11: ("Técnico superior", 3),
    12: ("Profesional", 5),
    13: ("Magíster", 2),
    14: ("Doctorado", 4),
}
"""Level to label and number of its years."""
OTHER_PEOPLES = {
    11: ("Chango", 0.35),
    12: ("Afrodescendiente", 0.25),
    13: ("Pueblo de otro país", 0.38),
    14: ("Selk’nam", 0.02),
}
WORKED = {
    1: "Trabajó por un pago en dinero o especies",
    2: "Trabajó sin pago para un familiar",
    3: "Tenía empleo pero estuvo de vacaciones, con licencia u otro",
    4: "Se encontraba buscando empleo",
    5: "Estaba estudiando",
    6: "Realizó quehaceres de su hogar",
    7: "Es jubilado, pensionado o rentista",
    8: "Otra situación",
}
