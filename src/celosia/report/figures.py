"""Figures as a page shows them: two decimals are enough for errors, shares are percentages."""

from __future__ import annotations

import polars as pl

from celosia.core.language import number, percent

_SHARES = ("relative", "relative_all", "zeros_kept", "zeros_false", "untold", "share")


def formatted(rows: pl.DataFrame, shares: tuple[str, ...] = ()) -> tuple[pl.DataFrame, tuple[str, ...]]:
    """The rows with every fraction as text, and the names of those columns, as ``Table`` takes them.

    A column of fractions that no known figure names is a share where ``shares`` says so, or where it is a group's
    relative error: those stand beside ``relative_all``.
    """
    by_group = "relative_all" in rows.columns and "mae" not in rows.columns
    done = {}
    for name, dtype in rows.schema.items():
        if not dtype.is_float():
            continue
        share = name in _SHARES or name in shares or by_group
        done[name] = pl.Series(
            [None if value is None else percent(value, 1) if share else _plain(value) for value in rows[name]],
            dtype=pl.String,
        )
    texts = tuple(name for name in ("rho", "epsilon", "simple_epsilon", "limit", "spent", "left") if name in rows)
    return rows.with_columns(**done), (*done, *(name for name in texts if name not in done))


def _plain(value: float) -> str:
    """Two decimals; what is less than half of the last one, and not nothing, does not read as nothing."""
    if 0 < abs(value) < 0.005:
        return ("<\u00a0" if value > 0 else ">\u00a0−") + number(0.01, 2)
    return number(value, 2)
