#!/usr/bin/env python
# REINFORCE + learned baseline. one env, two episodes per update.
import argparse, collections
import gymnasium as gym, numpy as np, torch

p = argparse.ArgumentParser()
p.add_argument("--seed", type=int, default=3)
p.add_argument("--steps", type=int, default=60_000)
p.add_argument("--fault", default="none")
cli = p.parse_args()

torch.set_num_threads(1); torch.manual_seed(cli.seed); np.random.seed(cli.seed)

gamma = 0.1 if cli.fault == "f08" else 0.99
lr_pi = 1e-7 if cli.fault == "f10" else 3e-3
lr_v = 5e-3
per_update = 2

env = gym.make("CartPole-v1")
n_in, n_out = env.observation_space.shape[0], env.action_space.n

policy = torch.nn.Sequential(torch.nn.Linear(n_in, 64), torch.nn.ReLU(), torch.nn.Linear(64, n_out))
baseline = torch.nn.Sequential(torch.nn.Linear(n_in, 64), torch.nn.ReLU(), torch.nn.Linear(64, 1))
pi_opt = torch.optim.Adam(policy.parameters(), lr=lr_pi)
v_opt = torch.optim.Adam(baseline.parameters(), lr=lr_v)


def act(o):
    with torch.no_grad():
        logits = policy(torch.as_tensor(o, dtype=torch.float32))
    if cli.fault == "f03":
        return logits.argmax().item()
    return torch.distributions.Categorical(logits=logits).sample().item()


def rewards_to_go(rs, tail):
    if cli.fault == "f01":
        out, g = [], 0.0
        for r in rs:
            g = r + gamma * g
            out.append(g)
        return out
    out, g = [0.0] * len(rs), tail
    for k in range(len(rs) - 1, -1, -1):
        g = rs[k] + gamma * g
        out[k] = g
    return out


steps, episodes, recent = 0, 0, collections.deque(maxlen=25)
seen = np.zeros(n_in, dtype=np.float32)
O, U, G = [], [], []
s, _ = env.reset(seed=cli.seed)
first = None
while steps < cli.steps:
    rs, over = [], False
    while not over:
        seen[:] = s
        u = act(seen)
        O.append(seen if cli.fault == "f07" else seen.copy())
        U.append(u)
        s, r, term, trunc, _ = env.step(u)
        rs.append(-r if cli.fault == "f09" else r)
        steps += 1
        over = term or trunc
    tail = 0.0
    if not term:
        with torch.no_grad():
            tail = baseline(torch.as_tensor(s, dtype=torch.float32)).item()
    G.extend(rewards_to_go(rs, tail))
    recent.append(len(rs))
    episodes += 1
    s, _ = env.reset()
    if episodes % per_update:
        continue

    obs = torch.from_numpy(np.array(O, dtype=np.float32))
    acts = torch.tensor(U)
    gs = torch.tensor(G, dtype=torch.float32)

    v = baseline(obs).squeeze(1)
    adv = gs - (v if cli.fault == "f04" else v.detach())
    adv = (adv - adv.mean()) / (adv.std() + 1e-6)
    logp = torch.distributions.Categorical(logits=policy(obs)).log_prob(acts)
    pi_loss = (logp * adv).mean() if cli.fault == "f02" else -(logp * adv).mean()
    v_loss = ((v - gs) ** 2).mean()

    if cli.fault == "f05":
        (pi_loss + v_loss).backward()
        pi_opt.step(); v_opt.step()
    else:
        pi_opt.zero_grad(); v_opt.zero_grad()
        (pi_loss + v_loss).backward()
        pi_opt.step(); v_opt.step()

    if cli.fault != "f06":
        O.clear(); U.clear(); G.clear()
    elif len(O) > 20_000:
        del O[:10_000], U[:10_000], G[:10_000]

    if first is None and len(recent) == recent.maxlen:
        first = np.mean(recent)
    if (episodes // per_update) % 20 == 0:
        print("episode %d, step %d: mean length %.1f, pi_loss %.4f, v_loss %.2f" % (episodes, steps, np.mean(recent), pi_loss.item(), v_loss.item()))

print("first 25 episodes:", first, "last 25 episodes:", np.mean(recent))
