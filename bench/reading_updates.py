"""How exactly targets, advantages and rates are read off the gradients of trainers that hand nothing over.

python bench/reading_updates.py [TRAINER ...]

Each trainer makes a few updates while environments, networks and optimizers are listened to. What is read is compared
with what the trainer itself computed: the returns and advantages of its buffer, or the targets that its loss was called
with. Exits with 1 where fewer than 99 % of the targets that are known lie within a thousandth of their spread, where
advantages correlate by less than 0.999, or where gamma or lambda is off in its second digit.
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

CLOSE, ENOUGH, LEAST_CORRELATION, DIGIT = 1e-3, 0.99, 0.999, 5e-3


@dataclass
class Compared:
    """One trainer: what was read beside what it computed."""

    name: str
    recovered: Any
    targets: tuple[np.ndarray, np.ndarray] | None
    advantages: tuple[np.ndarray, np.ndarray] | None = None
    gamma: float = 0.99
    lam: float | None = None
    seconds: float = 0.0


class FreeGovernor:
    """Allows everything."""

    def allows(self, *_: Any) -> bool:
        return True

    def spent(self, *_: Any) -> None:
        return


def read_last(train: Callable[[], Any], truth: list[np.ndarray] | None = None) -> tuple[Any, np.ndarray | None]:
    """The last update that was read, and the targets that the loss was called with in it."""
    from weaklink.collect.monitor.parts import PartRunner
    from weaklink.collect.monitor.update_reader import UpdateReader

    seen: list[tuple[Any, list[np.ndarray]]] = []

    def take(reading: Any) -> None:
        seen.append((reading, list(truth or ())))
        if truth is not None:
            truth.clear()

    reader = UpdateReader(take, PartRunner(print, lambda: 0.0), FreeGovernor(), 1_000_000, print)  # type: ignore[arg-type]
    reader.listen()
    try:
        train()
    finally:
        reader.close()
    reading, targets = seen[-1]
    return reading, np.concatenate([each.ravel() for each in targets]) if targets else None


def recover(reading: Any, config: dict[str, Any]) -> tuple[Any, Any, float]:
    """The rollout that rules judge, what was recovered, and how long that took."""
    from weaklink.collect.monitor.assembly import assemble_rollout

    began = time.perf_counter()
    rollout = assemble_rollout(reading, 0.0, config)
    return rollout, rollout.recovered, time.perf_counter() - began


def compare_on_policy(name: str, make: Callable[[], Any], steps: int, lam: float) -> Compared:
    """A trainer of Stable-Baselines3 with a rollout buffer."""
    model = make()
    reading, _ = read_last(lambda: model.learn(steps))
    rollout, recovered, seconds = recover(reading, {})
    buffer = model.rollout_buffer
    returns, advantages = (np.ravel(each).astype(float) for each in (buffer.returns, buffer.advantages))
    targets = recovered.values[0].targets[-len(returns) :]
    weighed = (
        None if rollout.estimates is None or rollout.estimates.advantages is None else rollout.estimates.advantages
    )
    pair = None if weighed is None else (np.ravel(weighed), advantages[-np.size(weighed) :])
    return Compared(name, recovered, (targets, returns), pair, model.gamma, lam, seconds)


def compare_replayed(name: str, make: Callable[[], Any], steps: int, loss: str) -> Compared:
    """A trainer of Stable-Baselines3 with a replay buffer; its targets are the second argument of its loss."""
    import torch.nn.functional as functional

    model, right = make(), getattr(functional, loss)
    truth: list[np.ndarray] = []

    def call(values: Any, targets: Any, **given: Any) -> Any:
        truth.append(targets.detach().numpy().copy())
        return right(values, targets, **given)

    with mock.patch.object(functional, loss, call):
        reading, used = read_last(lambda: model.learn(steps), truth)
    _, recovered, seconds = recover(reading, {})
    critics = [each for each in recovered.values if each.targets is not None]
    if not critics or used is None:
        return Compared(name, recovered, None, gamma=model.gamma, seconds=seconds)
    batch = model.batch_size
    used = used.reshape(-1, batch)[:: 2 if loss == "mse_loss" else 1].ravel()  # both critics are called with them
    found = critics[0].targets
    return Compared(name, recovered, (found, used[-len(found) :]), gamma=model.gamma, seconds=seconds)


def compare_plain(name: str, **options: Any) -> Compared:
    """The hand-written PPO of the tests."""
    from tests.monitor.reading.ppo import Options, update

    from weaklink.collect.monitor.policy_reading import read_advantages

    chosen = Options(**options)
    reading, truth = update(chosen)
    _, recovered, seconds = recover(reading, {})
    estimated = recovered.values[0].targets - truth.values
    used = read_advantages(reading, estimated, recovered.values[0].head)
    pair = None if used is None else (used, truth.advantages)
    return Compared(
        name, recovered, (recovered.values[0].targets, truth.returns), pair, chosen.gamma, chosen.lam, seconds
    )


def compare_atoms(name: str) -> Compared:
    """The hand-written C51 of the tests, whose targets are compared by their means, counted in atoms."""
    from tests.monitor.reading.replay import GAMMA, learn_atoms

    made = learn_atoms()
    _, recovered, seconds = recover(made.reading, {})
    right = np.concatenate(made.targets) @ np.arange(made.targets[0].shape[1])
    found = recovered.values[0].targets
    return Compared(name, recovered, None if found is None else (found, right), gamma=GAMMA, seconds=seconds)


def compare_quantiles(name: str, make: Callable[[], Any], steps: int) -> Compared:
    """QR-DQN: each quantile is pulled towards all of its target's, so that only the discount can be compared."""
    model = make()
    reading, _ = read_last(lambda: model.learn(steps))
    _, recovered, seconds = recover(reading, {})
    return Compared(name, recovered, None, gamma=model.gamma, seconds=seconds)


