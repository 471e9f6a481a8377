"""One rollout and one update of a plain PPO on a real environment, recorded, beside what the trainer computed."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Any

import gymnasium
import numpy as np
import torch
from torch import nn

from tests.monitor.reading.recording import Recorder
from weaklink.base.evidence.update import Tape, UpdateReading

TWICE = "softmax twice"
REWARD_FACTORS = {
    "rewards enlarged": 30.0, "rewards scaled": 0.1, "rewards flipped": -1.0, "rewards lost": 0.0,
    "rewards shaped": 0.1, "rewards shaped and flipped": -0.1,
}  # fmt: skip
REWARD_OFFSETS = {"rewards shaped": 0.4, "rewards shaped and flipped": 0.4}


@dataclass
class Options:
    environment: str = "CartPole-v1"
    members: int = 4
    steps: int = 128
    epochs: int = 4
    minibatch: int = 128
    gamma: float = 0.97
    lam: float = 0.9
    clip: float = 0.2
    entropy: float = 0.01
    value_weight: float = 0.5
    value_loss: str = "square"
    normalise: bool = True
    rate: float = 3e-3
    fault: str = ""
    seed: int = 0


@dataclass
class Truth:
    advantages: np.ndarray
    returns: np.ndarray
    values: np.ndarray
    clipped: float


def layers(*sizes: int, gain: float) -> nn.Sequential:
    made: list[nn.Module] = []
    for inside, outside in itertools.pairwise(sizes):
        made += [nn.Linear(inside, outside), nn.Tanh()]
    nn.init.orthogonal_(made[-2].weight, gain)
    return nn.Sequential(*made[:-1])


def update(options: Options) -> tuple[UpdateReading, Truth]:
    """The second rollout and update, so that the critic is no longer near zero."""
    torch.manual_seed(options.seed)
    envs = [gymnasium.make(options.environment) for _ in range(options.members)]
    width = int(np.prod(envs[0].observation_space.shape))
    discrete = isinstance(envs[0].action_space, gymnasium.spaces.Discrete)
    outputs = int(envs[0].action_space.n) if discrete else int(np.prod(envs[0].action_space.shape))
    actor, critic = layers(width, 64, outputs, gain=0.5), layers(width, 64, 1, gain=1.0)
    log_std = nn.Parameter(torch.full((outputs,), -0.3))
    optimizer = torch.optim.Adam([*actor.parameters(), *critic.parameters(), log_std], lr=options.rate)
    state = np.stack([env.reset(seed=options.seed + i)[0] for i, env in enumerate(envs)]).astype(np.float32)
    for _ in range(2):
        recorder = Recorder()
        tape, stored, state = collect(envs, state, actor, critic, log_std, discrete, options, recorder)
        truth = learn(tape, stored, actor, critic, log_std, discrete, optimizer, options, recorder)
    return recorder.reading(tape), truth


def policy(out: torch.Tensor, log_std: torch.Tensor, discrete: bool, twice: bool = False) -> Any:
    if discrete:
        return torch.distributions.Categorical(logits=out.softmax(-1) if twice else out)
    return torch.distributions.Independent(torch.distributions.Normal(out, log_std.exp()), 1)


@torch.no_grad()
def collect(
    envs: list[Any],
    state: np.ndarray,
    actor: nn.Module,
    critic: nn.Module,
    log_std: torch.Tensor,
    discrete: bool,
    options: Options,
    recorder: Recorder,
) -> tuple[Tape, tuple[torch.Tensor, torch.Tensor], np.ndarray]:
    names = ("state", "action", "drawn", "reward", "term", "trunc", "next", "log")
    kept: dict[str, list[Any]] = {name: [] for name in names}
    for time in range(options.steps):
        seen = torch.as_tensor(state)
        rows = np.arange(time * len(envs), (time + 1) * len(envs))
        drawn = policy(recorder.answer("actor", seen, actor(seen), rows), log_std, discrete, options.fault == TWICE)
        recorder.answer("critic", seen, critic(seen), rows)
        action = drawn.mode if options.fault == "greedy" else drawn.sample()
        kept["state"].append(state)
        kept["drawn"].append(action)
        kept["log"].append(score(drawn, drawn.sample() if options.fault == "drawn twice" else action, options))
        action = action.clamp(-0.5, 0.5) if "the bound" in options.fault else action
        kept["action"].append(action.numpy())
        outcome = [env.step(one.numpy() if one.ndim else int(one)) for env, one in zip(envs, action, strict=True)]
        for name, place in (("next", 0), ("reward", 1), ("term", 2), ("trunc", 3)):
            kept[name].append(np.array([each[place] for each in outcome]))
        state = np.stack(
            [env.reset()[0] if ends[2] or ends[3] else ends[0] for env, ends in zip(envs, outcome, strict=True)]
        ).astype(np.float32)
    flat = {name: np.concatenate(rows) for name, rows in kept.items() if name not in ("log", "drawn")}
    count = len(flat["reward"])
    tape = Tape(
        flat["state"], flat["action"].reshape(count, -1), flat["reward"].astype(np.float64),
        flat["term"], flat["trunc"], flat["next"].astype(np.float32),
        np.zeros(count, bool), np.ones(count, bool), np.arange(count), len(envs),
    )  # fmt: skip
    return tape, (torch.cat(kept["drawn"]).reshape(count, -1), torch.cat(kept["log"])), state


@torch.no_grad()
def judge(tape: Tape, critic: nn.Module, options: Options, recorder: Recorder) -> Truth:
    shape = (options.steps, options.members)
    before, after = torch.as_tensor(tape.observations), torch.as_tensor(tape.next_observations)
    rows = np.arange(tape.rows)
    values = critic(before).numpy().reshape(shape).astype(np.float64)
    following = recorder.answer("critic", after, critic(after), None, rows).numpy().reshape(shape)
    rewards = REWARD_FACTORS.get(options.fault, 1.0) * tape.rewards.reshape(shape)
    rewards = rewards + REWARD_OFFSETS.get(options.fault, 0.0)
    if "signs" in options.fault:
        rewards = np.sign(rewards)
    if "rewards cut" in options.fault:
        rewards = np.clip(rewards, -2.0, 2.0)
    if "normalised" in options.fault and "rewards" in options.fault:  # by what came so far
        rewards = (
            rewards / np.stack([1.0 + np.abs(rewards[: time + 1]).mean() for time in range(len(rewards))])[:, None]
        )
    goes_on = 1.0 - tape.terminated.reshape(shape)
    linked = 1.0 - (tape.terminated | tape.truncated).reshape(shape)
    if options.fault == "mask inverted":
        goes_on, linked = 1.0 - goes_on, 1.0 - linked
    if options.fault == "advantage leaks":
        linked = np.ones(shape)
    if options.fault == "ends ignored":
        goes_on = linked = np.ones(shape)
        following = np.concatenate([values[1:], following[-1:]])
    advantages, later = np.zeros(shape), np.zeros(shape[1])
    for time in reversed(range(len(rewards))):
        error = rewards[time] + options.gamma * goes_on[time] * following[time] - values[time]
        later = advantages[time] = error + options.gamma * options.lam * linked[time] * later
    return Truth(advantages.ravel(), (advantages + values).ravel(), values.ravel(), 0.0)


def rearrange(truth: Truth, options: Options) -> np.ndarray:
    """The returns as the critic is given them."""
    shaped = truth.returns.reshape(options.steps, options.members)
    if options.fault == "axes mixed up":
        return shaped.T.ravel()
    if options.fault == "reversed":
        return shaped[::-1].ravel()
    if options.fault == "of the next row":
        return np.concatenate([shaped[1:], shaped[-1:]]).ravel()
    if options.fault == "normalised":
        return truth.values + (truth.advantages - truth.advantages.mean()) / truth.advantages.std()
    return truth.returns


def learn(
    tape: Tape,
    stored: tuple[torch.Tensor, torch.Tensor],
    actor: nn.Module,
    critic: nn.Module,
    log_std: nn.Parameter,
    discrete: bool,
    optimizer: torch.optim.Optimizer,
    options: Options,
    recorder: Recorder,
) -> Truth:
    truth = judge(tape, critic, options, recorder)
    truth.returns = rearrange(truth, options)
    clipped = []
    advantages, returns = (torch.as_tensor(each, dtype=torch.float32) for each in (truth.advantages, truth.returns))
    seen, (actions, old) = torch.as_tensor(tape.observations), stored
    if options.fault == "at the bound":
        actions = torch.as_tensor(tape.actions)
    if options.fault == "stored anew":  # what is stored was drawn beside what the environment was given
        with torch.no_grad():
            drawn = policy(actor(seen), log_std, discrete, False)
            actions = drawn.sample()[:, None]
            old = score(drawn, actions[:, 0], options)
    for _ in range(options.epochs):
        order = torch.arange(tape.rows) if options.fault == "in order" else torch.randperm(tape.rows)
        if options.fault == "old renewed" and recorder.step:
            with torch.no_grad():
                out = recorder.answer("actor", seen, actor(seen), np.arange(tape.rows))
                old = score(policy(out, log_std, discrete), actions[:, 0] if discrete else actions, options)
        for place, index in enumerate(order.split(options.minibatch)):
            out = recorder.call("actor", seen[index], actor(seen[index]), index)
            value = recorder.call("critic", seen[index], critic(seen[index]), index)[:, 0]
            given = actions[index][:, 0] if discrete else actions[index]
            if options.fault == "actions mixed up":
                given = actions[:, 0].reshape(options.steps, options.members).T.reshape(-1)[index]
            chance = policy(out, log_std, discrete, options.fault == TWICE)
            if options.fault == "drawn anew":
                given = chance.sample()
            weight = advantages[index]
            if options.fault == "other rows":
                weight = advantages[torch.randperm(tape.rows)[: len(index)]]
            if options.fault == "not shuffled":
                weight = advantages.split(options.minibatch)[place]
            if options.fault == "a bonus of its own":
                weight = torch.sin(20.0 * seen[index].sum(1))
            if options.fault == "no advantage":
                weight = torch.ones_like(weight)
            elif options.fault == "attached":
                weight = returns[index] - value
            elif options.normalise:
                weight = (weight - weight.mean()) / (weight.std() + 1e-8)
            ratio = (score(chance, given, options) - old[index]).exp()
            parts = ratio * weight, ratio.clamp(1 - options.clip, 1 + options.clip) * weight
            if options.fault == "advantage clipped":
                parts = ratio * weight, (ratio * weight).clamp(1 - options.clip, 1 + options.clip)
            gain = torch.max(*parts) if options.fault == "clip swapped" else torch.min(*parts)
            gain = parts[1] if options.fault == "clip alone" else gain
            gain = score(chance, given, options) * weight if options.fault == "attached" else gain
            clipped.append(float(((ratio - 1).abs() > options.clip).float().mean()))
            gain = -gain if options.fault == "sign flipped" else gain
            bonus = -options.entropy if options.fault == "entropy punished" else options.entropy
            if options.fault == "average over actions":  # weights of all actions, as a critic of them gives
                gain = (chance.probs * torch.sin(5.0 * seen[index].sum(1, keepdim=True) + torch.arange(3.0))).sum(1)
            loss = -gain.mean() - bonus * chance.entropy().mean()
            weight = -options.value_weight if options.fault == "critic pushed away" else options.value_weight
            loss = loss + weight * value_loss(value, returns[index], truth, index, options)
            optimizer.zero_grad()
            loss.backward()
            recorder.parameter("log_std", log_std)
            optimizer.step()
            recorder.step += 1
    truth.clipped = float(np.mean(clipped))
    return truth


def score(chance: Any, action: torch.Tensor, options: Options) -> torch.Tensor:
    """The log-probability of an action, whose dimensions add up."""
    logs = chance.log_prob(action)
    return logs / action.shape[-1] if options.fault == "averaged" else logs


def value_loss(
    value: torch.Tensor, returns: torch.Tensor, truth: Truth, index: torch.Tensor, options: Options
) -> torch.Tensor:
    if options.fault == "moving":
        above = torch.as_tensor(truth.advantages, dtype=torch.float32)[index]
        return ((value - (value.detach() + above)) ** 2).mean()
    if options.fault == "all pairs":
        return ((value[:, None] - returns) ** 2).mean()
    if options.value_loss == "huber":
        return nn.functional.smooth_l1_loss(value, returns)
    if options.value_loss == "clipped":
        before = torch.as_tensor(truth.values, dtype=torch.float32)[index]
        near = before + (value - before).clamp(-options.clip, options.clip)
        return 0.5 * torch.max((value - returns) ** 2, (near - returns) ** 2).mean()
    return ((value - returns) ** 2).mean()
