"""The libraries whose environments are heard: Gymnasium, and the gym it came from, which many scripts still have."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

NAMES = ("gymnasium", "gym")
"""Modules whose classes have the same names, from gym 0.21 to Gymnasium 1."""

PARTS_OF_AN_OLD_STEP = 4
TIME_LIMIT = "TimeLimit.truncated"
"""Where environments from before Gymnasium say that an end was a time limit."""

LAST_OF_MEMBER, LAST_OF_MEMBERS = "terminal_observation", "final_observation"
"""Where vectors of gym before 0.24 keep the last observation of a member, and where those since 0.26 do."""


class EnvironmentLibrary(NamedTuple):
    """The classes of one library. `mixes` says that its wrappers of environments wrap vectors too, as until 0.29."""

    env: type
    vector: type
    wrapper: type
    mixes: bool


def list_libraries() -> Iterator[EnvironmentLibrary]:
    """The libraries that this process has loaded."""
    for name in NAMES:
        module = sys.modules.get(name)
        if module is not None and hasattr(module, "Wrapper") and hasattr(module, "vector"):
            mixes = not hasattr(module.vector, "VectorWrapper")
            yield EnvironmentLibrary(module.Env, module.vector.VectorEnv, module.Wrapper, mixes)


def has_library() -> bool:
    """Whether the process has loaded one at all."""
    return any(name in sys.modules for name in NAMES)


def is_vector(env: Any) -> bool:
    """Whether this is a vector, or a wrapper around one. Attributes are not asked for: some wrappers warn of that."""
    libraries = tuple(list_libraries())
    wrappers, vectors = (tuple(each.wrapper for each in libraries), tuple(each.vector for each in libraries))
    while isinstance(env, wrappers) and not isinstance(env, vectors):
        env = vars(env).get("env")
    return isinstance(env, vectors)


def is_environment(thing: Any) -> bool:
    """Whether this is an environment or a vector of one of the libraries."""
    return isinstance(thing, tuple(kind for each in list_libraries() for kind in (each.env, each.vector)))


def to_new_step(result: Any) -> Any:
    """A step with two flags, whatever it came with."""
    if not isinstance(result, tuple) or len(result) != PARTS_OF_AN_OLD_STEP:
        return result
    observation, reward, done, info = result
    if isinstance(info, list | tuple):  # of one member each
        cut: Any = np.array([bool(each.get(TIME_LIMIT, False)) for each in info], bool)
        info = {LAST_OF_MEMBERS: [each.get(LAST_OF_MEMBER) for each in info]}
    else:
        cut = info.get(TIME_LIMIT, False) if isinstance(info, dict) else False
    if np.ndim(done):
        cut = np.broadcast_to(np.asarray(cut, bool), np.shape(done))
        return observation, reward, np.asarray(done, bool) & ~cut, cut, info
    return observation, reward, bool(done) and not cut, bool(cut), info
