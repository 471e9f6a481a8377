"""PPO on CartPole with eight environments side by side."""
import argparse
import time

import gymnasium as gym
import numpy as np
import torch
import torch.nn as nn
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from torch.distributions import Categorical

parser = argparse.ArgumentParser()
parser.add_argument("--steps", type=int, default=80000)
parser.add_argument("--seed", type=int, default=1)
parser.add_argument("--fault", type=str, default="")
args = parser.parse_args()

torch.set_num_threads(1)

ENV_ID = "CartPole-v1"
N_ENVS = 8
HORIZON = 128
GAMMA, LAM = 0.99, 0.95
LR = 2e-3
EPOCHS, MINIBATCHES = 6, 4
CLIP = 0.2
VF_COEF, ENT_COEF = 0.5, 0.005


def layer(n_in, n_out, gain=np.sqrt(2)):
    lin = nn.Linear(n_in, n_out)
    nn.init.orthogonal_(lin.weight, gain)
    nn.init.zeros_(lin.bias)
    return lin


def mlp(n_in, n_out, gain):
    return nn.Sequential(layer(n_in, 64), nn.Tanh(), layer(64, 64), nn.Tanh(), layer(64, n_out, gain))


def act(actor, obs):
    dist = Categorical(logits=actor(obs))
    action = dist.sample()
    logp = dist.log_prob(action)
    played = dist.sample() if args.fault == "f02" else action
    return action, logp, played


def gae(rewards, values, dones, last_value):
    adv = torch.zeros_like(rewards)
    running = torch.zeros(N_ENVS)
    for t in reversed(range(HORIZON)):
        nxt = last_value if t == HORIZON - 1 else values[t + 1]
        if args.fault == "f01":
            alive = 1.0 - (dones[t - 1] if t > 0 else torch.zeros(N_ENVS))
        else:
            alive = 1.0 - dones[t]
        delta = rewards[t] + GAMMA * nxt * alive - values[t]
        running = delta + GAMMA * LAM * alive * running
        adv[t] = running
    return adv


def main():
    torch.manual_seed(args.seed)
    np.random.seed(args.seed)
    envs = SyncVectorEnv([lambda: gym.make(ENV_ID) for _ in range(N_ENVS)], autoreset_mode=AutoresetMode.SAME_STEP)
    n_obs = envs.single_observation_space.shape[0]
    n_act = envs.single_action_space.n

    actor = mlp(n_obs, n_act, 0.01)
    critic = mlp(n_obs, 1, 1.0)
    params = list(actor.parameters()) + list(critic.parameters())
    optim = torch.optim.Adam(params, lr=LR, eps=1e-5)

    obs_buf = torch.zeros(HORIZON, N_ENVS, n_obs)
    act_buf = torch.zeros(HORIZON, N_ENVS, dtype=torch.long)
    logp_buf = torch.zeros(HORIZON, N_ENVS)
    rew_buf = torch.zeros(HORIZON, N_ENVS)
    done_buf = torch.zeros(HORIZON, N_ENVS)
    val_buf = torch.zeros(HORIZON, N_ENVS)

    obs, _ = envs.reset(seed=args.seed)
    obs = torch.as_tensor(obs, dtype=torch.float32)
    score = np.zeros(N_ENVS)
    recent = []
    n_updates = max(1, args.steps // (N_ENVS * HORIZON))
    seen = 0
    t0 = time.time()

    for update in range(n_updates):
        if args.fault == "f05":
            frac = 1.0 - seen / n_updates
        else:
            frac = 1.0 - update / n_updates
        optim.param_groups[0]["lr"] = LR * max(frac, 0.0)

        for t in range(HORIZON):
            with torch.no_grad():
                action, logp, played = act(actor, obs)
                value = critic(obs).squeeze(-1)
            nxt, reward, term, trunc, info = envs.step(played.numpy())
            score += reward
            reward = torch.as_tensor(reward, dtype=torch.float32)
            done = np.logical_or(term, trunc)
            for i in np.flatnonzero(done):
                recent.append(score[i])
                score[i] = 0.0
                if trunc[i] and not term[i]:
                    final = torch.as_tensor(info["final_obs"][i], dtype=torch.float32)
                    with torch.no_grad():
                        reward[i] += GAMMA * critic(final).item()
            obs_buf[t], act_buf[t], logp_buf[t] = obs, action, logp
            rew_buf[t], val_buf[t] = reward, value
            done_buf[t] = torch.as_tensor(done, dtype=torch.float32)
            obs = torch.as_tensor(nxt, dtype=torch.float32)
            seen += N_ENVS

        with torch.no_grad():
            last_value = critic(obs).squeeze(-1)
        adv = gae(rew_buf, val_buf, done_buf, last_value)
        ret = adv + val_buf

        b_obs = obs_buf.reshape(-1, n_obs)
        b_act = act_buf.reshape(-1)
        b_logp = logp_buf.reshape(-1)
        if args.fault == "f03":
            b_adv = adv.t().reshape(-1)
        else:
            b_adv = adv.reshape(-1)
        b_ret = ret.reshape(-1)

        size = HORIZON * N_ENVS
        kls = []
        for _ in range(EPOCHS):
            for idx in torch.randperm(size).chunk(MINIBATCHES):
                dist = Categorical(logits=actor(b_obs[idx]))
                new_logp = dist.log_prob(b_act[idx])
                ratio = (new_logp - b_logp[idx]).exp()
                a = b_adv[idx]
                a = (a - a.mean()) / (a.std() + 1e-8)
                pg = torch.max(-a * ratio, -a * ratio.clamp(1 - CLIP, 1 + CLIP)).mean()
                v = critic(b_obs[idx])
                if args.fault != "f04":
                    v = v.squeeze(-1)
                v_loss = 0.5 * ((v - b_ret[idx]) ** 2).mean()
                entropy = dist.entropy().mean()
                loss = pg + VF_COEF * v_loss - ENT_COEF * entropy
                optim.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(actor.parameters(), 0.5)
                nn.utils.clip_grad_norm_(critic.parameters(), 5.0)
                optim.step()
                kls.append((b_logp[idx] - new_logp).mean().item())

        if update % 5 == 0 or update == n_updates - 1:
            mean = np.mean(recent[-30:]) if recent else float("nan")
            print(f"update {update:3d}  steps {seen:6d}  return {mean:7.1f}  v_loss {v_loss.item():8.2f}  "
                  f"entropy {entropy.item():.3f}  kl {np.mean(kls):.4f}  {seen / (time.time() - t0):.0f} fps", flush=True)


if __name__ == "__main__":
    main()
