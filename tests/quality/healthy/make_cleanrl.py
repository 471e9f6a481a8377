"""Trains the healthy runs of the registry that log as CleanRL does: `python make_cleanrl.py [NAME ...]`.

PPO and DQN in the manner of CleanRL's scripts, written anew and short: vector environments, one file, the same keys in
one event file, the hyper-parameters as a table of text. The settings are those of CleanRL's scripts unless a recipe
says otherwise. Only every n-th update or episode is logged where the file would grow large; what is logged is as
CleanRL logs it: returns by episode, losses of the last minibatch. A run appears in `runs/` when it is finished.
"""

from __future__ import annotations

import random
import shutil
import sys
import tempfile
import time
from collections import deque
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path

import gymnasium as gym
import numpy as np
import torch
from torch import Tensor, nn
from torch.distributions import Categorical, Distribution, Independent, Normal
from torch.utils.tensorboard import SummaryWriter

RUNS = Path(__file__).parent / "runs"


@dataclass(frozen=True)
class Ppo:
    env_id: str
    total_timesteps: int
    exp_name: str = "ppo"
    seed: int = 1
    learning_rate: float = 2.5e-4
    num_envs: int = 4
    num_steps: int = 128
    anneal_lr: bool = True
    gamma: float = 0.99
    gae_lambda: float = 0.95
    num_minibatches: int = 4
    update_epochs: int = 4
    norm_adv: bool = True
    clip_coef: float = 0.2
    clip_vloss: bool = True
    ent_coef: float = 0.01
    vf_coef: float = 0.5
    max_grad_norm: float = 0.5

    @property
    def batch_size(self) -> int:
        return self.num_envs * self.num_steps

    @property
    def num_iterations(self) -> int:
        return self.total_timesteps // self.batch_size


@dataclass(frozen=True)
class Dqn:
    env_id: str
    total_timesteps: int
    exp_name: str = "dqn"
    seed: int = 1
    learning_rate: float = 2.5e-4
    num_envs: int = 1
    buffer_size: int = 10_000
    gamma: float = 0.99
    tau: float = 1.0
    target_network_frequency: int = 500
    batch_size: int = 128
    start_e: float = 1.0
    end_e: float = 0.05
    exploration_fraction: float = 0.5
    learning_starts: int = 10_000
    train_frequency: int = 10


# name -> (settings, an update in so many is logged, an episode in so many is logged)
RECIPES: dict[str, tuple[Ppo | Dqn, int, int]] = {
    "cleanrl-ppo-cartpole": (Ppo("CartPole-v1", 300_000), 2, 3),
    "cleanrl-ppo-acrobot": (Ppo("Acrobot-v1", 200_000, learning_rate=1e-3), 1, 3),
    "cleanrl-ppo-pendulum": (
        Ppo(
            "Pendulum-v1",
            200_000,
            exp_name="ppo_continuous_action",
            learning_rate=1e-3,
            num_envs=4,
            num_steps=512,
            gamma=0.95,
            num_minibatches=8,
            update_epochs=10,
            ent_coef=0.0,
        ),
        1,
        2,
    ),
    "cleanrl-dqn-cartpole": (Dqn("CartPole-v1", 300_000), 1000, 4),
}


def main(names: list[str]) -> None:
    torch.set_num_threads(1)
    torch.backends.mkldnn.enabled = False
    for name in names or list(RECIPES):
        started = time.monotonic()
        final = train(name)
        print(f"{name:32s} last return {final:10.2f}  {time.monotonic() - started:6.0f} s", flush=True)


def train(name: str) -> float:
    """Trains one recipe and returns the mean return of its last episodes."""
    settings, every_update, every_episode = RECIPES[name]
    random.seed(settings.seed)
    np.random.seed(settings.seed)  # noqa: NPY002  (seeds gymnasium's older spaces too)
    torch.manual_seed(settings.seed)
    with tempfile.TemporaryDirectory() as folder:
        log = Log(Path(folder), every_update, every_episode)
        log.settings(settings)
        (train_ppo if isinstance(settings, Ppo) else train_dqn)(settings, log)
        log.writer.close()
        keep(Path(folder), RUNS / name)
    return float(np.mean(log.returns))


def keep(written: Path, folder: Path) -> None:
    """Moves the one event file of a finished run to its place, under a name that tells nothing of the machine."""
    (events,) = written.glob("events.out.tfevents.*")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    shutil.copyfile(events, folder / f"events.out.tfevents.{events.name.split('.')[3]}.host.1.0")


