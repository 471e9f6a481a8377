"""Cases that go the same way through the code as another: `make test` takes that one, `make test-whole` the rest."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import pytest


def spare(cases: Iterable[Any], keep: Callable[[Any], bool]) -> list[Any]:
    """The cases for `parametrize`, those that are not kept marked `whole`."""
    return [
        pytest.param(*(case if isinstance(case, tuple) else (case,)), marks=() if keep(case) else pytest.mark.whole)
        for case in cases
    ]
