"""The end of a suppression where an emptied cell may be anything: others in place of some cells, and fewer of them.

What single aims ended with is looked at as a whole, every aim at once: in rounds some records show again what they
lost, and others lose what makes up for it, wherever that costs no more. Then whatever is not needed is shown again.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy

import numpy as np
import numpy.typing as npt

from celosia.engines.contract import Ints
from celosia.kernels import giving_back as showing
from celosia.kernels import rematching as kernel
from celosia.kernels.matching import Players
from celosia.methods.bits import Words, bit_fields
from celosia.methods.coded_records import CodedRecords, Digits, distinct_rows
from celosia.methods.matching import hidden_bits, reached, shown_masks

Mask = npt.NDArray[np.bool_]
Aims = Sequence[tuple[tuple[int, ...], int]]

_STEPS, _STEPS_OF_AIM, _QUIET = 2_000_000, 300_000, 500
"""Rounds end after so many steps, more for each aim, or after so many rounds without a gain."""

_WORTH, _PATIENT = 50, 20
"""Nothing is tried where it would end before so many rounds; so many times longer where somebody lacks something."""

_AT_ONCE, _PARTS = 64, 256


class Rematching:
    """The records of a file that violate something or lost something, and all others.

    Parameters
    ----------
    records, emptied
        The file, and what is emptied of it.
    aims
        Sets of keys, and what every record must reach on each.
    violators
        For each aim, who violated it as the file came.
    each
        Whether all of these lose one of its keys.
    prices
        What a cell of each key costs that is emptied by itself; infinity where it is not.
    most
        How many cells a record may lose.
    """

    def __init__(
        self,
        records: CodedRecords,
        emptied: Mask,
        aims: Aims,
        violators: Sequence[Mask],
        each: bool,
        prices: Sequence[float],
        most: int,
    ) -> None:
        self.records, self.emptied, self.aims, self.violators, self.each = records, emptied, aims, violators, each
        self.prices, self.most = np.array(prices), most
        self.playing = self._by_id(np.logical_or.reduce(violators) | emptied.any(axis=1))
        self.keys = np.int64(1) << np.arange(records.fixed, records.digits.shape[1], dtype=np.int64)
        self.game = self._game()

    def of_everybody(self) -> Rematching:
        """The same as things are now, with every record in play."""
        wider = copy(self)
        wider.playing = self._by_id(np.ones(self.records.height, dtype=np.bool_))
        wider.game = wider._game()
        return wider

    def _by_id(self, some: Mask) -> Ints:
        """Where some records are, in the order of their ids: that of the rows must not matter."""
        rows = np.flatnonzero(some)
        return rows[np.argsort(self.records.ids[rows])]

    def _game(self) -> showing.Game:
        records, playing = self.records, self.playing
        quiet = np.ones(records.height, dtype=np.bool_)
        quiet[playing] = False
        digits = records.digits[records.index]
        mass = np.ones(records.height, dtype=np.int64) if records.mass is None else records.mass
        others, others_mass = _summed(digits[quiet], mass[quiet])
        packed, variables = bit_fields(np.vstack([digits[playing], others]))
        start = hidden_bits(digits[playing])
        bits = np.array([self.keys[list(positions)].sum() for positions, _ in self.aims], dtype=np.int64)
        return showing.Game(
            _players(packed[: playing.size], variables, start | self.emptied[playing] @ self.keys, mass[playing]),
            _players(packed[playing.size :], variables, hidden_bits(others), others_mass),
            variables,
            bits,
            ~shown_masks(variables, bits | np.int64((1 << records.fixed) - 1)),
            np.array([need for _, need in self.aims], dtype=np.int64),
            np.stack([violating[playing] & self.each for violating in self.violators]),
            start,
            np.concatenate([np.full(records.fixed, np.inf), self.prices]),
            self.most,
            np.stack([self._reach(*aim) for aim in self.aims]),
            np.zeros((1024, 2), dtype=np.int64),
            np.zeros(3, dtype=np.int64),
        )

    def _reach(self, keys: tuple[int, ...], need: int) -> Ints:
        """What each player is matched by on some keys, as things are."""
        now = self.records.now(self.emptied, keys)
        return reached(now.task(need), now.mass)[now.index[self.playing]]

    def run(self, effort: float) -> Mask:
        """Rounds, then cells shown again; changes what is emptied. Returns who still lacks something."""
        game = self.game
        lackers, parts = np.zeros((_AT_ONCE, 2), dtype=np.int64), np.zeros((_PARTS, 2), dtype=np.int64)
        steps = int(effort * (_STEPS + _STEPS_OF_AIM * len(self.aims)))
        of_round = 5 * len(self.aims) * (3 * self.playing.size + game.others.mass.size)
        if steps > _WORTH * of_round or self._lacking().any():
            kernel.rematch(game, lackers, parts, steps, _PATIENT * steps, _QUIET)
        self._show_again()
        hidden = game.players.bits & ~game.start
        self.emptied[self.playing] = (hidden[:, None] & self.keys) != 0
        lacking = np.zeros(self.records.height, dtype=np.bool_)
        lacking[self.playing] = self._lacking()
        return lacking

    def _lacking(self) -> Mask:
        """Players that lack matches for some aim, or must lose something and have not."""
        game = self.game
        kept = (game.players.bits & ~game.start & game.aims[:, None]) == 0
        short: Mask = (game.reach < game.needs[:, None]) | (game.treated & kept)
        lacking: Mask = np.logical_or.reduce(short)
        return lacking

    def _show_again(self) -> None:
        """Cells that no aim needs, the dearest first."""
        hidden = self.game.players.bits & ~self.game.start
        rows, columns = np.nonzero(((hidden[:, None] & self.keys) != 0) & np.isfinite(self.prices))
        cells = np.flatnonzero(self._can_change(hidden, rows, columns))
        ids = self.records.ids[self.playing]
        order = cells[np.lexsort((ids[rows[cells]], columns[cells], -self.prices[columns[cells]]))]
        if order.size:
            showing.show_again(self.game, rows[order], self.keys[columns[order]], np.zeros(order.size, dtype=np.bool_))

    def _can_change(self, hidden: Ints, rows: Ints, columns: Ints) -> Mask:
        """Cells without which every aim that their record must lose something of keeps another cell of it empty."""
        can = np.ones(rows.size, dtype=np.bool_)
        for aim, treated in zip(self.game.aims, self.game.treated, strict=True):
            only = hidden & aim
            can &= ~(treated[rows] & (only[rows] == self.keys[columns]))
        return can


def _players(packed: Words, variables: Words, bits: Ints, mass: Ints) -> Players:
    return Players(packed, ~shown_masks(variables, bits), bits, mass)


def _summed(digits: Digits, mass: Ints) -> tuple[Digits, Ints]:
    """The distinct rows and what each amounts to."""
    if not len(digits):
        return digits, np.empty(0, dtype=np.int64)
    example, number = distinct_rows(digits)
    return digits[example], np.bincount(number, weights=mass, minlength=example.size).astype(np.int64)
