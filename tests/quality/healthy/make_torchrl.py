"""Trains the healthy runs of the registry with TorchRL: `python make_torchrl.py [NAME ...]`.

PPO out of TorchRL's own parts (environment, collector, advantages, loss, logger), put together as its tutorials do.
A run is the folder that TorchRL's CSVLogger writes, and appears in `runs/` when it is finished. Runs logged in the
manner of its `Trainer` have flat keys, those in the manner of its scripts have them under `train/`.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path

import torch
from tensordict import TensorDict
from tensordict.nn import TensorDictModule
from torch import nn
from torchrl.collectors import Collector
from torchrl.data import LazyTensorStorage, ReplayBuffer
from torchrl.data.replay_buffers.samplers import SamplerWithoutReplacement
from torchrl.envs import Compose, DoubleToFloat, ExplorationType, RewardScaling, RewardSum, StepCounter, TransformedEnv
from torchrl.envs.libs.gym import GymEnv
from torchrl.envs.utils import set_exploration_type
from torchrl.modules import MLP, NormalParamExtractor, OneHotCategorical, ProbabilisticActor, TanhNormal, ValueOperator
from torchrl.objectives import ClipPPOLoss
from torchrl.objectives.value import GAE
from torchrl.record import CSVLogger

RUNS = Path(__file__).parent / "runs"
SEED = 3


@dataclass(frozen=True)
class Settings:
    env_name: str
    total_frames: int
    frames_per_batch: int = 1024
    mini_batch_size: int = 128
    ppo_epochs: int = 8
    lr: float = 1e-3
    anneal_lr: bool = True
    gamma: float = 0.99
    gae_lambda: float = 0.95
    clip_epsilon: float = 0.2
    entropy_coef: float = 0.001
    critic_coef: float = 0.5
    max_grad_norm: float = 0.5
    reward_scaling: float = 1.0


# name -> (settings, whether its keys stand under `train/`)
RECIPES: dict[str, tuple[Settings, bool]] = {
    "torchrl-ppo-cartpole": (Settings("CartPole-v1", 60 * 1024), False),
    "torchrl-ppo-acrobot": (Settings("Acrobot-v1", 80 * 1024), True),
    "torchrl-ppo-pendulum": (
        Settings(
            "Pendulum-v1", 60 * 2048, frames_per_batch=2048, mini_batch_size=256, lr=5e-4, gamma=0.9, reward_scaling=0.1
        ),
        True,
    ),
}


def main(names: list[str]) -> None:
    torch.set_num_threads(1)
    torch.backends.mkldnn.enabled = False
    for name in names or list(RECIPES):
        started = time.monotonic()
        final = train(name)
        print(f"{name:32s} last return {final:10.2f}  {time.monotonic() - started:6.0f} s", flush=True)


def train(name: str) -> float:
    """Trains one recipe and returns the mean return of the last evaluation."""
    settings, scripted = RECIPES[name]
    torch.manual_seed(SEED)
    with tempfile.TemporaryDirectory() as folder:
        logger = CSVLogger(name, log_dir=folder)
        logger.log_hparams(asdict(settings) | {"algorithm": "ppo", "seed": SEED})
        final = PPO(settings, logger, "train/" if scripted else "").run()
        shutil.rmtree(RUNS / name, ignore_errors=True)
        shutil.copytree(Path(folder) / name, RUNS / name)
    return final


def environment(settings: Settings) -> TransformedEnv:
    """An environment that keeps the raw return beside the reward learnt from."""
    transforms = Compose(DoubleToFloat(), RewardSum(), StepCounter(), RewardScaling(0.0, settings.reward_scaling))
    env = TransformedEnv(GymEnv(settings.env_name), transforms)
    env.set_seed(SEED)
    return env


def networks(env: TransformedEnv) -> tuple[ProbabilisticActor, ValueOperator]:
    spec = env.action_spec_unbatched
    inputs = env.observation_spec["observation"].shape[-1]
    discrete = spec.dtype == torch.int64
    outputs = spec.shape[-1] if discrete else 2 * spec.shape[-1]
    body: nn.Module = MLP(inputs, outputs, num_cells=[64, 64], activation_class=nn.Tanh)
    if not discrete:
        body = nn.Sequential(body, NormalParamExtractor())
    keys = ["logits"] if discrete else ["loc", "scale"]
    actor = ProbabilisticActor(
        TensorDictModule(body, in_keys=["observation"], out_keys=keys),
        in_keys=keys,
        spec=spec,
        distribution_class=OneHotCategorical if discrete else TanhNormal,
        distribution_kwargs={} if discrete else {"low": spec.space.low, "high": spec.space.high},
        return_log_prob=True,
        default_interaction_type=ExplorationType.RANDOM,
    )
    critic = ValueOperator(MLP(inputs, 1, num_cells=[64, 64], activation_class=nn.Tanh), in_keys=["observation"])
    return actor, critic


class PPO:
    def __init__(self, settings: Settings, logger: CSVLogger, prefix: str) -> None:
        self.settings, self.logger, self.prefix = settings, logger, prefix
        env = environment(settings)
        self.evaluation = environment(settings)
        self.actor, critic = networks(env)
        self.advantages = GAE(gamma=settings.gamma, lmbda=settings.gae_lambda, value_network=critic)
        self.loss = ClipPPOLoss(
            self.actor,
            critic,
            clip_epsilon=settings.clip_epsilon,
            entropy_coeff=settings.entropy_coef,
            critic_coeff=settings.critic_coef,
            normalize_advantage=True,
        )
        self.optimizer = torch.optim.Adam(self.loss.parameters(), lr=settings.lr, eps=1e-5)
        self.collector = Collector(
            env,
            self.actor,
            frames_per_batch=settings.frames_per_batch,
            total_frames=settings.total_frames,
            auto_register_policy_transforms=False,
        )
        self.buffer = ReplayBuffer(
            storage=LazyTensorStorage(settings.frames_per_batch),
            sampler=SamplerWithoutReplacement(),
            batch_size=settings.mini_batch_size,
        )

    def run(self) -> float:
        frames, final = 0, 0.0
        batches = self.settings.total_frames // self.settings.frames_per_batch
        schedule = torch.optim.lr_scheduler.LinearLR(
            self.optimizer, 1.0, 0.01 if self.settings.anneal_lr else 1.0, batches
        )
        for number, data in enumerate(self.collector):
            frames += data.numel()
            row = self.episodes(data) | self.learn(data) | {"lr": schedule.get_last_lr()[0]}
            self.log({self.prefix + key: value for key, value in row.items()}, frames)
            schedule.step()
            if number % 8 == 7 or number == batches - 1:
                final = self.evaluate()
                self.log({"eval/reward": final}, frames)
        self.collector.shutdown()
        return final

    def episodes(self, data: TensorDict) -> dict[str, float]:
        """Return and length of the episodes that ended in a batch, by the names that TorchRL gives them."""
        over = data["next", "done"]
        if not over.any():
            return {}
        names = ("reward", "episode_length") if self.prefix else ("episode_reward", "step_count")
        ended = (data["next", "episode_reward"][over], data["next", "step_count"][over])
        return {name: values.float().mean().item() for name, values in zip(names, ended, strict=True)}

    def learn(self, data: TensorDict) -> dict[str, float]:
        """Some epochs over a batch; the mean of what the loss module reports."""
        seen = []
        for _ in range(self.settings.ppo_epochs):
            with torch.no_grad():
                self.advantages(data)
            self.buffer.extend(data.reshape(-1))
            seen += [self.improve(part) for part in self.buffer]
        return {key: sum(each[key] for each in seen) / len(seen) for key in seen[0]}

    def improve(self, part: TensorDict) -> dict[str, float]:
        out = self.loss(part)
        (out["loss_objective"] + out["loss_critic"] + out["loss_entropy"]).backward()
        norm = nn.utils.clip_grad_norm_(self.loss.parameters(), self.settings.max_grad_norm)
        self.optimizer.step()
        self.optimizer.zero_grad()
        return {key: value.detach().mean().item() for key, value in out.items()} | {"grad_norm": norm.item()}

    @torch.no_grad()
    def evaluate(self, episodes: int = 5) -> float:
        with set_exploration_type(ExplorationType.DETERMINISTIC):
            ends = [self.evaluation.rollout(1000, self.actor)[-1] for _ in range(episodes)]
        return sum(end["next", "episode_reward"].item() for end in ends) / episodes

    def log(self, row: dict[str, float], frames: int) -> None:
        for key, value in row.items():
            self.logger.log_scalar(key, value, frames)


if __name__ == "__main__":
    main(sys.argv[1:])
