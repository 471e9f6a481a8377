"""How the environments of this process were made, so that one like them can be made again.

Gymnasium's class is asked to remember what each instance was given, and nothing is done with it until somebody asks:
then in a process that was forked for it (`collect/survey/beside.py`).
"""

from __future__ import annotations

import contextlib
import copy
import functools
import weakref
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import gymnasium

from weaklink.adapters.gymnasium import heard
from weaklink.adapters.gymnasium.libraries import is_vector
from weaklink.base.errors import UsageError

_AROUND_VECTORS = (
    gymnasium.Wrapper,
    getattr(gymnasium.vector, "VectorWrapper", None) or gymnasium.vector.VectorEnvWrapper,
)
"""Until 0.29 wrappers of environments were put around vectors as well."""


class EnvironmentMaking(NamedTuple):
    """What an environment was given when it was made, and the environment as long as it lives."""

    env: Callable[[], Any]
    given: Sequence[Any]
    named: Mapping[str, Any]


class MakingMemory:
    """What every environment of this process was given, from the making of this memory on until it is to `forget`."""

    def __init__(self) -> None:
        self._makings: dict[int, EnvironmentMaking] = {}
        self._asked = True
        memory = self

        def __new__(cls: type[Any], /, *given: Any, **named: Any) -> Any:
            env = _make_instance(cls, given, named)
            memory._remember(env, given, named)
            return env

        # it stays: a class whose `__new__` is taken away again passes arguments on to `object`, which refuses them
        gymnasium.Env.__new__ = staticmethod(__new__)

    def forget(self) -> None:
        """Lets go of everything, and remembers nothing from now on."""
        self._asked = False
        self._makings.clear()

    def find_single(self, env: Any) -> Any:
        """The environment itself, or the first member of a vector that keeps its members in this process.

        Raises:
            UsageError: its members live elsewhere, or in none.
        """
        if not is_vector(env):
            return env
        while isinstance(env, _AROUND_VECTORS):
            env = env.env
        members = vars(env).get("envs")
        if not members:
            raise UsageError(f"the members of {type(env).__name__} cannot be made one by one")
        return members[0]

    def make_maker(self, env: Any) -> Callable[[list[str]], Any]:
        """A function that makes others like this environment, for a fork of this process: the list takes the names of
        wrappers that had to be left out.

        It refuses environments that hold what cannot be copied, such as a connection, a device or a window: a second
        one may disturb the first. And those that come out with other spaces.
        """

        def make(left_out: list[str]) -> Any:
            restore_methods()
            copy.deepcopy(env.unwrapped)
            made = self._remake(env, left_out)
            if (made.observation_space, made.action_space) != (env.observation_space, env.action_space):
                raise UsageError("it comes out with other spaces")
            return made

        return make

    def _remake(self, env: Any, left_out: list[str]) -> Any:
        """Another environment like this one, wrapper by wrapper, made with copies of the same arguments."""
        making = self._makings.get(id(env))
        if making is None or making.env() is not env:
            raise UsageError(f"how {type(env).__name__} was made is not known")
        if getattr(env, "render_mode", None) == "human":
            raise UsageError(f"{type(env).__name__} opens a window")
        if not isinstance(env, gymnasium.Wrapper):
            made = self._call(env, making, {})
            made.spec = env.spec
            return made
        inner = self._remake(env.env, left_out)
        try:
            return self._call(env, making, {id(env.env): inner})
        except OSError:  # it writes or connects, which the process that asks may not
            left_out.append(type(env).__name__)
            return inner

    def _remember(self, env: Any, given: Sequence[Any], named: Mapping[str, Any]) -> None:
        if self._asked:
            with contextlib.suppress(TypeError):  # one that cannot be referred to weakly
                number = id(env)
                refer = weakref.ref(env, functools.partial(self._drop, number))
                self._makings[number] = EnvironmentMaking(refer, given, named)

    def _drop(self, number: int, _: object) -> None:
        self._makings.pop(number, None)

    @staticmethod
    def _call(env: Any, making: EnvironmentMaking, others: Mapping[int, Any]) -> Any:
        given = [_copy_argument(each, others) for each in making.given]
        return type(env)(*given, **{name: _copy_argument(each, others) for name, each in making.named.items()})


def restore_methods() -> None:
    """Gives Gymnasium's classes their own methods back, in a process where nobody listens."""
    for (kind, name), inner in heard.taken.items():
        if inner is not None:
            setattr(kind, name, inner)


def _make_instance(cls: type[Any], given: Sequence[Any], named: Mapping[str, Any]) -> Any:
    """An instance as the next class in line makes it."""
    if cls.__init__ is object.__init__ and (given or named):
        raise TypeError(f"{cls.__name__}() takes no arguments")
    make = super(gymnasium.Env, cls).__new__
    return make(cls) if make is object.__new__ else make(cls, *given, **named)


def _copy_argument(argument: Any, others: Mapping[int, Any]) -> Any:
    """An argument of its own for another instance; one that cannot be copied is shared."""
    if id(argument) in others:
        return others[id(argument)]
    try:
        return copy.deepcopy(argument)
    except Exception:
        return argument
