r"""Deterministic rounding of numbers.

A value :math:`x` becomes :math:`b \cdot n`, where :math:`n` is :math:`x / b` rounded. Bases are decimals
:math:`b = p / 10^d` with whole :math:`p` and :math:`d`; the result is the float that is written as the decimal
:math:`p \, n / 10^d`.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Annotated, ClassVar, Literal

import narwhals as nw
import polars as pl
from pydantic import Field, model_validator

from celosia.core.dictionary import Variable
from celosia.core.errors import DataError
from celosia.core.method import Promise
from celosia.core.microdata import Microdata
from celosia.core.model import Names
from celosia.engines import engine
from celosia.methods.kinds import ColumnMethod, NewColumn, changed, exactly_one, require_numeric
from celosia.verify import KeepsMissing, NoFiner, OnGrid

_SLACK = 2.0**-50
"""A quotient this near (relatively) to a half or a whole number is one: so far off may the floats of decimals be."""


class Rounding(ColumnMethod):
    """Round numbers to multiples of a base or to decimals.

    Halves go away from zero, as offices and schools round: 2.5 to 3, -2.5 to -3, and 2.675 to 2.68. Missing codes
    stay. A column of whole numbers stays one, so its base must be whole.

    Parameters
    ----------
    variables
        Numeric variables.
    base
        The multiple to round to.
    digits
        Decimals to keep; negative for tens, hundreds, …
    mode
        To the nearest multiple, the one below or the one above.

    Examples
    --------
    >>> import polars as pl
    >>> frame = pl.DataFrame({"ingreso": [1234, 1250, -1250, None]})
    >>> Rounding(variables=("ingreso",), base=100).apply(frame).data["ingreso"].to_list()
    [1200, 1300, -1300, None]
    """

    do: ClassVar[str] = "rounding"

    variables: Names
    base: Annotated[float, Field(gt=0, allow_inf_nan=False)] | None = None
    digits: Annotated[int, Field(ge=-15, le=15)] | None = None
    mode: Literal["nearest", "down", "up"] = "nearest"

    @model_validator(mode="after")
    def _one_base(self) -> Rounding:
        exactly_one(base=self.base, digits=self.digits)
        return self

    @property
    def record_wise(self) -> bool:
        """Each number by itself."""
        return True

    @property
    def touched(self) -> tuple[str, ...]:
        """The variables rounded."""
        return self.variables

    @property
    def _step(self) -> tuple[int, int]:
        """The base as whole ``units`` over a power of ten."""
        exact = Decimal(1).scaleb(-self.digits) if self.digits is not None else Decimal(repr(self.base))
        decimals = max(0, -int(exact.normalize().as_tuple().exponent))
        return int(exact.scaleb(decimals)), decimals

    def promises(self, before: Microdata) -> tuple[Promise, ...]:
        """Each number the multiple that the mode sends it to; missing cells as they were."""
        each = self.variables
        grid = (OnGrid(name, *self._step, self.mode) for name in each if not self._idle(before.column(name)))
        return (*super().promises(before), *(NoFiner(n) for n in each), *(KeepsMissing(n) for n in each), *grid)

    def _columns(self, data: Microdata) -> Mapping[str, NewColumn]:
        return {name: NewColumn(self._rounded(data, name), self._described(data, name)) for name in self.variables}

    def _idle(self, values: pl.Series) -> bool:
        """Whole numbers have no decimals to lose."""
        return values.dtype.is_integer() and self.digits is not None and self.digits >= 0

    def _rounded(self, data: Microdata, name: str) -> pl.Series:
        values = require_numeric(data, name)
        if self._idle(values):
            return values
        units, decimals = self._step
        if values.dtype.is_integer() and decimals:
            raise DataError("rounding-base", variable=name)
        made = self._of_integers(name, units) if values.dtype.is_integer() else self._of_floats(name, units, decimals)
        rounded = engine(data).with_columns({name: made}).column(name)
        own = rounded.cast(values.dtype, strict=False)
        rounded = own if own.null_count() == rounded.null_count() else rounded
        missing = data.dictionary[name].missing_mask(values)
        return rounded.zip_with(~missing, values.cast(rounded.dtype))

    def _of_integers(self, name: str, units: int) -> nw.Expr:
        x = nw.col(name).cast(nw.Int64)
        if self.mode == "down":
            return x // units * units
        if self.mode == "up":
            return -(-x // units) * units
        away = (2 * x.abs() + units) // (2 * units) * units
        return nw.when(x < 0).then(-away).otherwise(away)

    def _of_floats(self, name: str, units: int, decimals: int) -> nw.Expr:
        quotient = nw.col(name).cast(nw.Float64) * 10**decimals / units
        slack = quotient.abs() * _SLACK
        if self.mode == "down":
            count = (quotient + slack).floor()
        elif self.mode == "up":
            count = (quotient - slack).ceil()
        else:
            away = (quotient.abs() + 0.5 + slack).floor()
            count = nw.when(quotient < 0).then(-away).otherwise(away)
        # An engine may divide by multiplying with the inverse; to so many decimals it comes out as written. Adding
        # nothing turns a negative zero into zero.
        made: nw.Expr = (count * units / 10**decimals).round(decimals) + 0.0
        return made

    def _described(self, data: Microdata, name: str) -> Variable:
        variable, (_, decimals) = data.dictionary[name], self._step
        if variable.decimals is None:
            return variable
        return changed(variable, decimals=min(variable.decimals, decimals))
