"""What identifiers look like: check digits, letters and patterns of Chile, Colombia and Spain."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

_RUT = re.compile(r"(\d{1,2}\.?\d{3}\.?\d{3})-?([\dkK])")
_DNI = re.compile(r"([XYZxyz]?)(\d{7,8})-?([A-Za-z])")
_DNI_LETTERS = "TRWAGMYFPDXBNJZSQVHLCKE"
_EMAIL = re.compile(r"[\w.+-]+@[\w-]+(\.[\w-]+)+")
_MOBILE = re.compile(r"(\+?56)?9\d{8}|(\+?57)?3\d{9}|(\+?34)?[67]\d{8}")
_PHONE = re.compile(r"\+(56|57|34)\d{8,10}")
_CONSONANT = "[BCDFGHJKLMNPRSTVWXYZ]"
_PLATE = re.compile(
    rf"[A-Z]{{2}}\d{{4}}|{_CONSONANT}{{4}}\d{{2}}"  # Chile, old and new
    r"|[A-Z]{3}\d{3}|[A-Z]{3}\d{2}[A-Z]"  # Colombia, cars and motorcycles
    rf"|\d{{4}}{_CONSONANT}{{3}}"  # Spain
)
_COORDINATE = re.compile(r"-?(\d{1,3})\.(\d{4,})")
_PAIR = re.compile(r"-?\d{1,2}\.\d{3,}[,; ]+-?\d{1,3}\.\d{3,}")
_ISO_DATE = re.compile(r"\d{4}-\d{2}-\d{2}([T ].*)?|\d{1,2}[/-]\d{1,2}[/-]\d{4}")
_GIVEN_NAMES = frozenset(
    """
    maria jose juan luis carlos ana rosa jorge pedro manuel francisco miguel antonio carmen victor
    sergio claudia patricia camila sofia valentina daniela andrea paula catalina javier diego andres
    felipe sebastian nicolas alejandro cristian ricardo eduardo fernando rodrigo marcela gloria
    teresa isabel elena laura marta lucia pablo david daniel martin mateo santiago tomas ignacio
    joaquin vicente gabriel rafael angel cristina monica julia alejandra carolina natalia fernanda
    constanza javiera
    """.split()  # noqa: SIM905
)
ENOUGH = 5
"""Values that a sample needs before its contents say anything."""


def mostly(values: Sequence[str], test: Callable[[str], bool], share: float = 0.9) -> bool:
    """Whether at least this share of enough values passes a test."""
    return len(values) >= ENOUGH and sum(map(test, values)) >= share * len(values)


def is_rut(text: str) -> bool:
    r"""A Chilean RUT whose check digit holds (module 11 with weights 2 to 7 from the right)."""
    match = _RUT.fullmatch(text.strip())
    if match is None:
        return False
    digits = [int(c) for c in reversed(match.group(1).replace(".", ""))]
    check = 11 - sum(digit * (2 + place % 6) for place, digit in enumerate(digits)) % 11
    return match.group(2).upper() == {11: "0", 10: "K"}.get(check, str(check))


def is_dni(text: str) -> bool:
    """A Spanish DNI or NIE whose letter holds (remainder of the number by 23)."""
    match = _DNI.fullmatch(text.strip())
    if match is None:
        return False
    prefix = {"": "", "X": "0", "Y": "1", "Z": "2"}[match.group(1).upper()]
    return _DNI_LETTERS[int(prefix + match.group(2)) % 23] == match.group(3).upper()


def is_email(text: str) -> bool:
    """An e-mail address."""
    return _EMAIL.fullmatch(text.strip()) is not None


def is_phone(text: str) -> bool:
    """A mobile number, or any number with the country's prefix."""
    bare = re.sub(r"[ ().-]", "", text)
    return bool(_MOBILE.fullmatch(bare) or _PHONE.fullmatch(bare))


def is_plate(text: str) -> bool:
    """A car's or motorcycle's plate."""
    return _PLATE.fullmatch(re.sub(r"[ .·-]", "", text).upper()) is not None


def is_coordinate(text: str) -> bool:
    """A latitude or longitude with four decimals or more, or a pair of them."""
    match = _COORDINATE.fullmatch(text)
    return int(match.group(1)) <= 180 if match else _PAIR.fullmatch(text.strip()) is not None


def is_date(text: str) -> bool:
    """A date, in ISO form or day first."""
    return _ISO_DATE.fullmatch(text) is not None


def is_person(text: str) -> bool:
    """A text with a common given name in it."""
    from celosia.io.words import plain

    return not _GIVEN_NAMES.isdisjoint(plain(text).split("_"))
