"""In a script that `weaklink probe` started: probes in place of the environments that it makes by name.

Called after the first import of Gymnasium, or of old gym, in that process (`injection.py`). Whatever id `make` is asked
for, a probe comes in its place, with the spaces of the environment that was asked for where it can be made.
"""

from __future__ import annotations

import atexit
import os
from collections.abc import Callable
from typing import Any, NamedTuple

from weaklink.adapters.described import describe_space
from weaklink.adapters.old_gym_probe import make_old_environment
from weaklink.adapters.probe_play import ProbePlay
from weaklink.adapters.read_play import make_read_play
from weaklink.collect.probes.catalogue import find_probe
from weaklink.collect.probes.first_look import read_look, write_look
from weaklink.collect.probes.probe import Probe
from weaklink.collect.probes.registration import NAMESPACE, READ_TITLES, choose_reading, make_recorder, register
from weaklink.collect.probes.shaped import ShapedProbe, explain_misfit, find_kind, widen

TITLE = "WEAKLINK_PROBE_TITLE"
"""The environment variable that names the probe which takes every place."""

PLAINEST = "ConstantReward"
"""Whose fit into the spaces is told where updates are to be read."""

MODES = ("sync", "async")
Spaces = tuple[Any, Any]


class MadePlace(NamedTuple):
    """The spaces of the environment that was asked for, and the probe of the same shape."""

    probe: Probe
    spaces: Spaces | None


class StandIn:
    """Puts probes in place of what a module's `make` makes."""

    def __init__(self, module: Any, title: str) -> None:
        self._module, self._title = module, title
        self._make = module.make
        self._known: dict[str, MadePlace] = {}

    def put_in_place(self, *, old: bool) -> None:
        """Replaces `make`, and `make_vec` where there is one, wherever the module has them."""
        self._replace("make", self._make, self._make_old if old else self._make_one)
        vector = getattr(self._module, "make_vec", None)
        if vector is not None and not old:
            self._replace("make_vec", vector, self._make_vector(vector))

    def _replace(self, name: str, own: Any, ours: Any) -> None:
        envs = getattr(self._module, "envs", None)
        for holder in (self._module, envs, getattr(envs, "registration", None)):
            if getattr(holder, name, None) is own:
                setattr(holder, name, ours)

    def _make_one(self, id: Any, *args: Any, **options: Any) -> Any:
        if _is_ours(id):
            return self._make(id, *args, **options)
        place = self._find_place(id, args, options)
        film = {"render_mode": "rgb_array"} if options.get("render_mode") == "rgb_array" else {}
        return self._make(f"{NAMESPACE}/{self._title}-v0", disable_env_checker=True, place=place, **film)

    def _make_vector(self, own: Callable[..., Any]) -> Callable[..., Any]:
        def make_vec(id: Any, num_envs: int = 1, vectorization_mode: Any = None, **options: Any) -> Any:
            mode = getattr(vectorization_mode, "value", vectorization_mode)
            if _is_ours(id):
                return own(id, num_envs=num_envs, vectorization_mode=vectorization_mode, **options)
            kept = {name: options.pop(name) for name in ("vector_kwargs", "wrappers") if name in options}
            place = self._find_place(id, (), options)
            id = f"{NAMESPACE}/{self._title}-v0"
            mode = mode if mode in MODES else MODES[0]
            return own(id, num_envs=num_envs, vectorization_mode=mode, place=place, **kept)

        return make_vec

    def _make_old(self, id: Any, *args: Any, **options: Any) -> Any:
        place = self._find_place(id, args, options)
        if self._title in READ_TITLES:
            play, spaces = make_read_play(**choose_reading(self._title), spaces=place.spaces)
            return make_old_environment(self._module, play, spaces)
        return make_old_environment(self._module, ProbePlay(place.probe, make_recorder(self._title)), place.spaces)

    def _find_place(self, id: Any, args: tuple[Any, ...], options: dict[str, Any]) -> MadePlace:
        name = str(getattr(id, "id", id))
        if name not in self._known:
            self._known[name] = self._look_at(id, name, args, options)
        return self._known[name]

    def _look_at(self, id: Any, name: str, args: tuple[Any, ...], options: dict[str, Any]) -> MadePlace:
        """Makes the environment that is asked for once, for its spaces alone."""
        probe = find_probe(PLAINEST if self._title in READ_TITLES else self._title)
        look = read_look()
        look.asked.append(name)
        try:
            made = self._make(id, *args, **options)
            spaces = made.observation_space, made.action_space
            made.close()
        except Exception as error:  # whatever it raises, the probe has spaces of its own
            look.misfit = look.misfit or f"{name} cannot be made ({type(error).__name__}: {error})"[:300]
            write_look(look)
            return MadePlace(probe if self._title in READ_TITLES else widen(probe), None)
        observation, action = map(describe_space, spaces)
        look.kind = look.kind or find_kind(action)
        look.misfit = look.misfit or explain_misfit(observation, action)
        shaped = ShapedProbe(probe, observation, action)
        if not look.misfit:
            look.numbers, look.looks = shaped.room
        write_look(look)
        if self._title in READ_TITLES:
            return MadePlace(probe, spaces)
        fits = not explain_misfit(observation, action) and find_kind(action) == probe.acts
        return MadePlace(shaped, spaces) if fits else MadePlace(probe, None)


def _is_ours(id: Any) -> bool:
    return str(getattr(id, "id", id)).rpartition(":")[2].startswith(f"{NAMESPACE}/")


def prepare_gymnasium(module: Any) -> None:
    """Registers the probes, and puts one in every place where that is asked for."""
    register()
    if title := os.environ.get(TITLE):
        StandIn(module, title).put_in_place(old=False)


def prepare_old_gym(module: Any) -> None:
    """The same for old gym, which knows no probe by its name."""
    if title := os.environ.get(TITLE):
        StandIn(module, title).put_in_place(old=True)


def close_writers(module: Any) -> None:
    """Has a `SummaryWriter` closed when the script ends: a script that is ended at its budget never comes to that."""
    own = module.SummaryWriter.__init__

    def __init__(self: Any, *args: Any, **options: Any) -> None:
        own(self, *args, **options)
        atexit.register(self.close)

    module.SummaryWriter.__init__ = __init__
