"""Code lists that several generators share, with invented shares of the answers."""

from __future__ import annotations

SECTIONS = {
    "A": ("Agricultura, ganadería, silvicultura y pesca", 0.09),
    "B": ("Explotación de minas y canteras", 0.025),
    "C": ("Industrias manufactureras", 0.10),
    "D": ("Suministro de electricidad, gas, vapor y aire acondicionado", 0.005),
    "E": ("Suministro de agua; gestión de desechos", 0.008),
    "F": ("Construcción", 0.085),
    "G": ("Comercio al por mayor y al por menor", 0.19),
    "H": ("Transporte y almacenamiento", 0.07),
    "I": ("Actividades de alojamiento y de servicio de comidas", 0.05),
    "J": ("Información y comunicaciones", 0.025),
    "K": ("Actividades financieras y de seguros", 0.02),
    "L": ("Actividades inmobiliarias", 0.012),
    "M": ("Actividades profesionales, científicas y técnicas", 0.04),
    "N": ("Actividades de servicios administrativos y de apoyo", 0.045),
    "O": ("Administración pública y defensa", 0.055),
    "P": ("Enseñanza", 0.08),
    "Q": ("Atención de la salud humana y asistencia social", 0.055),
    "R": ("Actividades artísticas, de entretenimiento y recreativas", 0.012),
    "S": ("Otras actividades de servicios", 0.03),
    "T": ("Actividades de los hogares como empleadores", 0.045),
    "U": ("Actividades de organizaciones y órganos extraterritoriales", 0.0004),
}
"""CIIU Rev. 4 (ISIC): section to name and share of the employed."""

OCCUPATIONS = {
    0: "Ocupaciones de las Fuerzas Armadas",
    1: "Directores y gerentes",
    2: "Profesionales, científicos e intelectuales",
    3: "Técnicos y profesionales de nivel medio",
    4: "Personal de apoyo administrativo",
    5: "Trabajadores de los servicios y vendedores",
    6: "Agricultores y trabajadores calificados agropecuarios, forestales y pesqueros",
    7: "Artesanos y operarios de oficios",
    8: "Operadores de instalaciones y máquinas y ensambladores",
    9: "Ocupaciones elementales",
}
"""CIUO-08 (ISCO): major group to name."""

PEOPLES = {
    1: ("Mapuche", 0.80),
    2: ("Aymara", 0.072),
    3: ("Rapa Nui", 0.004),
    4: ("Lican Antai", 0.014),
    5: ("Quechua", 0.016),
    6: ("Colla", 0.009),
    7: ("Diaguita", 0.041),
    8: ("Kawésqar", 0.0016),
    9: ("Yagán o Yámana", 0.0008),
    10: ("Otro", 0.04),
}
"""Indigenous or original people to name and share among those who belong to one."""

INDIGENOUS = {
    "01": 0.24, "02": 0.14, "03": 0.19, "04": 0.09, "05": 0.07, "06": 0.06, "07": 0.05, "08": 0.11,
    "09": 0.34, "10": 0.28, "11": 0.29, "12": 0.23, "13": 0.10, "14": 0.25, "15": 0.36, "16": 0.05,
}  # fmt: skip
"""Region to share of its people who belong to an indigenous people."""

FOREIGN = {
    "01": 0.17, "02": 0.14, "03": 0.04, "04": 0.03, "05": 0.03, "06": 0.02, "07": 0.02, "08": 0.01,
    "09": 0.01, "10": 0.01, "11": 0.02, "12": 0.03, "13": 0.08, "14": 0.01, "15": 0.10, "16": 0.01,
}  # fmt: skip
"""Region to share of its people who come from another country."""

CHILE = 152

COUNTRIES = {
    604: ("Perú", 0.25),
    862: ("Venezuela", 0.24),
    170: ("Colombia", 0.14),
    332: ("Haití", 0.11),
    68: ("Bolivia", 0.10),
    32: ("Argentina", 0.06),
    218: ("Ecuador", 0.035),
    724: ("España", 0.015),
    76: ("Brasil", 0.014),
    214: ("República Dominicana", 0.012),
    192: ("Cuba", 0.009),
    840: ("Estados Unidos", 0.008),
    156: ("China", 0.007),
    276: ("Alemania", 0.003),
    392: ("Japón", 0.0008),
    566: ("Nigeria", 0.0006),
    608: ("Filipinas", 0.0004),
    352: ("Islandia", 0.0001),
}
"""ISO 3166-1 numeric code to name and share among those who come from another country."""

DIVISIONS = {
    "A": (1, 2, 3),
    "B": (5, 6, 7, 8, 9),
    "C": tuple(range(10, 34)),
    "D": (35,),
    "E": (36, 37, 38, 39),
    "F": (41, 42, 43),
    "G": (45, 46, 47),
    "H": (49, 50, 51, 52, 53),
    "I": (55, 56),
    "J": (58, 59, 60, 61, 62, 63),
    "K": (64, 65, 66),
    "L": (68,),
    "M": (69, 70, 71, 72, 73, 74, 75),
    "N": (77, 78, 79, 80, 81, 82),
    "O": (84,),
    "P": (85,),
    "Q": (86, 87, 88),
    "R": (90, 91, 92, 93),
    "S": (94, 95, 96),
    "T": (97, 98),
    "U": (99,),
}
"""CIIU Rev. 4 (ISIC): section to its divisions."""
