"""PPO for CartPole over a synchronous vector of environments. Scalars go to TensorBoard."""
import argparse
import os
import tempfile
import time

import gymnasium as gym
import numpy as np
import torch
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from torch import nn
from torch.distributions import Categorical
from torch.utils.tensorboard import SummaryWriter

parser = argparse.ArgumentParser()
parser.add_argument("--seed", type=int, default=0)
parser.add_argument("--steps", type=int, default=49152)
parser.add_argument("--fault", type=str, default="none")
parser.add_argument("--logdir", type=str, default="")
args = parser.parse_args()
FAULT = args.fault

NUM_ENVS = 8
HORIZON = 128
EPOCHS = 4
MINIBATCH = 256
GAMMA = 0.99
LAM = 0.95
CLIP = 0.2
VF_COEF = 0.5
ENT_COEF = 0.5 if FAULT == "f08" else 0.005
LR = 1e-3
MAX_GRAD = 0.5

torch.set_num_threads(1)
torch.manual_seed(args.seed)
np.random.seed(args.seed)


def init(layer, gain):
    nn.init.orthogonal_(layer.weight, gain)
    nn.init.zeros_(layer.bias)
    return layer


class Agent(nn.Module):
    def __init__(self, obs_dim, n_actions):
        super().__init__()
        self.actor = nn.Sequential(
            init(nn.Linear(obs_dim, 64), 2**0.5), nn.Tanh(),
            init(nn.Linear(64, 64), 2**0.5), nn.Tanh(),
            init(nn.Linear(64, n_actions), 0.01),
        )
        self.critic = nn.Sequential(
            init(nn.Linear(obs_dim, 64), 2**0.5), nn.Tanh(),
            init(nn.Linear(64, 64), 2**0.5), nn.Tanh(),
            init(nn.Linear(64, 1), 1.0),
        )

    def dist(self, obs):
        return Categorical(logits=self.actor(obs))

    def value(self, obs):
        return self.critic(obs).squeeze(-1)


def evaluate(model, episodes=10):
    env = gym.make("CartPole-v1")
    totals = []
    for k in range(episodes):
        obs, _ = env.reset(seed=900_000 + 1000 * args.seed + k)
        total, over = 0.0, False
        while not over:
            with torch.no_grad():
                action = model.actor(torch.as_tensor(obs)).argmax().item()
            obs, reward, terminated, truncated, _ = env.step(action)
            total += float(reward)
            over = terminated or truncated
        totals.append(total)
    env.close()
    return float(np.mean(totals))


mode = AutoresetMode.NEXT_STEP if FAULT == "f06" else AutoresetMode.SAME_STEP
envs = SyncVectorEnv([lambda: gym.make("CartPole-v1") for _ in range(NUM_ENVS)], autoreset_mode=mode)
obs_dim = envs.single_observation_space.shape[0]
n_actions = int(envs.single_action_space.n)

agent = Agent(obs_dim, n_actions)
eval_agent = Agent(obs_dim, n_actions)
eval_agent.load_state_dict(agent.state_dict())
trained = agent.critic.parameters() if FAULT == "f03" else agent.parameters()
optimizer = torch.optim.Adam(trained, lr=LR, eps=1e-5)
writer = SummaryWriter(args.logdir or os.path.join(tempfile.mkdtemp(), f"ppo_cartpole_{args.seed}"))

obs_buf = torch.zeros(HORIZON, NUM_ENVS, obs_dim)
act_buf = torch.zeros(HORIZON, NUM_ENVS, dtype=torch.long)
logp_buf = torch.zeros(HORIZON, NUM_ENVS)
rew_buf = torch.zeros(HORIZON, NUM_ENVS)
val_buf = torch.zeros(HORIZON, NUM_ENVS)
done_buf = torch.zeros(HORIZON, NUM_ENVS)

