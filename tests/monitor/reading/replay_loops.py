"""Replay trainers written by hand, a Q-learner and a soft actor-critic, each with faults that can be switched on."""

from __future__ import annotations

import copy

import gymnasium
import numpy as np
import torch
from torch import nn
from torch.nn import functional

GAMMA, TAU, BATCH = 0.97, 0.02, 64


def make_network(given: int, answers: int) -> nn.Sequential:
    return nn.Sequential(nn.Linear(given, 32), nn.Tanh(), nn.Linear(32, answers))


PRIORITISED = (
    "prioritised", "prioritised, from above", "prioritised, signed, from above", "prioritised, rising",
    "weighed by errors",
)  # fmt: skip


class Buffer:
    """Transitions in arrays that are made beforehand."""

    def __init__(self, size: int, observations: int, actions: int, kind: type = np.float32) -> None:
        self.columns = (
            np.zeros((size, observations), kind),
            np.zeros((size, actions), np.float32),
            np.zeros(size, np.float32),
            np.zeros((size, observations), kind),
            np.zeros(size, np.float32),
        )
        self.count = 0
        self.priorities, self.drawn = np.zeros(size), np.zeros(0, np.int64)
        self.weights: torch.Tensor | None = None

    def add(self, *step: object) -> None:
        for column, value in zip(self.columns, step, strict=True):
            column[self.count] = value
        self.priorities[self.count] = max(self.priorities.max(), 1e-3)
        self.count += 1

    def prioritise(self, random: np.random.Generator, fault: str, batch: int) -> np.ndarray:
        """Rows that are drawn by their priorities, and what their weights are."""
        chances = self.priorities[: self.count] ** 0.6
        chances /= chances.sum()
        even = fault == "weighed by errors"
        self.drawn = random.choice(self.count, batch, p=None if even else chances)
        weights = (self.count * chances[self.drawn]) ** (
            0.5 if fault in ("prioritised, rising", "weighed by errors") else -0.5
        )
        self.weights = torch.as_tensor((weights / weights.max()).astype(np.float32))
        return self.drawn

    def draw(self, random: np.random.Generator, fault: str = "", batch: int = BATCH) -> list[torch.Tensor]:
        filled = len(self.columns[0]) if fault == "unfilled" else self.count
        first, last = {"oldest alone": (0, 64), "newest alone": (filled - 32, filled)}.get(fault, (0, filled))
        rows = random.integers(first, last, batch)
        if fault in PRIORITISED:
            rows = self.prioritise(random, fault, batch)
        parts = [column[rows] for column in self.columns]
        if fault == "own indices":
            parts[1] = self.columns[1][random.integers(0, filled, batch)]
        if fault == "next of others":
            parts[3] = self.columns[3][random.integers(0, filled, batch)]
        return [torch.as_tensor(part.astype(np.float32)) for part in parts]


CLIPS = {"saturated": (-1e-3, 1e-3), "one column": ([-9, -9, 0.02, -9], 9.0), "wide": (-1.0, 1.0)}
STRETCHED = np.array([1.0, 1.0, 5.0, 1.0], np.float32)


def stand_alone(state: np.ndarray) -> np.ndarray:
    """An observation less its own mean, over its own spread."""
    return ((state - state.mean()) / (state.std() + 1e-6)).astype(np.float32)


def shrink(state: np.ndarray) -> np.ndarray:
    """An observation in other units."""
    return state / np.array([10.0, 3.0, 10.0, 3.0], np.float32)


