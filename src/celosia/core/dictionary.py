"""What is known of each variable: labels, missing codes, classification, role.

The dictionary is the office's code book. It carries INE's three dimensions (Tabla 9: level of
measurement, identification, sensitivity), DANE's six classes, the role in a disclosure scenario, and
**which codes mean missing, and of which kind**.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from enum import StrEnum
from typing import Any

import polars as pl
from pydantic import Field, field_validator

from celosia.core.codes import Code, spell_number, spell_series
from celosia.core.errors import DataError, RoleError
from celosia.core.model import Frozen, ReadOnly


class Level(StrEnum):
    """Level of measurement (INE Tabla 9, *Nivel de medida*)."""

    CATEGORICAL = "categorical"
    OPEN = "open"
    DISCRETE = "discrete"
    CONTINUOUS = "continuous"


class Identification(StrEnum):
    """How a variable identifies (INE Tabla 9, *Identificación*)."""

    DIRECT = "direct"
    INDIRECT = "indirect"
    NONE = "none"


class DaneClass(StrEnum):
    """The six classes of DANE's protocol, stage 1."""

    GEOGRAPHIC = "geographic"
    DIRECT = "direct"
    MAGNITUDE = "magnitude"
    SENSITIVE = "sensitive"
    PUBLIC = "public"
    CATEGORICAL = "categorical"


class Role(StrEnum):
    """What a variable does in the protection of its file."""

    KEY = "key"
    NUMERIC_KEY = "numeric_key"
    SENSITIVE = "sensitive"
    WEIGHT = "weight"
    HOUSEHOLD = "household"
    STRATUM = "stratum"
    LINKED = "linked"
    ID = "id"


class MissingKind(StrEnum):
    """Why a cell holds no value.

    ``NOT_APPLICABLE`` is an ordinary category under every way of counting; ``NON_RESPONSE`` (no sabe and
    no responde are one) and ``SUPPRESSED`` (a cell that we emptied) may be anything.
    """

    NOT_APPLICABLE = "not_applicable"
    NON_RESPONSE = "non_response"
    SUPPRESSED = "suppressed"


class MissingRange(Frozen):
    """A closed range of numeric codes that all mean missing (as SPSS declares them), but for those named apart."""

    low: float
    high: float
    kind: MissingKind = MissingKind.NON_RESPONSE

    def holds(self, code: str) -> bool:
        """Whether a code is a number in the range."""
        try:
            return self.low <= float(code) <= self.high
        except ValueError:
            return False


class Variable(Frozen):
    """One variable of the code book."""

    name: str
    label: str = ""
    values: ReadOnly[Code, str] = Field(default_factory=dict, validate_default=True)
    missing: ReadOnly[Code, MissingKind] = Field(default_factory=dict, validate_default=True)
    missing_ranges: tuple[MissingRange, ...] = ()
    null: MissingKind | None = None
    """The kind of an empty cell of the source; undeclared counts as non-response, with a warning."""
    level: Level | None = None
    identification: Identification | None = None
    sensitive: bool | None = None
    dane: DaneClass | None = None
    role: Role | None = None
    hierarchy: str | None = None
    unit: str = ""
    decimals: int | None = Field(default=None, ge=0)
    """Decimals that count: weights are rounded to them before they are summed."""
    format: str = ""
    """Display format as the source file wrote it (``F8.2``, ``%9.0g``)."""
    note: str = ""

    @property
    def declares_missing(self) -> bool:
        """Whether the office said anything about what is missing here."""
        return bool(self.missing or self.missing_ranges or self.null is not None)

    @property
    def is_direct(self) -> bool:
        """Whether it names its unit: as declared, and the id of the record unless declared to identify nobody."""
        named = self.role is Role.ID and self.identification is not Identification.NONE
        return named or self.identification is Identification.DIRECT

    @property
    def dane_class(self) -> DaneClass | None:
        """DANE's class: as declared, else as the three dimensions of INE imply it."""
        if self.dane is not None:
            return self.dane
        if self.identification is Identification.DIRECT:
            return DaneClass.DIRECT
        if self.sensitive:
            return DaneClass.SENSITIVE
        if self.level in (Level.DISCRETE, Level.CONTINUOUS):
            return DaneClass.MAGNITUDE
        if self.identification is Identification.INDIRECT:
            return DaneClass.CATEGORICAL
        if self.identification is Identification.NONE:
            return DaneClass.PUBLIC
        return None

    def of_numbers(self) -> Variable:
        """The same variable, its codes spelled as a column of numbers spells them; none may be of two kinds."""
        missing: dict[str, MissingKind] = {}
        for code, kind in self.missing.items():
            if missing.setdefault(spell_number(code), kind) is not kind:
                raise DataError("missing-two-kinds", variable=self.name)
        values = {spell_number(code): label for code, label in self.values.items()}
        if values.keys() == self.values.keys() and missing.keys() == self.missing.keys():
            return self
        return self.model_copy(update=_validated({"values": values, "missing": missing}))

    def kind_of(self, code: str | None) -> MissingKind | None:
        """The missing kind of one code (``None`` for the empty cell), or ``None`` for a value."""
        if code is None:
            return self.null or MissingKind.NON_RESPONSE
        if code in self.missing:
            return self.missing[code]
        return next((span.kind for span in self.missing_ranges if span.holds(code)), None)

    def missing_mask(self, values: pl.Series) -> pl.Series:
        """True where a cell holds no value, of whatever kind."""
        empty = values.is_null()
        if values.dtype.is_float():
            empty = empty | values.is_nan().fill_null(False)
        if not (self.missing or self.missing_ranges):
            return empty
        distinct = spell_series(values.unique().drop_nulls())
        codes = [code for code in distinct.to_list() if code is not None and self.kind_of(code) is not None]
        return empty | spell_series(values).is_in(codes).fill_null(False) if codes else empty


