"""Replay loops in forms that public code has: targets made within the graph, branches for observation and action,
methods in place of calls, an optimizer for each of two critics."""

from __future__ import annotations

import copy

import gymnasium
import numpy as np
import pytest
import torch
from torch import nn
from torch.nn import functional

from tests.monitor.reading.listening import read_updates
from tests.monitor.reading.replay_loops import Buffer, make_network
from weaklink.base.evidence.recovered import RecoveredUpdate
from weaklink.collect.monitor.assembly import assemble_rollout
from weaklink.collect.monitor.reading.recovering import recover_update
from weaklink.collect.monitor.reading.unread import list_unread
from weaklink.judge.diagnosis.engine import judge_rollout

GAMMA, WARM = 0.97, 200


def learn_within_graph(fault: str) -> None:
    """A Q-learner that never detaches what its target network answers, ten minibatches at a time."""
    torch.manual_seed(0)
    random, env = np.random.default_rng(0), gymnasium.make("CartPole-v1")
    network = make_network(4, 2)
    behind, buffer = copy.deepcopy(network), Buffer(2000, 4, 1)
    mover = torch.optim.Adam(network.parameters(), lr=1e-3)
    state, _ = env.reset(seed=0)
    for step in range(WARM + 100):
        action = int(random.integers(2)) if random.random() < 0.3 else int(network(torch.as_tensor(state)).argmax())
        after, reward, over, cut, _ = env.step(action)
        buffer.add(state, action, reward / 100.0, after, float(over))
        state = env.reset()[0] if over or cut else after
        for _ in range(10 if step >= WARM and step % 20 == 0 else 0):
            seen, actions, rewards, following, ends = buffer.draw(random, batch=48)
            ahead = network if fault == "through" else behind
            best = ahead(following).max(1).values
            wanted = rewards + GAMMA * best * (1.0 if fault == "endless" else 1.0 - ends)
            lost = functional.smooth_l1_loss(network(seen).gather(1, actions.long())[:, 0], wanted)
            mover.zero_grad()
            lost.backward()
            mover.step()


class Critic(nn.Module):
    """One branch for the observation and one for the action."""

    def __init__(self) -> None:
        super().__init__()
        self.seen, self.done = nn.Linear(3, 24), nn.Linear(1, 24)
        self.both, self.value = nn.Linear(48, 24), nn.Linear(24, 1)
        self.mover = torch.optim.Adam(self.parameters(), lr=1e-3)

    def forward(self, seen: torch.Tensor, action: torch.Tensor) -> torch.Tensor:
        both = torch.cat([functional.relu(self.seen(seen)), functional.relu(self.done(action))], 1)
        return self.value(functional.relu(self.both(both)))[:, 0]


