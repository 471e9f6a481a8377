"""Loops written by hand: what their author hands over, as looks at an update."""

from __future__ import annotations

import difflib
import time
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

from weaklink.base.errors import UsageError
from weaklink.base.evidence.protocols import TrainingWatcher
from weaklink.base.evidence.rollout import UPDATED, CriticCopyFit, LossCall, PolicySpread, Probabilities, Rollout
from weaklink.base.evidence.update import Tape
from weaklink.collect.monitor.given import (
    OF_ROLLOUT,
    OF_UPDATE,
    TEMPERATURE,
    add_tape,
    check_storage,
    collect_numbers,
    flatten_rows,
    match_minibatch,
    read_actions,
    read_ages,
    read_estimates,
    read_pairing,
    read_targets,
    read_temperature,
    to_array,
)

FEWER_ROWS = 512
"""How many rows the policy is asked about where an update is only measured."""

AT_FIRST, A_SECOND = 2000, 10
"""How many updates of a loop over a replay buffer are told whatever their pace, and how many a second after those."""


class WatchedLoop:
    """The rollouts and updates of one loop, counted; what a rollout hands over is kept until its update is told.

    Attributes:
        is_told: whether rollouts are handed over.
        read_tape: gives what the environments gave for a rollout, where they are listened to.
    """

    def __init__(self, watcher: TrainingWatcher) -> None:
        self._watcher = watcher
        self._update = 0
        self._looking = False
        self._given: Mapping[str, Any] = {}
        self._open = False
        self._episodes: Any = None
        self._deferred: Any = None
        self._before: Any = None
        self._losses: Any = None
        self._targets: dict[str, Any] = {}
        self._begun, self._gradient_steps = False, 1
        self._temperature: float | None = None
        self._told, self._since = 0, time.monotonic()
        self.is_told = False
        self.read_tape: Callable[[], Tape | None] | None = None

    def rollout(self, step: float, tensordict: Any, given: Mapping[str, Any]) -> None:
        """Takes a rollout before it is learned from."""
        _check_names(given, OF_ROLLOUT, "rollout")
        self._begin()
        if tensordict is not None:
            self._hear_episodes(step, tensordict)
        if not (self._looking or self._watcher.measures(self._update)):
            seen = Rollout(step=step, update=self._update, family="on-policy")
        elif tensordict is None:
            seen = self._collected(step, given)
        else:
            seen = self._tensors(step, tensordict, given)
        self._watcher.take(seen)
        self._given, self._open, self.is_told = given, True, True
        self._watcher.on_doubt(self._fitted)
        if self._looking:
            self._watch(given)

    def update(self, step: float, given: Mapping[str, Any]) -> None:
        """Takes what became of an update."""
        if not self._open:
            self._begin()
            if not self._looking and self._too_often():
                self._temperature = None
                return
        parts = {name: given[name] for name in OF_UPDATE if name in given}
        told = self._numbers(step, {name: value for name, value in given.items() if name not in parts})
        rollout = self._updated(step, parts, told)
        self._watcher.take(rollout)
        if not self._open and "modules" in parts:  # a loop over a replay buffer has no rollouts: the next update begins
            self._begin(ahead=True)
            if self._looking:
                self._watch(parts)
        self._open = False

    def _too_often(self) -> bool:
        """Whether updates come faster than a recording should grow; a loop may make hundreds a second."""
        if self._told >= AT_FIRST + A_SECOND * (time.monotonic() - self._since):
            return True
        self._told += 1
        return False

    def _numbers(self, step: float, given: Mapping[str, Any]) -> dict[str, float]:
        """Tells numbers: at once, or as soon as the accelerator has worked them out, without waiting for it."""
        far = {name: value for name, value in given.items() if getattr(value, "is_cuda", False)}
        told = collect_numbers({name: value for name, value in given.items() if name not in far})
        self._watcher.metrics(step, told)
        if far:
            self._deferred = self._deferred or import_module("weaklink.adapters.torch.deferred").DeferredNumbers()
            self._deferred.put(
                [value.detach() for value in far.values()],
                lambda found: self._watcher.metrics(step, collect_numbers(dict(zip(far, found, strict=True)))),
            )
        return told

    def close(self) -> None:
        """Waits for the numbers that are under way, and lets go of what is listened to."""
        if self._deferred is not None:
            self._deferred.finish()
        if self._losses is not None:
            self._losses.__exit__(None, None, None)
        if self._before is not None:
            self._before.close()

    def _hear_episodes(self, step: float, tensordict: Any) -> None:
        """Tells the episodes that end in a rollout of TorchRL."""
        adapter = import_module("weaklink.adapters.torchrl.watch")
        self._episodes = self._episodes or adapter.Episodes(self._watcher)
        self._watcher.attempt("episodes", lambda: self._episodes.add(step, tensordict))

    def _tensors(self, step: float, tensordict: Any, given: Mapping[str, Any]) -> Rollout:
        """A rollout of TorchRL."""
        adapter = import_module("weaklink.adapters.torchrl.watch")
        options = {name: given[name] for name in ("loss", "gamma", "lam") if name in given}
        found: Rollout = adapter.of_tensordict(
            tensordict, step=step, update=self._update, deep=self._looking, **options
        )
        return found

    def _begin(self, *, ahead: bool = False) -> None:
        """Counts an update, unless the end of the one before has begun it already, which it does `ahead`."""
        if not self._begun:
            self._update += 1
            self._looking = self._watcher.looks(self._update)
        self._begun = ahead

    def _collected(self, step: float, given: Mapping[str, Any]) -> Rollout:
        cheap: dict[str, Any] = {"estimates": read_estimates(given), "ages": read_ages(given)}
        deep: dict[str, Any] = {}
        if self._looking:
            pairing = read_pairing(given)
            taped = None if pairing is None or self.read_tape is None else self.read_tape()
            pairing = pairing if pairing is None or taped is None else add_tape(pairing, given, taped)
            deep = {"pairing": pairing, "storage": check_storage(given), "actions": read_actions(given)}
            deep |= self._asked(given)
        return Rollout(
            step=step,
            update=self._update,
            algorithm=str(self._watcher.config.get("algorithm", "")),
            family="on-policy",
            **cheap,
            **deep,
        )

    def _asked(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """What the policy says of the stored actions before the first step, and how exactly it says it."""
        if not {"policy", "log_probs", "observations", "actions"} <= set(given):
            return {}
        torch_loop = import_module("weaklink.adapters.torch.loop")
        seen, taken = (
            flatten_rows(given["observations"], given["rewards"]),
            flatten_rows(given["actions"], given["rewards"]),
        )
        fresh, entropy, _ = torch_loop.log_probs(given["policy"], seen, taken)
        chosen = torch_loop.chosen(len(taken))
        half = max(len(fresh) // 2, 1)
        again = torch_loop.log_probs(given["policy"], seen[chosen][:half], taken[chosen][:half])[0]
        return {
            "probabilities": Probabilities(
                stored=to_array(given["log_probs"]).reshape(-1)[chosen],
                fresh=fresh,
                floor=float(abs(again - fresh[:half]).max(initial=0.0)),
                clip_range=given.get("clip_range"),
                epochs=given.get("epochs"),
            ),
            "spread": PolicySpread(entropy=entropy) if entropy is not None else None,
        }

    def _fitted(self) -> CriticCopyFit | None:
        """The critic alone, fitted to the newest rollout; None where what that takes was not handed over."""
        given = self._given
        module = given.get("policy")
        if not hasattr(module, "parameters") or not {"observations", "returns"} <= set(given):
            return None
        joined = not hasattr(module, "get_value") and hasattr(module, "get_action_and_value")
        value = (lambda twin, seen: twin.get_action_and_value(seen)[3]) if joined else None
        seen = flatten_rows(given["observations"], given["rewards"])
        fit = import_module("weaklink.adapters.torch.fit").fit_critic
        found: CriticCopyFit | None = fit(value, module, seen, to_array(given["returns"]).reshape(-1))
        return found

    def _watch(self, given: Mapping[str, Any]) -> None:
        """Remembers weights and listens to losses until the update is told."""
        modules = _list_modules(given)
        if modules:
            self._before = import_module("weaklink.adapters.torch.movement").WeightsBefore(modules)
            losses = import_module("weaklink.adapters.torch.losses")
            self._losses = losses.noted(losses.Losses())
            self._heard = self._losses.__enter__()

    def _updated(self, step: float, parts: Mapping[str, Any], told: Mapping[str, float]) -> Rollout:
        found: dict[str, Any] = {"probabilities": self._after(step, parts, told)}
        if self._looking:
            found |= {
                "targets": read_targets(parts),
                "minibatch": match_minibatch(parts, self._given),
                "losses": self._met(parts),
                "movement": self._moved(parts),
                "target_networks": self._followed(parts),
                "temperature": read_temperature(told, self._watcher.config, self._temperature),
            }
        self._temperature = told.get(TEMPERATURE)
        family = "on-policy" if self._open else "off-policy"
        return Rollout(step=step, update=self._update, moment=UPDATED, family=family, **found)

    def _after(self, step: float, parts: Mapping[str, Any], told: Mapping[str, float]) -> Probabilities | None:
        """Log-probabilities after the update beside those stored, as handed over or as the policy says them now."""
        given = self._given if self._open else {}
        if "log_probs" not in given:
            return None
        stored = to_array(given["log_probs"]).reshape(-1)
        after = to_array(parts["log_probs"]).reshape(-1) if "log_probs" in parts else None
        if (after is None or after.shape != stored.shape) and {"policy", "observations", "actions"} <= set(given):
            if not (self._looking or self._watcher.measures(self._update)):
                return None
            torch_loop = import_module("weaklink.adapters.torch.loop")
            seen, taken = (
                flatten_rows(given["observations"], given["rewards"]),
                flatten_rows(given["actions"], given["rewards"]),
            )
            with import_module("weaklink.adapters.torch.units").count_units(
                torch_loop.module_of(given["policy"])
            ) as units:
                after = torch_loop.log_probs(given["policy"], seen, taken, FEWER_ROWS)[0]
            if units.share is not None:
                self._watcher.metrics(step, {"optimizer.dead_units": units.share})
            stored = stored[torch_loop.chosen(len(taken), FEWER_ROWS)]
        if after is None or after.shape != stored.shape:
            return None
        return Probabilities(
            stored=stored,
            after=after,
            epochs=given.get("epochs"),
            clip_range=given.get("clip_range"),
            used_ratio_spread=_measure_ratio_use(parts, told),
        )

    def _met(self, parts: Mapping[str, Any]) -> tuple[LossCall, ...] | None:
        """Shapes that met in a loss, and those of values and targets as they were handed over."""
        heard: tuple[LossCall, ...] = ()
        if self._losses is not None:
            self._losses.__exit__(None, None, None)
            heard, self._losses = self._heard.calls or (), None
        if "values" in parts and "targets" in parts:
            left, right = (tuple(getattr(parts[name], "shape", ())) for name in ("values", "targets"))
            heard = (*heard, LossCall(name="value loss", left=left, right=right))
        return heard or None

    def _moved(self, parts: Mapping[str, Any]) -> Any:
        if self._before is None:
            return None
        before, self._before = self._before, None
        self._gradient_steps = max(1, before.steps // max(1, len(before.optimizers)))
        optimizers = parts.get("optimizers", self._given.get("optimizers", ()))
        several = optimizers if isinstance(optimizers, list | tuple) else [optimizers]
        return import_module("weaklink.adapters.torch.movement").measure_movement(before, several)

    def _followed(self, parts: Mapping[str, Any]) -> Any:
        """Slow copies, each looked at after every update that is recomputed."""
        if not {"online", "target"} <= set(parts):
            return None
        if not self._targets:
            followed = import_module("weaklink.adapters.torch.movement").FollowedCopy
            config = self._watcher.config
            self._targets["target"] = followed(
                "target",
                parts["online"],
                parts["target"],
                interval=config.get("target_update_interval") or config.get("target_network_frequency"),
                rate=config.get("tau"),
            )
        for each in self._targets.values():
            each.look(self._gradient_steps)
        return tuple(seen for each in self._targets.values() if (seen := each.seen()) is not None) or None


def _check_names(given: Mapping[str, Any], words: frozenset[str], what: str) -> None:
    for name in given:
        if name not in words:
            close = difflib.get_close_matches(name, words, n=1)
            hint = f" Did you mean {close[0]}?" if close else ""
            raise UsageError(f"{what} takes no '{name}'.{hint} It takes {', '.join(sorted(words))}.")
    if what == "rollout" and "rewards" not in given and "loss" not in given and given:
        raise UsageError("rollout needs the rewards.")


def _measure_ratio_use(parts: Mapping[str, Any], told: Mapping[str, float]) -> float | None:
    """How far the ratios of the loss were from 1: as handed over, or nothing at all where KL and clipping are 0."""
    if "ratios" in parts:
        return float(abs(to_array(parts["ratios"]) - 1.0).max(initial=0.0))
    both = told.get("policy.kl"), told.get("policy.clip_fraction")
    return 0.0 if both == (0.0, 0.0) else None


def _list_modules(given: Mapping[str, Any]) -> dict[str, Any]:
    """The networks that learn, by name: those handed over, or the policy where it is one."""
    wanted = given.get("modules", given.get("policy"))
    if isinstance(wanted, Mapping):
        return dict(wanted)
    several = wanted if isinstance(wanted, list | tuple) else [wanted]
    found = [each for each in several if hasattr(each, "named_parameters")]
    return {"" if len(found) == 1 else f"network {place}": each for place, each in enumerate(found)}
