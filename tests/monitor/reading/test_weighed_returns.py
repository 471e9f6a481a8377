"""Returns read off the weights of a policy alone: no critic tells them, or none whose loss shows its targets."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from torch import nn

from tests.monitor.reading.actor_critic import Sledge
from tests.monitor.reading.listening import read_updates
from tests.sharing import share
from weaklink.collect.monitor.assembly import assemble_rollout
from weaklink.collect.monitor.reading.recovering import recover_update
from weaklink.collect.monitor.reading.unread import list_unread
from weaklink.judge.diagnosis.engine import judge_rollout

GAMMA, EPISODES = 0.95, 5


def learn(fault: str, critic: bool) -> None:
    """Plain REINFORCE that keeps the graph of every step, or with a critic whose loss is nearly always at its limit."""
    torch.manual_seed(0)
    env = Sledge()
    policy, value = (nn.Sequential(nn.Linear(2, 32), nn.Tanh(), nn.Linear(32, width)) for width in (3, 1))
    mover = torch.optim.Adam([*policy.parameters(), *value.parameters()], lr=2e-3)
    env.reset(seed=0)
    for _ in range(2):
        rows = [row for _ in range(EPISODES) for row in play(env, policy, value, critic)]
        rewards, ends = np.array([row[2] for row in rows]), np.array([row[3] for row in rows])
        returns = torch.as_tensor(add_up(rewards, ends, fault), dtype=torch.float32)
        above = returns - torch.stack([row[1] for row in rows]).detach() if critic else returns
        above = (above - above.mean()) / (above.std() + 1e-8)
        scored = (torch.stack([row[0] for row in rows]) * above).mean()
        loss = scored if fault == "flipped" else -scored
        if critic:
            loss = loss + nn.functional.smooth_l1_loss(torch.stack([row[1] for row in rows]), returns, beta=0.1)
        mover.zero_grad()
        loss.backward()
        mover.step()


def play(env, policy, value, critic):
    state, over = env.reset()[0], False
    while not over:
        given = torch.as_tensor(state)
        drawn = torch.distributions.Categorical(logits=policy(given))
        action = drawn.sample()
        guessed = value(given)[0] if critic else torch.zeros(())
        state, reward, over, _, _ = env.step(int(action))
        yield drawn.log_prob(action), guessed, reward, over


def add_up(rewards, ends, fault):
    total, found = 0.0, []
    steps = list(zip(rewards, ends, strict=True))
    for reward, end in steps if fault == "forwards" else steps[::-1]:
        total = reward + GAMMA * total * (fault == "through" or not end)
        found.append(total)
    return found if fault == "forwards" else found[::-1]


@share
def read(fault="", critic=False):
    return read_updates(lambda: learn(fault, critic))[-1]


def list_alarms(reading):
    answers = judge_rollout(assemble_rollout(reading, 0.0, {}))
    return {(finding.code, finding.link.value) for _, finding in answers.fired if finding.severity >= 2}


def test_a_policy_alone_is_read_whole():
    found = recover_update(read(), {}).update
    (policy,) = found.policies
    assert policy.correlation == pytest.approx(1.0, abs=1e-6)
    assert list_unread(read(), found) == ()
    assert not list_alarms(read())


@pytest.mark.parametrize(("fault", "code"), [("forwards", "RET202"), ("through", "RET202"), ("flipped", "POL205")])
def test_what_is_wrong_with_the_returns_is_named(fault, code):
    assert {each for each, _ in list_alarms(read(fault))} == {code}


def test_a_critic_beyond_the_limit_of_its_loss_is_read_by_the_returns_of_the_policy():
    found = recover_update(read(critic=True), {}).update
    (critic,) = found.values
    assert (critic.loss, critic.source) == ("huber", "")
    assert critic.gamma == pytest.approx(GAMMA, abs=1e-4)
    assert list_unread(read(critic=True), found) == ()
    assert not list_alarms(read(critic=True))


def learn_standardised(fault: str) -> None:
    """The textbook's actor-critic: each episode's returns over their own mean and spread are what both learn from."""
    torch.manual_seed(0)
    env = Sledge()
    policy, value = (nn.Sequential(nn.Linear(2, 32), nn.Tanh(), nn.Linear(32, width)) for width in (3, 1))
    mover = torch.optim.Adam([*policy.parameters(), *value.parameters()], lr=2e-3)
    env.reset(seed=0)
    for _ in range(20):
        scored, guessed, rewards, ends = zip(*play(env, policy, value, True), strict=True)
        returns = torch.as_tensor(add_up(rewards, ends, fault), dtype=torch.float32)
        returns = (returns - returns.mean()) / (returns.std() + 1e-8)
        above = returns - torch.stack(guessed).detach()
        above = above * returns if fault == "squared" else above
        lost = nn.functional.smooth_l1_loss(torch.stack(guessed), returns, reduction="sum")
        mover.zero_grad()
        (lost - (torch.stack(scored) * above).sum()).backward()
        mover.step()


def test_returns_over_their_own_spread_are_read_with_the_critic_that_learns_them():
    rollouts = [assemble_rollout(each, 0.0, {}) for each in read_updates(lambda: learn_standardised(""))]
    read = [each for each in rollouts if each.recovered.values]
    assert len(read) >= 2
    for rollout in read:
        assert [each.gamma for each in rollout.recovered.values] == [pytest.approx(GAMMA, abs=1e-3)]
        assert all(each.correlation > 0.9999 for each in rollout.recovered.policies)
        assert not judge_rollout(rollout).fired


def test_weights_that_are_no_returns_over_their_spread_stay_unread():
    rollouts = [assemble_rollout(each, 0.0, {}) for each in read_updates(lambda: learn_standardised("squared"))]
    assert not any(each.correlation for rollout in rollouts for each in rollout.recovered.policies)
