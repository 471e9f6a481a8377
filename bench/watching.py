"""What watching costs: trainings in pairs, with and without a monitor, in turn and in processes of their own.

    python bench/watching.py [--pairs 10] [--device cpu] [ppo sac | mlp transformer] [--peer]

Counted is the time from the fourth update to the end, because the checks of the first three stand apart; what they took
is told beside it. On the processor it is the time of all threads of the process; on an accelerator it is the time that
passes, with the device waited for at both ends. The difference of each pair is a share of the run without; the mean of
the pairs comes with a bootstrap interval of 95 %. `--peer` measures reward-scope in the place of weaklink.
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
UPDATES = {"mlp": 60, "transformer": 40}


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


def mlp(watched: str, seed: int, watch: Stopwatch, device: str) -> dict:
    """A PPO over a made-up rollout that lies on the device, with two networks of four layers of 2048."""
    import torch
    from torch import nn

    torch.manual_seed(seed)

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
    with tempfile.TemporaryDirectory() as folder:
        monitor = begun(watched, folder, {"algorithm": "ppo", "batch_size": 4096})
        horizon, members, step = 128, 256, 0
        for update in range(UPDATES["mlp"]):
            if update == 3:
                watch.start()
            step += horizon * members
            observations = torch.randn(horizon, members, 256, device=device)
            rewards = torch.randn(horizon, members, device=device)
            starts = torch.rand(horizon, members, device=device) < 0.01
            with torch.no_grad():
                actions, log_probs, _, values = agent.get_action_and_value(observations.flatten(0, 1))
            values, log_probs, actions = (part.reshape(horizon, members) for part in (values, log_probs, actions))
            advantages, ahead = torch.zeros_like(rewards), torch.zeros(members, device=device)
            for t in reversed(range(horizon)):
                following = values[t + 1] * ~starts[t + 1] if t + 1 < horizon else values[-1] * 0.0
                goes_on = ~starts[t + 1] if t + 1 < horizon else torch.ones_like(starts[0])
                ahead = rewards[t] + 0.99 * following - values[t] + 0.99 * 0.95 * goes_on * ahead
                advantages[t] = ahead
            returns = advantages + values
            if monitor:
                monitor.rollout(
                    step, observations=observations, actions=actions, log_probs=log_probs, rewards=rewards,
                    values=values, starts=starts, last_start=torch.zeros(members, dtype=torch.bool), gamma=0.99,
                    lam=0.95, last_value=torch.zeros(members), advantages=advantages, returns=returns, policy=agent,
                    optimizers=optimizer,
                )  # fmt: skip
            batch = [part.flatten(0, 1) for part in (observations, actions, log_probs, advantages, returns)]
            kl = learned(agent, optimizer, batch, device)
            if monitor:
                monitor.update(step, kl=kl)
        watch.stop()
        return finished(monitor)


def learned(agent, optimizer, batch, device: str) -> float:
    import torch
    from torch import nn

    for _ in range(4):
        for rows in torch.randperm(len(batch[0]), device=device).split(4096):
            observations, actions, old, advantages, returns = (part[rows] for part in batch)
            _, log_probs, entropy, values = agent.get_action_and_value(observations, actions)
            ratio = (log_probs - old).exp()
            gain = torch.min(ratio * advantages, ratio.clamp(0.8, 1.2) * advantages).mean()
            loss = -gain - 0.01 * entropy.mean() + 0.5 * nn.functional.mse_loss(values, returns)
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(agent.parameters(), 0.5)
            optimizer.step()
    return float((ratio - 1 - ratio.log()).mean())


def transformer(watched: str, seed: int, watch: Stopwatch, device: str) -> dict:
    """A GRPO-like loop: groups of completions of a decoder with over a hundred million parameters."""
    import torch
    from torch import nn

    torch.manual_seed(seed)
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
    size = sum(parameter.numel() for parameter in model.parameters())
    assert size >= 100_000_000, size
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-6)
    with tempfile.TemporaryDirectory() as folder:
        monitor = begun(watched, folder, {"algorithm": "grpo", "batch_size": 32})
        for update in range(UPDATES["transformer"]):
            if update == 3:
                watch.start()
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
            if monitor:
                monitor.update(update, {"reward": rewards.mean(), "loss": loss})
        watch.stop()
        return {"parameters": size, **finished(monitor)}


def begun(watched: str, folder: str, config: dict):
    if watched != "weaklink":
        return None
    import weaklink

    return weaklink.Monitor(f"{folder}/run", config=config)


def one(task: str, watched: str, seed: int, device: str) -> None:
    watch = Stopwatch(device)
    if task in STEPS:
        told = sb3(task, watched, seed, watch)
    else:
        told = {"mlp": mlp, "transformer": transformer}[task](watched, seed, watch, device)
    print(json.dumps({"seconds": watch.took, **told}))


def measured(task: str, watched: str, seed: int, device: str) -> dict:
    words = [sys.executable, __file__, "--one", task, watched, str(seed), "--device", device]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    return json.loads(done.stdout.splitlines()[-1])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tasks", nargs="*", default=["ppo", "sac"])
    parser.add_argument("--pairs", type=int, default=10)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--peer", action="store_true")
    parser.add_argument("--one", nargs=3)
    given = parser.parse_args()
    if given.one:
        one(given.one[0], given.one[1], int(given.one[2]), given.device)
        return
    watcher = "reward-scope" if given.peer else "weaklink"
    for task in given.tasks:
        shares, checks = [], []
        for seed in range(given.pairs):
            order = ["none", watcher] if seed % 2 else [watcher, "none"]
            runs = {watched: measured(task, watched, seed, given.device) for watched in order}
            shares.append(runs[watcher]["seconds"] / runs["none"]["seconds"] - 1.0)
            checks.append(runs[watcher].get("checks", 0.0))
            print(task, seed, f"{shares[-1]:+.2%}", runs[watcher], flush=True)
        drawn = np.random.default_rng(0).choice(shares, (10_000, len(shares))).mean(1)
        low, high = np.quantile(drawn, (0.025, 0.975))
        print(
            f"{task} on {given.device}: {watcher} adds {np.mean(shares):+.2%} ({low:+.2%} to {high:+.2%}), median "
            f"{np.median(shares):+.2%}, {given.pairs} pairs; the first checks take {np.mean(checks):.2f} s"
        )


if __name__ == "__main__":
    main()
