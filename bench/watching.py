"""What watching costs, in pairs of trainings with and without a monitor.

    python bench/watching.py [--pairs 10] [ppo sac] [--peer]
    python bench/watching.py [--pairs 10] --device cuda [mlp transformer]

ppo and sac are runs of Stable-Baselines3 on CartPole and Pendulum in processes of their own, watched and not in turn.
Counted is the processor time of all threads from the fourth update to the end, because the checks of the first three
stand apart; what they took is told beside it. mlp and transformer are loops on an accelerator: blocks of updates in one
process, watched and not in turn, by the time that passes, with the device waited for at both ends. The difference of
each pair is a share of the time without; their mean comes with a bootstrap interval of 95 %. `--peer` measures
reward-scope in the place of weaklink.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time

import numpy as np

STEPS = {"ppo": 40_960, "sac": 4_000}
BLOCK = {"mlp": 8, "transformer": 40}
"""Environment steps of a run, and updates of a block."""


class Stopwatch:
    """Starts at the fourth update, or after a share of the run where updates are many."""

    def __init__(self, device: str) -> None:
        self.device, self.began, self.took = device, None, None

    def now(self) -> float:
        if self.device == "cpu":
            return time.process_time()
        import torch

        torch.cuda.synchronize()
        return time.perf_counter()

    def start(self) -> None:
        self.began = self.began or self.now()

    def stop(self) -> None:
        self.took = self.now() - self.began


def sb3(task: str, watched: str, seed: int, watch: Stopwatch) -> dict:
    import torch
    from stable_baselines3 import PPO, SAC
    from stable_baselines3.common.callbacks import BaseCallback

    torch.set_num_threads(1)
    torch.backends.mkldnn.enabled = False

    class Clock(BaseCallback):
        rollouts = 0

        def _on_rollout_start(self) -> None:
            self.rollouts += 1
            if self.rollouts == (4 if task == "ppo" else 300):
                watch.start()

        def _on_step(self) -> bool:
            return True

    model = PPO("MlpPolicy", "CartPole-v1", seed=seed) if task == "ppo" else SAC("MlpPolicy", "Pendulum-v1", seed=seed)
    callbacks, monitor = [Clock()], None
    with tempfile.TemporaryDirectory() as folder:
        if watched == "weaklink":
            import weaklink

            monitor = weaklink.attach(model, f"{folder}/run")
        elif watched == "reward-scope":
            from reward_scope.integrations.stable_baselines import RewardScopeCallback

            callbacks.append(RewardScopeCallback(run_name="bench", db_path=f"{folder}/scope.db"))
        model.learn(STEPS[task], callback=callbacks)
        watch.stop()
        return finished(monitor)


def finished(monitor) -> dict:
    if monitor is None:
        return {}
    told = {"checks": monitor._governor.seconds["check"], "alerts": [finding.code for finding in monitor.alerts]}
    monitor.close()
    return told


def mlp(monitor, device: str):
    """A PPO over made-up rollouts that lie on the device, with two networks of four layers of 2048."""
    import torch
    from torch import nn

    def network(outputs: int) -> nn.Module:
        layers = [nn.Linear(256, 2048), nn.ReLU()]
        for _ in range(3):
            layers += [nn.Linear(2048, 2048), nn.ReLU()]
        return nn.Sequential(*layers, nn.Linear(2048, outputs))

    class Agent(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.actor, self.critic = network(16), network(1)

        def get_action_and_value(self, observations, actions=None):
            policy = torch.distributions.Categorical(logits=self.actor(observations))
            actions = policy.sample() if actions is None else actions
            return actions, policy.log_prob(actions), policy.entropy(), self.critic(observations)[:, 0]

    agent = Agent().to(device)
    optimizer = torch.optim.Adam(agent.parameters(), lr=1e-4)
    shape = 64, 512
    none = torch.zeros(shape[1], device=device)

    def update(step: int, watched: bool) -> None:
        observations = torch.randn(*shape, 256, device=device)
        rewards = torch.randn(shape, device=device)
        ended = (torch.rand(shape, device=device) < 0.01).float()
        with torch.no_grad():
            found = agent.get_action_and_value(observations.flatten(0, 1))
            actions, log_probs, values = (found[place].reshape(shape) for place in (0, 1, 3))
        advantages, ahead = torch.zeros_like(rewards), none
        for t in reversed(range(shape[0])):
            following = values[t + 1] if t + 1 < shape[0] else none
            ahead = rewards[t] + (0.99 * following + 0.99 * 0.95 * ahead) * (1 - ended[t]) - values[t]
            advantages[t] = ahead
        returns = advantages + values
        if watched:
            monitor.rollout(
                step, observations=observations, actions=actions, log_probs=log_probs, rewards=rewards, values=values,
                dones=ended, gamma=0.99, lam=0.95, last_value=none, advantages=advantages, returns=returns,
                policy=agent, optimizers=optimizer,
            )  # fmt: skip
        batch = [part.flatten(0, 1) for part in (observations, actions, log_probs, advantages, returns)]
        kl = learned(agent, optimizer, batch)
        if watched:
            monitor.update(step, kl=kl)

    return update


def learned(agent, optimizer, batch):
    import torch
    from torch import nn

    for _ in range(4):
        for rows in torch.randperm(len(batch[0]), device=batch[0].device).split(4096):
            observations, actions, old, advantages, returns = (part[rows] for part in batch)
            _, log_probs, entropy, values = agent.get_action_and_value(observations, actions)
            ratio = (log_probs - old).exp()
            gain = torch.min(ratio * advantages, ratio.clamp(0.8, 1.2) * advantages).mean()
            loss = -gain - 0.01 * entropy.mean() + 0.5 * nn.functional.mse_loss(values, returns)
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(agent.parameters(), 0.5)
            optimizer.step()
    return (ratio - 1 - ratio.log()).mean()


def transformer(monitor, device: str):
    """A GRPO-like loop: groups of completions of a decoder with over a hundred million parameters."""
    import torch
    from torch import nn

    vocabulary, width, depth, length = 16_000, 1024, 10, 512
    layer = nn.TransformerEncoderLayer(width, 16, 4 * width, dropout=0.0, batch_first=True, norm_first=True)

    class Decoder(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.embedding = nn.Embedding(vocabulary, width)
            self.body = nn.TransformerEncoder(layer, depth, enable_nested_tensor=False)
            self.head = nn.Linear(width, vocabulary, bias=False)

        def forward(self, tokens):
            mask = nn.Transformer.generate_square_subsequent_mask(tokens.shape[1], device=tokens.device)
            logits = self.head(self.body(self.embedding(tokens), mask=mask, is_causal=True))
            found = torch.log_softmax(logits[:, :-1].float(), -1)
            return found.gather(-1, tokens[:, 1:, None])[..., 0]

    model = Decoder().to(device)
    assert sum(parameter.numel() for parameter in model.parameters()) >= 100_000_000
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-6)

    def update(step: int, watched: bool) -> None:
        tokens = torch.randint(vocabulary, (32, length), device=device)
        rewards = torch.rand(4, 8, device=device)
        advantages = ((rewards - rewards.mean(1, keepdim=True)) / (rewards.std(1, keepdim=True) + 1e-4)).flatten()
        for rows in torch.arange(32, device=device).split(8):
            with torch.autocast(device, torch.bfloat16, enabled=device == "cuda"):
                log_probs = model(tokens[rows])
                ratio = (log_probs - log_probs.detach()).exp()
                loss = -(ratio * advantages[rows, None]).mean() / 4
            loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()
        if watched:
            monitor.update(step, {"reward": rewards.mean(), "loss": loss})

    return update


def in_turn(task: str, device: str, pairs: int) -> list[float]:
    """Blocks of updates in one process, watched and not in turn: clocks and caches differ more between processes."""
    import contextlib

    import torch

    import weaklink
    from weaklink.adapters.torch.hooks import paused

    torch.manual_seed(0)
    watch, shares, step = Stopwatch(device), [], 0
    with (
        tempfile.TemporaryDirectory() as folder,
        weaklink.Monitor(f"{folder}/run", config={"batch_size": 32}) as monitor,
    ):
        update = {"mlp": mlp, "transformer": transformer}[task](monitor, device)
        for pair in range(-1, pairs):  # the first pair warms up and holds the first checks
            taken = {}
            for watched in (True, False) if pair % 2 else (False, True):
                began = watch.now()
                with contextlib.nullcontext() if watched else paused():
                    for _ in range(BLOCK[task]):
                        step += 1
                        update(step, watched)
                taken[watched] = watch.now() - began
            if pair >= 0:
                shares.append(taken[True] / taken[False] - 1.0)
                print(task, pair, f"{shares[-1]:+.2%}", f"{taken[False]:.2f} s without", flush=True)
        print(f"first checks {monitor._governor.seconds['check']:.2f} s, own share {monitor.share:.2%}")
    return shares


def one(task: str, watched: str, seed: int) -> None:
    watch = Stopwatch("cpu")
    told = sb3(task, watched, seed, watch)
    print(json.dumps({"seconds": watch.took, **told}))


def measured(task: str, watched: str, seed: int) -> dict:
    words = [sys.executable, __file__, "--one", task, watched, str(seed)]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    return json.loads(done.stdout.splitlines()[-1])


def in_processes(task: str, watcher: str, pairs: int) -> list[float]:
    shares = []
    for seed in range(pairs):
        order = ["none", watcher] if seed % 2 else [watcher, "none"]
        runs = {watched: measured(task, watched, seed) for watched in order}
        shares.append(runs[watcher]["seconds"] / runs["none"]["seconds"] - 1.0)
        print(task, seed, f"{shares[-1]:+.2%}", runs[watcher], flush=True)
    return shares


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tasks", nargs="*", default=["ppo", "sac"])
    parser.add_argument("--pairs", type=int, default=10)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--peer", action="store_true")
    parser.add_argument("--one", nargs=3)
    given = parser.parse_args()
    if given.one:
        one(given.one[0], given.one[1], int(given.one[2]))
        return
    watcher = "reward-scope" if given.peer else "weaklink"
    for task in given.tasks:
        alone = task in STEPS
        shares = in_processes(task, watcher, given.pairs) if alone else in_turn(task, given.device, given.pairs)
        drawn = np.random.default_rng(0).choice(shares, (10_000, len(shares))).mean(1)
        low, high = np.quantile(drawn, (0.025, 0.975))
        print(
            f"{task}: {watcher} adds {np.mean(shares):+.2%} ({low:+.2%} to {high:+.2%}), median "
            f"{np.median(shares):+.2%}, {given.pairs} pairs",
            flush=True,
        )


if __name__ == "__main__":
    main()
