"""weaklink's own recordings, whose keys are the vocabulary."""

from __future__ import annotations

from weaklink.base.evidence.dialect import Alias, Dialect
from weaklink.base.evidence.metrics import METRICS

DIALECT = Dialect(
    framework="weaklink",
    names={name: Alias(name) for name in METRICS},
    patterns=(
        (r"reward\.component\.(.+)", Alias(r"reward.component.\1")),
        (r"exploration\.action_std\.(\d+)", Alias(r"exploration.action_std.\1")),
    ),
)
