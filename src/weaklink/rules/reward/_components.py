"""Which components of a reward say that the task was done."""

from __future__ import annotations

import re

_OUTCOME = re.compile(
    r"(correct|accura|success|solve|passed|pass_rate|pass@|gold|ground_truth|is_right|win|exact_match|goal)"
)
_NEGATED = re.compile(r"(incorrect|inaccura|penalty|fail)")


def is_outcome(name: str) -> bool:
    """Whether a component, by its name, measures the outcome of the task rather than its form or a shaping term."""
    return bool(_OUTCOME.search(name)) and not _NEGATED.search(name)
