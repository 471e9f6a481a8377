"""A few steps of replay learners on real transitions, recorded, beside the targets that the trainer computed."""

from __future__ import annotations

import copy
from dataclasses import dataclass, field

import gymnasium
import numpy as np
import torch
from torch.nn import functional

from tests.monitor.reading.ppo import layers
from tests.monitor.reading.recording import Recorder
from weaklink.base.evidence.update import Tape, UpdateReading

GAMMA, ALPHA, BATCH, WARM = 0.95, 0.3, 64, 20


@dataclass
class Replayed:
    """Targets and rows of each step in turn."""

    recorder: Recorder
    tape: Tape
    targets: list[np.ndarray] = field(default_factory=list)
    rows: list[np.ndarray] = field(default_factory=list)

    @property
    def reading(self) -> UpdateReading:
        return self.recorder.reading(self.tape)


def play(environment: str, rows: int = 600, seed: int = 0) -> Tape:
    """Random actions on one environment."""
    env = gymnasium.make(environment)
    env.action_space.seed(seed)
    state, _ = env.reset(seed=seed)
    steps = []
    for _ in range(rows):
        action = env.action_space.sample()
        following, reward, terminated, truncated, _ = env.step(action)
        steps.append((state, np.ravel(action), float(reward), terminated, truncated, following))
        state = env.reset()[0] if terminated or truncated else following
    columns = [np.array(each) for each in zip(*steps, strict=True)]
    states, actions, rewards, terminated, truncated, following = columns
    none, every = np.zeros(rows, bool), np.ones(rows, bool)
    seen = states.astype(np.float32), actions, rewards, terminated, truncated, following.astype(np.float32)
    return Tape(*seen, none, every, np.arange(rows), 1)


def draw(tape: Tape, random: np.random.Generator) -> tuple[np.ndarray, torch.Tensor, ...]:
    rows = random.choice(tape.rows, BATCH, replace=False)
    columns = (tape.observations, tape.actions, tape.rewards, tape.terminated, tape.next_observations)
    state, action, reward, done, after = (torch.as_tensor(each[rows]) for each in columns)
    return rows, state, action, reward.float(), done.float(), after


def learn_dqn(loss: str = "huber", double: bool = False, fault: str = "", steps: int = 6) -> Replayed:
    """Deep Q-learning on CartPole; the target network is of its own, so that both differ."""
    torch.manual_seed(1)
    tape, random = play("CartPole-v1"), np.random.default_rng(0)
    online, slow = layers(4, 64, 2, gain=2.0), layers(4, 64, 2, gain=2.0)
    optimizer = torch.optim.Adam(online.parameters(), lr=3e-3)
    made = Replayed(Recorder(), tape)
    for step in range(WARM + steps):
        if step == WARM:  # by now most errors are inside the limit of a Huber loss
            made = Replayed(Recorder(), tape)
        rows, state, action, reward, done, after = draw(tape, random)
        with torch.no_grad():
            kept = done == 0 if fault == "masked" else torch.ones(BATCH, dtype=torch.bool)  # right: 0 behind an end
            following = torch.zeros(BATCH, 2)
            following[kept] = made.recorder.answer("slow", after[kept], slow(after[kept]), None, rows[kept.numpy()])
            best = following.max(1).values
            if double:
                chosen = made.recorder.answer("online", after, online(after), None, rows).argmax(1)
                best = following.gather(1, chosen[:, None])[:, 0]
            target = reward + GAMMA * (1 - done) * best
            if fault == "ends ignored":
                target = reward + GAMMA * best
        values = made.recorder.call("online", state, online(state), rows)
        if fault == "other action":
            action = 1 - action
        chosen = values.gather(1, action)[:, 0]
        lost = functional.smooth_l1_loss(chosen, target) if loss == "huber" else functional.mse_loss(chosen, target)
        if fault == "every action":
            lost = ((values - target[:, None]) ** 2).mean()
        if loss == "conservative":  # the penalty of conservative Q-learning moves all actions
            lost = lost + (values.logsumexp(1) - chosen).mean()
        optimizer.zero_grad()
        lost.backward()
        optimizer.step()
        made.recorder.step += 1
        made.targets.append(target.numpy())
        made.rows.append(rows)
    return made