class Log:
    def __init__(self, folder: Path, every_update: int, every_episode: int) -> None:
        self.writer = SummaryWriter(str(folder))
        self.every_update = every_update
        self.every_episode = every_episode
        self.returns: deque[float] = deque(maxlen=20)
        self.episodes = 0
        self.started = time.monotonic()

    def settings(self, settings: Ppo | Dqn) -> None:
        rows = "\n".join(f"|{name}|{value}|" for name, value in asdict(settings).items())
        self.writer.add_text("hyperparameters", f"|param|value|\n|-|-|\n{rows}")

    def ended(self, infos: dict, step: int) -> None:
        """Logs the episodes that ended in a step of all environments."""
        if "final_info" not in infos:
            return
        episode = infos["final_info"]["episode"]
        for index in np.flatnonzero(infos["final_info"]["_episode"]):
            self.returns.append(float(episode["r"][index]))
            if self.episodes % self.every_episode == 0:
                self.writer.add_scalar("charts/episodic_return", episode["r"][index], step)
                self.writer.add_scalar("charts/episodic_length", episode["l"][index], step)
            self.episodes += 1

    def row(self, values: dict[str, float], step: int) -> None:
        for key, value in values.items():
            self.writer.add_scalar(key, value, step)
        self.writer.add_scalar("charts/SPS", int(step / (time.monotonic() - self.started)), step)


def environments(settings: Ppo | Dqn) -> gym.vector.VectorEnv:
    """Environments that give the first observation of the next episode in the step that ends one."""

    def one() -> gym.Env:
        env = gym.wrappers.RecordEpisodeStatistics(gym.make(settings.env_id))
        continuous = isinstance(env.action_space, gym.spaces.Box)
        return normalised(env, settings.gamma) if continuous else env

    mode = gym.vector.AutoresetMode.SAME_STEP
    return gym.vector.SyncVectorEnv([one] * settings.num_envs, autoreset_mode=mode)


def normalised(env: gym.Env, gamma: float) -> gym.Env:
    env = gym.wrappers.NormalizeObservation(gym.wrappers.ClipAction(env))
    env = gym.wrappers.TransformObservation(env, lambda seen: np.clip(seen, -10, 10), None)
    env = gym.wrappers.NormalizeReward(env, gamma=gamma)
    return gym.wrappers.TransformReward(env, lambda reward: np.clip(reward, -10, 10))


def layer(inputs: int, outputs: int, gain: float = 2**0.5) -> nn.Linear:
    made = nn.Linear(inputs, outputs)
    nn.init.orthogonal_(made.weight, gain)
    nn.init.zeros_(made.bias)
    return made


def network(inputs: int, outputs: int, gain: float) -> nn.Sequential:
    return nn.Sequential(layer(inputs, 64), nn.Tanh(), layer(64, 64), nn.Tanh(), layer(64, outputs, gain))


class Agent(nn.Module):
    def __init__(self, envs: gym.vector.VectorEnv) -> None:
        super().__init__()
        seen = int(np.prod(envs.single_observation_space.shape))
        self.continuous = isinstance(envs.single_action_space, gym.spaces.Box)
        choices = int(np.prod(envs.single_action_space.shape) if self.continuous else envs.single_action_space.n)
        self.critic = network(seen, 1, 1.0)
        self.actor = network(seen, choices, 0.01)
        self.log_std = nn.Parameter(torch.zeros(choices)) if self.continuous else None

    def policy(self, seen: Tensor) -> Distribution:
        out = self.actor(seen)
        if self.log_std is None:
            return Categorical(logits=out)
        return Independent(Normal(out, self.log_std.exp().expand_as(out)), 1)

    def value(self, seen: Tensor) -> Tensor:
        return self.critic(seen).squeeze(-1)


@dataclass
class Rollout:
    """What a rollout holds, by step and environment; `over` says whether a step ended its episode."""

    seen: list[Tensor] = field(default_factory=list)
    actions: list[Tensor] = field(default_factory=list)
    log_probs: list[Tensor] = field(default_factory=list)
    values: list[Tensor] = field(default_factory=list)
    rewards: list[Tensor] = field(default_factory=list)
    over: list[Tensor] = field(default_factory=list)


