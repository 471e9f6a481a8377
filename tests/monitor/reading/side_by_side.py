"""An actor-critic over a list of real environments that are stepped side by side, right or with a fault."""

from __future__ import annotations

import numpy as np
import torch

from tests.monitor.reading.actor_critic import GAMMA, Agent, Sledge

PLACES = 4


def train(fault: str = "", updates: int = 4, rollout: int = 16) -> None:
    """Trains; with the fault "one environment" the list holds one, several times; the others stand below."""
    factor = GAMMA**2 if fault == "other discount" else GAMMA
    torch.manual_seed(0)
    envs = [Sledge()] * PLACES if fault == "one environment" else [Sledge() for _ in range(PLACES)]
    agent = Agent()
    optimizer = torch.optim.Adam(agent.parameters(), lr=2e-3)
    states = np.stack([env.reset(seed=place)[0] for place, env in enumerate(envs)])
    for _ in range(updates):
        seen, actions, rewards, ends = [], [], [], []
        for _ in range(rollout):
            with torch.no_grad():
                drawn = torch.multinomial(agent(torch.as_tensor(states))[0].softmax(-1), 1)[:, 0]
            actions.append(drawn)
            done = drawn[:1].expand(PLACES) if fault == "one action" else drawn
            results = [env.step(int(action)) for env, action in zip(envs, done, strict=True)]
            seen.append(np.stack([result[0] for result in results]) if fault == "observation after" else states)
            paid = [result[1] for result in results]
            rewards.append(paid[-1:] * PLACES if fault == "one reward" else paid)
            ends.append([result[2] for result in results])
            both = zip(envs, results, strict=True)
            states = np.stack([env.reset()[0] if result[2] else result[0] for env, result in both])
        with torch.no_grad():
            total = agent(torch.as_tensor(states))[1]
        returns = []
        for reward, ended in zip(reversed(rewards), reversed(ends), strict=True):
            total = torch.tensor(reward, dtype=torch.float32) + factor * total * ~torch.tensor(ended)
            returns.append(total)
        logits, values = agent(torch.as_tensor(np.concatenate(seen)))
        above = torch.cat(returns[::-1]) - values
        scored = torch.distributions.Categorical(logits=logits).log_prob(torch.cat(actions))
        loss = 0.5 * (above**2).mean() - (above.detach() * scored).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