next_obs, _ = envs.reset(seed=args.seed)
next_obs = torch.as_tensor(next_obs, dtype=torch.float32)
running = np.zeros(NUM_ENVS)
finished = []
step = 0
batch = HORIZON * NUM_ENVS
updates = max(1, args.steps // batch)
start = time.time()
print(f"step 0 eval {evaluate(eval_agent):.1f}")

for update in range(1, updates + 1):
    for group in optimizer.param_groups:
        group["lr"] = LR * (1.0 - (update - 1) / updates)

    for t in range(HORIZON):
        with torch.no_grad():
            pi = agent.dist(next_obs)
            action = pi.sample()
            logp_buf[t] = pi.log_prob(action)
            val_buf[t] = agent.value(next_obs)
        obs_buf[t] = next_obs
        act_buf[t] = action
        raw, reward, terminated, truncated, infos = envs.step(action.numpy())
        step += NUM_ENVS
        running += reward
        reward = torch.as_tensor(reward, dtype=torch.float32)
        done = terminated | truncated
        # a time limit is no end of the task: the value of the last state is paid out instead
        only_cut = truncated & ~terminated
        if only_cut.any() and "final_obs" in infos:
            for i in np.flatnonzero(only_cut):
                last = torch.as_tensor(infos["final_obs"][i], dtype=torch.float32)
                with torch.no_grad():
                    reward[i] += GAMMA * agent.value(last)
        for i in np.flatnonzero(done):
            finished.append(running[i])
            running[i] = 0.0
        rew_buf[t] = reward
        done_buf[t] = torch.as_tensor(done, dtype=torch.float32)
        next_obs = torch.as_tensor(raw, dtype=torch.float32)
        if FAULT == "f02":
            obs_buf[t] = next_obs

    rewards = rew_buf
    if FAULT == "f10":
        rewards = (rew_buf - rew_buf.mean()) / (rew_buf.std() + 1e-8)

    with torch.no_grad():
        next_value = agent.value(next_obs)
    adv = torch.zeros_like(rew_buf)
    last_gae = torch.zeros(NUM_ENVS)
    for t in reversed(range(HORIZON)):
        alive = torch.ones(NUM_ENVS) if FAULT == "f05" else 1.0 - done_buf[t]
        following = next_value if t == HORIZON - 1 else val_buf[t + 1]
        delta = rewards[t] + GAMMA * following * alive - val_buf[t]
        last_gae = delta + GAMMA * LAM * alive * last_gae
        adv[t] = last_gae
    returns = adv + val_buf

    b_obs = obs_buf.reshape(batch, obs_dim)
    b_act = (act_buf.T if FAULT == "f07" else act_buf).reshape(batch)
    b_logp = logp_buf.reshape(batch)
    b_adv = adv.reshape(batch)
    b_ret = returns.reshape(batch)

    clipped, kls, v_losses, entropies = [], [], [], []
    for _ in range(EPOCHS):
        order = torch.randperm(batch)
        for lo in range(0, batch, MINIBATCH):
            mb = order[lo:lo + MINIBATCH]
            pi = agent.dist(b_obs[mb])
            logratio = pi.log_prob(b_act[mb]) - b_logp[mb]
            ratio = logratio.exp()
            a = b_adv[mb]
            a = (a - a.mean()) / (a.std() + 1e-8)
            surr1 = ratio * a
            surr2 = ratio.clamp(1 - CLIP, 1 + CLIP) * a
            if FAULT == "f09":
                pg_loss = -torch.max(surr1, surr2).mean()
            else:
                pg_loss = -torch.min(surr1, surr2).mean()
            value = agent.value(b_obs[mb])
            if FAULT == "f04":
                value = value.unsqueeze(-1)
            v_loss = 0.5 * ((value - b_ret[mb]) ** 2).mean()
            entropy = pi.entropy().mean()
            loss = pg_loss + VF_COEF * v_loss - ENT_COEF * entropy
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(agent.parameters(), MAX_GRAD)
            optimizer.step()
            with torch.no_grad():
                kls.append(((ratio - 1) - logratio).mean().item())
                clipped.append(((ratio - 1).abs() > CLIP).float().mean().item())
                v_losses.append(v_loss.item())
                entropies.append(entropy.item())

    writer.add_scalar("losses/value_loss", np.mean(v_losses), step)
    writer.add_scalar("losses/approx_kl", np.mean(kls), step)
    writer.add_scalar("losses/clipfrac", np.mean(clipped), step)
    writer.add_scalar("losses/entropy", np.mean(entropies), step)
    writer.add_scalar("charts/learning_rate", optimizer.param_groups[0]["lr"], step)
    if finished:
        writer.add_scalar("charts/episodic_return", np.mean(finished[-20:]), step)
    if update % 12 == 0 or update == updates:
        if FAULT != "f01":
            eval_agent.load_state_dict(agent.state_dict())
        score = evaluate(eval_agent)
        writer.add_scalar("eval/return", score, step)
        train = np.mean(finished[-20:]) if finished else float("nan")
        print(f"step {step} train {train:.1f} eval {score:.1f} ({time.time() - start:.0f}s)")

writer.close()
envs.close()
