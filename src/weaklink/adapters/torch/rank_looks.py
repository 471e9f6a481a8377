"""One rank of a training looked at from inside, at steps that all ranks know without asking each other."""

from __future__ import annotations

import threading
import time
import weakref
from collections import deque
from collections.abc import Callable
from typing import Any

import torch
from torch.nn.modules import module as torch_module
from torch.optim import optimizer as torch_optimizer

from weaklink.adapters.torch import backward
from weaklink.adapters.torch.compiled import find_compiled
from weaklink.adapters.torch.fingerprints import digest_rows, digest_streams, name_parts
from weaklink.adapters.torch.module_names import ModuleNames
from weaklink.adapters.torch.open_look import OpenLook, list_state, read_counts
from weaklink.adapters.torch.own_work import is_own_work
from weaklink.adapters.torch.process_group import count_replicas, find_replica, read_rank
from weaklink.adapters.torch.rank_track import RankTrack
from weaklink.base.evidence.protocols import TrainingWatcher
from weaklink.base.evidence.ranks import LOOK

PART = "looking at this rank"

MOST_WAITING = 64
"""Looks that are kept until somebody records them."""

MOST_OPTIMIZERS = 8
"""Optimizers of one process that are looked at; actor, critic and temperature are three."""

SETTINGS = ("lr", "weight_decay", "momentum", "eps", "maximize")
"""Numbers of an optimizer's groups that decide its step."""


