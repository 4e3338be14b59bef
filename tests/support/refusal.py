"""A refusal by its code, whatever the language of its text."""

from __future__ import annotations

from contextlib import contextmanager

import pytest

from celosia.core.errors import CelosiaError


@contextmanager
def refused(code: str, **facts):
    """Expect an error of this code, with these facts among its own."""
    with pytest.raises(CelosiaError) as caught:
        yield caught
    assert caught.value.code == code
    assert {name: caught.value.facts.get(name) for name in facts} == facts
    assert code not in str(caught.value), "the catalogues have no text for it"