def train_ppo(settings: Ppo, log: Log) -> None:
    envs = environments(settings)
    agent = Agent(envs)
    optimizer = torch.optim.Adam(agent.parameters(), lr=settings.learning_rate, eps=1e-5)
    seen = torch.as_tensor(envs.reset(seed=settings.seed)[0], dtype=torch.float32)
    for iteration in range(settings.num_iterations):
        if settings.anneal_lr:
            optimizer.param_groups[0]["lr"] = settings.learning_rate * (1 - iteration / settings.num_iterations)
        rollout, seen = collect(envs, agent, seen, settings, log, iteration * settings.batch_size)
        losses = update(agent, optimizer, rollout, seen, settings)
        if iteration % log.every_update == 0:
            rate = {"charts/learning_rate": optimizer.param_groups[0]["lr"]}
            log.row(rate | losses, (iteration + 1) * settings.batch_size)
    envs.close()


@torch.no_grad()
def collect(
    envs: gym.vector.VectorEnv, agent: Agent, seen: Tensor, settings: Ppo, log: Log, step: int
) -> tuple[Rollout, Tensor]:
    rollout = Rollout()
    for _ in range(settings.num_steps):
        step += settings.num_envs
        policy = agent.policy(seen)
        action = policy.sample()
        following, reward, ended, cut, infos = envs.step(action.numpy())
        log.ended(infos, step)
        rollout.seen.append(seen)
        rollout.actions.append(action)
        rollout.log_probs.append(policy.log_prob(action))
        rollout.values.append(agent.value(seen))
        rollout.rewards.append(torch.as_tensor(reward, dtype=torch.float32))
        rollout.over.append(torch.as_tensor(ended | cut, dtype=torch.float32))
        seen = torch.as_tensor(following, dtype=torch.float32)
    return rollout, seen


@torch.no_grad()
def advantages_of(rollout: Rollout, last_value: Tensor, settings: Ppo) -> Tensor:
    """Generalised advantage estimates; an episode that was cut off counts as ended, as in CleanRL."""
    result: list[Tensor] = []
    following, running = last_value, torch.zeros_like(last_value)
    steps = zip(reversed(rollout.rewards), reversed(rollout.values), reversed(rollout.over), strict=True)
    for reward, value, over in steps:
        surprise = reward + settings.gamma * following * (1 - over) - value
        running = surprise + settings.gamma * settings.gae_lambda * (1 - over) * running
        following = value
        result.append(running)
    return torch.stack(result[::-1])


def update(
    agent: Agent, optimizer: torch.optim.Optimizer, rollout: Rollout, seen: Tensor, settings: Ppo
) -> dict[str, float]:
    with torch.no_grad():
        advantages = advantages_of(rollout, agent.value(seen), settings)
    values = torch.stack(rollout.values).flatten()
    batch = {
        "seen": torch.stack(rollout.seen).flatten(0, 1),
        "actions": torch.stack(rollout.actions).flatten(0, 1),
        "log_probs": torch.stack(rollout.log_probs).flatten(),
        "values": values,
        "advantages": advantages.flatten(),
        "targets": advantages.flatten() + values,
    }
    clipped, losses = [], {}
    for part in minibatches(batch, settings):
        losses = improve(agent, optimizer, part, settings)
        clipped.append(losses["losses/clipfrac"])
    return losses | {
        "losses/clipfrac": float(np.mean(clipped)),
        "losses/explained_variance": explained_variance(values, batch["targets"]),
    }


def minibatches(batch: dict[str, Tensor], settings: Ppo) -> Iterator[dict[str, Tensor]]:
    for _ in range(settings.update_epochs):
        for chosen in torch.randperm(settings.batch_size).chunk(settings.num_minibatches):
            yield {name: column[chosen] for name, column in batch.items()}


def improve(agent: Agent, optimizer: torch.optim.Optimizer, part: dict[str, Tensor], settings: Ppo) -> dict[str, float]:
    """One gradient step on one minibatch."""
    policy = agent.policy(part["seen"])
    log_ratio = policy.log_prob(part["actions"]) - part["log_probs"]
    ratio = log_ratio.exp()
    gain = part["advantages"]
    if settings.norm_adv:
        gain = (gain - gain.mean()) / (gain.std() + 1e-8)
    near = ratio.clamp(1 - settings.clip_coef, 1 + settings.clip_coef)
    policy_loss = -torch.min(gain * ratio, gain * near).mean()
    value_loss = value_loss_of(agent.value(part["seen"]), part, settings)
    entropy = policy.entropy().mean()
    optimizer.zero_grad()
    (policy_loss - settings.ent_coef * entropy + settings.vf_coef * value_loss).backward()
    nn.utils.clip_grad_norm_(agent.parameters(), settings.max_grad_norm)
    optimizer.step()
    return {
        "losses/value_loss": value_loss.item(),
        "losses/policy_loss": policy_loss.item(),
        "losses/entropy": entropy.item(),
        "losses/old_approx_kl": -log_ratio.mean().item(),
        "losses/approx_kl": (ratio - 1 - log_ratio).mean().item(),
        "losses/clipfrac": ((ratio - 1).abs() > settings.clip_coef).float().mean().item(),
    }


