"""A copy of a Stable-Baselines3 model that trains for a moment on stand-in data, so that nothing of the user's moves.

The stand-in environment hands out observations that were seen before, with random rewards and episode ends. It never
steps the user's environment, and its rewards always vary, so a gradient that stays away was blocked.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

import numpy as np
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.logger import Logger
from stable_baselines3.common.on_policy_algorithm import OnPolicyAlgorithm
from stable_baselines3.common.type_aliases import TrainFreq, TrainFrequencyUnit
from stable_baselines3.common.vec_env import VecEnv

from weaklink.adapters.torch.watch import copy_deeply, find_place, format_error
from weaklink.base.evidence.model import ModelUpdates

MOST_ENVS = 8
FEWEST, MOST_STEPS = 64, 512
"""Transitions of a stand-in rollout, over all environments."""

EPISODE_END = 0.1
LONG = 1_000_000
"""The budget that schedules believe in: they stand at their start."""


class StandInEnvironment(VecEnv):  # type: ignore[misc]
    """Observations that were seen before, in random order, with random rewards and ends."""

    def __init__(self, batch: Any, observation_space: Any, action_space: Any, count: int, seed: int) -> None:
        self._batch = batch
        self._rows = len(next(iter(batch.values())) if isinstance(batch, dict) else batch)
        self._rng = np.random.default_rng(seed)
        self._since = np.zeros(count, dtype=int)
        super().__init__(count, observation_space, action_space)

    def _picked(self, count: int) -> Any:
        chosen = self._rng.integers(0, self._rows, count)
        if isinstance(self._batch, dict):
            return {key: value[chosen].copy() for key, value in self._batch.items()}
        return self._batch[chosen].copy()

    def _rewards(self, count: int) -> Any:
        return self._rng.normal(0.0, 1.0, (count,)).astype(np.float32)

    def reset(self) -> Any:
        """Begins an episode in each member."""
        self._since[:] = 0
        return self._picked(self.num_envs)

    def step_async(self, actions: Any) -> None:
        """Actions change nothing here."""

    def step_wait(self) -> Any:
        """Something that was seen before, a random reward, and now and then an end."""
        self._since += 1
        done = (self._rng.random(self.num_envs) < EPISODE_END) | (self._since >= round(2 / EPISODE_END))
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        for member in np.flatnonzero(done):
            last = self._picked(1)
            infos[member]["terminal_observation"] = (
                {key: value[0] for key, value in last.items()} if isinstance(last, dict) else last[0]
            )
            infos[member]["TimeLimit.truncated"] = bool(self._rng.random() < 0.5)
        self._since[done] = 0
        return self._picked(self.num_envs), self._rewards(self.num_envs), done, infos

    def close(self) -> None:
        """Holds nothing."""

    def has_attr(self, attr_name: str) -> bool:
        """It can be asked for masks, as every masked algorithm wants."""
        return attr_name in ("action_masks", "render_mode", "compute_reward")

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """Nothing but that it draws nothing."""
        if attr_name != "render_mode":
            raise AttributeError(f"the stand-in environment has no {attr_name}")
        return [None] * self.num_envs

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """Keeps nothing."""

    def env_method(self, method_name: str, *args: Any, indices: Any = None, **kwargs: Any) -> list[Any]:
        """All actions are valid; a relabelled goal earns a random reward."""
        if method_name == "action_masks":
            return [np.ones(_count_mask(self.action_space), dtype=bool)] * self.num_envs
        if method_name == "compute_reward":
            return [self._rewards(len(args[0]))]
        raise AttributeError(f"the stand-in environment has no {method_name}")

    def env_is_wrapped(self, wrapper_class: Any, indices: Any = None) -> list[bool]:
        """No wrapper is here."""
        return [False] * self.num_envs


def _count_mask(space: Any) -> int:
    if hasattr(space, "nvec"):
        return int(np.sum(space.nvec))
    return 2 * int(np.prod(space.shape)) if space.shape else int(space.n)


def copy_model(model: Any) -> Any:
    """A deep copy without the environment, the data and the logger; the user's model is only read."""
    stripped = copy.copy(model)
    stripped.__dict__.update(env=None, _vec_normalize_env=None, _logger=None, tensorboard_log=None, verbose=0)
    stripped.__dict__.update({name: None for name in ("replay_buffer", "rollout_buffer") if name in model.__dict__})
    return copy_deeply(stripped, *_list_environments(model.env))


def _list_environments(around: Any) -> Iterator[Any]:
    """A vector environment, its wrappers, its members and theirs: none of them may be copied by accident."""
    while around is not None:
        yield around
        for member in vars(around).get("envs") or ():
            while member is not None:
                yield member
                member = getattr(member, "__dict__", {}).get("env")
        around = vars(around).get("venv")


def prepare_copy(twin: Any, model: Any, batch: Any, seed: int) -> None:
    """Gives a copy the stand-in environment and small buffers, and leaves everything else as the user set it."""
    count = max(1, int(model.n_envs or 1))
    count = count if count <= MOST_ENVS else 1
    twin.env = StandInEnvironment(batch, model.observation_space, model.action_space, count, seed)
    twin.n_envs, twin._last_obs = count, None
    twin._logger, twin._custom_logger = Logger(folder=None, output_formats=[]), True
    if isinstance(twin, OnPolicyAlgorithm):
        _shrink_rollouts(twin, model, count)
    else:
        _shrink_replay(twin, count)


