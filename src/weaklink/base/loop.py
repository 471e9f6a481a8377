"""The training loop: its thirteen links, their order from outside in, and what feeds what."""

from __future__ import annotations

from weaklink.base.backports import StrEnum


class Link(StrEnum):
    """One link of the training loop. The order of declaration is the order of the loop, outside in."""

    ENVIRONMENT = "environment"
    OBSERVATION = "observation"
    ACTION = "action"
    EVALUATION = "evaluation"
    REWARD = "reward"
    TASK = "task"
    DATA = "data"
    RETURNS = "returns"
    VALUE = "value"
    POLICY = "policy"
    EXPLORATION = "exploration"
    OPTIMIZER = "optimizer"
    SYSTEM = "system"

    @property
    def order(self) -> int:
        """Place in the loop: the smaller, the further upstream."""
        return _ORDER[self]


_ORDER = {link: place for place, link in enumerate(Link)}

FAMILIES: dict[str, Link | None] = {
    "ENV": Link.ENVIRONMENT,
    "OBS": Link.OBSERVATION,
    "ACT": Link.ACTION,
    "EVA": Link.EVALUATION,
    "REW": Link.REWARD,
    "TSK": Link.TASK,
    "DAT": Link.DATA,
    "RET": Link.RETURNS,
    "VAL": Link.VALUE,
    "POL": Link.POLICY,
    "EXP": Link.EXPLORATION,
    "OPT": Link.OPTIMIZER,
    "SYS": Link.SYSTEM,
    "PRB": None,  # the probe, language and agent families blame the link that each rule names
    "LLM": None,
    "AGT": None,
}
