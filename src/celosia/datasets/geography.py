"""The political division of Chile as codes: 16 regions, 56 provinces, 346 comunas.

Regions and provinces carry their public names and codes; a comuna is its province's code and a number, so
``01101`` is the first of province ``011``. Comunas are numbered from the largest, without the gaps of the
official list, and have no names; their sizes are invented and skewed like the real ones.
"""

from __future__ import annotations

import numpy as np
import polars as pl

REGIONS: dict[str, tuple[str, float]] = {
    "01": ("Tarapacá", 0.0188),
    "02": ("Antofagasta", 0.0346),
    "03": ("Atacama", 0.0163),
    "04": ("Coquimbo", 0.0431),
    "05": ("Valparaíso", 0.1033),
    "06": ("Libertador General Bernardo O’Higgins", 0.0520),
    "07": ("Maule", 0.0595),
    "08": ("Biobío", 0.0886),
    "09": ("La Araucanía", 0.0545),
    "10": ("Los Lagos", 0.0472),
    "11": ("Aysén del General Carlos Ibáñez del Campo", 0.0059),
    "12": ("Magallanes y de la Antártica Chilena", 0.0095),
    "13": ("Metropolitana de Santiago", 0.4046),
    "14": ("Los Ríos", 0.0219),
    "15": ("Arica y Parinacota", 0.0129),
    "16": ("Ñuble", 0.0273),
}
"""Code to name and share of the population."""

PROVINCES: dict[str, tuple[str, int]] = {
    "011": ("Iquique", 2), "014": ("Tamarugal", 5),
    "021": ("Antofagasta", 4), "022": ("El Loa", 3), "023": ("Tocopilla", 2),
    "031": ("Copiapó", 3), "032": ("Chañaral", 2), "033": ("Huasco", 4),
    "041": ("Elqui", 6), "042": ("Choapa", 4), "043": ("Limarí", 5),
    "051": ("Valparaíso", 7), "052": ("Isla de Pascua", 1), "053": ("Los Andes", 4), "054": ("Petorca", 5),
    "055": ("Quillota", 5), "056": ("San Antonio", 6), "057": ("San Felipe de Aconcagua", 6),
    "058": ("Marga Marga", 4),
    "061": ("Cachapoal", 17), "062": ("Cardenal Caro", 6), "063": ("Colchagua", 10),
    "071": ("Talca", 10), "072": ("Cauquenes", 3), "073": ("Curicó", 9), "074": ("Linares", 8),
    "081": ("Concepción", 12), "082": ("Arauco", 7), "083": ("Biobío", 14),
    "091": ("Cautín", 21), "092": ("Malleco", 11),
    "101": ("Llanquihue", 9), "102": ("Chiloé", 10), "103": ("Osorno", 7), "104": ("Palena", 4),
    "111": ("Coyhaique", 2), "112": ("Aysén", 3), "113": ("Capitán Prat", 3), "114": ("General Carrera", 2),
    "121": ("Magallanes", 4), "122": ("Antártica Chilena", 2), "123": ("Tierra del Fuego", 3),
    "124": ("Última Esperanza", 2),
    "131": ("Santiago", 32), "132": ("Cordillera", 3), "133": ("Chacabuco", 3), "134": ("Maipo", 4),
    "135": ("Melipilla", 5), "136": ("Talagante", 5),
    "141": ("Valdivia", 8), "142": ("Ranco", 4),
    "151": ("Arica", 2), "152": ("Parinacota", 2),
    "161": ("Diguillín", 9), "162": ("Itata", 7), "163": ("Punilla", 5),
}  # fmt: skip
"""Code to name and number of comunas."""

REGION_LABELS = {code: name for code, (name, _) in REGIONS.items()}
PROVINCE_LABELS = {code: name for code, (name, _) in PROVINCES.items()}


def comunas() -> pl.DataFrame:
    """A row a comuna: ``region``, ``provincia``, ``comuna``, ``share`` of the country, ``rural`` share."""
    provinces, numbers, weights = [], [], []
    for order, (code, (_, count)) in enumerate(PROVINCES.items(), 1):
        first = next(i for i, other in enumerate(PROVINCES, 1) if other[:2] == code[:2])
        rank = np.arange(1, count + 1)
        size = rank ** -(0.6 + 3 / (2 + count))
        provinces += [code] * count
        numbers += rank.tolist()
        weights += (size / size.sum() * count**1.5 / (order - first + 1) ** 1.2).tolist()
    frame = pl.DataFrame({"provincia": provinces, "number": numbers, "weight": weights})
    region = pl.col("provincia").str.head(2)
    share = pl.col("weight") / pl.col("weight").sum().over("region") * pl.col("region_share")
    return (
        frame.with_columns(
            region.alias("region"),
            (pl.col("provincia") + pl.format("{}", pl.col("number")).str.zfill(2)).alias("comuna"),
            region.replace_strict({code: size for code, (_, size) in REGIONS.items()}).alias("region_share"),
        )
        .with_columns(share.alias("share"))
        .with_columns((0.03 + 0.7 * (-pl.col("share") / 0.0015).exp()).alias("rural"))
        .select("region", "provincia", "comuna", "share", "rural")
    )


def comuna_labels() -> dict[str, str]:
    """A label for each comuna, that says it has no real name."""
    return {
        f"{code}{number:02d}": f"{name}, comuna {number} (ficticia)"
        for code, (name, count) in PROVINCES.items()
        for number in range(1, count + 1)
    }
