"""The parts of a target under fixed names, for commands that are given `file.py:name`.

`weaklink debug` writes a small file that fills itself from here into the folder of the case.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

import msgspec

from weaklink.base.errors import UsageError
from weaklink.verbs.debug.target import CaseTarget, LoadedTarget, load_target

FILE = "weaklink_target.py"
REWARD = "reward_"
"""With a number behind it the name of a reward function that only the target's trainer holds."""

_CONTENT = '''"""The parts of a target by name, for other commands of weaklink; written by `weaklink debug`."""

from weaklink.verbs.debug.inside import Inside

_inside = Inside({told!r})


def __getattr__(name):
    return _inside.part(name)
'''


class Inside:
    """A target, loaded when one of its parts is first asked for."""

    def __init__(self, told: str) -> None:
        self._target = msgspec.json.decode(told, type=CaseTarget)
        self._loaded: LoadedTarget | None = None

    @property
    def loaded(self) -> LoadedTarget:
        """The parts."""
        if self._loaded is None:
            self._loaded = load_target(self._target)
        return self._loaded

    def part(self, name: str) -> Any:
        """`make_env`, `automaton`, `train`, `model`, a function that makes the target's model, or `reward_0` and so on.

        Raises:
            AttributeError: there is no such part.
        """
        if name in ("make_env", "automaton"):
            return getattr(self.loaded, name)
        if name == "train":
            return self._train()
        if name == "model" and self.loaded.make_model is not None:
            return self.loaded.model
        if name.startswith(REWARD) and name.removeprefix(REWARD).isdigit() and self.loaded.make_model is not None:
            held = import_module("weaklink.adapters.trl.rewards").list_reward_functions(self.loaded.model())
            return held[int(name.removeprefix(REWARD))]
        raise AttributeError(name)

    def _train(self) -> Any:
        """A trainer that can be probed: the target's own, or one of the class of its model; None without either."""
        if self.loaded.train is not None:
            return self.loaded.train
        if self.loaded.make_model is None:
            return None
        model = self.loaded.model()
        if not hasattr(model, "policy_class"):
            raise UsageError(f"{type(model).__name__} is no model of Stable-Baselines3, which alone can be probed.")
        return import_module("weaklink.adapters.sb3.own_class").make_trainer_like(model)


def write_target_file(target: CaseTarget, folder: Path) -> Path:
    """Writes the file of a target's parts into a folder."""
    file = folder / FILE
    file.write_text(_CONTENT.format(told=msgspec.json.encode(target).decode()), encoding="utf-8")
    return file
