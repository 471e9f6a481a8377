"""Trainers that probes run by name: TorchRL's own losses, estimators, collectors and buffers with small networks."""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
import torch
from tensordict.nn import TensorDictModule, TensorDictSequential
from torchrl._utils import logger
from torchrl.data import LazyTensorStorage, SamplerWithoutReplacement, TensorDictReplayBuffer
from torchrl.modules import EGreedyModule, ProbabilisticActor, QValueActor, ValueOperator
from torchrl.objectives import ClipPPOLoss, DiscreteSACLoss, DQNLoss, SACLoss, SoftUpdate
from torchrl.objectives.value import GAE

from weaklink.adapters.torchrl.agent import TorchRLAgent, agent_of
from weaklink.adapters.torchrl.networks import (
    ActionNetwork,
    StateNetwork,
    bounded,
    make_encoder,
    make_members,
    make_policy_head,
)
from weaklink.adapters.torchrl.parts import agent_of_loss
from weaklink.base.errors import UsageError
from weaklink.base.evidence.traits import CONTINUOUS, DISCRETE, Traits

with warnings.catch_warnings():  # it warns of classes of its own while it is imported
    warnings.simplefilter("ignore", DeprecationWarning)
    from torchrl.collectors import Collector

SHARED: dict[str, Any] = {"gamma": 0.9, "n_envs": 16, "cells": [32, 32], "max_grad_norm": 1.0}
ON_POLICY: dict[str, Any] = {
    "lr": 5e-3,
    "anneal": True,
    "frames_per_batch": 256,
    "minibatch": 128,
    "epochs": 6,
    "clip_epsilon": 0.2,
    "entropy_coeff": 0.01,
    "critic_coeff": 1.0,
    "lmbda": 0.95,
}
OFF_POLICY: dict[str, Any] = {
    "lr": 3e-3,
    "anneal": True,
    "frames_per_batch": 16,
    "buffer_size": 20_000,
    "batch_size": 64,
    "warm_up": 256,
    "updates_per_batch": 8,
    "tau": 0.15,
}
SOFT: dict[str, Any] = {"alpha_init": 0.1, "alpha_lr": 3e-2, "target_entropy": "auto"}
GREEDY: dict[str, Any] = {"eps_init": 1.0, "eps_end": 0.1, "exploration_fraction": 0.5}
PROBED: dict[str, dict[str, Any]] = {
    "PPO": SHARED | ON_POLICY,
    "SAC": SHARED | OFF_POLICY | SOFT,
    "DQN": SHARED | OFF_POLICY | GREEDY,
}
TRAITS = {
    "PPO": Traits(steps=2048, several=True),
    "SAC": Traits(steps=1536, actions=(CONTINUOUS,)),
    "DQN": Traits(steps=2048, actions=(DISCRETE,)),
}


def trainer(name: str, settings: Mapping[str, Any] | None = None) -> Callable[..., TorchRLAgent]:
    """The trainer of an algorithm.

    Args:
        name: `PPO`, `SAC` or `DQN`.
        settings: what differs from the settings for probes.

    Returns:
        `train(make_env, steps, seed, gamma=0.9)`, which returns the trained agent. Where the settings have a `gamma`,
        that one is used and `train` takes none.

    Raises:
        UsageError: for an algorithm or a setting that is not known.
    """
    known = {each.lower(): each for each in PROBED}
    if name.lower() not in known:
        raise UsageError(
            f"TorchRL trainers by name are {', '.join(PROBED)}, not {name}. For any other, write train(make_env, "
            "steps, seed) and return weaklink.adapters.torchrl.agent.agent_of(actor, value)."
        )
    algorithm, given = known[name.lower()], dict(settings or {})
    wrong = sorted(set(given) - set(PROBED[algorithm]))
    if wrong:
        raise UsageError(
            f"torchrl:{algorithm} has no setting {', '.join(wrong)}. It has {', '.join(sorted(PROBED[algorithm]))}."
        )
    chosen = PROBED[algorithm] | given

    def train(make_env: Callable[[], Any], steps: int, seed: int, gamma: float = chosen["gamma"]) -> TorchRLAgent:
        torch.manual_seed(seed)
        with _silence(), contextlib.closing(_TrainingTask(make_env, steps, seed, chosen | {"gamma": gamma})) as task:
            return {"PPO": _train_ppo, "SAC": _train_sac, "DQN": _train_dqn}[algorithm](task)

    def with_own_discount(make_env: Callable[[], Any], steps: int, seed: int) -> TorchRLAgent:
        return train(make_env, steps, seed)

    made: Callable[..., TorchRLAgent] = with_own_discount if "gamma" in given else train
    made.traits = TRAITS[algorithm]  # type: ignore[attr-defined]
    made.settings = PROBED[algorithm]  # type: ignore[attr-defined]
    return made