def _shrink_rollouts(twin: Any, model: Any, count: int) -> None:
    batch = int(getattr(twin, "batch_size", 0) or FEWEST)
    wanted = min(int(twin.n_steps) * count, MOST_STEPS, max(2 * batch, FEWEST))
    if wanted < twin.n_steps * count:
        twin.n_steps = max(2, -(-wanted // count))
        if hasattr(twin, "batch_size"):
            twin.batch_size = min(batch, twin.n_steps * count)
            while twin.n_steps * count % twin.batch_size == 1:  # a minibatch of one is not of the user's making
                twin.n_steps += 1
    for repeats in ("n_epochs", "n_critic_updates"):
        if hasattr(twin, repeats):
            setattr(twin, repeats, min(int(getattr(twin, repeats)), 2))
    buffer = copy.copy(model.rollout_buffer)
    buffer.buffer_size, buffer.n_envs = int(twin.n_steps), count
    if hasattr(buffer, "hidden_state_shape"):
        layers, width = buffer.hidden_state_shape[1], buffer.hidden_state_shape[3]
        buffer.hidden_state_shape = (int(twin.n_steps), layers, count, width)
        states = twin._last_lstm_states
        cut = (tuple(part[:, :count].contiguous() for part in pair) for pair in states)
        twin._last_lstm_states = type(states)(*cut)
    buffer.reset()
    twin.rollout_buffer = buffer


def _shrink_replay(twin: Any, count: int) -> None:
    twin.learning_starts = min(max(int(twin.learning_starts), FEWEST), MOST_STEPS // 2)
    by_episode = twin.train_freq.unit == TrainFrequencyUnit.EPISODE and count == 1
    steps = 1 if by_episode else min(int(twin.train_freq.frequency), FEWEST)
    twin.train_freq = TrainFreq(steps, TrainFrequencyUnit.EPISODE if by_episode else TrainFrequencyUnit.STEP)
    if count == 1 and hasattr(twin.action_noise, "noises"):
        twin.action_noise = twin.action_noise.noises[0]
    more = dict(twin.replay_buffer_kwargs)
    if any(ancestor.__name__ == "HerReplayBuffer" for ancestor in twin.replay_buffer_class.__mro__):
        more["env"] = twin.env
    twin.replay_buffer = twin.replay_buffer_class(
        4 * MOST_STEPS * count,
        twin.observation_space,
        twin.action_space,
        device=twin.device,
        n_envs=count,
        optimize_memory_usage=twin.optimize_memory_usage,
        **more,
    )


class UpdateCounter(BaseCallback):  # type: ignore[misc]
    """Counts the updates of a copy, keeps their losses, and ends the training after as many as wanted."""

    def __init__(self, twin: Any, wanted: int, late: Any) -> None:
        super().__init__()
        self.losses: dict[str, float] = {}
        self.done, self.inside, self._wanted, self._late = 0, False, wanted, late
        self._trained, self._whole = twin.train, max(1, int(getattr(twin, "policy_delay", 1) or 1))
        twin.train = self._train

    def _train(self, *args: Any, **options: Any) -> None:
        if "gradient_steps" in options:
            options["gradient_steps"] = self._whole
        self.inside = True
        self._trained(*args, **options)
        self.inside = False
        self.done += 1
        values = self.model.logger.name_to_value
        losses = {name.removeprefix("train/"): value for name, value in values.items() if "loss" in name}
        self.losses = {name: float(value) for name, value in losses.items()}

    def _on_step(self) -> bool:
        return self.done < self._wanted and not self._late()


def update_copy(twin: Any, wanted: int, late: Any) -> ModelUpdates:
    """Trains the copy by its own `learn`; what its own updates or networks raise is part of the evidence."""
    updating = UpdateCounter(twin, wanted, late)
    error, where = "", ""
    try:
        twin.learn(total_timesteps=LONG, callback=updating)
    except Exception as raised:
        if not (updating.inside or _from_networks(raised)):
            raise
        error, where = format_error(raised), find_place(raised)
    finally:
        twin.__dict__.pop("train", None)
    return ModelUpdates(
        count=updating.done,
        losses=updating.losses,
        non_finite=tuple(name for name, value in updating.losses.items() if not np.isfinite(value)),
        learning_rates=tuple(float(group["lr"]) for one in find_optimizers(twin) for group in one.param_groups),
        error=error,
        where=where,
    )


def _from_networks(error: BaseException) -> bool:
    """Whether an exception came out of a network or a distribution, and not out of the stand-in environment."""
    trace = error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_globals.get("__name__", "").startswith(("torch.nn.", "torch.distributions.")):
            return True
        trace = trace.tb_next
    return False


def find_optimizers(model: Any) -> list[Any]:
    """Every optimizer of a model, wherever it keeps it."""
    holders = [model, model.policy, *model.policy.modules()]
    found = {id(value): value for each in holders for value in vars(each).values() if hasattr(value, "param_groups")}
    return list(found.values())
