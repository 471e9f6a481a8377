"""An actor-critic with V-trace: a copy that lags behind plays in several environments, which the learner corrects."""

from __future__ import annotations

import copy

import numpy as np
import torch

from tests.monitor.reading.actor_critic import Agent, Sledge

GAMMA, MEMBERS, ROLLOUT, LAG = 0.95, 8, 20, 3


def train(fault: str = "", updates: int = 9) -> None:
    """Trains; the fault is one of those that stand below."""
    torch.manual_seed(0)
    envs, agent = [Sledge() for _ in range(MEMBERS)], Agent()
    actor, optimizer = copy.deepcopy(agent), torch.optim.Adam(agent.parameters(), lr=3e-3)
    seen = np.stack([env.reset(seed=member)[0] for member, env in enumerate(envs)])
    for update in range(updates):
        rows = []
        for _ in range(ROLLOUT):
            with torch.no_grad():
                logits, _ = actor(torch.as_tensor(seen))
            chance = torch.distributions.Categorical(logits=logits)
            action = chance.sample()
            played = [env.step(int(own)) for env, own in zip(envs, action, strict=True)]
            ended = np.array([each[2] for each in played])
            following = np.stack([each[0] for each in played])
            rewards = np.array([each[1] for each in played], np.float32)
            rows.append((seen, action, chance.log_prob(action), rewards, ended, following))
            seen = following.copy()
            for member in np.flatnonzero(ended).tolist():
                seen[member] = envs[member].reset()[0]
        learn(agent, optimizer, rows, fault)
        if update % LAG == LAG - 1 and (fault != "copied once" or update < LAG):
            actor.load_state_dict(agent.state_dict())


def learn(agent: Agent, optimizer: torch.optim.Optimizer, rows: list[tuple], fault: str) -> None:
    """One update from a rollout."""
    columns = [np.stack([row[place] for row in rows]) for place in (0, 3, 4, 5)]
    states, rewards, ended, following = (torch.as_tensor(each) for each in columns)
    taken, acted = (torch.stack([row[place] for row in rows]) for place in (1, 2))
    logits, values = agent(states)
    with torch.no_grad():
        later = agent(following)[1] * (fault == "ends ignored" or ~ended)
    chance = torch.distributions.Categorical(logits=logits)
    scores = chance.log_prob(taken)
    ratios = (scores.detach() - acted).exp()
    if fault == "ratio inverted":
        ratios = 1.0 / ratios
    if fault != "not cut":  # right as well, if noisy
        ratios = ratios.clamp(max=1.0)
    known = values.detach()
    errors, total, above = ratios * (rewards + GAMMA * later - known), torch.zeros(MEMBERS), []
    for step in reversed(range(ROLLOUT)):
        total = errors[step] + GAMMA * ~ended[step] * ratios[step] * total
        above.append(total)
    targets = known + torch.stack(above[::-1])
    ahead = torch.where(ended, later, torch.cat([targets[1:], later[-1:]]))
    weights = ratios * (rewards + GAMMA * ahead - known) * (-1.0 if fault == "sign flipped" else 1.0)
    loss = 0.5 * ((targets - values) ** 2).mean() - (scores * weights).mean() - 0.01 * chance.entropy().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
