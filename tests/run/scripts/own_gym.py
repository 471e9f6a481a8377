"""A PPO by hand over a world of its own, with whichever library and form of step the first word names.

`gym` or `gymnasium`; the second word is `right`, or `limit` where a time limit is taken for an end, or `past` where it
is overlooked and nobody resets. Of the words after it, `vector` steps two members in a vector of the library's, and
`named` takes CartPole by its name in place of the own world.
"""

import importlib
import sys

import numpy as np
import torch
from torch import nn

gym = importlib.import_module(sys.argv[1])
mode, together = sys.argv[2], "vector" in sys.argv[3:]
OLD = sys.argv[1] == "gym" and tuple(map(int, gym.__version__.split(".")[:2])) < (0, 26)
GAMMA, LAMBDA, STEPS, LIMIT = 0.97, 0.9, 128, 9


class Sledge(gym.Env):
    """Pushed left or right, paid for being near the middle; it falls off where it slides too far."""

    observation_space = gym.spaces.Box(-9.0, 9.0, (2,), np.float32)
    action_space = gym.spaces.Discrete(2)

    def __init__(self):
        self.rng = np.random.default_rng(3)

    def reset(self, *, seed=None, options=None, return_info=False):
        self.now = self.rng.normal(0.0, 0.5, 2)
        seen = self.now.astype(np.float32)
        return seen if OLD and not return_info else (seen, {})

    def step(self, action):
        self.now[1] += 0.2 * (2 * int(action) - 1) + self.rng.normal(0.0, 0.1)
        self.now[0] += 0.5 * self.now[1]
        off = bool(abs(self.now[0]) > 2.0)
        told = (off,) if OLD else (off, False)
        return self.now.astype(np.float32), 1.0 - abs(self.now[0]), *told, {}


def make():
    return gym.make("CartPole-v1") if "named" in sys.argv else gym.wrappers.TimeLimit(Sledge(), LIMIT)


def begin(env):
    found = env.reset()
    return found if OLD else found[0]


def go(env, action):
    """What a step gave, with both flags, and the info beside it."""
    seen, reward, *ends, info = env.step(action)
    if OLD:
        cut = info.get("TimeLimit.truncated", False)
        ends = [ends[0] and not cut, cut]
    return seen, reward, *ends, info


torch.manual_seed(0)
env = gym.vector.SyncVectorEnv([make, make]) if together else make()
count = 2 if together else 1
columns = env.observation_space.shape[-1]
policy, critic = (nn.Sequential(nn.Linear(columns, 16), nn.Tanh(), nn.Linear(16, width)) for width in (2, 1))
mover = torch.optim.Adam([*policy.parameters(), *critic.parameters()], lr=3e-3)
state = begin(env)


def ask(seen):
    with torch.no_grad():
        given = torch.as_tensor(np.asarray(seen, np.float32)).reshape(-1, columns)
        return torch.distributions.Categorical(logits=policy(given)), critic(given)[:, 0]


for _ in range(12):
    rows = []
    for _ in range(STEPS // count):
        spread, value = ask(state)
        action = spread.sample()
        after, reward, over, cut, info = go(env, action.numpy() if together else int(action))
        over, cut = np.reshape(over, count), np.reshape(cut, count)
        following = ask(after)[1].clone()
        if together and mode == "right":
            finals = next(
                (info[key] for key in ("final_observation", "terminal_observation") if key in info), [None] * 2
            )
            for member in np.flatnonzero(over | cut):
                following[member] = ask(finals[member])[1][0]
        stops = over | cut if mode == "limit" else over
        rows.append(
            (
                np.array(state, np.float32).reshape(-1, columns),
                action,
                spread.log_prob(action),
                value,
                torch.as_tensor(np.reshape(reward, count), dtype=torch.float32),
                following,
                torch.as_tensor(stops),
                torch.as_tensor(over | cut),
            )
        )
        state = after
        if not together and (over.any() if mode == "past" else (over | cut).any()):
            state = begin(env)
    seen = torch.as_tensor(np.stack([row[0] for row in rows]))
    actions, old, values, rewards, nexts, stops, ends = (torch.stack([row[k] for row in rows]) for k in range(1, 8))
    above, last = torch.zeros_like(values), torch.zeros(count)
    for t in reversed(range(len(rows))):
        last = rewards[t] + GAMMA * nexts[t] * ~stops[t] - values[t] + GAMMA * LAMBDA * ~ends[t] * last
        above[t] = last
    targets, scaled = above + values, (above - above.mean()) / (above.std() + 1e-8)
    for _ in range(3):
        spread = torch.distributions.Categorical(logits=policy(seen))
        ratio = (spread.log_prob(actions) - old).exp()
        lost = -torch.min(ratio * scaled, ratio.clamp(0.8, 1.2) * scaled).mean()
        mover.zero_grad()
        (lost + 0.5 * (critic(seen)[..., 0] - targets).square().mean()).backward()
        mover.step()
print("trained", *(round(float(each.detach().sum()), 6) for each in policy.parameters()))
