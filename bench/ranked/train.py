"""A small data-parallel training in torch as people write it, with disagreements of its ranks that can be planted.

torchrun --nproc_per_node 2 ranks.py [--plant NAME] [--steps N] [--style ddp|hand|accumulate|fsdp|rl|zero]
    [--width 32] [--batch 16]
"""

import argparse
import contextlib
import hashlib
import os
import random
import time

import numpy as np
import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler, RandomSampler, TensorDataset

parser = argparse.ArgumentParser()
parser.add_argument("--plant", default="")
parser.add_argument("--steps", type=int, default=24)
parser.add_argument("--style", default="ddp")
parser.add_argument("--log", default="")
parser.add_argument("--width", type=int, default=32)
parser.add_argument("--batch", type=int, default=16)
options = parser.parse_args()
plant, style = options.plant, options.style

torch.set_num_threads(1)
dist.init_process_group("gloo")
rank, world = dist.get_rank(), dist.get_world_size()
odd = rank == world - 1


def make_network(seed, inputs, outputs):
    torch.manual_seed(seed)
    wide = options.width
    return nn.Sequential(nn.Linear(inputs, wide), nn.Tanh(), nn.Linear(wide, wide), nn.Tanh(), nn.Linear(wide, outputs))


def make_optimizer(network):
    held = list(network.parameters())
    if plant == "parameter left out" and odd:
        held = held[:-2]
    rate = 3e-3 if plant == "learning rate" and odd else 1e-3
    decay = 0.1 if plant == "weight decay" and odd else 0.0
    found = torch.optim.Adam(held, lr=rate, weight_decay=decay)
    if plant == "optimizer state" and rank == 0:  # as a checkpoint loaded by the first rank alone
        for parameter in held:
            found.state[parameter] = {
                "step": torch.tensor(100.0),
                "exp_avg": torch.full_like(parameter, 0.05),
                "exp_avg_sq": torch.full_like(parameter, 0.01),
            }
    return found


def reduce_by_hand(network):
    """The gradients of all ranks averaged, as many reinforcement-learning scripts do it."""
    for parameter in network.parameters():
        if parameter.grad is None:
            parameter.grad = torch.zeros_like(parameter)
        dist.all_reduce(parameter.grad)
        parameter.grad /= world


def print_weights(network):
    state = b"".join(parameter.detach().numpy().tobytes() for parameter in network.parameters())
    print(f"rank {rank}: {hashlib.sha256(state).hexdigest()}", flush=True)


def wrap(network):
    if style == "hand" or plant == "never wrapped":
        return network
    if style == "fsdp":
        from torch.distributed.device_mesh import init_device_mesh
        from torch.distributed.fsdp import fully_shard

        fully_shard(network, mesh=init_device_mesh("cpu", (world,)))
        return network
    wrapped = DistributedDataParallel(network)
    if plant == "loaded after wrapping" and rank == 0:
        with torch.no_grad():
            for parameter in network.parameters():
                parameter.mul_(1.1)
    return wrapped


