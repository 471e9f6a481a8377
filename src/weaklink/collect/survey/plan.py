"""What to look at and for how long."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from weaklink.base.errors import UsageError

SHORTEST = 2.0
MOST = 2**31 - 1
BOUNDS = {
    "seconds": (SHORTEST, 86_400.0),
    "steps": (100, MOST),
    "episodes": (2, MOST),
    "seed": (0, MOST),
    "memory_megabytes": (1, MOST),
}
"""A day is longer than anybody waits; larger seeds some frameworks refuse."""


class SurveyPlan(msgspec.Struct, frozen=True, kw_only=True):
    """The budget of a survey and what the user said about the environment.

    `seconds` bounds the whole, `steps` the random play and, four times over, the search for a better policy;
    `episodes` are played of each baseline while the time lasts. `components` are info keys with parts of the reward;
    where none are given, keys that look like it are taken. `metric` is the info key that measures the task itself,
    `shaping` the component that is meant to shape. `automaton`, `cheat` and `policy` are `module:name` words.
    """

    seconds: float = 60.0
    steps: int = 10_000
    episodes: int = 100
    seed: int = 0
    arguments: dict[str, Any] = {}
    components: tuple[str, ...] = ()
    metric: str = ""
    shaping: str = ""
    automaton: str = ""
    cheat: str = ""
    policy: str = ""
    policy_algorithm: str = ""
    trust_pickle: bool = False
    memory_megabytes: int = 4096
    gamma: float = 0.99

    @property
    def patience(self) -> float:
        """Seconds without a sign of life after which an environment counts as hung."""
        return min(max(self.seconds / 3, SHORTEST), 30.0)


def planned(fields: Mapping[str, Any]) -> SurveyPlan:
    """A plan with these fields; a name that no plan has, or a value of another type, is refused."""
    unknown = sorted(set(fields) - set(SurveyPlan.__struct_fields__))
    if unknown:
        raise UsageError(f"A survey has no '{unknown[0]}'. It takes {', '.join(SurveyPlan.__struct_fields__)}.")
    try:
        plan = msgspec.convert(dict(fields), SurveyPlan, strict=False)
    except msgspec.ValidationError as error:
        raise UsageError(f"A survey cannot be planned like that: {error}.") from None
    within_bounds(plan)
    return plan


def within_bounds(plan: SurveyPlan, dashes: str = "") -> None:
    """Refuses a plan with a number that no survey can be made with; `dashes` stand before the names of options."""
    for name, (least, most) in BOUNDS.items():
        value = getattr(plan, name)
        if not least <= value <= most:
            raise UsageError(f"{dashes}{name} must be at least {least:g} and at most {most:g}, not {value:g}.")