def learn_q(
    fault: str = "", steps: int = 330, seed: int = 0, copied_every: int = 40, batch: int = BATCH, rate: float = 1e-3
) -> None:
    """Deep Q-learning on CartPole with episodes of at most 30 steps, or 8 where rewards are a quarter of themselves."""
    torch.manual_seed(seed)
    random = np.random.default_rng(seed)
    env = gymnasium.make("CartPole-v1", max_episode_steps=8 if fault.startswith("quartered") else 30)
    online = make_network(4, 2)
    online[-1].bias.data += 2.0 if fault.endswith("from above") else 0.0
    slow = copy.deepcopy(online)
    learner = slow if fault == "other network" else online
    target_network = copy.copy(online) if fault == "shallow copy" else slow
    decay = {"decay": 10.0, "some decay": 1e-2}.get(fault, 0.0)
    optimizer = torch.optim.Adam(learner.parameters(), lr=rate, weight_decay=decay)
    buffer = Buffer(4 * steps if fault == "unfilled" else steps, 4, 1, np.int8 if fault == "cut" else np.float32)
    prepare = {"own scales": stand_alone, "shrunk": shrink, "reset lost, shrunk": shrink}.get(fault, np.asarray)
    state = prepare(env.reset(seed=seed)[0])
    before = 0
    for step in range(steps):
        if fault in CLIPS:
            state = np.clip(state, *CLIPS[fault]).astype(np.float32)
        later = float(np.clip(step / 100 - 2.5, 0.0, 1.0))
        drawn = {
            "always random": 1.0, "greedy stored": 0.9, "ever more random": later, "spent early": 0.97**step,
        }.get(fault, 0.5)  # fmt: skip
        greedy, explores = 0, random.random() < drawn
        if not explores or fault == "greedy stored":
            with torch.no_grad():
                values = online(torch.as_tensor(state * (STRETCHED if fault == "stretched to act" else 1))[None])
            wrong = {"over the rows": values.argmax(0)[0], "smallest": values.argmin()}
            greedy = int(wrong.get(fault, values.argmax()))
        action = int(random.integers(1 if fault == "one left out" else 2)) if explores else greedy
        after, reward, terminated, truncated, _ = env.step(action)
        stored = {"action before": before, "greedy stored": greedy}.get(fault, action)
        paid = 0.25 * reward if fault.startswith("quartered") else reward
        after = prepare(after)
        if fault != "ends lost" or not (terminated or truncated):
            buffer.add(state, stored, paid, after, terminated or (fault == "quartered and cut" and truncated))
        before, state = action, after
        if terminated or truncated:
            fresh, _ = env.reset(seed=seed if fault == "same seed" else None)
            state = state if fault.startswith("reset lost") else prepare(fresh)
        if step >= 200:
            if fault == "new optimizer":
                optimizer = torch.optim.Adam(learner.parameters(), lr=rate)
            drawn = buffer.draw(random, fault, batch)
            errors = move_q(learner, target_network, optimizer, drawn, fault, buffer.weights)
            buffer.priorities[buffer.drawn] = errors[: len(buffer.drawn)] + 1e-3
            if fault != "never copied" and (fault == "copied" or step % copied_every == 0):
                slow.load_state_dict(online.state_dict())


def move_q(
    online: nn.Module,
    slow: nn.Module,
    optimizer: torch.optim.Optimizer,
    batch: list,
    fault: str,
    given: torch.Tensor | None = None,
) -> np.ndarray:
    """One update; the sizes of the errors are returned, or with the fault those of targets above values alone."""
    state, action, reward, after, ended = batch
    if fault == "not detached":
        target = reward + GAMMA * (1 - ended) * online(after).max(1).values
    else:
        with torch.no_grad():
            chosen = online(state if fault == "chosen at s" else after).argmax(1, keepdim=True)
            goes_on = ended if fault == "inverted" else (0.0 if fault == "no future" else 1 - ended)
            reward = 0.0 * reward if fault.endswith("reward lost") else reward
            target = reward + GAMMA * goes_on * slow(after).gather(1, chosen)[:, 0]
            if fault == "roles swapped":
                target = reward + GAMMA * goes_on * online(after).gather(1, slow(after).argmax(1, keepdim=True))[:, 0]
    values = online(state)
    predicted = values.max(1).values if fault == "largest" else values.gather(1, action.long())[:, 0]
    lost = functional.smooth_l1_loss(predicted, target, reduction="none")
    weights = torch.ones_like(lost) if given is None else given
    if fault.startswith("weighed") and given is None:
        weights = torch.rand_like(lost) + 0.1
        weights /= weights.max()
    optimizer.zero_grad()
    (weights * lost).mean().backward()
    optimizer.step()
    errors = (target - predicted).detach()
    return np.asarray(errors.clamp(min=0.0) if "signed" in fault else errors.abs())


class Centred(gymnasium.Wrapper):
    """Pays for staying near the middle."""

    def step(self, action: int) -> tuple:
        after, _, terminated, truncated, info = self.env.step(action)
        return after, 1.0 - float(abs(after[0]) + abs(after[2])), terminated, truncated, info


