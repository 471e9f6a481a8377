"""A policy update of one's own on TorchRL's components, watched while it trains and ready to be probed.

    python examples/watch_mm_rkhs.py
    weaklink probe examples/watch_mm_rkhs.py:train

Each round majorises and minimises in a space of kernels (MM-RKHS). With q the policy that collected and p the new one,
what the policy loses is kept under a bound that touches it at p = q, given a STIFFNESS that is large enough:

    loss(p) <= constant - E[ A(s, a) p(a|s) / q(a|s) ] + STIFFNESS * E[ MMD(p(.|s), q(.|s))^2 ]

The maximum mean discrepancy is how far two distributions lie apart as points of the space that belongs to a Gaussian
kernel between actions. For choices it needs no samples: MMD^2 = (p - q)' K (p - q). The update is a few gradient steps
on the bound, on one batch, with a little entropy beside it; no ratio is clipped.

The lines that weaklink needs are those with `monitor` in them.
"""

from __future__ import annotations

import gymnasium
import torch
from gymnasium.spaces import flatdim, flatten
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from tensordict.nn import TensorDictModule
from torch.distributions import Categorical
from torchrl.collectors import Collector
from torchrl.envs import GymWrapper
from torchrl.modules import MLP, ProbabilisticActor, ValueOperator
from torchrl.objectives.value import GAE

from weaklink.adapters.torchrl.agent import agent_of

MEMBERS, FRAMES, STEPS = 16, 256, 24  # environments, steps of a batch, gradient steps on it
LEARNING_RATE, LAMBDA, STIFFNESS, BANDWIDTH, ENTROPY = 5e-3, 0.95, 4.0, 1.0, 0.01


def train(make_env, steps, seed, gamma=0.9, monitor=None):
    torch.manual_seed(seed)
    made = [make_env() for _ in range(MEMBERS)]
    space, choices = made[0].observation_space, int(made[0].action_space.n)
    env = joined(made, seed)
    actor = ProbabilisticActor(
        TensorDictModule(network(flatdim(space), choices), in_keys=["observation"], out_keys=["logits"]),
        in_keys=["logits"],
        spec=env.action_spec_unbatched,
        distribution_class=Categorical,
        return_log_prob=True,
    )
    critic = ValueOperator(network(flatdim(space), 1), in_keys=["observation"])
    advantage = GAE(gamma=gamma, lmbda=LAMBDA, value_network=critic)
    optimizer = torch.optim.Adam([*actor.parameters(), *critic.parameters()], lr=LEARNING_RATE)
    kernel = gaussian_kernel(torch.eye(choices))
    collector = Collector(env, actor, frames_per_batch=FRAMES, total_frames=steps)
    rounds, frames = max(1, steps // FRAMES), 0
    for done, batch in enumerate(collector):
        optimizer.param_groups[0]["lr"] = LEARNING_RATE * max(0.1, 1 - done / rounds)
        with torch.no_grad():
            advantage(batch)
        frames += batch.numel()
        if monitor:
            monitor.rollout(frames, batch, loss=actor, gamma=gamma, lam=LAMBDA, modules=[actor, critic])
        numbers = update(actor, critic, optimizer, kernel, batch)
        if monitor:
            monitor.update(frames, numbers)
        if monitor and monitor.stop:
            break
    collector.shutdown()
    return agent_of(actor, critic, gamma=gamma, encode=lambda observation: flatten(space, observation))


def joined(made, seed):
    """Members that step together, none of them reset before its batch has its last observation."""
    flat = [gymnasium.wrappers.FlattenObservation(env) for env in made]
    vector = SyncVectorEnv([lambda env=env: env for env in flat], autoreset_mode=AutoresetMode.DISABLED)
    env = GymWrapper(vector, categorical_action_encoding=True)
    env.set_seed(seed)
    return env


def network(inputs, outputs):
    return MLP(inputs, outputs, num_cells=[32, 32], activation_class=torch.nn.Tanh)


def gaussian_kernel(points):
    """How alike the actions are: here each is as far from every other."""
    return torch.exp(-torch.cdist(points, points).square() / (2 * BANDWIDTH**2))


def update(actor, critic, optimizer, kernel, batch):
    """Minimises the bound on one batch, and the error of the values beside it."""
    rows = batch.reshape(-1)
    scaled = rows["advantage"].squeeze(-1)
    scaled = (scaled - scaled.mean()) / (scaled.std() + 1e-6)
    before = rows["logits"].softmax(-1)
    for _ in range(STEPS):
        policy = actor.get_dist(rows.select("observation"))
        ratio = (policy.log_prob(rows["action"]) - rows["action_log_prob"]).exp()
        apart = policy.probs - before
        discrepancy = torch.einsum("na,ab,nb->n", apart, kernel, apart).mean()
        value = critic(rows.select("observation"))["state_value"]
        losses = {
            "policy_loss": -(ratio * scaled).mean() + STIFFNESS * discrepancy,
            "value_loss": torch.nn.functional.mse_loss(value, rows["value_target"]),
        }
        entropy = policy.entropy().mean()
        optimizer.zero_grad()
        (losses["policy_loss"] + losses["value_loss"] - ENTROPY * entropy).backward()
        torch.nn.utils.clip_grad_norm_(optimizer.param_groups[0]["params"], 1.0)
        optimizer.step()
    kl = (ratio - 1 - ratio.log()).mean()
    told = {**losses, "entropy": entropy, "kl": kl, "discrepancy": discrepancy}
    return {name: float(value.detach()) for name, value in told.items()}


def main():
    import weaklink

    config = {"algorithm": "mm-rkhs", "gamma": 0.99, "gae_lambda": LAMBDA, "learning_rate": LEARNING_RATE}
    monitor = weaklink.Monitor("runs/mm-rkhs", config=config)
    agent = train(lambda: gymnasium.make("CartPole-v1"), 30_000, seed=0, gamma=0.99, monitor=monitor)
    monitor.close()
    print(f"return of one episode after training: {played(gymnasium.make('CartPole-v1'), agent):g}")


def played(env, agent):
    total, ended = 0.0, False
    observation, _ = env.reset(seed=1)
    while not ended:
        observation, reward, terminated, truncated, _ = env.step(agent.act(observation))
        total, ended = total + reward, terminated or truncated
    return total


if __name__ == "__main__":
    main()
