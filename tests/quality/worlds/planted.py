"""What a planted fault is, and the list of all of them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from tests.quality.worlds.bases import make_base

FAULTS: dict[str, Fault] = {}
"""All planted faults by their id, in the order in which they are written down."""


@dataclass(frozen=True)
class Fault:
    """One fault: how to plant it, where it fits, and the code under which it ought to be found.

    `codes` has the right code first and then those that are equally right. `level` is the least level at which finding
    it counts. `given` holds what a user would give to the survey besides the environment, for all bases or by base.
    """

    id: str
    codes: tuple[str, ...]
    imitates: str
    plant: Callable[[Any], Any]
    bases: Mapping[str, Mapping[str, Any]]
    level: str = "warn"
    given: Mapping[str, Any] = field(default_factory=dict)
    members: int = 0

    def made(self, base: str) -> Any:
        """The base with the fault in it."""
        if self.members:
            return self.plant([lambda: make_base(base, **self.bases[base]) for _ in range(self.members)])
        return self.plant(make_base(base, **self.bases[base]))

    def given_with(self, base: str) -> dict[str, Any]:
        """What the survey of this base is given besides: a value, or one value a base."""
        given = {}
        for name, value in self.given.items():
            by_base = isinstance(value, Mapping) and set(value) <= set(self.bases)
            if not by_base:
                given[name] = value
            elif base in value:
                given[name] = value[base]
        return given


def fault(
    codes: str,
    imitates: str,
    on: str | Mapping[str, Mapping[str, Any]],
    *,
    level: str = "warn",
    members: int = 0,
    **given: Any,
) -> Callable[[Any], Any]:
    """Enter a wrapper, or a function from an environment to an environment, in the list under its own name.

    `on` names the bases; as a mapping it also has the arguments that each base is made with. With `members` the fault
    is planted in a vector of environments: it gets their constructors.
    """
    bases = {base: {} for base in on.split()} if isinstance(on, str) else on

    def entered(plant: Any) -> Any:
        name = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", plant.__name__).lower()
        if name in FAULTS:
            raise ValueError(f"two faults are called {name}")
        FAULTS[name] = Fault(name, tuple(codes.split()), imitates, plant, bases, level, given, members)
        return plant

    return entered