def learn_steps(fault: str = "", count: int = 3, steps: int = 225, seed: int = 0, limit: int = 30) -> None:
    """Q-learning with targets of several steps, each window ended by the end of its episode.

    With "windows run on" it is not; with "limits ignored" an episode goes on behind its time limit, and so do windows.
    "shrunk" keeps observations in other units, "next unscaled" only those that are acted on.
    """
    torch.manual_seed(seed)
    random = np.random.default_rng(seed)
    env = Centred(gymnasium.make("CartPole-v1", max_episode_steps=limit))
    online = make_network(4, 2)
    slow = copy.deepcopy(online)
    optimizer = torch.optim.Adam(online.parameters(), lr=1e-3)
    rows: list[tuple] = []
    window: list[tuple] = []
    so_far = 0.0
    state, _ = env.reset(seed=seed)
    for step in range(steps):
        action = int(random.integers(2))
        after, reward, terminated, truncated, _ = env.step(action)
        so_far += float(reward)
        kept = shrink(state) if fault in ("shrunk", "next unscaled") else state
        window.append((kept, action, so_far if fault == "return so far" else reward))
        over = terminated or (truncated and fault != "limits ignored")
        while window and (len(window) == count or (over and fault != "windows run on")):
            total = sum(GAMMA**place * each[2] for place, each in enumerate(window))
            power = 1 if fault == "once" else len(window)
            ahead = shrink(after) if fault == "shrunk" else after
            rows.append((*window[0][:2], total, ahead, 0.0 if terminated else GAMMA**power))
            window.pop(0)
        state = env.reset()[0] if over else after
        so_far = 0.0 if over else so_far
        if step >= 200:
            drawn = [rows[each] for each in random.integers(0, len(rows), BATCH)]
            parts = [torch.as_tensor(np.array(part)) for part in zip(*drawn, strict=True)]
            before, chosen, total, following, rate = parts
            with torch.no_grad():
                target = total.float() + rate.float() * slow(following).max(1).values
            optimizer.zero_grad()
            functional.mse_loss(online(before).gather(1, chosen[:, None])[:, 0], target).backward()
            optimizer.step()
            if step % 10 == 0 or fault == "copied":
                slow.load_state_dict(online.state_dict())


NOISES = {"without noise": 0.0, "some noise": 0.1, "all noise": 10.0}
SCALED = np.array([1.0, 1.0, 0.125], np.float32)
SCALES = {"scaled": (SCALED, SCALED), "next unscaled": (SCALED, np.float32(1.0))}