def learn_sac(steps: int = 6, fault: str = "", soft: bool = True) -> Replayed:
    """Soft actor-critic on Pendulum, without the temperature's own loss; TD3's losses where it is not soft."""
    torch.manual_seed(2)
    tape, random = play("Pendulum-v1"), np.random.default_rng(0)
    actor = layers(3, 64, 2 if soft else 1, gain=0.5)
    critics = [layers(4, 64, 1, gain=2.0) for _ in range(2)]
    slow = copy.deepcopy(critics)
    optimizer = torch.optim.Adam([each for critic in critics for each in critic.parameters()], lr=1e-3)
    climber = torch.optim.Adam(actor.parameters(), lr=1e-3)
    made, keep = Replayed(Recorder(), tape), None
    for _ in range(steps):
        keep = made.recorder
        rows, state, action, reward, done, after = draw(tape, random)
        action, reward = (action / 2.0).float(), reward / 5.0 if fault == "scaled" else reward
        with torch.no_grad():
            out = keep.answer("actor", after, actor(after), None, rows)
            drawn, log_prob = squash(out) if soft else (torch.tanh(out), torch.zeros(len(out)))
            both = torch.cat([after, drawn], 1)
            values = [keep.answer(f"slow{i}", both, critic(both), None, rows)[:, 0] for i, critic in enumerate(slow)]
            target = reward + GAMMA * (1 - done) * (torch.min(*values) - ALPHA * log_prob)
        both = torch.cat([state, action], 1)
        lost = sum(
            functional.mse_loss(keep.call(f"critic{i}", both, critic(both), rows)[:, 0], target)
            for i, critic in enumerate(critics)
        )
        optimizer.zero_grad()
        lost.backward()
        optimizer.step()
        keep.step += 1
        out = keep.call("actor", state, actor(state), rows)
        drawn, log_prob = squash(out) if soft else (torch.tanh(out), torch.zeros(len(out)))
        both = torch.cat([state, drawn], 1)
        values = [keep.call(f"critic{i}", both, critic(both), rows)[:, 0] for i, critic in enumerate(critics)]
        climbed = torch.min(*values) if soft else values[0]
        climbed = -climbed if fault == "descends" else climbed
        climber.zero_grad()
        (ALPHA * log_prob - climbed).mean().backward()
        climber.step()
        keep.step += 1
        made.targets.append(target.numpy())
        made.rows.append(rows)
    return made


def squash(out: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    mean, log_std = out[:, :1], out[:, 1:]
    before = mean + log_std.exp() * torch.randn_like(mean)
    normal = torch.distributions.Normal(mean, log_std.exp()).log_prob(before)
    return torch.tanh(before), (normal - torch.log(1 - torch.tanh(before) ** 2 + 1e-6)).sum(1)


def learn_atoms(steps: int = 4, fault: str = "") -> Replayed:
    """C51's loss on CartPole: a projected target, cross-entropy at the action taken."""
    torch.manual_seed(3)
    tape, random = play("CartPole-v1"), np.random.default_rng(0)
    low, high, atoms = 0.0, 3.0 if fault == "narrow" else 20.0, 21
    support = torch.linspace(low, high, atoms)
    online, slow = layers(4, 64, 2 * atoms, gain=2.0), layers(4, 64, 2 * atoms, gain=2.0)
    made = Replayed(Recorder(), tape)
    optimizer = torch.optim.Adam(online.parameters(), lr=1e-3)
    for _ in range(steps):
        rows, state, action, reward, done, after = draw(tape, random)
        with torch.no_grad():
            chance = made.recorder.answer("slow", after, slow(after), None, rows).view(BATCH, 2, atoms).softmax(2)
            best = chance[torch.arange(BATCH), (chance * support).sum(2).argmax(1)]
            done = torch.zeros_like(done) if fault == "ends ignored" else done
            moved = (reward[:, None] + GAMMA * (1 - done)[:, None] * support).clamp(low, high)
            near = (1 - ((moved[:, None, :] - support[None, :, None]) / (support[1] - support[0])).abs()).clamp(0, 1)
            if fault == "rounded down":
                floor = ((moved - low) / (support[1] - support[0]) + 1e-5).floor().long()
                near = functional.one_hot(floor, atoms).transpose(1, 2).float()
            near = torch.where((near == 1) & (fault == "dropped on atoms"), 0.0, near)
            target = (near * best[:, None, :]).sum(2)
        logits = made.recorder.call("online", state, online(state), rows).view(BATCH, 2, atoms)
        chosen = logits[torch.arange(BATCH), action[:, 0]]
        chosen = (chosen.softmax(1) if fault == "softmax twice" else chosen).log_softmax(1)
        optimizer.zero_grad()
        (-(target * chosen).sum(1)).mean().backward()
        optimizer.step()
        made.recorder.step += 1
        made.targets.append(target.numpy())
        made.rows.append(rows)
    return made


def learn_quantiles(steps: int = 4, fault: str = "") -> Replayed:
    """QR-DQN's loss on CartPole, the quantiles of an action side by side."""
    torch.manual_seed(4)
    tape, random = play("CartPole-v1"), np.random.default_rng(0)
    count = 16
    online, slow = layers(4, 64, 2 * count, gain=4.0), layers(4, 64, 2 * count, gain=4.0)
    made = Replayed(Recorder(), tape)
    optimizer = torch.optim.Adam(online.parameters(), lr=1e-3)
    shares = (torch.arange(count) + 0.5) / count
    for _ in range(steps):
        rows, state, action, reward, done, after = draw(tape, random)
        with torch.no_grad():
            following = made.recorder.answer("slow", after, slow(after), None, rows).view(BATCH, 2, count)
            best = following[torch.arange(BATCH), following.mean(2).argmax(1)]
            done = torch.zeros_like(done) if fault == "ends ignored" else done
            target = reward[:, None] + GAMMA * (1 - done)[:, None] * best
        quantiles = made.recorder.call("online", state, online(state), rows).view(BATCH, 2, count)
        chosen = quantiles[torch.arange(BATCH), action[:, 0]]
        errors = target[:, None, :] - chosen[:, :, None]
        huber = functional.smooth_l1_loss(
            chosen[:, :, None].expand_as(errors), target[:, None, :].expand_as(errors), reduction="none"
        )
        optimizer.zero_grad()
        ((shares[None, :, None] - (errors.detach() < 0).float()).abs() * huber).sum(1).mean().backward()
        optimizer.step()
        made.recorder.step += 1
        made.targets.append(target.numpy())
        made.rows.append(rows)
    return made
