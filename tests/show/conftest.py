"""What holds for every test of what is shown."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import pytest

from weaklink.show import wording


@pytest.fixture(scope="package", autouse=True)
def _compare_names_once() -> Iterator[None]:
    """The same few unknown names stand on most pages here: to look for their nearest again takes longest of all."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(wording, "find_nearest_metric", cache(wording.find_nearest_metric))
        yield