class Actor(nn.Module):
    """A squashed Gaussian between -1 and 1."""

    def __init__(self, fault: str) -> None:
        super().__init__()
        self.body, self.fault = make_network(3, 2), fault

    def forward(self, state: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        mean, log_std = self.body(state).chunk(2, dim=-1)
        normal = torch.distributions.Normal(mean, log_std.clamp(-20, 2).exp())
        drawn = normal.sample() if self.fault.startswith("sampled") else normal.rsample()
        log_prob = normal.log_prob(drawn).sum(-1)
        if self.fault != "uncorrected":
            log_prob = log_prob - (2 * (np.log(2) - drawn - functional.softplus(-2 * drawn))).sum(-1)
        if self.fault == "stretched, its own density":
            log_prob = log_prob - np.log(2.0)
        return (2.0 if self.fault.startswith("stretched") else 1.0) * torch.tanh(drawn), log_prob


class Twins(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.one, self.other = make_network(4, 1), make_network(4, 1)

    def forward(self, state: torch.Tensor, action: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        both = torch.cat([state, action], -1)
        return self.one(both)[:, 0], self.other(both)[:, 0]


class EndingPendulum(gymnasium.Wrapper):
    """A pendulum whose episode is over once it turns fast."""

    def step(self, action: np.ndarray) -> tuple:
        after, reward, _, truncated, info = self.env.step(action)
        return after, reward, bool(abs(after[2]) > 4.0), truncated, info


def learn_soft(fault: str = "", steps: int = 245, seed: int = 0) -> None:
    """Soft actor-critic on Pendulum with a temperature that learns; actions are stretched just before the step."""
    torch.manual_seed(seed)
    random = np.random.default_rng(seed)
    env = gymnasium.make("Pendulum-v1", max_episode_steps=20)
    env = EndingPendulum(env) if fault == "shifted with ends" else env
    learner = SoftLearner(fault)
    buffer = Buffer(steps, 3, 1)
    state, _ = env.reset(seed=seed)
    before, reward_before = np.zeros(1, np.float32), 0.0
    for step in range(steps):
        if fault in NOISES:
            with torch.no_grad():
                action = learner.actor.body(torch.as_tensor(state))[:1].tanh().numpy()
            action = np.clip(action + random.normal(0.0, NOISES[fault], 1), -1, 1).astype(np.float32)
        else:
            action = random.uniform(-1, 1, 1).astype(np.float32)
        sent = {"outside": 4 * action - 2, "not stretched": action, "rounded": 2 * np.floor(action)}.get(
            fault, 2 * action
        )
        if fault == "clipped late" and step > 100:
            sent = np.clip(3 * action, -2, 2)
        after, reward, terminated, truncated, _ = env.step(sent)
        stored = {"action before": before, "other units": 0.4 * action, "stored stretched": sent}.get(fault, action)
        stored = sent if fault.startswith("stretched") else stored
        if fault == "never stored" or (fault == "stored anew" and step > 100):
            stored = random.uniform(-1, 1, 1).astype(np.float32)
        if fault == "clipped late" and step > 100:
            stored = 1.5 * action
        given = {"reward before": reward_before, "reward turned": -0.5 * reward, "reward lost": 0.0}.get(fault, reward)
        given += 20.0 if fault.startswith("shifted") else 0.0
        kept, following = (seen * SCALES.get(fault, (1.0, 1.0))[place] for place, seen in enumerate((state, after)))
        buffer.add(kept, stored, given, following, terminated or (fault == "cut short" and truncated))
        before, reward_before = action, float(reward)
        state = env.reset()[0] if terminated or truncated else after
        # in the middle of an episode, or where one has just begun, which goes on as if nothing were
        if step == {"evaluated aside": 150, "evaluated between": 159}.get(fault):
            play_aside(env, learner)
        if step >= 200:
            learner.move(*buffer.draw(random, fault))


def play_aside(env: gymnasium.Env, learner: SoftLearner) -> None:
    """Five episodes without noise."""
    for _ in range(5):
        seen, over = env.reset()[0], False
        while not over:
            with torch.no_grad():
                action = learner.actor.body(torch.as_tensor(seen))[:1].tanh().numpy()
            seen, _, ended, cut, _ = env.step(2 * action)
            over = ended or cut


class SoftLearner:
    """The three losses of soft actor-critic and its slow critics."""

    def __init__(self, fault: str) -> None:
        self.fault, self.actor, self.critic = fault, Actor(fault), Twins()
        self.slow = copy.deepcopy(self.critic).requires_grad_(False)
        self.log_alpha = torch.zeros((), requires_grad=True)
        self.of_actor = torch.optim.Adam(self.actor.parameters(), lr=1e-6 if fault == "slow actor" else 1e-3)
        self.of_critic = torch.optim.Adam(self.critic.parameters(), lr=1e-3)
        self.of_alpha = torch.optim.Adam([self.log_alpha], lr=1e-3)

    def move(self, *batch: torch.Tensor) -> None:
        state, action, reward, after, ended = batch
        alpha = self.log_alpha.exp().detach()
        with torch.no_grad():
            following, log_prob = self.actor(state if self.fault == "action for its own" else after)
            values = self.slow(state if self.fault == "own observation" else after, following)
            worst = torch.max(*values) if self.fault == "larger twin" else torch.min(*values)
            bonus = alpha * log_prob if self.fault == "entropy sign" else -alpha * log_prob
            bonus = 0.0 if self.fault == "no entropy" else bonus
            target = reward + GAMMA * (1 - ended) * (worst + bonus)
        lost = sum(functional.mse_loss(value, target) for value in self.critic(state, action))
        self.of_critic.zero_grad()
        lost.backward()
        self.of_critic.step()
        drawn, log_prob = self.actor(state)
        self.of_actor.zero_grad()
        self.critic.requires_grad_("frozen" not in self.fault)
        (alpha * log_prob - torch.min(*self.critic(state, drawn))).mean().backward()
        self.of_actor.step()
        self.critic.requires_grad_(True)
        goal = {"target entropy": 2.0, "entropy of observations": -3.0, "sign of the entropy lost": 0.5}.get(
            self.fault, -1.0
        )
        gap = (log_prob + goal).detach()
        self.of_alpha.zero_grad()
        ((1 if self.fault == "alpha sign" else -1) * (self.log_alpha * gap).mean()).backward()
        self.of_alpha.step()
        rate = 1 - TAU if self.fault == "tau swapped" else TAU
        with torch.no_grad():
            for slow, fast in zip(self.slow.parameters(), self.critic.parameters(), strict=True):
                slow.lerp_(fast, rate)


class Halving(nn.Module):
    """A critic that is given actions between -2 and 2, and halves them."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = make_network(4, 1)

    def forward(self, both: torch.Tensor) -> torch.Tensor:
        return self.layers(torch.cat([both[:, :3], both[:, 3:] / 2], 1))


def learn_detached(fault: str = "", steps: int = 216, seed: int = 0) -> None:
    """TD3 on Pendulum as some write it: networks joined outside of any module, targets detached, slower actor, random
    actions at first."""
    torch.manual_seed(seed)
    random = np.random.default_rng(seed)
    env = gymnasium.make("Pendulum-v1", max_episode_steps=20)
    halves = fault == "another door"
    actor, critics = make_network(3, 1), [Halving() if halves else make_network(4, 1) for _ in range(2)]
    slow_actor, slow_critics = copy.deepcopy(actor), copy.deepcopy(critics)
    pushed = [*actor.parameters(), *critics[0].parameters()]
    of_actor = torch.optim.Adam(pushed if fault == "pushed critic" else actor.parameters(), lr=1e-3)
    rate = 0.1 if fault == "fast critic" else 1e-3
    of_critics = torch.optim.Adam([each for critic in critics for each in critic.parameters()], lr=rate)
    squash = torch.sigmoid if fault == "sigmoid" else torch.tanh
    buffer = Buffer(steps, 3, 1)
    state, _ = env.reset(seed=seed)
    for step in range(steps):
        action = random.uniform(-1, 1, 1).astype(np.float32)
        if step >= 200:
            with torch.no_grad():
                answer = squash(actor(torch.as_tensor(state)[None]))[0].numpy()
            drawn = random.normal(0.0, 0.2)
            noise = {"same noise": 0.2, "no noise": 0.0, "upwards": abs(drawn)}.get(fault, drawn)
            action = np.clip(answer + noise, -1, 1).astype(np.float32)
        after, reward, terminated, truncated, _ = env.step(2 * action)
        buffer.add(state, 2 * action if halves else action, reward, after, terminated)
        state = env.reset()[0] if terminated or truncated else after
        if step < 200:
            continue
        before, taken, reward, following, ended = buffer.draw(random)
        chosen = (squash(slow_actor(following)) + 0.1 * torch.randn(BATCH, 1)).clamp(-1, 1)
        chosen = 2 * chosen if halves else chosen
        worst = torch.min(*(critic(torch.cat([following, chosen], 1))[:, 0] for critic in slow_critics))
        target = (reward + (1.0 if fault == "no discount" else GAMMA) * (1 - ended) * worst).detach()
        both = torch.cat([before, taken], 1)
        if fault != "cleared early":
            of_critics.zero_grad()
        sum(functional.mse_loss(critic(both)[:, 0], target) for critic in critics).backward()
        of_critics.step()
        if fault == "cleared early":
            of_critics.zero_grad()
        if step % 2:
            of_actor.zero_grad()
            own = taken if fault == "stored action" else squash(actor(before))
            climbed = critics[0].layers if halves else critics[0]
            (-climbed(torch.cat([before, own], 1)).mean()).backward()
            of_actor.step()
            with torch.no_grad():
                for slow, fast in zip((slow_actor, *slow_critics), (actor, *critics), strict=True):
                    for copied, learned in zip(slow.parameters(), fast.parameters(), strict=True):
                        copied.lerp_(learned, TAU)
