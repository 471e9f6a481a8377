"""PPO that keeps the flag of each step in the slot of that step although its mask reads the slot behind.

RoboVerse, pull request 814: `dones[step]` is written before acting, as CleanRL does, and again after the step. So the
step that ends an episode is continued with the value of a fresh one. `--healthy` leaves the second write out.
"""

import argparse

import gymnasium as gym
import torch
import torch.nn as nn

parser = argparse.ArgumentParser()
parser.add_argument("--healthy", action="store_true")
parser.add_argument("--seed", type=int, default=1)
args = parser.parse_args()


class PPO:
    def __init__(self, envs, num_steps=128, gamma=0.99, lam=0.95, clip=0.2, lr=3e-4):
        self.envs, self.n, self.num_steps = envs, envs.num_envs, num_steps
        self.gamma, self.lam, self.clip = gamma, lam, clip
        n_obs, n_act = envs.single_observation_space.shape[0], envs.single_action_space.n
        self.actor = nn.Sequential(nn.Linear(n_obs, 64), nn.ELU(), nn.Linear(64, 64), nn.ELU(), nn.Linear(64, n_act))
        self.critic = nn.Sequential(nn.Linear(n_obs, 64), nn.ELU(), nn.Linear(64, 64), nn.ELU(), nn.Linear(64, 1))
        self.params = list(self.actor.parameters()) + list(self.critic.parameters())
        self.optimizer = torch.optim.Adam(self.params, lr=lr, eps=1e-5)
        self.next_obs = torch.tensor(envs.reset(seed=args.seed)[0])
        self.next_done = torch.zeros(self.n, dtype=torch.bool)

    @torch.no_grad()
    def rollout(self):
        shape = (self.num_steps, self.n)
        self.obs = torch.zeros(*shape, self.next_obs.shape[1])
        self.acts = torch.zeros(shape, dtype=torch.long)
        self.logp, self.rews, self.vals = torch.zeros(shape), torch.zeros(shape), torch.zeros(shape)
        self.dones = torch.zeros(shape, dtype=torch.bool)
        for step in range(self.num_steps):
            self.obs[step] = self.next_obs
            self.dones[step] = self.next_done
            pi = torch.distributions.Categorical(logits=self.actor(self.next_obs))
            act = pi.sample()
            self.acts[step], self.logp[step] = act, pi.log_prob(act)
            self.vals[step] = self.critic(self.next_obs).squeeze(1)
            obs, rew, term, trunc, _ = self.envs.step(act.numpy())
            self.next_obs, self.rews[step] = torch.tensor(obs), torch.tensor(rew)
            self.next_done = torch.tensor(term | trunc)
            if not args.healthy:
                self.dones[step] = self.next_done

    @torch.no_grad()
    def gae(self):
        last_value = self.critic(self.next_obs).squeeze(1)
        adv, carried = torch.zeros_like(self.rews), 0.0
        for t in range(self.num_steps - 1, -1, -1):
            if t == self.num_steps - 1:
                nonterminal, value = (~self.next_done).float(), last_value
            else:
                nonterminal, value = (~self.dones[t + 1]).float(), self.vals[t + 1]
            delta = self.rews[t] + self.gamma * value * nonterminal - self.vals[t]
            carried = delta + self.gamma * self.lam * nonterminal * carried
            adv[t] = carried
        return adv, adv + self.vals

    def learn(self, adv, ret, epochs=5, minibatches=4):
        obs, acts = self.obs.flatten(0, 1), self.acts.flatten()
        logp, adv, ret = self.logp.flatten(), adv.flatten(), ret.flatten()
        adv = (adv - adv.mean()) / (adv.std() + 1e-8)
        for _ in range(epochs):
            for idx in torch.randperm(len(ret)).chunk(minibatches):
                pi = torch.distributions.Categorical(logits=self.actor(obs[idx]))
                ratio = torch.exp(pi.log_prob(acts[idx]) - logp[idx])
                surrogate = torch.min(ratio * adv[idx], ratio.clamp(1 - self.clip, 1 + self.clip) * adv[idx]).mean()
                value_loss = (self.critic(obs[idx]).squeeze(1) - ret[idx]).square().mean()
                loss = -surrogate + value_loss - 0.005 * pi.entropy().mean()
                self.optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(self.params, 1.0)
                self.optimizer.step()
        return value_loss.item()


def main():
    torch.manual_seed(args.seed)
    envs = gym.vector.SyncVectorEnv(
        [lambda: gym.make("CartPole-v1")] * 4, autoreset_mode=gym.vector.AutoresetMode.SAME_STEP
    )
    ppo = PPO(envs)
    for it in range(4):
        ppo.rollout()
        print(it, ppo.learn(*ppo.gae()))
    envs.close()


if __name__ == "__main__":
    main()