@contextlib.contextmanager
def _silence() -> Iterator[None]:
    """Without the lines that TorchRL logs for each buffer."""
    before = logger.level
    logger.setLevel("WARNING")
    try:
        yield
    finally:
        logger.setLevel(before)


class _TrainingTask:
    """One training: its environment, its settings and what every algorithm does with them."""

    def __init__(self, make_env: Callable[[], Any], steps: int, seed: int, settings: dict[str, Any]) -> None:
        self.steps, self.settings = steps, settings
        self.env, self.space, self.action_space = make_members(make_env, int(settings["n_envs"]), seed)
        self.cells = [int(width) for width in settings["cells"]]
        self.gamma = float(settings["gamma"])

    def close(self) -> None:
        """Closes the environments, where a collector has not done so."""
        if not self.env.is_closed:
            self.env.close()

    def actor(self) -> Any:
        """A policy for the action space."""
        network, keys, distribution, options = make_policy_head(self.space, self.action_space, self.cells)
        return ProbabilisticActor(
            TensorDictModule(network, in_keys=["observation"], out_keys=keys),
            in_keys=keys,
            spec=self.env.action_spec_unbatched,
            distribution_class=distribution,
            distribution_kwargs=options,
            return_log_prob=True,
        )

    def batches(self, policy: Any, **options: Any) -> Iterator[Any]:
        """What the collector brings, until the steps are used up."""
        frames = int(self.settings["frames_per_batch"])
        collector = Collector(
            self.env,
            policy,
            frames_per_batch=frames,
            total_frames=self.steps,
            auto_register_policy_transforms=False,
            **options,
        )
        try:
            yield from collector
        finally:
            collector.shutdown()

    @property
    def rounds(self) -> int:
        """How many batches there will be."""
        return max(1, -(-self.steps // int(self.settings["frames_per_batch"])))

    def optimizer(self, groups: Any, updates: int) -> tuple[Any, Any]:
        """Adam, and its schedule over this many updates."""
        optimizer = torch.optim.Adam(groups, lr=float(self.settings["lr"]), fused=True)
        last = 0.1 if self.settings["anneal"] else 1.0
        schedule = torch.optim.lr_scheduler.LinearLR(optimizer, 1.0, last, total_iters=max(1, updates))
        return optimizer, schedule

    def stepped(self, optimizer: Any, losses: Any) -> None:
        """One update on all losses."""
        loss = sum(value for key, value in losses.items() if key.startswith("loss"))
        optimizer.zero_grad()
        loss.backward()
        held = [tensor for group in optimizer.param_groups for tensor in group["params"]]
        torch.nn.utils.clip_grad_norm_(held, float(self.settings["max_grad_norm"]))
        optimizer.step()

    def replay(self) -> Any:
        """An empty replay buffer."""
        storage = LazyTensorStorage(int(self.settings["buffer_size"]))
        return TensorDictReplayBuffer(storage=storage, batch_size=int(self.settings["batch_size"]))


def _train_ppo(task: _TrainingTask) -> TorchRLAgent:
    given = task.settings
    actor = task.actor()
    critic = ValueOperator(StateNetwork(task.space, 1, task.cells), in_keys=["observation"])
    estimator = GAE(gamma=task.gamma, lmbda=float(given["lmbda"]), value_network=critic)
    loss = ClipPPOLoss(
        actor,
        critic,
        clip_epsilon=float(given["clip_epsilon"]),
        entropy_coeff=float(given["entropy_coeff"]),
        critic_coeff=float(given["critic_coeff"]),
        loss_critic_type="l2",
        normalize_advantage=True,
    )
    frames, epochs = int(given["frames_per_batch"]), int(given["epochs"])
    buffer = TensorDictReplayBuffer(
        storage=LazyTensorStorage(frames), sampler=SamplerWithoutReplacement(), batch_size=int(given["minibatch"])
    )
    optimizer, schedule = task.optimizer(loss.parameters(), task.rounds)
    for batch in task.batches(actor):
        for _ in range(epochs):
            with torch.no_grad():
                estimator(batch)  # with the critic as it is by now
            buffer.empty()
            buffer.extend(batch.reshape(-1))
            for part in buffer:
                task.stepped(optimizer, loss(part))
        schedule.step()
    return agent_of(actor, critic, gamma=task.gamma, encode=make_encoder(task.space))


def _train_sac(task: _TrainingTask) -> TorchRLAgent:
    discrete = not hasattr(task.action_space, "low")
    loss = _make_discrete_sac_loss(task) if discrete else _make_sac_loss(task)
    loss.make_value_estimator(gamma=task.gamma)
    temperature = [value for name, value in loss.named_parameters() if name == "log_alpha"]
    rest = [value for name, value in loss.named_parameters() if name != "log_alpha"]
    groups = [{"params": rest}, {"params": temperature, "lr": float(task.settings["alpha_lr"])}]
    _train_from_replay(task, loss, loss.actor_network, groups)
    return agent_of_loss(loss, gamma=task.gamma, encode=make_encoder(task.space))


def _make_sac_loss(task: _TrainingTask) -> Any:
    if not bounded(task.action_space):
        raise UsageError(f"torchrl:SAC needs finite bounds of the actions, and these are {task.action_space}.")
    given = task.settings
    target = given["target_entropy"]
    if target == "auto":  # as wide in every range of actions as -dimensions is in [-1, 1]
        target = float(np.log((task.action_space.high - task.action_space.low) / 2).sum()) - task.action_space.shape[0]
    network = ActionNetwork(task.space, task.action_space, task.cells)
    qvalue = ValueOperator(network, in_keys=["observation", "action"])
    return SACLoss(
        task.actor(), qvalue, alpha_init=float(given["alpha_init"]), target_entropy=target, loss_function="l2"
    )


def _make_discrete_sac_loss(task: _TrainingTask) -> Any:
    count = _count_choices(task, "SAC")
    given = task.settings
    target = 0.3 * float(np.log(count)) if given["target_entropy"] == "auto" else float(given["target_entropy"])
    network = StateNetwork(task.space, count, task.cells)
    return DiscreteSACLoss(
        task.actor(),
        ValueOperator(network, in_keys=["observation"], out_keys=["action_value"]),
        action_space="categorical",
        num_actions=count,
        alpha_init=float(given["alpha_init"]),
        target_entropy=target,
        loss_function="l2",
    )


def _train_dqn(task: _TrainingTask) -> TorchRLAgent:
    count, given = _count_choices(task, "DQN"), task.settings
    spec = task.env.action_spec_unbatched
    actor = QValueActor(StateNetwork(task.space, count, task.cells), in_keys=["observation"], spec=spec)
    annealed = max(1, int(task.steps * float(given["exploration_fraction"])))
    greedy = EGreedyModule(
        task.env.action_spec,
        eps_init=float(given["eps_init"]),
        eps_end=float(given["eps_end"]),
        annealing_num_steps=annealed,
    )
    loss = DQNLoss(actor, action_space="categorical", delay_value=True, double_dqn=True, loss_function="l2")
    loss.make_value_estimator(gamma=task.gamma)
    frames = int(given["frames_per_batch"])
    _train_from_replay(task, loss, TensorDictSequential(actor, greedy), loss.parameters(), lambda: greedy.step(frames))
    return agent_of(actor, gamma=task.gamma, encode=make_encoder(task.space))


def _count_choices(task: _TrainingTask, algorithm: str) -> int:
    count = getattr(task.action_space, "n", None)
    if count is None or getattr(task.action_space, "start", 0) != 0:
        raise UsageError(f"torchrl:{algorithm} cannot take the actions {task.action_space}.")
    return int(count)


def _train_from_replay(
    task: _TrainingTask, loss: Any, policy: Any, groups: Any, collected: Callable[[], object] = lambda: None
) -> None:
    """Off-policy training: some updates after each batch, from the replay buffer."""
    buffer, warm_up = task.replay(), int(task.settings["warm_up"])
    target = SoftUpdate(loss, tau=float(task.settings["tau"]))
    optimizer, schedule = task.optimizer(groups, task.rounds)
    for batch in task.batches(policy, init_random_frames=warm_up):
        buffer.extend(batch.reshape(-1))
        collected()
        if len(buffer) < warm_up:
            continue
        for _ in range(int(task.settings["updates_per_batch"])):
            task.stepped(optimizer, loss(buffer.sample()))
            target.step()
        schedule.step()
