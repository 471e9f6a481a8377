"""A rollout buffer: an epoch over its minibatches gives every step once, with its own fields beside each other."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from itertools import combinations
from typing import Any

import numpy as np

from weaklink.base.loop import Link
from weaklink.collect.probes.kernels._arrays import Array
from weaklink.collect.probes.kernels._kernel import AnswerForm, Answers, Facts, Forms, Kernel, KernelCall
from weaklink.collect.probes.kernels._objects import call_method, find_method, make_object, spell_names
from weaklink.collect.probes.kernels._tags import (
    ACTION,
    BY_COLUMN,
    FIELDS,
    LOG_PROB,
    NAMES,
    OBS,
    ONCE_EACH,
    REWARD,
    VALUE,
    WHOLE_ROWS,
    describe_stray,
    make_tags,
    measure_strays,
    read_rows,
)

ADD = ("add", "push", "store", "append", "insert", "put", "record", "add_step")
FINISH = ("compute_returns_and_advantage", "compute_returns_and_advantages", "compute_returns", "compute_gae", "finish")
READ = ("get", "minibatches", "batches", "get_batches", "iterate", "generator", "sample", "epoch", "__iter__")
ORDER = ("obs", "action", "reward", "done", "value", "log_prob")


def drive_buffer(factory: object, given: Mapping[str, Any]) -> Array:
    """Stores a rollout and reads one epoch."""
    rows, steps, envs = given["rows"], int(given["steps"]), int(given["envs"])
    buffer = _make_buffer(factory, steps, envs, int(given["batch"]))
    for step in range(steps):
        call_method(buffer, ADD, _step(rows[step]), ORDER)
    _finish_rollout(buffer, envs)
    size = {"batch_size": int(given["batch"]), "minibatch_size": int(given["batch"]), "mini_batch_size": given["batch"]}
    size |= {"num_minibatches": steps * envs // int(given["batch"])}
    answer = call_method(buffer, READ, size, ("batch_size",))
    whole = isinstance(answer, Mapping | tuple) or hasattr(answer, "_fields") or not isinstance(answer, Iterable)
    return read_rows([answer] if whole else list(answer))


def _make_buffer(factory: object, steps: int, envs: int, batch: int) -> Any:
    known: dict[str, Any] = dict.fromkeys(
        ("n_steps", "num_steps", "steps", "buffer_size", "size", "capacity", "T"), steps
    )
    known |= dict.fromkeys(("n_envs", "num_envs", "envs", "N"), envs)
    known |= dict.fromkeys(("obs_dim", "state_dim", "act_dim", "action_dim", "obs_size", "action_size"), 1)
    known |= dict.fromkeys(("obs_shape", "action_shape", "observation_shape", "state_shape", "act_shape"), ())
    known |= {"gamma": 0.99, "gae_lambda": 0.95, "lam": 0.95, "device": "cpu", "batch_size": batch, "seed": 0}
    return make_object(factory, known)


def _step(rows: Array) -> dict[str, Any]:
    places = {"obs": OBS, "action": ACTION, "reward": REWARD, "value": VALUE, "log_prob": LOG_PROB}
    values: dict[str, Any] = {name: rows[:, place].copy() for name, place in places.items()}
    values["done"] = np.zeros(len(rows))
    more = {
        "episode_start": np.zeros(len(rows)),
        "episode_starts": np.zeros(len(rows)),
        "truncated": np.zeros(len(rows)),
    }
    return spell_names(values, NAMES) | more


def _finish_rollout(buffer: object, envs: int) -> None:
    """Lets the buffer compute what it computes from a whole rollout; what that is, other kernels check."""
    if find_method(buffer, FINISH) is not None:
        nothing = np.zeros(envs)
        known = dict.fromkeys(("last_value", "last_values", "next_value", "dones", "next_done", "last_done"), nothing)
        call_method(buffer, FINISH, known | {"gamma": 0.99, "gae_lambda": 0.95, "lam": 0.95}, ("last_value",))


def _draw(rng: np.random.Generator, size: float, layout: str) -> Facts:
    steps, envs = 2 + int(size * 6), 2 + int(rng.integers(0, 2))
    number = np.arange(1.0, steps * envs + 1).reshape(steps, envs)
    rows = np.full((steps, envs, len(FIELDS)), np.nan)
    for place in (OBS, ACTION, REWARD, VALUE, LOG_PROB):
        rows[..., place] = make_tags(place, number)
    return {"rows": rows, "steps": steps, "envs": envs, "batch": envs}


def _answer(allow: Callable[[Array], Array], mode: float) -> Answers:
    def answer(facts: Facts) -> Forms:
        return {"rows": AnswerForm((allow(facts["rows"]), np.asarray(mode)))}

    return answer


def _flatten(rows: Array) -> Array:
    return rows.reshape(-1, rows.shape[-1])


def _make_swap(*places: int) -> Callable[[Array], Array]:
    """Some fields flattened with environments first, the others with time first."""

    def allow(rows: Array) -> Array:
        mixed = _flatten(rows).copy()
        for place in places:
            mixed[:, place] = rows[..., place].T.reshape(-1)
        return mixed

    return allow


def _make_step_shift(*places: int) -> Callable[[Array], Array]:
    def allow(rows: Array) -> Array:
        moved = rows.copy()
        for place in places:
            moved[..., place] = np.roll(rows[..., place], 1, axis=0)
        return _flatten(moved)

    return allow


REST = (ACTION, REWARD, VALUE, LOG_PROB)

KERNEL = Kernel(
    name="rollout_buffer",
    what="a class that stores a rollout of several environments and gives it back in minibatches",
    link=Link.DATA,
    look="the order in which each field is flattened, and the index that each field is read with",
    names=("RolloutBuffer", "PPOBuffer", "RolloutStorage", "OnPolicyBuffer", "TrajectoryBuffer"),
    calls=lambda names: (
        KernelCall("", _draw, lambda facts: {name: facts[name] for name in ("rows", "steps", "envs", "batch")}),
    ),
    layouts=("",),
    right=_answer(_flatten, ONCE_EACH),
    variants={
        "environment and time axes mixed up in a reshape": tuple(
            _answer(_make_swap(*places), ONCE_EACH)
            for count in range(1, len(REST) + 1)
            for places in combinations((OBS, *REST), count)
        ),
        "fields of another step": tuple(
            _answer(_make_step_shift(*places), ONCE_EACH)
            for places in (REST, (ACTION,), (REWARD,), (VALUE,), (LOG_PROB,))
        ),
        "steps left out or repeated in an epoch": (_answer(_flatten, WHOLE_ROWS),),
        "minibatch index applied to some fields only": (_answer(_flatten, BY_COLUMN),),
    },
    drive=drive_buffer,
    differing=measure_strays,
    told=describe_stray,
)
