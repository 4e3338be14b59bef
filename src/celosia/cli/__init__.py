"""The command line: it parses, calls and renders; it computes nothing."""

from __future__ import annotations

import sys
from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; the value is the exit code.

    0: done, and it passes. 1: done, and it does not pass. 2: could not be done. 130: stopped by the user.
    """
    given = list(sys.argv[1:] if arguments is None else arguments)
    try:
        from celosia.cli.app import run

        return run(given)
    except KeyboardInterrupt:  # before there was anything to stop
        return _stopped(json="--json" in given)


def _stopped(*, json: bool) -> int:
    """Say that the user stopped the program, with as little of it as that takes."""
    from celosia.cli import streams
    from celosia.cli.envelope import post
    from celosia.core.errors import CancelledError
    from celosia.core.language import text

    error = CancelledError("cancelled")
    if json:
        post("", "cancelled", errors=[error])
    else:
        streams.tell_aside(f"{text('label.error')}: {error}\n")
    return 130
