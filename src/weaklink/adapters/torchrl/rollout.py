"""A batch of TorchRL's collectors as evidence: rewards and values, likelihoods, pairing, in the order of time."""

from __future__ import annotations

import contextlib
from typing import Any, NamedTuple

import numpy as np
import torch

from weaklink.adapters.torch.loop import MOST_ROWS, chosen, leave_undisturbed, to_array
from weaklink.adapters.torchrl.parts import ACTORS, HeldModule, find_estimators
from weaklink.base.evidence.config import Config, infer_family
from weaklink.base.evidence.rollout import Array, Estimates, Pairing, PolicySpread, Probabilities, Rollout

NUMBERS_COMPARED = 4_000_000
"""Numbers of observations that are compared at most."""

TELLING = 0.5
"""Share of rows without an end whose next observation is that of the following row, at which rows are in order."""

MASK = ("collector", "mask")

ALGORITHMS = (
    ("PPO", "PPO"), ("A2C", "A2C"), ("Reinforce", "REINFORCE"), ("CrossQ", "CrossQ"), ("REDQ", "REDQ"), ("SAC", "SAC"),
    ("TD3", "TD3"), ("DDPG", "DDPG"), ("DQN", "DQN"), ("CQL", "CQL"), ("IQL", "IQL"),
)  # fmt: skip


class LossKeys(NamedTuple):
    """Where a loss looks for things in a batch."""

    advantage: Any = "advantage"
    value_target: Any = "value_target"
    value: Any = "state_value"
    sample_log_prob: Any = "action_log_prob"
    action: Any = "action"
    reward: Any = "reward"
    done: Any = "done"
    terminated: Any = "terminated"


def read_keys(loss: Any) -> LossKeys:
    """The keys of a loss, TorchRL's own where it has none."""
    told = getattr(loss, "tensor_keys", None)
    known = {name: getattr(told, name, None) for name in LossKeys._fields}
    return LossKeys(**{name: key for name, key in known.items() if key is not None})


def name_algorithm(loss: Any) -> str:
    """The algorithm that a loss is named after."""
    name = type(loss).__name__
    return next((told for part, told in ALGORITHMS if part in name), "")


def of_tensordict(
    td: Any,
    *,
    loss: Any = None,
    gamma: float | None = None,
    lam: float | None = None,
    step: float = 0.0,
    update: int = 0,
    deep: bool = True,
    estimator: Any = None,
) -> Rollout:
    """A batch as a look before the first gradient step on it.

    Args:
        td: as a collector gave it, with the keys of a value estimator where one has been applied. Time is the dimension
            of that name, else the last of several; a batch of one dimension without a name must show its order.
        loss: the loss module, whose actor is asked anew and whose keys and estimator are used; or the actor itself.
        gamma: the discount; the estimator's where it is not given.
        lam: lambda of the advantages, likewise.
        step: environment steps so far.
        update: which update this is, counted from 1.
        deep: False for the numbers that are there already, without asking the actor or comparing observations.
        estimator: the value estimator, where the loss does not have it.
    """
    keys, found = read_keys(loss), [estimator] if estimator is not None else find_estimators(loss)
    time = _find_time(td)
    algorithm = name_algorithm(loss)
    probabilities, spread = measure_likelihoods(td, loss, keys) if deep and loss is not None else (None, None)
    return Rollout(
        step=step,
        update=update,
        algorithm=algorithm,
        framework="torchrl",
        family=infer_family(Config({"algorithm": algorithm}), ()) or ("on-policy" if has(td, keys.advantage) else ""),
        estimates=None if time is None else _read_estimates(td, time, keys, gamma, lam, found),
        probabilities=probabilities,
        spread=spread,
        pairing=_make_pairing(td, time, loss) if deep and time is not None else None,
    )


def has(td: Any, key: Any) -> bool:
    """Whether a batch holds this key, nested or not."""
    return key in td.keys(True)


