"""Reference trainers, written by hand, with faults that can be planted one at a time by `fault="..."`.

Each is right where no fault is named; faults.py lists what can be named. `Planted("ppo", "E01")` is a trainer with one
fault in it, told to the ladder as any other.
"""

from collections.abc import Callable
from typing import Any

import torch

from . import dqn, ppo, recurrent_ppo, sac

torch.set_num_threads(1)
torch.backends.mkldnn.enabled = False

TRAINERS = {
    "ppo": ppo.train,
    "ppo_continuous": ppo.train_continuous,
    "dqn": dqn.train,
    "sac": sac.train,
    "recurrent_ppo": recurrent_ppo.train,
}
TRAITS: dict[str, dict[str, Any]] = {
    "ppo": {"steps": 2048, "actions": ("discrete", "continuous"), "masks": True, "several": True},
    "ppo_continuous": {"steps": 2048, "actions": ("continuous",)},
    "dqn": {"steps": 1200, "actions": ("discrete",)},
    "sac": {"steps": 1200, "actions": ("continuous",)},
    "recurrent_ppo": {"steps": 3072, "actions": ("discrete",), "remembers": True, "several": True},
}
"""What each takes, and the budget in which it solves the easiest problem."""

for name, traits in TRAITS.items():
    traits["forms"] = ("image", "dict")
    for trait, value in traits.items():
        setattr(TRAINERS[name], trait, value)


class Planted:
    """A trainer with one fault, or with none; it can be sent to another process."""

    def __init__(self, name: str, fault: str = "") -> None:
        self.name, self.fault = name, fault
        self.__name__ = f"{name} {fault}".strip()
        for trait, value in TRAITS[name].items():
            setattr(self, trait, value)

    def __call__(self, make_env: Callable[[], Any], steps: int, seed: int, gamma: float = 0.9) -> Any:
        return TRAINERS[self.name](make_env, steps, seed, gamma=gamma, fault=self.fault)
