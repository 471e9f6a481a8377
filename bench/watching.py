"""What watching costs: turns with and without a monitor in one training, one after the other.

    python bench/watching.py [--turns 40] [ppo sac] [--peer]
    python bench/watching.py [--turns 300] --device cuda [mlp transformer]

Two processes that do the same differ by several per cent in the time they take, so both kinds of turn lie in one
process, in the order ABBA, and each is set against its neighbour. The monitor's clock stands still while it is
switched off: it earns nothing then. ppo and sac are runs of Stable-Baselines3 on CartPole and Pendulum, counted in
processor time of all threads; what the monitor's threads do while it is switched off counts as watching. mlp and
transformer are loops on an accelerator, counted in the time that passes, with the device waited for at both ends. The
checks of the first three updates stand apart. The mean of the ratios (of their logarithms: a mean of noisy ratios is
too high) comes with a bootstrap interval of 95 %. `--peer` measures reward-scope in the place of weaklink.
"""

from __future__ import annotations

import argparse
import contextlib
import tempfile
import time

import numpy as np

STEPS = {"ppo": 2048, "sac": 50}
BLOCK = {"mlp": 4, "transformer": 2}
"""Environment steps, and updates on an accelerator, of one turn."""

FIRST = {"ppo": 4, "sac": 8}
"""Turns before anything is counted."""


class Switch:
    """A callback that is switched on and off in turns, and the time that each turn took."""

    def __init__(self, callback, monitor, rollouts: int, first: int) -> None:
        self.callback, self.monitor, self.rollouts, self.first = callback, monitor, rollouts, first
        self.on, self.begun, self.turns, self.taken = True, 0, 0, []
        self.slept, self.asleep_at, self.sleep = 0.0, None, None
        if monitor is not None:
            for governor in (monitor._governor, monitor._judging):
                governor._clock = self.awake

    def awake(self) -> float:
        """The time that passed while switched on, for the monitor's own accounts."""
        return (self.asleep_at or time.perf_counter()) - self.slept

    def __getattr__(self, name: str):
        return getattr(self.callback, name) if self.on else lambda *given: True

    def init_callback(self, model) -> None:
        self.callback.init_callback(model)

    def on_training_start(self, *given) -> None:
        self.callback.on_training_start(*given)

    def on_rollout_start(self) -> None:
        if self.begun % self.rollouts == 0:
            self.turn()
        self.begun += 1
        if self.on:
            self.callback.on_rollout_start()

    def turn(self) -> None:
        now = time.process_time(), time.thread_time()
        if self.turns > self.first:
            self.taken.append((self.on, *(after - before for after, before in zip(now, self.last, strict=True))))
        place = (self.turns - self.first) % 4
        self.switch(on=self.turns < self.first or place in (0, 3))
        self.turns += 1
        self.last = time.process_time(), time.thread_time()

    def switch(self, *, on: bool) -> None:
        if on == self.on:
            return
        self.on = on
        if self.monitor is None:
            return
        from weaklink.adapters.torch.hooks import pause_hooks

        if on:
            self.sleep.__exit__(None, None, None)
            self.slept, self.asleep_at = self.slept + time.perf_counter() - self.asleep_at, None
        else:
            if hasattr(self.callback, "_attached"):
                self.callback._attached.withdraw()
            self.asleep_at, self.sleep = time.perf_counter(), pause_hooks()
            self.sleep.__enter__()

    def shares(self) -> list[float]:
        """What each pair of turns cost with, as a share of what it cost without."""
        found = []
        for pair in zip(self.taken[::2], self.taken[1::2], strict=False):
            with_it, without = sorted(pair, key=lambda turn: not turn[0])
            threads = without[1] - without[2]
            found.append((with_it[1] + threads) / without[2] - 1.0)
        return found


def sb3(task: str, peer: bool, seed: int, turns: int) -> list[float]:
    import torch
    from stable_baselines3 import PPO, SAC

    torch.set_num_threads(1)
    model = PPO("MlpPolicy", "CartPole-v1", seed=seed) if task == "ppo" else SAC("MlpPolicy", "Pendulum-v1", seed=seed)
    steps, rollouts = STEPS[task], 1 if task == "ppo" else STEPS[task]
    total = steps * (FIRST[task] + turns + 1)
    with tempfile.TemporaryDirectory() as folder:
        if peer:
            from reward_scope.integrations.stable_baselines import RewardScopeCallback

            switch = Switch(
                RewardScopeCallback(run_name="bench", storage_dir=folder, verbose=0), None, rollouts, FIRST[task]
            )
            model.learn(total, callback=[switch])
            return switch.shares()
        import weaklink
        from weaklink.adapters.sb3 import watch

        with weaklink.attach(model, f"{folder}/run") as monitor:
            made, switches = watch._make_watch, []

            def switched(*given):
                switches.append(Switch(made(*given), monitor, rollouts, FIRST[task]))
                return switches[-1]

            watch._make_watch = switched
            model.learn(total)
            print(
                task,
                seed,
                {kind: round(seconds, 2) for kind, seconds in monitor._governor.seconds.items()},
                [finding.code for finding in monitor.alerts],
            )
            return switches[0].shares()


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


def accelerated(task: str, device: str, turns: int) -> list[float]:
    """Blocks of updates in turn, watched and not."""
    import torch

    import weaklink
    from weaklink.adapters.torch.hooks import pause_hooks

    def now() -> float:
        if device == "cuda":
            torch.cuda.synchronize()
        return time.perf_counter()

    torch.manual_seed(0)
    shares, step, slept = [], 0, 0.0
    with (
        tempfile.TemporaryDirectory() as folder,
        weaklink.Monitor(f"{folder}/run", config={"batch_size": 32}) as monitor,
    ):
        for governor in (monitor._governor, monitor._judging):
            governor._clock = lambda: time.perf_counter() - slept  # turns without it earn nothing
        update = {"mlp": mlp, "transformer": transformer}[task](monitor, device)
        for pair in range(-10, turns // 2):  # the first pairs warm up and hold the first checks
            taken = {}
            for watched in (True, False) if pair % 2 else (False, True):
                began = now()
                with contextlib.nullcontext() if watched else pause_hooks():
                    for _ in range(BLOCK[task]):
                        step += 1
                        update(step, watched)
                taken[watched] = now() - began
                slept += 0.0 if watched else taken[watched]
            if pair >= 0:
                shares.append(taken[True] / taken[False] - 1.0)
        print(f"first checks {monitor._governor.seconds['check']:.2f} s, own share {monitor.share:.2%}")
    return shares


def measured(task: str, peer: bool, device: str, turns: int, seeds: int) -> list[float]:
    if task not in STEPS:
        return accelerated(task, device, turns)
    return [share for seed in range(seeds) for share in sb3(task, peer, seed, turns)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tasks", nargs="*", default=["ppo", "sac"])
    parser.add_argument("--turns", type=int, default=40)
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--peer", action="store_true")
    given = parser.parse_args()
    for task in given.tasks:
        shares = measured(task, given.peer, given.device, given.turns, given.seeds)
        drawn = np.random.default_rng(0).choice(np.log1p(shares), (10_000, len(shares))).mean(1)
        low, middle, high = np.expm1([np.quantile(drawn, 0.025), np.log1p(shares).mean(), np.quantile(drawn, 0.975)])
        print(
            f"{task}: {'reward-scope' if given.peer else 'weaklink'} adds {middle:+.2%} ({low:+.2%} to {high:+.2%}), "
            f"median {np.median(shares):+.2%}, {len(shares)} pairs",
            flush=True,
        )


if __name__ == "__main__":
    main()
