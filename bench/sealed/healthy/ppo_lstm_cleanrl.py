"""PPO with an LSTM in CleanRL's manner: get_states with done masks, minibatches of environments; CartPole with its angle scaled."""
import argparse
import gymnasium as gym
import numpy as np
import torch
import torch.nn as nn
from torch.distributions.categorical import Categorical


def make_env():
    env = gym.make("CartPole-v1", max_episode_steps=-1)  # falls or goes on: cut below
    env = gym.wrappers.TransformObservation(env, lambda o: o * np.array([1, 1, 5, 1], np.float32), gym.spaces.Box(-np.inf, np.inf, (4,), np.float32))
    return gym.wrappers.RecordEpisodeStatistics(env)


class Agent(nn.Module):
    def __init__(self):
        super().__init__()
        self.network = nn.Sequential(nn.Linear(4, 64), nn.Tanh())
        self.lstm = nn.LSTM(64, 64)
        for name, param in self.lstm.named_parameters():
            nn.init.zeros_(param) if "bias" in name else nn.init.orthogonal_(param, 1.0)
        self.actor, self.critic = nn.Linear(64, 2), nn.Linear(64, 1)
        nn.init.orthogonal_(self.actor.weight, 0.01)

    def get_states(self, x, lstm_state, done):
        hidden = self.network(x)
        batch_size = lstm_state[0].shape[1]
        hidden = hidden.reshape((-1, batch_size, self.lstm.input_size))
        done = done.reshape((-1, batch_size))
        new_hidden = []
        for h, d in zip(hidden, done):
            h, lstm_state = self.lstm(h.unsqueeze(0), ((1.0 - d).view(1, -1, 1) * lstm_state[0], (1.0 - d).view(1, -1, 1) * lstm_state[1]))
            new_hidden += [h]
        return torch.flatten(torch.cat(new_hidden), 0, 1), lstm_state

    def get_value(self, x, lstm_state, done):
        return self.critic(self.get_states(x, lstm_state, done)[0])

    def get_action_and_value(self, x, lstm_state, done, action=None):
        hidden, lstm_state = self.get_states(x, lstm_state, done)
        probs = Categorical(logits=self.actor(hidden))
        if action is None:
            action = probs.sample()
        return action, probs.log_prob(action), probs.entropy(), self.critic(hidden), lstm_state


if __name__ == "__main__":
    ap = argparse.ArgumentParser()
    ap.add_argument("--seed", type=int, default=0)
    ap.add_argument("--num-updates", type=int, default=90)
    args = ap.parse_args()
    torch.manual_seed(args.seed)
    N, T, gamma, lam = 8, 32, 0.98, 0.95
    envs = gym.vector.SyncVectorEnv([make_env] * N, autoreset_mode=gym.vector.AutoresetMode.SAME_STEP)
    agent = Agent()
    optimizer = torch.optim.Adam(agent.parameters(), lr=2e-3, eps=1e-5)
    obs, actions = torch.zeros(T, N, 4), torch.zeros(T, N)
    logprobs, rewards, dones, values = (torch.zeros(T, N) for _ in range(4))
    next_obs = torch.Tensor(envs.reset(seed=args.seed)[0])
    next_done = torch.zeros(N)
    next_state = (torch.zeros(1, N, 64), torch.zeros(1, N, 64))
    returns_seen = []
    for update in range(1, args.num_updates + 1):
        initial_state = (next_state[0].clone(), next_state[1].clone())
        for step in range(T):
            obs[step], dones[step] = next_obs, next_done
            with torch.no_grad():
                action, logprob, _, value, next_state = agent.get_action_and_value(next_obs, next_state, next_done)
            values[step], actions[step], logprobs[step] = value.flatten(), action, logprob
            o, reward, terminated, _, info = envs.step(action.numpy())
            rewards[step] = torch.tensor(reward)
            next_obs, next_done = torch.Tensor(o), torch.Tensor(terminated)
            if "final_info" in info:
                e = info["final_info"]["episode"]
                returns_seen += [float(r) for r, k in zip(e["r"], info["_final_info"]) if k]
        with torch.no_grad():
            next_value = agent.get_value(next_obs, next_state, next_done).reshape(1, -1)
            advantages, lastgaelam = torch.zeros_like(rewards), 0
            for t in reversed(range(T)):
                nonterminal = 1.0 - (next_done if t == T - 1 else dones[t + 1])
                nextvalues = next_value if t == T - 1 else values[t + 1]
                delta = rewards[t] + gamma * nextvalues * nonterminal - values[t]
                advantages[t] = lastgaelam = delta + gamma * lam * nonterminal * lastgaelam
            returns = advantages + values
        b_obs, b_logprobs, b_actions = obs.reshape(-1, 4), logprobs.reshape(-1), actions.reshape(-1)
        b_dones, b_advantages, b_returns = dones.reshape(-1), advantages.reshape(-1), returns.reshape(-1)
        envinds, flatinds = np.arange(N), np.arange(T * N).reshape(T, N)
        for epoch in range(4):
            np.random.default_rng(args.seed + update * 10 + epoch).shuffle(envinds)
            for start in range(0, N, 4):
                mbenv = envinds[start:start + 4]
                mb = flatinds[:, mbenv].ravel()
                _, newlogprob, entropy, newvalue, _ = agent.get_action_and_value(
                    b_obs[mb], (initial_state[0][:, mbenv], initial_state[1][:, mbenv]), b_dones[mb], b_actions.long()[mb])
                ratio = (newlogprob - b_logprobs[mb]).exp()
                adv = (b_advantages[mb] - b_advantages[mb].mean()) / (b_advantages[mb].std() + 1e-8)
                pg_loss = torch.max(-adv * ratio, -adv * torch.clamp(ratio, 0.8, 1.2)).mean()
                v_loss = 0.5 * ((newvalue.view(-1) - b_returns[mb]) ** 2).mean()
                loss = pg_loss - 0.01 * entropy.mean() + 0.1 * v_loss
                optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(agent.parameters(), 0.5)
                optimizer.step()
        if update % 9 == 0:
            print(f"update {update} return {np.mean(returns_seen[-20:]):.1f}")
