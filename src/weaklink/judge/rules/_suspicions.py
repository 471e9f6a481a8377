"""Settings that are odd on paper: how a rule says so, and the patterns that bear such a suspicion out."""

from __future__ import annotations

from weaklink.base.evidence.config import Config
from weaklink.base.finding import MEDIUM, Evidence, Finding, Level
from weaklink.judge.rules._hyperparameters import find_key

BEARS_OUT = (
    "ACT301", "ENV301", "OBS301", "OPT300", "OPT301", "OPT302", "OPT305", "POL301", "POL302", "POL303", "POL305",
    "POL307", "POL308", "POL309", "EXP301", "EXP302", "EXP303", "EXP304", "EXP306", "EXP307", "EXP310", "VAL301",
    "VAL302", "VAL303", "VAL304", "VAL305", "VAL309", "RET301", "RET302", "REW301", "REW303", "REW304", "REW305",
    "REW308", "TSK301",
)  # fmt: skip
"""What a training shows that does not learn. A setting far from all usual ones explains any of it better than the rest
of the loop does, which works with usual settings."""


def suspect(config: Config, name: str, value: float, limit: float, why: str, *, level: Level = Level.INFO) -> Finding:
    """The finding on one setting: what it is, under the name that the user gave it, and why that is odd."""
    return Finding(
        message=f"{find_key(config, name)} is {value:g}: {why}.",
        level=level,
        confidence=MEDIUM,
        evidence=(Evidence(metric=name, value=value, limit=limit),),
    )


def find_outside(config: Config, *bounds: tuple[str, float | None, float | None, str, str]) -> Finding | None:
    """The first of these settings outside its bounds: name, lowest, highest, and why below and above is odd."""
    for name, low, high, below, above in bounds:
        value = config.number(name)
        if value is not None and low is not None and value < low:
            return suspect(config, name, value, low, below)
        if value is not None and high is not None and value > high:
            return suspect(config, name, value, high, above)
    return None