def make_next_key(key: Any) -> tuple[str, ...]:
    """The same key one step later."""
    return ("next", key) if isinstance(key, str) else ("next", *key)


def arrange_in_time(tensor: Any, time: int, dims: int) -> Array:
    """A tensor of the batch as an array (T, everything else that is batch or agent)."""
    held = to_array(tensor)
    if held.ndim > dims and held.shape[-1] == 1:
        held = held[..., 0]
    moved = np.moveaxis(held, time, 0)
    return np.ascontiguousarray(moved.reshape(moved.shape[0], -1))


def _find_time(td: Any) -> int | None:
    """The dimension of time, None where the rows of a batch are in no order."""
    if has(td, MASK):  # split into episodes and padded
        return None
    names = list(td.names) if td.names is not None else []
    if "time" in names:
        return names.index("time")
    if td.batch_dims != 1:
        return td.batch_dims - 1 if td.batch_dims else None
    return 0 if _in_order(td) else None


def _in_order(td: Any) -> bool:
    key = next((key for key in td.keys(True, True) if _is_observation(td, key)), None)
    if key is None or len(td) < 2:
        return False
    now, later = td[key][1:65], td[make_next_key(key)][:64]
    ended = td["next", "done"].reshape(len(td), -1)[:64, 0] if has(td, ("next", "done")) else torch.zeros(len(now))
    same = (now == later[: len(now)]).reshape(len(now), -1).all(dim=1)[~ended[: len(now)].bool()]
    return bool(len(same)) and float(same.float().mean()) >= TELLING


def _is_observation(td: Any, key: Any) -> bool:
    path = (key,) if isinstance(key, str) else key
    if path[0] in ("next", "collector") or not has(td, make_next_key(key)):
        return False
    return "observation" in path[-1] or path[-1] in ("pixels", "obs", "state")


def _read_estimates(
    td: Any, time: int, keys: LossKeys, gamma: float | None, lam: float | None, found: list[Any]
) -> Estimates | None:
    if not has(td, make_next_key(keys.reward)):
        return None
    dims = td.batch_dims
    rewards = arrange_in_time(td[make_next_key(keys.reward)], time, dims)

    def read(key: Any) -> Array | None:
        if not has(td, key):
            return None
        values = arrange_in_time(td[key], time, dims)
        return values if values.shape == rewards.shape else None

    done, terminated = read(make_next_key(keys.done)), read(make_next_key(keys.terminated))
    ended = done if done is not None else terminated
    known = terminated if terminated is not None else ended
    following = read(make_next_key(keys.value))
    estimator = found[0] if found else None
    return Estimates(
        rewards=rewards,
        values=read(keys.value),
        terminated=known,
        truncated=ended & ~known if ended is not None and known is not None and terminated is not None else None,
        last_value=None if following is None else following[-1],
        final_values=following,
        gamma=gamma if gamma is not None else _read_number(estimator, "gamma"),
        lam=lam if lam is not None else _read_number(estimator, "lmbda"),
        advantages=read(keys.advantage),
        returns=read(keys.value_target),
        normalised=bool(getattr(estimator, "average_gae", False)),
    )


def _read_number(estimator: Any, name: str) -> float | None:
    held = getattr(estimator, name, None)
    return None if held is None else round(float(held), 6)


def _make_pairing(td: Any, time: int, loss: Any) -> Pairing | None:
    """Observations and those stored as the next ones; TorchRL keeps the last of an episode there, not the first."""
    seen = [key for key in td.keys(True, True) if _is_observation(td, key)]
    actor = next((getattr(loss, name) for name in ACTORS if hasattr(getattr(loss, name, None), "in_keys")), None)
    wanted = [key for key in getattr(actor, "in_keys", ()) if key in seen] or seen
    if not wanted or not has(td, ("next", "done")):
        return None
    size = sum(int(np.prod(td[key].shape)) for key in wanted)
    steps = max(2, int(td.shape[time] * min(1.0, NUMBERS_COMPARED / max(size, 1))))
    part = td.narrow(time, 0, min(steps, td.shape[time])) if hasattr(td, "narrow") else td
    dims = td.batch_dims
    return Pairing(
        observations=_read_rows(part, wanted, time, dims),
        next_observations=_read_rows(part, [make_next_key(key) for key in wanted], time, dims),
        ended=arrange_in_time(part["next", "done"], time, dims),
    )


