"""What a Stable-Baselines3 model sees of given observations, through the wrappers around its environment."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from weaklink.adapters.answers import draw_observations
from weaklink.adapters.described import describe_space
from weaklink.adapters.sb3.policy import make_batch
from weaklink.base.evidence.model import GIVEN, SAMPLED, STORED, Normaliser
from weaklink.base.evidence.series import Array
from weaklink.base.evidence.spaces import make_flattener

DRAWN = 128
FAR_TOO_NARROW = 100.0
"""A column that varies so many times more than its normaliser believes counts as narrow."""


class ShownObservations(NamedTuple):
    """Observations as the model sees them, flattened; their source; and as the innermost environment gave them."""

    rows: Array
    source: str
    inner: Any = None


def pick_observations(model: Any, observations: Array | None, seed: int, notes: list[str]) -> ShownObservations:
    """The given observations where they fit, else those in the model's buffers, else draws from its space."""
    space = describe_space(model.observation_space)
    if observations is not None and len(observations):
        found = _pass_through_wrappers(model, observations)
        if found is not None:
            return found
        notes.append(
            f"the given observations have {np.shape(observations)[-1]} columns and do not fit what the model sees "
            f"({space.size}); others were taken"
        )
    stored = _read_stored(model)
    if stored is not None and len(stored):
        return ShownObservations(_flatten_batch(space, stored), STORED)
    notes.append("no real observations were at hand: the model was shown draws from its observation space")
    return ShownObservations(draw_observations(space, DRAWN, seed), SAMPLED)


def list_layers(model: Any) -> list[Any]:
    """The vector environment and its wrappers, the innermost first."""
    found, around = [], model.env
    while around is not None:
        found.append(around)
        around = getattr(around, "venv", None)
    return found[::-1]


def _pass_through_wrappers(model: Any, rows: Array) -> ShownObservations | None:
    rows = rows[np.isfinite(rows).all(axis=1)]
    around = list_layers(model)
    inner = describe_space(around[0].observation_space if around else model.observation_space)
    space = describe_space(model.observation_space)
    if not len(rows) or not space.size or rows.shape[1] != inner.size:
        return None
    batch = first = make_batch(inner, rows)
    for wrapper in around[1:]:
        if _turns(wrapper):
            batch = wrapper.transpose_observations(batch)
        elif _normalises(wrapper):
            batch = wrapper.normalize_obs(batch)
    flat = _flatten_batch(space, batch) if _fits(space, batch) else None
    return None if flat is None else ShownObservations(flat, GIVEN, first)


def _turns(wrapper: Any) -> bool:
    return hasattr(type(wrapper), "transpose_observations")  # an instance answers for what it wraps as well


def _normalises(wrapper: Any) -> bool:
    return "obs_rms" in vars(wrapper) and hasattr(type(wrapper), "normalize_obs") and bool(wrapper.norm_obs)


def _fits(space: Any, batch: Any) -> bool:
    if isinstance(batch, dict):
        return set(batch) == set(space.parts) and all(_fits(part, batch[key]) for key, part in space.parts.items())
    return not space.parts and (space.kind == "discrete" or tuple(batch.shape[1:]) == tuple(space.shape))


def _flatten_batch(space: Any, batch: Any) -> Array:
    flat = make_flattener(space)
    if isinstance(batch, dict):
        count = len(next(iter(batch.values())))
        values = [{key: part[place] for key, part in batch.items()} for place in range(count)]
    else:
        values = list(batch)
    return np.stack([np.asarray(flat(value), dtype=np.float64).reshape(-1) for value in values])


def _read_stored(model: Any) -> Any:
    """Observations that the model's own buffers hold, normalised as the model would see them."""
    buffer = getattr(model, "replay_buffer", None)
    if buffer is not None and (buffer.full or buffer.pos > 0):
        last = buffer.buffer_size if buffer.full else buffer.pos
        batch = _cut(buffer.observations, max(0, last - DRAWN), last)
        normaliser = model._vec_normalize_env
        return batch if normaliser is None else normaliser.normalize_obs(batch)
    buffer = getattr(model, "rollout_buffer", None)
    if buffer is not None and buffer.pos > 0 and not getattr(buffer, "generator_ready", False):
        return _cut(buffer.observations, 0, min(buffer.pos, DRAWN))
    return None


def _cut(held: Any, first: int, last: int) -> Any:
    """Steps of a buffer (steps, environments, ...) as one batch."""
    if isinstance(held, dict):
        return {key: _cut(value, first, last) for key, value in held.items()}
    return np.asarray(held[first:last, 0]).copy()


def find_normalisers(model: Any, given: ShownObservations) -> tuple[Normaliser, ...]:
    """Every running normaliser of observations between the environment and the model."""
    around = list_layers(model)
    batch = given.inner
    found = []
    for wrapper in around[1:]:
        if _turns(wrapper) and batch is not None:
            batch = wrapper.transpose_observations(batch)
        if _normalises(wrapper):
            found.append(_describe_vec_normalize(wrapper, batch))
    if around:
        found.extend(_find_inner_normalisers(around[0]))
    return tuple(found)


def _describe_vec_normalize(wrapper: Any, batch: Any) -> Normaliser:
    statistics = wrapper.obs_rms if isinstance(wrapper.obs_rms, dict) else {"": wrapper.obs_rms}
    means = np.concatenate([np.reshape(each.mean, -1) for each in statistics.values()])
    variances = np.concatenate([np.reshape(each.var, -1) for each in statistics.values()])
    facts: dict[str, Any] = {}
    if batch is not None:
        rows = np.concatenate([_flatten_rows(batch[key] if key else batch) for key in statistics], axis=1)
        facts = _measure_normalised(rows, means, variances, float(wrapper.epsilon), float(wrapper.clip_obs))
    return Normaliser(
        kind="VecNormalize",
        samples=min(float(each.count) for each in statistics.values()),
        training=bool(wrapper.training),
        clip=float(wrapper.clip_obs),
        mean_largest=float(np.abs(means).max()),
        variance_smallest=float(variances.min()),
        variance_largest=float(variances.max()),
        **facts,
    )


def _flatten_rows(batch: Any) -> Array:
    return np.asarray(batch, dtype=np.float64).reshape(len(batch), -1)


def _measure_normalised(rows: Array, means: Array, variances: Array, epsilon: float, clip: float) -> dict[str, Any]:
    spread = np.sqrt(variances + epsilon)
    through = (rows - means) / spread
    own = rows.std(axis=0)
    narrow = np.flatnonzero(own > FAR_TOO_NARROW * spread)
    return {
        "clipped": float(np.mean(np.abs(through) >= clip)),
        "centre": float(np.abs(through.mean(axis=0)).max()),
        "scale": float(through.std(axis=0).max()),
        "narrow": tuple(f"observation[{place}]" for place in narrow[:20]),
    }


def _find_inner_normalisers(innermost: Any) -> Iterator[Normaliser]:
    """Gymnasium's own normaliser, inside the first member; what passes through it was not seen."""
    members = getattr(innermost, "envs", None) or [None]
    env = members[0]
    while env is not None:
        inside = getattr(env, "__dict__", {})
        statistics = inside.get("obs_rms")
        if statistics is not None and hasattr(statistics, "count"):
            variances = np.reshape(statistics.var, -1)
            yield Normaliser(
                kind=type(env).__name__,
                samples=float(statistics.count),
                training=getattr(env, "update_running_mean", None),
                mean_largest=float(np.abs(statistics.mean).max()),
                variance_smallest=float(variances.min()),
                variance_largest=float(variances.max()),
            )
        env = inside.get("env")
