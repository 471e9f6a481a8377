"""A replay buffer: what is sampled must have been stored, whole, and not be overwritten yet."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from weaklink.base.loop import Link
from weaklink.collect.probes.kernels._arrays import Array
from weaklink.collect.probes.kernels._kernel import AnswerForm, Answers, Facts, Forms, Kernel, KernelCall
from weaklink.collect.probes.kernels._objects import call_method, make_object, spell_names
from weaklink.collect.probes.kernels._tags import (
    ACTION,
    BY_COLUMN,
    DONE,
    FIELDS,
    NAMES,
    NEXT,
    OBS,
    REWARD,
    WHOLE_ROWS,
    describe_stray,
    make_tags,
    measure_strays,
    read_rows,
)

ADD = ("add", "push", "store", "append", "insert", "put", "remember", "add_transition", "store_transition", "record")
SAMPLE = ("sample", "sample_batch", "get_batch", "sample_transitions", "sample_minibatch", "get")
ORDER = ("obs", "action", "reward", "next_obs", "done")
ROUNDS = 14


def drive_buffer(factory: object, given: Mapping[str, Any]) -> Array:
    """Fills the buffer and samples from it many times."""
    capacity, rows = int(given["capacity"]), given["rows"]
    buffer = _make_buffer(factory, capacity, given["batch"])
    for row in rows:
        call_method(buffer, ADD, _make_transition(row), ORDER)
    batch = int(given["batch"])
    wanted = {"batch_size": batch, "n": batch, "size": batch, "batch": batch, "num_samples": batch, "k": batch}
    return read_rows([call_method(buffer, SAMPLE, wanted, ("batch_size",)) for _ in range(ROUNDS)])


def _make_buffer(factory: object, capacity: int, batch: int) -> Any:
    known: dict[str, Any] = dict.fromkeys(("obs_dim", "state_dim", "obs_size", "state_size", "observation_dim"), 1)
    known |= dict.fromkeys(("act_dim", "action_dim", "action_size", "n_actions", "num_envs", "n_envs"), 1)
    known |= dict.fromkeys(("obs_shape", "state_shape", "observation_shape", "action_shape", "act_shape"), (1,))
    known |= dict.fromkeys(
        ("capacity", "size", "max_size", "buffer_size", "maxlen", "max_len", "buffer_limit"), capacity
    )
    known |= {"batch_size": batch, "device": "cpu", "seed": 0, "max_capacity": capacity, "memory_size": capacity}
    return make_object(factory, known)


def _make_transition(row: Array) -> dict[str, Any]:
    values: dict[str, Any] = {"obs": np.array([row[OBS]]), "next_obs": np.array([row[NEXT]])}
    values |= {"action": np.array([row[ACTION]]), "reward": float(row[REWARD]), "done": bool(row[DONE])}
    return spell_names(values, NAMES) | {"truncated": False, "info": {}, "infos": [{}], "timeout": False}


def _draw(rng: np.random.Generator, size: float, layout: str) -> Facts:
    capacity = 2 + int(size * 8)
    count = max(1, int(capacity * rng.choice([0.5, 0.8, 1.0, 1.5, 2.5])))
    number = np.arange(1.0, count + 1)
    done = rng.random(count) < 0.25
    rows = np.full((count, len(FIELDS)), np.nan)
    rows[:, OBS], rows[:, ACTION], rows[:, REWARD] = (
        make_tags(OBS, number),
        make_tags(ACTION, number),
        make_tags(REWARD, number),
    )
    rows[:, NEXT] = make_tags(OBS, np.where(done, number + 0.5, number + 1.0))
    rows[:, DONE] = done
    kept = min(capacity, count)
    return {"rows": rows, "capacity": capacity, "kept": kept, "batch": int(min(8, kept))}


def _answer(allow: Callable[[Array, Facts], Array], mode: float = WHOLE_ROWS) -> Answers:
    """Rows that may be sampled; after an end the next observation does not matter."""

    def answer(facts: Facts) -> Forms:
        allowed = allow(facts["rows"].copy(), facts)
        allowed[allowed[:, DONE] == 1.0, NEXT] = np.nan
        return {"rows": AnswerForm((allowed, np.asarray(mode)))}

    return answer


def _keep_newest(rows: Array, facts: Facts) -> Array:
    return rows[-facts["kept"] :]


def _add_unwritten(rows: Array, facts: Facts) -> Array:
    empty = np.zeros((1, rows.shape[1]))
    return np.concatenate([_keep_newest(rows, facts), empty])


def _allow_stale_next(rows: Array, facts: Facts) -> Array:
    """The next observation read from the next slot, which at the write head holds the oldest row or nothing."""
    capacity, count, kept = facts["capacity"], len(rows), _keep_newest(rows, facts)
    made = kept.copy()
    made[:-1, NEXT] = kept[1:, OBS]
    made[-1, NEXT] = kept[0, OBS] if count >= capacity else 0.0
    return np.concatenate([kept, made])


def _repeat_observation(rows: Array, facts: Facts) -> Array:
    rows[:, NEXT] = rows[:, OBS]
    return _keep_newest(rows, facts)


def _make_shift(place: int, by: int) -> Callable[[Array, Facts], Array]:
    def allow(rows: Array, facts: Facts) -> Array:
        kept = _keep_newest(rows, facts)
        whole = kept.copy()
        kept[:, place] = np.roll(kept[:, place], by)
        edge = [0] if by > 0 else [-1]
        kept[edge, place] = np.nan
        kept[:, NEXT] = np.nan if place == DONE else kept[:, NEXT]
        return np.concatenate([kept, whole[edge]])

    return allow


def _keep_oldest(rows: Array, facts: Facts) -> Array:
    return rows[: facts["kept"]]


def _keep_all(rows: Array, facts: Facts) -> Array:
    return rows


KERNEL = Kernel(
    name="replay_buffer",
    what="a class that stores transitions and samples from the latest of them",
    link=Link.DATA,
    look="the range of indices that is sampled, and where the next observation is read from",
    names=("ReplayBuffer", "ReplayMemory", "Replay", "ExperienceReplay", "Buffer", "TransitionBuffer"),
    calls=lambda names: (
        KernelCall("", _draw, lambda facts: {name: facts[name] for name in ("rows", "capacity", "batch")}),
    ),
    layouts=("",),
    right=_answer(_keep_newest),
    variants={
        "unwritten slots sampled": (_answer(_add_unwritten),),
        "stale next observation at the write head": (_answer(_allow_stale_next),),
        "next observation is the current one": (_answer(_repeat_observation),),
        "reward of another step": (_answer(_make_shift(REWARD, 1)), _answer(_make_shift(REWARD, -1))),
        "done of another step": (_answer(_make_shift(DONE, 1)), _answer(_make_shift(DONE, -1))),
        "action of another step": (_answer(_make_shift(ACTION, 1)), _answer(_make_shift(ACTION, -1))),
        "new transitions dropped when full": (_answer(_keep_oldest),),
        "overwritten transitions kept": (_answer(_keep_all),),
        "fields drawn with different indices": (_answer(_keep_newest, BY_COLUMN),),
    },
    drive=drive_buffer,
    differing=measure_strays,
    told=describe_stray,
)