def _read_rows(td: Any, keys: list[Any], time: int, dims: int) -> Array:
    parts = []
    for key in keys:
        moved = np.moveaxis(to_array(td[key]), time, 0)
        members = int(np.prod(moved.shape[1:dims], dtype=int))
        parts.append(moved.reshape(moved.shape[0], members, -1))
    return np.concatenate(parts, axis=2)


def measure_likelihoods(
    td: Any, loss: Any, keys: LossKeys, *, most: int = MOST_ROWS
) -> tuple[Probabilities | None, PolicySpread | None]:
    """What the actor of a loss says of the stored actions now, and how random it is."""
    stored_key = next(
        (key for key in (keys.sample_log_prob, "action_log_prob", "sample_log_prob") if has(td, key)), None
    )
    asked = find_actor(loss)
    if stored_key is None or asked is None or not has(td, keys.action):
        return None, None
    rows = td.reshape(-1)[chosen(td.numel(), most)]
    needed = rows.select(*asked.in_keys, strict=False)
    with leave_undisturbed(*_list_modules(loss)):
        distribution = asked.get_dist(needed.clone())
        fresh = distribution.log_prob(rows[keys.action])
        half = max(len(rows) // 2, 1)
        again = asked.get_dist(needed[:half].clone()).log_prob(rows[keys.action][:half])
    if not torch.is_tensor(fresh):
        return None, None
    flat = [
        _sum_rows(each, count) for each, count in ((fresh, len(rows)), (again, half), (rows[stored_key], len(rows)))
    ]
    probabilities = Probabilities(
        stored=flat[2],
        fresh=flat[0],
        floor=float(np.abs(flat[0][:half] - flat[1]).max(initial=0.0)),
        clip_range=_read_clip_range(loss),
    )
    return probabilities, _measure_spread(distribution, len(rows))


def find_actor(loss: Any) -> Any:
    """The actor of a loss with the weights that the loss trains, where it has a distribution."""
    if hasattr(loss, "get_dist"):
        return loss
    for name in ACTORS:
        module, weights = getattr(loss, name, None), getattr(loss, f"{name}_params", None)
        if module is not None and hasattr(module, "get_dist"):
            return module if weights is None else HeldModule(module, weights)
    return None


def _list_modules(loss: Any) -> list[Any]:
    return [loss] if isinstance(loss, torch.nn.Module) else []


def _sum_rows(tensor: Any, rows: int) -> Array:
    return np.asarray(to_array(tensor).astype(np.float64).reshape(rows, -1).sum(axis=1))


def _read_clip_range(loss: Any) -> float | None:
    held = getattr(loss, "clip_epsilon", None)
    return float(held) if held is not None and getattr(held, "ndim", 0) == 0 else None


def _measure_spread(distribution: Any, rows: int) -> PolicySpread | None:
    """Entropies where they can be said without drawing, and the standard deviation of each action dimension."""
    entropy: Array | None = None
    with contextlib.suppress(NotImplementedError, AttributeError):
        entropy = _sum_rows(distribution.entropy(), rows)
    logits: Any = getattr(distribution, "logits", None)
    scale = getattr(distribution, "scale", None)
    if entropy is None and not torch.is_tensor(scale):
        return None
    return PolicySpread(
        entropy=entropy,
        largest_entropy=float(np.log(logits.shape[-1])) if torch.is_tensor(logits) and entropy is not None else None,
        action_std=to_array(scale).reshape(rows, -1).mean(axis=0) if torch.is_tensor(scale) else None,
    )