def value_loss_of(value: Tensor, part: dict[str, Tensor], settings: Ppo) -> Tensor:
    error = (value - part["targets"]) ** 2
    if settings.clip_vloss:
        near = part["values"] + (value - part["values"]).clamp(-settings.clip_coef, settings.clip_coef)
        error = torch.max(error, (near - part["targets"]) ** 2)
    return 0.5 * error.mean()


def explained_variance(values: Tensor, targets: Tensor) -> float:
    spread = targets.var(correction=0).item()
    return 1 - (targets - values).var(correction=0).item() / spread if spread else float("nan")


class Buffer:
    """The last transitions, in a ring."""

    def __init__(self, size: int, width: int) -> None:
        self.rows = np.zeros((size, 2 * width + 3), dtype=np.float32)
        self.width = width
        self.count = 0

    def add(self, seen: np.ndarray, following: np.ndarray, action: int, reward: float, over: bool) -> None:
        self.rows[self.count % len(self.rows)] = (*seen, *following, action, reward, over)
        self.count += 1

    def sample(self, size: int) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor]:
        chosen = np.random.randint(0, min(self.count, len(self.rows)), size)  # noqa: NPY002
        rows = torch.from_numpy(self.rows[chosen])
        seen, following = rows[:, : self.width], rows[:, self.width : -3]
        return seen, following, rows[:, -3:-2].long(), rows[:, -2], rows[:, -1]


def q_network(envs: gym.vector.VectorEnv) -> nn.Sequential:
    seen = int(np.prod(envs.single_observation_space.shape))
    choices = int(envs.single_action_space.n)
    return nn.Sequential(nn.Linear(seen, 120), nn.ReLU(), nn.Linear(120, 84), nn.ReLU(), nn.Linear(84, choices))


def train_dqn(settings: Dqn, log: Log) -> None:
    envs = environments(settings)
    online, target = q_network(envs), q_network(envs)
    target.load_state_dict(online.state_dict())
    optimizer = torch.optim.Adam(online.parameters(), lr=settings.learning_rate)
    buffer = Buffer(settings.buffer_size, envs.single_observation_space.shape[0])
    seen, _ = envs.reset(seed=settings.seed)
    for step in range(settings.total_timesteps):
        actions = act(online, seen, epsilon_at(step, settings), int(envs.single_action_space.n))
        following, rewards, ended, _, infos = envs.step(actions)
        log.ended(infos, step)
        last = infos["final_obs"][0] if "final_obs" in infos else following[0]
        buffer.add(seen[0], last, actions[0], rewards[0], ended[0])
        seen = following
        if step > settings.learning_starts and step % settings.train_frequency == 0:
            losses = learn(online, target, optimizer, buffer.sample(settings.batch_size), settings)
            if step % log.every_update == 0:
                log.row(losses, step)
        if step > settings.learning_starts and step % settings.target_network_frequency == 0:
            target.load_state_dict(online.state_dict())
    envs.close()


def epsilon_at(step: int, settings: Dqn) -> float:
    slope = (settings.end_e - settings.start_e) / (settings.exploration_fraction * settings.total_timesteps)
    return max(settings.end_e, settings.start_e + slope * step)


@torch.no_grad()
def act(online: nn.Module, seen: np.ndarray, epsilon: float, choices: int) -> np.ndarray:
    if random.random() < epsilon:
        return np.array([random.randrange(choices)])
    return online(torch.as_tensor(seen, dtype=torch.float32)).argmax(dim=1).numpy()


def learn(
    online: nn.Module, target: nn.Module, optimizer: torch.optim.Optimizer, rows: tuple[Tensor, ...], settings: Dqn
) -> dict[str, float]:
    seen, following, actions, rewards, over = rows
    with torch.no_grad():
        goal = rewards + settings.gamma * target(following).max(dim=1).values * (1 - over)
    guess = online(seen).gather(1, actions).squeeze(1)
    loss = nn.functional.mse_loss(guess, goal)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return {"losses/td_loss": loss.item(), "losses/q_values": guess.mean().item()}


if __name__ == "__main__":
    main(sys.argv[1:])