class Dictionary(Frozen):
    """The code book of a file: its variables in order.

    Examples
    --------
    >>> book = Dictionary.of(Variable(name="sexo", values={1: "Hombre", 2: "Mujer"}, role="key"))
    >>> book["sexo"].values["2"]
    'Mujer'
    """

    variables: tuple[Variable, ...] = ()

    @field_validator("variables")
    @classmethod
    def _unique_names(cls, variables: tuple[Variable, ...]) -> tuple[Variable, ...]:
        seen: set[str] = set()
        for variable in variables:
            if variable.name.casefold() in seen:
                raise DataError("duplicate-variable", variable=variable.name)
            seen.add(variable.name.casefold())
        return variables

    @classmethod
    def of(cls, *variables: Variable) -> Dictionary:
        """A dictionary of these variables."""
        return cls(variables=variables)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the variables, in order."""
        return tuple(variable.name for variable in self.variables)

    def __contains__(self, name: object) -> bool:
        return any(variable.name == name for variable in self.variables)

    def __iter__(self) -> Iterator[Variable]:  # type: ignore[override]
        return iter(self.variables)

    def __len__(self) -> int:
        return len(self.variables)

    def __getitem__(self, name: str) -> Variable:
        """The variable of this name; one that nobody described is an empty description."""
        for variable in self.variables:
            if variable.name == name:
                return variable
        return Variable(name=name)

    def with_role(self, role: Role | str) -> tuple[str, ...]:
        """Names of the variables that play a role."""
        return tuple(variable.name for variable in self.variables if variable.role == role)

    def one_with_role(self, role: Role | str) -> str | None:
        """The single variable that plays a role, or ``None``; two are an error."""
        names = self.with_role(role)
        if len(names) > 1:
            raise RoleError("role-taken-twice", role=str(role), variables=names)
        return names[0] if names else None

    def replace(self, name: str, /, **changes: Any) -> Dictionary:
        """The same dictionary with some facts of one variable changed (or the variable added)."""
        changed = self[name].model_copy(update=_validated(changes))
        if name not in self:
            return Dictionary(variables=(*self.variables, changed))
        return Dictionary(variables=tuple(changed if v.name == name else v for v in self.variables))

    def on(self, numeric: Callable[[str], bool]) -> Dictionary:
        """The same dictionary for data of which these variables are numbers, so that their codes are found there."""
        variables = tuple(v.of_numbers() if (v.values or v.missing) and numeric(v.name) else v for v in self.variables)
        same = all(new is old for new, old in zip(variables, self.variables, strict=True))
        return self if same else Dictionary(variables=variables)

    def keep(self, names: Iterable[str]) -> Dictionary:
        """Only the variables of these names, in the order of the names."""
        described = {variable.name: variable for variable in self.variables}
        return Dictionary(variables=tuple(described[name] for name in names if name in described))

    def update(self, other: Dictionary) -> Dictionary:
        """This dictionary, with what the other one says laid over it, fact by fact."""
        result = self
        for variable in other:
            result = result.replace(variable.name, **variable.model_dump(exclude_unset=True, exclude={"name"}))
        return result


def _validated(changes: Mapping[str, Any]) -> dict[str, Any]:
    """Facts of a variable as the model would hold them."""
    checked = Variable(name="x", **changes)
    return {name: getattr(checked, name) for name in changes}
