"""The command line: it parses, calls and renders; it computes nothing."""

from __future__ import annotations

import sys
from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; the value is the exit code.

    0: done, and it passes. 1: done, and it does not pass. 2: could not be done. 130: stopped by the user.
    """
    try:
        from celosia.cli.app import run
    except KeyboardInterrupt:  # nothing has begun
        return 130
    return run(list(sys.argv[1:] if arguments is None else arguments))