class RankLooks:
    """Looks at the optimizers of this process; a look waits until `record_into` says where it goes.

    Between looks a step costs no more than a count: backward passes are heard, and times taken, only on the steps right
    before a look.

    Attributes:
        stays: whether it goes on when the watcher leaves.
    """

    def __init__(self) -> None:
        self.stays = False
        self._watcher: TrainingWatcher | None = None
        self._step: Callable[[], float] = float
        self._waiting: deque[dict[str, Any]] = deque(maxlen=MOST_WAITING)
        self._tracks: dict[int, RankTrack] = {}
        self._made = 0
        self._stepping: list[int] = []
        self._thread = 0
        self._open: OpenLook | None = None
        self._under_way: deque[OpenLook] = deque()
        self._armed: Any = None
        self._compiled: bool | None = None
        self._rows: Any = None
        self._backward_at: float | None = None
        self._names = ModuleNames()
        self._handle = torch_optimizer.register_optimizer_step_pre_hook(self._before)
        self._ends: Any = None
        self._unlisten: Callable[[], None] | None = None

    def record_into(self, watcher: TrainingWatcher, step: Callable[[], float]) -> None:
        """Has looks recorded, those that wait too; `step` says where the training stands."""
        self._watcher, self._step = watcher, step
        while self._waiting:
            watcher.record(LOOK, self._waiting.popleft())

    def leave(self, watcher: TrainingWatcher) -> None:
        """Has nothing more recorded by a watcher; looks that are under way still are."""
        if self._watcher is watcher:
            self._finish(wait=True)
            self._watcher = None
            if not self.stays:
                end_looks()

    def close(self) -> None:
        """Takes every hook away."""
        self._handle.remove()
        self._rest()
        self._tracks.clear()

    # on every step

    def _before(self, optimizer: Any, arguments: Any, options: Any) -> None:
        if torch.compiler.is_compiling() or is_own_work():
            return
        track = self._tracks.get(id(optimizer)) or self._meet(optimizer)
        track.steps += 1
        if track.steps >= track.wake:
            self._begin_step(optimizer, track, arguments, options)
        elif self._ends is not None and self._may_rest():
            self._rest()

    def _meet(self, optimizer: Any) -> RankTrack:
        """The track of an optimizer that steps for the first time.

        Left alone are those of other threads, and one that another steps, which may hold a part of the parameters.
        """
        self._thread = self._thread or threading.get_ident()
        inside, elsewhere = bool(self._stepping), threading.get_ident() != self._thread
        ignored = inside or elsewhere or self._made >= MOST_OPTIMIZERS
        identity = id(optimizer)
        track = self._tracks[identity] = RankTrack(self._made, ignored=ignored)
        self._made += not ignored
        weakref.finalize(optimizer, self._tracks.pop, identity, None).atexit = False
        return track

    def _may_rest(self) -> bool:
        busy = self._stepping or self._under_way
        return not busy and not any(each.awake for each in self._tracks.values())

    def _rest(self) -> None:
        """Listens to backward passes, networks and the ends of steps no longer."""
        unlisten, self._unlisten, self._backward_at = self._unlisten, None, None
        ends, self._ends = self._ends, None
        if unlisten is not None:
            unlisten()
        if ends is not None:
            ends.remove()
        self._disarm()

    # on steps that are timed

    def _begin_backward(self) -> None:
        if self._backward_at is None and threading.get_ident() == self._thread:
            self._backward_at = time.perf_counter()

    def _begin_step(self, optimizer: Any, track: RankTrack, arguments: Any, options: Any) -> None:
        if threading.get_ident() != self._thread:
            return
        if self._unlisten is None:
            self._unlisten = backward.listen(self._begin_backward)
        if self._ends is None:
            self._ends = torch_optimizer.register_optimizer_step_post_hook(self._after)
        if id(optimizer) in self._stepping:  # a step that raised was never ended
            self._stepping.clear()
        self._stepping.append(id(optimizer))
        track.count_time(self._backward_at)
        if track.steps >= track.due:
            # wrappers of optimizers, such as Accelerate's, hand on a closure that is none
            closure = any(each is not None for each in (*arguments[1:], *options.values()))
            self._open = self._attempt(lambda: self._look(optimizer, track, closure=closure))
            track.plan_next()

    def _after(self, optimizer: Any, arguments: Any, options: Any) -> None:
        if not self._stepping or self._stepping[-1] != id(optimizer) or is_own_work():
            if self._under_way:
                self._attempt(self._finish)
            return
        self._stepping.pop()
        track = self._tracks.get(id(optimizer))
        opened, self._open = self._open, None
        if opened is not None and opened.track is track and opened.told["step"] == track.steps:
            self._attempt(lambda: self._end_look(opened, optimizer))
        elif self._under_way:
            self._attempt(self._finish)
        if (self._armed is not None) != any(each.steps + 1 == each.due for each in self._tracks.values()):
            self._attempt(self._turn_ear)
        self._backward_at = None
        if track is not None:
            track.ended_at = time.perf_counter()

    def _attempt(self, work: Callable[[], Any]) -> Any:
        """Does a piece of work that never raises; the watcher counts its time, where there is one."""
        if self._watcher is not None:
            return self._watcher.attempt(PART, work)
        try:
            return work()
        except Exception:  # before anybody watches there is nobody to tell, and the training goes on
            return None

    # on steps that are looked at

    def _look(self, optimizer: Any, track: RankTrack, *, closure: bool) -> OpenLook | None:
        """What there is before the step; None where there is no time, or nothing may be asked of the device now."""
        held = _list_parameters(optimizer)
        if not held or (track.steps > 1 and self._watcher is not None and not self._watcher.measures()):
            return None
        if held[0].is_cuda and torch.cuda.is_current_stream_capturing():
            return None
        look = OpenLook(track, self._describe(optimizer, track, held), held)
        if not track.sharded:
            look.add("before", held)
            if not closure:
                look.add("gradients", [_find_gradient(each) for each in held])
        look.rows, self._rows = self._rows, None
        look.told["streams"] = digest_streams()
        return look

    def _describe(self, optimizer: Any, track: RankTrack, held: list[Any]) -> dict[str, Any]:
        group = (read_rank() or (0, 0))[1]
        if not track.shapes:  # without a process group nothing is to be looked for, which takes a while
            track.introduce(held, find_replica(held) if group > 1 else None)
        told: dict[str, Any] = {
            "optimizer": track.place,
            "step": track.steps,
            "at": float(self._step()),
            "kind": type(optimizer).__name__,
            "shapes": track.shapes,
            "sharded": track.sharded,
            "group": group,
            "precision": max((torch.finfo(each.dtype).eps for each in held if each.is_floating_point()), default=0.0),
            "settings": _read_settings(optimizer),
        }
        replica = track.replica() if track.replica is not None else None
        if replica is not None:
            told["replicas"] = count_replicas(replica)
            told["reduces"] = bool(getattr(replica, "require_backward_grad_sync", True))
        if group > 1 and not track.named:
            track.named = True
            told["names"] = name_parts([self._names.name_parameter(each) for each in held])
        return told | track.take_times()

    def _end_look(self, look: OpenLook, optimizer: Any) -> None:
        """What there is after the step."""
        if not look.track.sharded:
            look.add("weights", look.held)
            look.add("state", *list_state(optimizer, look.held))
            look.told["counted"] = read_counts(optimizer, look.held)
        look.send()
        self._under_way.append(look)
        self._finish()

    def _finish(self, *, wait: bool = False) -> None:
        """Hands over the looks whose numbers have arrived."""
        while self._under_way and self._under_way[0].has_arrived(wait=wait):
            told = self._under_way.popleft().read()
            if self._watcher is not None:
                self._watcher.record(LOOK, told)
            else:
                self._waiting.append(told)

    # what the network is given before a step that is looked at

    def _turn_ear(self) -> None:
        """Listens to the first call of a network from now on, before a step that is looked at, or no longer."""
        if self._armed is not None:
            self._disarm()
            return
        if self._compiled is None:  # by now the first step was made; to search again would take its time
            self._compiled = find_compiled()
        if not self._compiled:
            self._rows = None
            self._armed = torch_module.register_module_forward_pre_hook(self._hear)

    def _disarm(self) -> None:
        if self._armed is not None:
            self._armed.remove()
            self._armed = None

    def _hear(self, module: Any, given: Any) -> None:
        if self._rows is None and torch.is_grad_enabled() and not is_own_work():
            self._rows = self._attempt(lambda: digest_rows(given))


def _list_parameters(optimizer: Any) -> list[Any]:
    return [each for group in optimizer.param_groups for each in group["params"]]


def _find_gradient(parameter: Any) -> Any:
    return parameter.grad if parameter.requires_grad else None


def _read_settings(optimizer: Any) -> dict[str, float]:
    """The settings of the groups that are plain numbers; those of further groups have the number of their group."""
    found: dict[str, float] = {}
    for place, group in enumerate(optimizer.param_groups[:4]):
        betas = group.get("betas")
        numbers = {name: group[name] for name in SETTINGS if isinstance(group.get(name), int | float)}
        if isinstance(betas, tuple):
            numbers |= {f"beta{at + 1}": each for at, each in enumerate(betas) if isinstance(each, int | float)}
        found |= {f"{name} of group {place + 1}" if place else name: float(each) for name, each in numbers.items()}
    return found


_looks: RankLooks | None = None


def begin_looks() -> RankLooks:
    """The looks of this process, begun where they have not been."""
    global _looks
    if _looks is None:
        _looks = RankLooks()
    return _looks


def end_looks() -> None:
    """Ends the looks of this process."""
    global _looks
    if _looks is not None:
        _looks.close()
        _looks = None