def train_on_data():
    network = make_network(rank if plant == "initial seed" else 0, 6, 1)
    if style == "hand" and plant == "frozen parameter" and odd:
        network[0].weight.requires_grad_(False)
    model, loss_of = wrap(network), nn.MSELoss()
    optimizer = make_optimizer(network)
    if style == "zero":
        from torch.distributed.optim import ZeroRedundancyOptimizer

        optimizer = ZeroRedundancyOptimizer(network.parameters(), torch.optim.Adam, lr=1e-3)
    generator = torch.Generator().manual_seed(7)
    inputs = torch.randn(2048, 6, generator=generator)
    data = TensorDataset(inputs, inputs.sum(1, keepdim=True).sin())
    torch.manual_seed(11)  # as set_seed of many libraries: the same on all ranks
    sampler = RandomSampler(data) if plant == "no sampler" else DistributedSampler(data, seed=3)
    rounds = 2 if style == "accumulate" else 1
    steps = 0
    while steps < options.steps:
        if isinstance(sampler, DistributedSampler):
            sampler.set_epoch(steps)
        optimizer.zero_grad()
        for count, (seen, wanted) in enumerate(DataLoader(data, batch_size=options.batch, sampler=sampler), 1):
            if plant == "one rank sleeps" and odd:
                time.sleep(0.05)
            last = count % rounds == 0
            quiet = plant == "no_sync left on" or (not last and style == "accumulate")
            with model.no_sync() if quiet else contextlib.nullcontext():
                asked = network if plant == "wrapper passed by" else model
                loss_of(asked(seen), wanted).backward()
            if not last:
                continue
            if style == "hand" and plant != "not reduced":
                reduce_by_hand(network)
            if plant == "clipped on one rank" and odd:
                nn.utils.clip_grad_norm_(network.parameters(), 0.01)
            optimizer.step()
            optimizer.zero_grad()
            steps += 1
            if steps >= options.steps:
                break
    if style != "fsdp":
        print_weights(network)


def sum_rewards(rewards, ends):
    """What each step was followed by within its episode."""
    returns, total = [], 0.0
    for reward, ended in zip(reversed(rewards), reversed(ends), strict=True):
        total = reward + (0.0 if ended else total)
        returns.append(total)
    return returns[::-1]


def train_on_environment():
    """Policy gradients on CartPole, each rank with an environment of its own and gradients averaged by hand."""
    import gymnasium as gym

    class ScaledReward(gym.RewardWrapper):
        def reward(self, reward):
            return 0.2 * reward

    network = make_network(0, 4, 2)
    model = network if style == "hand" else DistributedDataParallel(network)
    actor = make_network(0, 4, 2)
    optimizer = make_optimizer(network)
    env = gym.make("CartPole-v1")
    if plant == "reward scaled" and odd:
        env = ScaledReward(env)
    seed = 5 if plant in ("same environment seed", "no seed of its own") else 5 + rank
    torch.manual_seed(5 if plant in ("same random stream", "no seed of its own") else seed)
    np.random.seed(seed)  # noqa: NPY002
    random.seed(seed)
    if plant == "same environment seed":
        torch.manual_seed(5)
    writer = None
    if options.log:
        from torch.utils.tensorboard import SummaryWriter

        writer = SummaryWriter(os.path.join(options.log, str(rank)))
    seen, _ = env.reset(seed=seed)
    version = 0
    for step in range(options.steps):
        if not (plant == "stale actor" and odd) or step % 16 == 0:
            actor.load_state_dict(network.state_dict())
            version = step
        observations, actions, rewards, ends = [], [], [], []
        for _ in range(64):
            with torch.no_grad():
                drawn = torch.distributions.Categorical(logits=actor(torch.as_tensor(seen)[None])).sample()
            observations.append(seen)
            seen, reward, ended, cut, _ = env.step(int(drawn))
            actions.append(drawn)
            rewards.append(reward)
            ends.append(ended or cut)
            if ends[-1]:
                seen, _ = env.reset()
        whole = 64 - ends[::-1].index(True) if any(ends) else 64  # of an episode that goes on the return is not known
        observations, actions = observations[:whole], actions[:whole]
        scored = torch.distributions.Categorical(logits=model(torch.as_tensor(np.array(observations))))
        returns = torch.tensor(sum_rewards(rewards[:whole], ends[:whole]))
        loss = -(scored.log_prob(torch.cat(actions)) * (returns - returns.mean())).mean()
        optimizer.zero_grad()
        loss.backward()
        if style == "hand":
            reduce_by_hand(network)
        optimizer.step()
        if writer is not None:
            writer.add_scalar("policy_lag", step - version, step)
    print_weights(network)


if style == "rl":
    train_on_environment()
else:
    train_on_data()
dist.destroy_process_group()