class Actor(nn.Module):
    """A squashed Gaussian whose spread a softplus makes."""

    def __init__(self) -> None:
        super().__init__()
        self.body, self.mean, self.spread = nn.Linear(3, 24), nn.Linear(24, 1), nn.Linear(24, 1)

    def forward(self, seen: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        hidden = functional.relu(self.body(seen))
        around = torch.distributions.Normal(self.mean(hidden), functional.softplus(self.spread(hidden)))
        drawn = around.rsample()
        action = torch.tanh(drawn)
        return action, (around.log_prob(drawn) - torch.log(1.0 - action**2 + 1e-7))[:, 0]


def learn_by_branches(fault: str, alpha: float = 0.1) -> None:
    """A soft actor-critic whose two critics learn one after the other from targets that were made once."""
    torch.manual_seed(0)
    random, env = np.random.default_rng(0), gymnasium.make("Pendulum-v1", max_episode_steps=50)
    actor, critics = Actor(), (Critic(), Critic())
    behind, buffer = copy.deepcopy(critics), Buffer(2000, 3, 1)
    mover = torch.optim.Adam(actor.parameters(), lr=1e-3)
    state, _ = env.reset(seed=0)
    for step in range(WARM + 60):
        action = actor(torch.as_tensor(state)[None])[0].detach().numpy()[0]
        after, reward, over, cut, _ = env.step(2.0 * action)
        buffer.add(state, action, reward / 10.0, after, float(over))
        state = env.reset()[0] if over or cut else after
        for _ in range(20 if step >= WARM and step % 20 == 0 else 0):
            seen, actions, rewards, following, ends = buffer.draw(random, batch=32)
            with torch.no_grad():
                chosen, logs = actor(following)
                ahead = [each(following, chosen) for each in behind]
                paid = -rewards if fault == "flipped" else rewards
                wanted = paid + GAMMA * (1.0 - ends) * (torch.min(*ahead) - alpha * logs)
            for critic in critics:
                lost = functional.smooth_l1_loss(critic.forward(seen, actions), wanted)
                critic.mover.zero_grad()
                lost.backward()
                critic.mover.step()
            new, logs = actor(seen)
            mover.zero_grad()
            (alpha * logs - torch.min(*(each(seen, new) for each in critics))).mean().backward()
            mover.step()
            for slow, fast in zip(behind, critics, strict=True):
                for kept, now in zip(slow.parameters(), fast.parameters(), strict=True):
                    kept.data.copy_(0.98 * kept.data + 0.02 * now.data)


def recover(train) -> tuple[list[RecoveredUpdate], list[tuple[str, ...]], set[str]]:
    readings = read_updates(train, 2)
    found = [recover_update(each, {}).update for each in readings]
    codes = {f.code for each in readings for _, f in judge_rollout(assemble_rollout(each, 0.0, {})).fired}
    return found, [list_unread(*pair) for pair in zip(readings, found, strict=True)], codes


@pytest.mark.parametrize(("fault", "code"), [("", None), ("endless", "RET203"), ("through", "VAL206")])
def test_targets_of_a_copy_within_the_graph_are_read(fault, code):
    found, unread, codes = recover(lambda: learn_within_graph(fault))
    assert codes == (set() if code is None else {code})
    assert not any(unread)
    for update in found:
        assert [each.gamma for each in update.values] == [pytest.approx(GAMMA, abs=1e-3)]


@pytest.mark.parametrize(("fault", "code"), [("", None), ("flipped", "DAT206")])
def test_critics_with_branches_and_an_optimizer_each_are_read(fault, code):
    found, unread, codes = recover(lambda: learn_by_branches(fault))
    for update in found:
        assert [each.gamma for each in update.values] == [pytest.approx(GAMMA, abs=1e-3)] * 2
    assert not any(unread)
    assert (code in codes) if code else not codes


def learn_past_ends(fault: str) -> None:
    """An actor-critic of one step whose critic stops at ends, and whose advantages need not."""
    torch.manual_seed(0)
    env = gymnasium.make("CartPole-v1")
    policy, critic = make_network(4, 2), make_network(4, 1)
    mover = torch.optim.Adam([*policy.parameters(), *critic.parameters()], lr=1e-3)
    state, _ = env.reset(seed=0)
    for _ in range(3):
        rows = []
        for _ in range(256):
            with torch.no_grad():
                action = int(torch.distributions.Categorical(logits=policy(torch.as_tensor(state))).sample())
            after, reward, over, cut, _ = env.step(action)
            rows.append((state, action, reward, after, over))
            state = env.reset()[0] if over or cut else after
        seen, actions, rewards, following, ends = (torch.as_tensor(np.array(part)) for part in zip(*rows, strict=True))
        value, ahead = critic(seen)[:, 0], critic(following)[:, 0].detach()
        goes_on = torch.ones_like(ahead) if fault == "through" else 1.0 - ends.float()
        above = (rewards.float() + GAMMA * ahead * goes_on - value).detach()
        wanted = rewards.float() + GAMMA * ahead * (1.0 - ends.float())
        scored = torch.distributions.Categorical(logits=policy(seen)).log_prob(actions)
        mover.zero_grad()
        ((value - wanted).square().mean() - (scored * above).mean()).backward()
        mover.step()


@pytest.mark.parametrize("fault", ["through", ""])
def test_advantages_that_go_on_where_targets_stop_are_told(fault):
    found, unread, codes = recover(lambda: learn_past_ends(fault))
    ends = [end for update in found for policy in update.policies for end in policy.ends]
    assert codes == ({"RET203"} if fault else set())
    assert {(end.place, end.goes_on_with) for end in ends} == (
        {("terminal step", "the value of its own next observation")} if fault else set()
    )
    assert not any(unread)
