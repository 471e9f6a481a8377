"""An update of a Stable-Baselines3 model watched while it runs: around `train`, and with nothing left behind."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from typing import Any

from weaklink.adapters.sb3.quiet import is_torch
from weaklink.adapters.sb3.stand_in import find_optimizers
from weaklink.adapters.torch.watch import NetworkWatch
from weaklink.base.evidence.rollout import WeightMovement

ENOUGH_STEPS = 32
"""Steps of the optimizers after which gradients are not looked at any more; what moved is seen to the end."""

VALUE_PARTS = ("value", "vf", "critic")


def wrap_next_training(model: Any, around: Callable[[Callable[[], Any]], Any]) -> Callable[[], None]:
    """Has `around` called in place of the model's next `train`, once; it is handed a function that trains.

    The model carries the replacement only until `train` is called, so that it can be saved at any other time. Returns a
    function that takes it back before.
    """
    before = vars(model).get("train")

    def put_back() -> None:
        if vars(model).get("train") is replaced:
            if before is None:
                del model.train
            else:
                model.train = before

    def replaced(*args: Any, **options: Any) -> Any:
        put_back()
        return around(lambda: model.train(*args, **options))

    model.train = replaced
    return put_back


class SeenUpdate:
    """Gradients, steps and changes of every weight during one update."""

    def __init__(self, model: Any) -> None:
        self._model = model
        self.undo = ExitStack()
        self._steps = 0
        self._before = int(getattr(model, "_n_updates", 0))
        self._watch: NetworkWatch | None = None

    def begin(self) -> None:
        """Puts hooks on the model's networks and optimizers."""
        if not is_torch(self._model.policy):
            return
        self._optimizers = find_optimizers(self._model)
        for each in self._optimizers:
            handle = each.register_step_post_hook(self._stepped)
            self.undo.callback(handle.remove)
        self._watch = NetworkWatch({"": self._model.policy}, find_loose_weights(self._model))
        self.undo.callback(self._watch.closed)

    def _stepped(self, *_: Any) -> None:
        self._steps += 1
        if self._steps == ENOUGH_STEPS and self._watch is not None:
            self._watch.closed()

    def end(self) -> None:
        """Takes everything away again."""
        self.undo.close()

    def movement(self) -> WeightMovement | None:
        """What the update did to each weight."""
        if self._watch is None:
            return None
        rates = [float(group["lr"]) for one in self._optimizers for group in one.param_groups]
        return WeightMovement(
            parameters=self._watch.seen(self._optimizers, self._excused),
            optimizer_steps=self._steps,
            learning_rate=rates[0] if rates else None,
            all_optimizers=True,
        )

    def _excused(self, name: str) -> str:
        model = self._model
        # TRPO has a weight of zero too, and trains its critic apart
        unvalued = getattr(model, "vf_coef", 1.0) == 0.0 and not hasattr(model, "cg_max_steps")
        if unvalued and any(part in name for part in VALUE_PARTS):
            return "vf_coef is 0"
        delay = int(getattr(model, "policy_delay", 1) or 1)
        if delay > 1 and self._before // delay == int(model._n_updates) // delay and not name.startswith("critic"):
            return f"policy_delay is {delay}"
        return ""


def find_loose_weights(model: Any) -> dict[str, Any]:
    """Weights that belong to no network: the logarithm of the entropy coefficient."""
    return {name: value for name, value in vars(model).items() if getattr(value, "requires_grad", False) is True}
