"""The public functions: keyword arguments to the options of a verb. `weaklink` itself gives them their names."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping

Path = str | os.PathLike[str]
Thresholds = Mapping[str, Mapping[str, object]]
"""Values that differ from the rules' defaults, such as `{"POL301": {"lasting": 0.4}}`."""


def make_tuple(words: str | Iterable[str]) -> tuple[str, ...]:
    """One word or several."""
    return (words,) if isinstance(words, str) else tuple(words)


def format_pairs(settings: Mapping[str, object] | None) -> tuple[str, ...]:
    """Hyper-parameters as the command line writes them."""
    return tuple(f"{name}={value}" for name, value in (settings or {}).items())
