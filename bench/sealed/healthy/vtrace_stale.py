"""IMPALA in one process: actors hold weights that are a few updates old, the learner corrects with V-trace."""
import argparse
import copy
import gymnasium as gym
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(4, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU())
        self.policy = nn.Linear(64, 2)
        self.baseline = nn.Linear(64, 1)

    def forward(self, x):
        h = self.trunk(x)
        return self.policy(h), self.baseline(h).squeeze(-1)


class ActorLoop:
    """An actor with an environment and a stale copy of the weights."""

    def __init__(self, seed):
        self.env = gym.make("CartPole-v1")
        self.obs, _ = self.env.reset(seed=seed)
        self.net = Net()
        self.score, self.scores = 0.0, []

    def unroll(self, T):
        out = {k: [] for k in ("obs", "next", "action", "mu", "reward", "term", "end")}
        for _ in range(T):
            with torch.no_grad():
                logits, _ = self.net(torch.from_numpy(self.obs))
            action = torch.distributions.Categorical(logits=logits).sample()
            nxt, r, term, trunc, _ = self.env.step(action.item())
            for k, v in zip(out, (torch.from_numpy(self.obs), torch.from_numpy(nxt), action, F.log_softmax(logits, -1)[action],
                                  torch.tensor(float(r)), torch.tensor(float(term)), torch.tensor(float(term or trunc)))):
                out[k].append(v)
            self.score += r
            self.obs = nxt
            if term or trunc:
                self.scores.append(self.score)
                self.score = 0.0
                self.obs, _ = self.env.reset()
        return {k: torch.stack(v) for k, v in out.items()}


def vtrace(log_rho, reward, v, v_next, term, end, gamma, rho_bar=1.0, c_bar=1.0):
    rho = log_rho.exp()
    clipped, c = rho.clamp(max=rho_bar), rho.clamp(max=c_bar)
    delta = clipped * (reward + gamma * (1 - term) * v_next - v)
    acc, out = torch.zeros_like(v[0]), []
    for t in reversed(range(len(v))):
        acc = delta[t] + gamma * (1 - end[t]) * c[t] * acc
        out.insert(0, acc)
    vs = v + torch.stack(out)
    # the value after a step: vs of the next row inside an episode, the network's own at a cut
    vs_next = torch.cat([vs[1:], v_next[-1:]])
    vs_next = torch.where(end.bool(), v_next, vs_next)
    adv = clipped * (reward + gamma * (1 - term) * vs_next - v)
    return vs, adv


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--seed", type=int, default=0)
    ap.add_argument("--updates", type=int, default=420)
    args = ap.parse_args()
    torch.manual_seed(args.seed)
    learner = Net()
    optimizer = torch.optim.RMSprop(learner.parameters(), lr=1e-3, alpha=0.99, eps=1e-4)
    actors = [ActorLoop(args.seed * 17 + i) for i in range(4)]
    for actor in actors:
        actor.net.load_state_dict(learner.state_dict())
    gamma = 0.98
    for update in range(args.updates):
        batch = [actor.unroll(25) for actor in actors]
        b = {k: torch.stack([x[k] for x in batch], 1) for k in batch[0]}
        logits, v = learner(b["obs"])
        with torch.no_grad():
            v_next = learner(b["next"])[1]
        logp = F.log_softmax(logits, -1)
        chosen = logp.gather(-1, b["action"][..., None]).squeeze(-1)
        vs, adv = vtrace((chosen - b["mu"]).detach(), b["reward"], v.detach(), v_next, b["term"], b["end"], gamma)
        pg_loss = -(chosen * adv).mean()
        v_loss = 0.5 * (vs - v).pow(2).mean()
        entropy = -(logp.exp() * logp).sum(-1).mean()
        loss = pg_loss + 0.5 * v_loss - 0.01 * entropy
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(learner.parameters(), 1.0)
        optimizer.step()
        actors[update % 4].net.load_state_dict(learner.state_dict())  # one actor at a time gets the news
        if update % 40 == 39:
            recent = [s for a in actors for s in a.scores[-8:]]
            print(f"update {update + 1} return {np.mean(recent):.1f} entropy {entropy.item():.3f}")


main()
