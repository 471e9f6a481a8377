# PPO on a gymnasium vector with value clipping, learning rate annealing and KL early stop.
import argparse
import gymnasium as gym
import numpy as np
import torch
import torch.nn as nn
from torch.distributions import Categorical
from gymnasium.vector import AutoresetMode, SyncVectorEnv


def layer_init(layer, std=np.sqrt(2), bias=0.0):
    nn.init.orthogonal_(layer.weight, std)
    nn.init.constant_(layer.bias, bias)
    return layer


class Policy(nn.Module):
    def __init__(self, n_in, n_out):
        super().__init__()
        self.body = nn.Sequential(layer_init(nn.Linear(n_in, 64)), nn.Tanh(), layer_init(nn.Linear(64, 64)), nn.Tanh())
        self.pi = layer_init(nn.Linear(64, n_out), 0.01)
        self.v = nn.Sequential(layer_init(nn.Linear(n_in, 64)), nn.Tanh(), layer_init(nn.Linear(64, 64)), nn.Tanh(), layer_init(nn.Linear(64, 1), 1.0))

    def forward(self, x):
        h = self.body(x)
        return Categorical(logits=self.pi(h)), self.v(x).squeeze(-1)


if __name__ == "__main__":
    ap = argparse.ArgumentParser()
    ap.add_argument("--seed", type=int, default=0)
    ap.add_argument("--updates", type=int, default=60)
    cfg = ap.parse_args()
    torch.manual_seed(cfg.seed)
    np.random.seed(cfg.seed)
    n_envs, horizon, gamma, lam = 8, 128, 0.99, 0.95
    envs = SyncVectorEnv([lambda: gym.make("CartPole-v1") for _ in range(n_envs)], autoreset_mode=AutoresetMode.SAME_STEP)
    envs = gym.wrappers.vector.RecordEpisodeStatistics(envs)
    model = Policy(4, 2)
    optim = torch.optim.Adam(model.parameters(), lr=1e-3, eps=1e-5)
    obs, _ = envs.reset(seed=cfg.seed)
    buf_obs = torch.zeros(horizon, n_envs, 4)
    buf_act = torch.zeros(horizon, n_envs, dtype=torch.long)
    buf_logp, buf_rew, buf_val, buf_done = (torch.zeros(horizon, n_envs) for _ in range(4))
    recent = []
    for update in range(cfg.updates):
        for group in optim.param_groups:
            group["lr"] = 1e-3 * (1 - update / cfg.updates)
        for t in range(horizon):
            x = torch.as_tensor(obs, dtype=torch.float32)
            with torch.no_grad():
                dist, value = model(x)
                act = dist.sample()
            nobs, rew, term, trunc, info = envs.step(act.numpy())
            rew = torch.as_tensor(rew, dtype=torch.float32)
            if "final_obs" in info:
                for i in np.nonzero(trunc & ~term)[0]:  # add what the episode would still have earned
                    with torch.no_grad():
                        rew[i] += gamma * model(torch.as_tensor(info["final_obs"][i], dtype=torch.float32)[None])[1][0]
            if "episode" in info:
                recent += list(info["episode"]["r"][info["_episode"]])
            buf_obs[t], buf_act[t], buf_logp[t] = x, act, dist.log_prob(act)
            buf_rew[t], buf_val[t] = rew, value
            buf_done[t] = torch.as_tensor(term | trunc, dtype=torch.float32)
            obs = nobs
        with torch.no_grad():
            next_value = model(torch.as_tensor(obs, dtype=torch.float32))[1]
        adv = torch.zeros_like(buf_rew)
        gae = torch.zeros(n_envs)
        for t in reversed(range(horizon)):
            nv = next_value if t == horizon - 1 else buf_val[t + 1]
            mask = 1 - buf_done[t]
            delta = buf_rew[t] + gamma * nv * mask - buf_val[t]
            gae = delta + gamma * lam * mask * gae
            adv[t] = gae
        ret = adv + buf_val
        b = [z.reshape(horizon * n_envs, *z.shape[2:]) for z in (buf_obs, buf_act, buf_logp, adv, ret, buf_val)]
        for epoch in range(4):
            kls = []
            for idx in torch.randperm(horizon * n_envs).chunk(4):
                o, a, lp, ad, rt, ov = (z[idx] for z in b)
                dist, v = model(o)
                logratio = dist.log_prob(a) - lp
                ratio = logratio.exp()
                kls.append(((ratio - 1) - logratio).mean().item())
                ad = (ad - ad.mean()) / (ad.std() + 1e-8)
                pg_loss = torch.max(-ad * ratio, -ad * ratio.clamp(0.8, 1.2)).mean()
                v_clipped = ov + (v - ov).clamp(-10.0, 10.0)
                v_loss = 0.5 * torch.max((v - rt) ** 2, (v_clipped - rt) ** 2).mean()
                loss = pg_loss - 0.01 * dist.entropy().mean() + 0.5 * v_loss
                optim.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(model.parameters(), 0.5)
                optim.step()
            if np.mean(kls) > 0.03:
                break
        if update % 6 == 5:
            print(f"update {update + 1} return {np.mean(recent[-20:]):.1f} kl {np.mean(kls):.4f}")
    envs.close()