def list_trainers() -> dict[str, Callable[[], Compared]]:
    """Every trainer by its name."""
    import sb3_contrib
    import stable_baselines3 as sb3

    quiet = {"seed": 0, "device": "cpu"}
    replay = {**quiet, "learning_starts": 200, "batch_size": 64, "train_freq": 8, "gradient_steps": 8}
    return {
        "plain PPO, CartPole": lambda: compare_plain("plain PPO, CartPole"),
        "plain PPO, Acrobot": lambda: compare_plain(
            "plain PPO, Acrobot", environment="Acrobot-v1", gamma=0.99, lam=0.95
        ),
        "plain PPO, Pendulum": lambda: compare_plain("plain PPO, Pendulum", environment="Pendulum-v1"),
        "plain PPO, clipped values": lambda: compare_plain("plain PPO, clipped values", value_loss="clipped"),
        "SB3 PPO, CartPole": lambda: compare_on_policy(
            "SB3 PPO, CartPole",
            lambda: sb3.PPO("MlpPolicy", "CartPole-v1", n_steps=512, n_epochs=6, ent_coef=0.01, **quiet),
            1024,
            0.95,
        ),
        "SB3 PPO, Pendulum": lambda: compare_on_policy(
            "SB3 PPO, Pendulum", lambda: sb3.PPO("MlpPolicy", "Pendulum-v1", n_steps=512, **quiet), 1024, 0.95
        ),
        "SB3 A2C, CartPole": lambda: compare_on_policy(
            "SB3 A2C, CartPole", lambda: sb3.A2C("MlpPolicy", "CartPole-v1", n_steps=128, **quiet), 512, 1.0
        ),
        "SB3 DQN, CartPole": lambda: compare_replayed(
            "SB3 DQN, CartPole", lambda: sb3.DQN("MlpPolicy", "CartPole-v1", **replay), 400, "smooth_l1_loss"
        ),
        "plain C51, CartPole": lambda: compare_atoms("plain C51, CartPole"),
        "sb3-contrib QR-DQN, CartPole": lambda: compare_quantiles(
            "sb3-contrib QR-DQN, CartPole", lambda: sb3_contrib.QRDQN("MlpPolicy", "CartPole-v1", **replay), 400
        ),
        "SB3 SAC, Pendulum": lambda: compare_replayed(
            "SB3 SAC, Pendulum", lambda: sb3.SAC("MlpPolicy", "Pendulum-v1", **replay), 260, "mse_loss"
        ),
        "SB3 TD3, Pendulum": lambda: compare_replayed(
            "SB3 TD3, Pendulum", lambda: sb3.TD3("MlpPolicy", "Pendulum-v1", **replay), 260, "mse_loss"
        ),
    }


def report(made: Compared) -> bool:
    """Prints one row; whether it keeps the limits."""
    values = made.recovered.values[0] if made.recovered.values else None
    if values is None or values.gamma is None:
        print(f"| {made.name} | not read | | | | | | | |")
        return False
    weighed, count, share = "-", values.compared, "- | -"
    fine = abs(values.gamma - made.gamma) < DIGIT
    if made.targets is not None:
        read, right = made.targets
        known = np.isfinite(read)
        close = float(np.mean(np.abs(read - right)[known] < CLOSE * right.std()))
        fine &= close >= ENOUGH
        count, share = len(read), f"{known.mean():.1%} | {close:.1%}"
    if made.lam is not None:
        fine &= values.lam is not None and abs(values.lam - made.lam) < DIGIT
    if made.advantages is not None:
        seen = np.isfinite(made.advantages[0])
        correlation = float(np.corrcoef(made.advantages[0][seen], made.advantages[1][seen])[0, 1])
        fine &= correlation > LEAST_CORRELATION
        weighed = f"{correlation:.5f}"
    rates = f"{values.gamma:.4f} | " + ("-" if values.lam is None else f"{values.lam:.4f}")
    print(f"| {made.name} | {count:,} | {share} | {weighed} | {rates} | {values.weight:.3f} | {made.seconds:.2f} s |")
    return bool(fine)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("trainers", nargs="*", help="only those whose names contain one of these words")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    import torch

    torch.set_num_threads(1)
    print("| trainer | rows | targets known | of them exact | advantages | gamma | lambda | weight | read in |")
    print("|---|---|---|---|---|---|---|---|---|")
    fine = True
    for name, compare in list_trainers().items():
        if not options.trainers or any(word.lower() in name.lower() for word in options.trainers):
            fine &= report(compare())
    return int(not fine)


if __name__ == "__main__":
    sys.exit(main())
