# Homework 2 - Policy gradients (REINFORCE with reward-to-go and a learned baseline)
# Problem 3: CartPole
import argparse
import gymnasium as gym
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F


def build_mlp(input_size, output_size, n_layers, size):
    layers = []
    for _ in range(n_layers):
        layers += [nn.Linear(input_size, size), nn.Tanh()]
        input_size = size
    layers.append(nn.Linear(input_size, output_size))
    return nn.Sequential(*layers)


def get_distribution(policy, ob_no, fault):
    logits = policy(ob_no)
    if fault == "f06":
        return torch.distributions.Categorical(logits=F.softmax(logits, dim=-1))
    return torch.distributions.Categorical(logits=logits)


def sample_trajectory(env, policy, fault, state):
    ob, _ = env.reset()
    obs, acs, rews = [], [], []
    if fault != "f07":
        state["ep_return"] = 0.0
    while True:
        ob_t = torch.from_numpy(np.asarray(ob, dtype=np.float32))
        with torch.no_grad():
            dist = get_distribution(policy, ob_t, fault)
            if fault == "f05":
                ac = dist.probs.argmax().item()
            else:
                ac = dist.sample().item()
        obs.append(np.asarray(ob, dtype=np.float32))
        acs.append(ac)
        ob, rew, terminated, truncated, _ = env.step(ac)
        rews.append(rew)
        state["ep_return"] += rew
        if terminated or truncated:
            break
    return {
        "observation": np.array(obs),
        "action": np.array(acs),
        "reward": np.array(rews, dtype=np.float32),
        "last_observation": np.asarray(ob, dtype=np.float32),
        "timeout": truncated and not terminated,
        "return": state["ep_return"],
    }


def sample_trajectories(env, policy, min_timesteps_per_batch, fault, state):
    paths, n = [], 0
    while n < min_timesteps_per_batch:
        path = sample_trajectory(env, policy, fault, state)
        paths.append(path)
        n += len(path["reward"])
    return paths, n


def compute_q_values(paths, baseline, gamma, fault):
    q_n = []
    running = 0.0
    for path in paths:
        if path["timeout"]:
            with torch.no_grad():
                tail = baseline(torch.from_numpy(path["last_observation"])).item()
        else:
            tail = 0.0
        if fault == "f01":
            running = running + tail
        else:
            running = tail
        q = np.zeros_like(path["reward"])
        for t in range(len(q) - 1, -1, -1):
            running = path["reward"][t] + gamma * running
            q[t] = running
        q_n.append(q)
    return np.concatenate(q_n)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=50_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--fault", type=str, default="")
    parser.add_argument("--discount", type=float, default=0.99)
    parser.add_argument("--batch_size", "-b", type=int, default=1000)
    parser.add_argument("--learning_rate", "-lr", type=float, default=7e-3)
    parser.add_argument("--n_layers", "-l", type=int, default=2)
    parser.add_argument("--size", "-s", type=int, default=32)
    args = parser.parse_args()

    torch.set_num_threads(1)
    torch.manual_seed(args.seed)
    np.random.seed(args.seed)

    env = gym.make("CartPole-v1")
    env.reset(seed=args.seed)
    ob_dim = env.observation_space.shape[0]
    ac_dim = env.action_space.n

    policy = build_mlp(ob_dim, ac_dim, args.n_layers, args.size)
    baseline = build_mlp(ob_dim, 1, args.n_layers, args.size)
    if args.fault == "f04":
        policy_optimizer = torch.optim.Adam(baseline.parameters(), lr=args.learning_rate)
    else:
        policy_optimizer = torch.optim.Adam(policy.parameters(), lr=args.learning_rate)
    baseline_optimizer = torch.optim.Adam(baseline.parameters(), lr=args.learning_rate)

    total_timesteps = 0
    itr = 0
    state = {"ep_return": 0.0}
    while total_timesteps < args.steps:
        paths, n = sample_trajectories(env, policy, args.batch_size, args.fault, state)
        total_timesteps += n

        ob_no = torch.from_numpy(np.concatenate([p["observation"] for p in paths]))
        ac_na = torch.from_numpy(np.concatenate([p["action"] for p in paths]))
        q_n = torch.from_numpy(compute_q_values(paths, baseline, args.discount, args.fault)).float()

        with torch.no_grad():
            b_n = baseline(ob_no).squeeze(1)
        adv_n = q_n - b_n
        adv_n = (adv_n - adv_n.mean()) / (adv_n.std() + 1e-8)

        logp = get_distribution(policy, ob_no, args.fault).log_prob(ac_na)
        if args.fault == "f02":
            loss = (logp * adv_n).mean()
        else:
            loss = -(logp * adv_n).mean()
        policy_optimizer.zero_grad()
        loss.backward()
        policy_optimizer.step()

        if args.fault == "f03":
            target_n = (q_n - q_n.mean()) / (q_n.std() + 1e-8)
        else:
            target_n = q_n
        for _ in range(20):
            baseline_loss = F.mse_loss(baseline(ob_no).squeeze(1), target_n)
            baseline_optimizer.zero_grad()
            baseline_loss.backward()
            baseline_optimizer.step()

        returns = [p["return"] for p in paths]
        print("Iteration %d | Timesteps %d | AverageReturn %.2f | StdReturn %.2f | MaxReturn %.1f | BaselineLoss %.3f"
              % (itr, total_timesteps, np.mean(returns), np.std(returns), np.max(returns), baseline_loss.item()))
        itr += 1


if __name__ == "__main__":
    main()
