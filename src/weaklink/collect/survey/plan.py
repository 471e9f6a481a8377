"""What to look at and for how long."""

from __future__ import annotations

from typing import Any

import msgspec

from weaklink.base.errors import UsageError

SHORTEST = 2.0
FEWEST_STEPS = 100
MOST = 2**31 - 1
BOUNDS = {
    "seconds": (SHORTEST, 86_400.0),
    "steps": (FEWEST_STEPS, MOST),
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


def check_plan(plan: SurveyPlan) -> None:
    """Refuses a plan with a number that no survey can be made with."""
    for name, (least, most) in BOUNDS.items():
        value = getattr(plan, name)
        if not least <= value <= most:
            raise UsageError(f"--{name} must be at least {least:g} and at most {most:g}, not {value:g}.")
