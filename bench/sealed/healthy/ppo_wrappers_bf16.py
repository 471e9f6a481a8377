"""PPO with Gymnasium's NormalizeObservation and NormalizeReward, bfloat16 autocast on the CPU, LR warm-up and gradient accumulation."""
import argparse
import gymnasium as gym
import numpy as np
import torch
import torch.nn as nn
from torch.distributions import Normal

parser = argparse.ArgumentParser()
parser.add_argument("--seed", type=int, default=0)
parser.add_argument("--updates", type=int, default=40)
args = parser.parse_args()
torch.manual_seed(args.seed)
np.random.seed(args.seed)
GAMMA, LAM, N, T = 0.9, 0.95, 4, 256


def make(i):
    def thunk():
        env = gym.make("Pendulum-v1")
        env = gym.wrappers.RecordEpisodeStatistics(env)
        env = gym.wrappers.ClipAction(env)
        env = gym.wrappers.NormalizeObservation(env)
        env = gym.wrappers.TransformObservation(env, lambda o: np.clip(o, -10, 10), env.observation_space)
        env = gym.wrappers.NormalizeReward(env, gamma=GAMMA)
        env = gym.wrappers.TransformReward(env, lambda r: float(np.clip(r, -10, 10)))
        return env
    return thunk


envs = gym.vector.SyncVectorEnv([make(i) for i in range(N)], autoreset_mode=gym.vector.AutoresetMode.SAME_STEP)


def ortho(i, o, g):
    l = nn.Linear(i, o)
    nn.init.orthogonal_(l.weight, g)
    nn.init.zeros_(l.bias)
    return l


class Agent(nn.Module):
    def __init__(self):
        super().__init__()
        self.critic = nn.Sequential(ortho(3, 64, 1.4), nn.Tanh(), ortho(64, 64, 1.4), nn.Tanh(), ortho(64, 1, 1.0))
        self.mean = nn.Sequential(ortho(3, 64, 1.4), nn.Tanh(), ortho(64, 64, 1.4), nn.Tanh(), ortho(64, 1, 0.01))
        self.logstd = nn.Parameter(torch.zeros(1, 1))

    def forward(self, x):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            mean, value = self.mean(x), self.critic(x)
        mean = mean.float()
        return Normal(mean, self.logstd.expand_as(mean).exp()), value.float().squeeze(-1)


agent = Agent()
optimizer = torch.optim.Adam(agent.parameters(), lr=1e-3, eps=1e-5)
warmup = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda k: min(1.0, (k + 1) / 5))
obs, _ = envs.reset(seed=args.seed)
done_returns = []
for update in range(args.updates):
    B = dict(o=torch.zeros(T, N, 3), a=torch.zeros(T, N, 1), lp=torch.zeros(T, N), r=torch.zeros(T, N), v=torch.zeros(T, N),
             nv=torch.zeros(T, N), d=torch.zeros(T, N))
    for t in range(T):
        x = torch.as_tensor(obs, dtype=torch.float32)
        with torch.no_grad():
            dist, v = agent(x)
            a = dist.sample()
        obs, r, term, trunc, info = envs.step(a.numpy())
        real_next = obs.copy()
        if "final_obs" in info:
            for i in np.nonzero(term | trunc)[0]:
                real_next[i] = info["final_obs"][i]
            done_returns += [float(x) for x in info["final_info"]["episode"]["r"]]
        with torch.no_grad():
            nv = agent(torch.as_tensor(real_next, dtype=torch.float32))[1] * torch.as_tensor(1.0 - term, dtype=torch.float32)
        for k, z in zip("o a lp r v nv d".split(), (x, a, dist.log_prob(a).sum(-1), torch.as_tensor(r, dtype=torch.float32), v, nv,
                                                    torch.as_tensor(term | trunc, dtype=torch.float32))):
            B[k][t] = z
    adv, g = torch.zeros(T, N), torch.zeros(N)
    for t in reversed(range(T)):
        g = B["r"][t] + GAMMA * B["nv"][t] - B["v"][t] + GAMMA * LAM * (1 - B["d"][t]) * g
        adv[t] = g
    ret = adv + B["v"]
    o, a, lp, adv, ret = (z.reshape(N * T, *z.shape[2:]) for z in (B["o"], B["a"], B["lp"], adv, ret))
    adv = (adv - adv.mean()) / (adv.std() + 1e-8)
    for epoch in range(10):
        for mb in torch.randperm(N * T).split(256):
            optimizer.zero_grad()
            for part in mb.split(128):  # two parts are accumulated into one step
                dist, v = agent(o[part])
                ratio = (dist.log_prob(a[part]).sum(-1) - lp[part]).exp()
                pg = torch.max(-adv[part] * ratio, -adv[part] * ratio.clamp(0.8, 1.2)).mean()
                loss = pg + 0.5 * (v - ret[part]).pow(2).mean()
                (loss / 2).backward()
            nn.utils.clip_grad_norm_(agent.parameters(), 0.5)
            optimizer.step()
    warmup.step()
    if update % 5 == 4 or update == 1:
        print(f"update {update + 1} return {np.mean(done_returns[-12:]):.0f} std {agent.logstd.exp().item():.2f} vloss {(v - ret[part]).pow(2).mean().item():.3f}")
envs.close()
