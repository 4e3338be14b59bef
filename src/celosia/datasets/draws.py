"""Keyed chance of the generators, and the two ways they draw: from shares, and from shares by group."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from celosia.core.errors import OptionError

Ints: TypeAlias = npt.NDArray[np.int64]
Floats: TypeAlias = npt.NDArray[np.float64]
Texts: TypeAlias = npt.NDArray[np.str_]
Mask: TypeAlias = npt.NDArray[np.bool_]
Columns: TypeAlias = dict[str, Any]
"""Name to values, one each record."""
Codes: TypeAlias = Mapping[Any, tuple[str, float]]
"""Each code of a question with its label and its share of the answers."""


def digest(key: int, name: str) -> bytes:
    """Sixteen bytes that only this key and this name give."""
    return hashlib.blake2b(f"celosia.datasets {name} {key}".encode(), digest_size=16).digest()


def stream(key: int, name: str) -> np.random.Generator:
    """A generator of its own for each topic, so that a change in one leaves the draws of the others."""
    return np.random.Generator(np.random.PCG64(int.from_bytes(digest(key, name), "little")))


def require_size(option: str, value: int, least: int = 1) -> None:
    """Raise where a file of this size cannot be made."""
    if value < least:
        raise OptionError("dataset-size", option=option, least=least, value=value)


def labels(codes: Codes) -> dict[Any, str]:
    """Code to label."""
    return {code: label for code, (label, _) in codes.items()}


def draw(rng: np.random.Generator, codes: Codes, size: int) -> npt.NDArray[Any]:
    """Codes at random by their shares (which need not sum to one)."""
    shares = np.array([share for _, share in codes.values()])
    return np.array(list(codes))[rng.choice(len(codes), size, p=shares / shares.sum())]


def draw_by(rng: np.random.Generator, shares: Sequence[Sequence[float]] | Floats, group: Ints) -> Ints:
    """A position for each record, by the row of ``shares`` that its group names."""
    table = np.asarray(shares, dtype=np.float64)
    ends = np.cumsum(table, axis=1) / table.sum(axis=1, keepdims=True)
    ends[:, -1] = 1.0
    stacked = (ends + np.arange(len(table))[:, None]).ravel()
    found = np.searchsorted(stacked, group + rng.random(group.size), side="right") - group * table.shape[1]
    position: Ints = np.minimum(found, table.shape[1] - 1)
    return position


def subdivide(rng: np.random.Generator, share: Floats, parts: int, even: float, spread: float) -> tuple[Ints, Floats]:
    """Split areas into about ``parts`` smaller ones: the area of each, and its share of the country.

    A part ``even`` of the smaller ones goes to all areas alike, the rest by size; their sizes are
    log-normal and add up to the area's.
    """
    count = np.maximum(1, np.round(parts * (even / len(share) + (1 - even) * share))).astype(int)
    area = np.repeat(np.arange(len(share)), count)
    size = rng.lognormal(0, spread, len(area))
    size *= (share / np.bincount(area, size))[area]
    return area, size


def collected(
    rng: np.random.Generator,
    answers: npt.NDArray[Any],
    *,
    unanswered: Mapping[Any, float],
    asked: Mask | None = None,
    skip: Any = None,
) -> npt.NDArray[Any]:
    """Answers as an interviewer brings them: ``skip`` where not asked, some of the asked not answering."""
    out = answers.astype(np.result_type(answers, *(np.asarray(code) for code in unanswered)))
    luck, start = rng.random(answers.size), 0.0
    for code, share in unanswered.items():
        out[(luck >= start) & (luck < start + share)] = code
        start += share
    return out if asked is None else np.where(asked, out, skip)
