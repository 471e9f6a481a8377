"""Whether the monitor holds what it promises while others keep the machine busy.

    python bench/hold_monitor.py [--busy 4] [--size short|long] [--pairs 2] [ppo dqn sac torchrl grpo loop]

Each training runs in a process of its own beside `--busy` processes that do nothing but count. It counts its episodes
and keeps what it logs, and both are looked for in the recording: every episode and every logged number has to be there.
The verdict stands beside that of the same training without busy processes (`--no-quiet` leaves that one out). Then
trainings with and without a monitor alternate in the order ABBA, with `--pairs` of each; what watching adds is the
median ratio of their processor time, all threads counted, with a bootstrap interval of 95 %. The checks of the first
updates stand apart: their seconds are shown, and taken off before.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib.util
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "bench")]

SIZES = {
    "short": {"ppo": 16_384, "dqn": 20_000, "sac": 2_000, "torchrl": 12_800, "grpo": 20, "loop": 24_576},
    "long": {"ppo": 40_000, "dqn": 50_000, "sac": 10_000, "torchrl": 64_000, "grpo": 100, "loop": 50_000},
}
"""Environment steps, or updates of GRPO."""

LOGGED = {
    "ppo": ("train/value_loss", "value.loss"),
    "dqn": ("train/loss", "value.q_loss"),
    "sac": ("train/critic_loss", "value.q_loss"),
    "torchrl": ("optimizer.updates", "optimizer.updates"),
    "grpo": ("reward", "reward.mean"),
    "loop": ("value_loss", "value.loss"),
}
"""A number that every row of the trainer's own log has, and its name in the recording."""

BUSY = "n = 0\nwhile True:\n    n += 1"


@contextlib.contextmanager
def watched(trainer, folder: str):
    """The trainer under a monitor, where a folder is given."""
    if not folder:
        yield None
        return
    import weaklink

    with weaklink.attach(trainer, folder, sinks=(), tracker="none") as monitor:
        yield monitor


def sb3(task: str, folder: str, steps: int, seed: int) -> dict:
    import torch
    from stable_baselines3 import DQN, PPO, SAC
    from stable_baselines3.common.callbacks import BaseCallback
    from stable_baselines3.common.logger import KVWriter, Logger

    torch.set_num_threads(1)

    class Counted(BaseCallback):
        episodes = 0

        def _on_step(self) -> bool:
            self.episodes += sum("episode" in info for info in self.locals["infos"])
            return True

    class Kept(KVWriter):
        def __init__(self) -> None:
            self.values: list[float] = []

        def write(self, key_values, key_excluded, step=0) -> None:
            self.values += [float(value) for key, value in key_values.items() if key == LOGGED[task][0]]

        def close(self) -> None: ...

    if task == "ppo":
        model = PPO("MlpPolicy", "CartPole-v1", n_steps=256, n_epochs=5, learning_rate=1e-3, seed=seed)
    elif task == "dqn":
        model = DQN("MlpPolicy", "CartPole-v1", learning_rate=2.3e-3, batch_size=64, learning_starts=1000,
                    train_freq=256, gradient_steps=128, target_update_interval=10, exploration_fraction=0.16,
                    exploration_final_eps=0.04, policy_kwargs={"net_arch": [256, 256]}, seed=seed)  # fmt: skip
    else:
        model = SAC("MlpPolicy", "Pendulum-v1", learning_starts=200, seed=seed)
    counted, kept = Counted(), Kept()
    model.set_logger(Logger(None, [kept]))
    with watched(model, folder) as monitor:
        began = time.process_time()
        model.learn(steps, callback=counted, log_interval=1 if task == "ppo" else 4)
        return told(monitor, began, counted.episodes, kept.values)


def torchrl(task: str, folder: str, steps: int, seed: int) -> dict:
    import torch

    from watched import torchrl as parts

    torch.set_num_threads(1)
    torch.manual_seed(seed)
    head = parts.TensorDictModule(parts.Network(2, 2), in_keys=["observation"], out_keys=["logits"])
    actor = parts.ProbabilisticActor(
        head, in_keys=["logits"], distribution_class=parts.OneHotCategorical, return_log_prob=True
    )
    loss = parts.ClipPPOLoss(actor, parts.ValueOperator(parts.Network(2, 1), in_keys=["observation"]))
    collector = parts.Collector(parts.environment(True, seed), actor, frames_per_batch=parts.FRAMES, total_frames=steps)
    buffer = parts.TensorDictReplayBuffer(
        storage=parts.LazyTensorStorage(parts.FRAMES), sampler=parts.SamplerWithoutReplacement(), batch_size=64
    )
    trainer = parts.PPOTrainer(
        collector=collector, total_frames=steps, frame_skip=1, optim_steps_per_batch=None, loss_module=loss,
        optimizer=parts.optimizer(loss, ""), num_epochs=4, progress_bar=False, replay_buffer=buffer,
        enable_logging=False, gamma=parts.GAMMA, lmbda=parts.LAMBDA,
    )  # fmt: skip
    ended, logged = [], []
    trainer.register_op("pre_steps_log", lambda batch: ended.append(int(batch["next", "done"].sum())))
    trainer.register_op("post_optim_complete_log", lambda steps, losses: logged.append(float(steps)))
    with watched(trainer, folder) as monitor:
        began = time.process_time()
        trainer.train()
        return told(monitor, began, sum(ended), logged)


def grpo(task: str, folder: str, steps: int, seed: int) -> dict:
    from tests.tiny_language import language_trainer, offline, saved_model

    offline()
    import torch
    from trl import GRPOTrainer

    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as place:
        model = saved_model(Path(place) / "model", seed)
        trainer = language_trainer(GRPOTrainer, model, Path(place) / "out", seed=seed, max_steps=steps, logging_steps=1)
        with watched(trainer, folder) as monitor:
            began = time.process_time()
            trainer.train()
            rows = [float(row["reward"]) for row in trainer.state.log_history if "reward" in row]
            return told(monitor, began, 0, rows)


class Counting:
    """Stands in for a monitor that nobody wants, and counts what a loop tells it."""

    def __init__(self, monitor=None) -> None:
        self.monitor, self.episodes, self.logged = monitor, 0, []

    def episode(self, *given) -> None:
        self.episodes += 1
        if self.monitor is not None:
            self.monitor.episode(*given)

    def rollout(self, *given, **named) -> None:
        if self.monitor is not None:
            self.monitor.rollout(*given, **named)

    def update(self, step, numbers) -> None:
        self.logged.append(float(numbers["value_loss"]))
        if self.monitor is not None:
            self.monitor.update(step, numbers)

    def close(self) -> None:
        if self.monitor is not None:
            self.monitor.close()


def loop(task: str, folder: str, steps: int, seed: int) -> dict:
    import torch

    import weaklink

    torch.set_num_threads(1)
    spec = importlib.util.spec_from_file_location("watched_loop", ROOT / "examples" / "watch_cleanrl_ppo.py")
    example = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(example)
    made, real = [], weaklink.Monitor

    def monitor(where, **options):
        made.append(Counting(real(where, sinks=(), tracker="none", **options) if folder else None))
        return made[-1]

    weaklink.Monitor = monitor
    words = ["--total-timesteps", str(steps), "--seed", str(seed), "--folder", folder, "--learning-rate", "1e-3"]
    began = time.process_time()
    example.train(example.parser.parse_args(words))
    return told(made[0].monitor, began, made[0].episodes, made[0].logged)


TASKS = {"ppo": sb3, "dqn": sb3, "sac": sb3, "torchrl": torchrl, "grpo": grpo, "loop": loop}


def told(monitor, began: float, episodes: int, logged: list[float]) -> dict:
    """What a training says of itself: its processor time without the first checks, episodes and log."""
    spent = time.process_time() - began
    first = monitor._governor.seconds["check"] if monitor is not None else 0.0
    return {"cpu": spent - first, "first": first, "episodes": episodes, "logged": logged}


def trained(task: str, size: str, seed: int, folder: str = "", share: float = 1.0) -> dict:
    """One training in a process of its own."""
    words = [task, "--child", "--size", size, "--seed", str(seed), "--folder", folder, "--share", str(share)]
    done = subprocess.run([sys.executable, __file__, *words], capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(done.stderr)
    return json.loads(done.stdout.splitlines()[-1])


@contextlib.contextmanager
def beside(count: int):
    """So many processes that keep a core busy each."""
    processes = [subprocess.Popen([sys.executable, "-c", BUSY]) for _ in range(count)]
    try:
        yield
    finally:
        for process in processes:
            process.kill()
            process.wait()


def held(task: str, folder: str, trained: dict) -> str:
    """How much of what a training had is in its recording, and what the diagnosis says."""
    import weaklink

    run = weaklink.read(folder)
    diagnosis = weaklink.diagnose(run)
    episodes = int(run["task.episodes"].values.sum()) if "task.episodes" in run else 0
    recorded = run[LOGGED[task][1]].values
    there = sum(bool(np.isclose(recorded, value, rtol=1e-6).any()) for value in trained["logged"])
    points = len(run["reward.episode_return"]) if "reward.episode_return" in run else 0
    broken = f" ({diagnosis.first_break.code})" if diagnosis.first_break else ""
    limited = "; the budget limited it" if any("budget" in note for note in diagnosis.notes) else ""
    return (
        f"{episodes} of {trained['episodes']} episodes in {points} points, {there} of {len(trained['logged'])} logged "
        f"rows, {diagnosis.verdict}{broken}{limited}, first updates {trained['first']:.2f} s"
    )


def interval(shares: list[float]) -> str:
    """The median of the pairs, which one that was disturbed does not move, with its interval by resampling."""
    drawn = np.median(np.random.default_rng(0).choice(shares, (10_000, len(shares))), axis=1)
    low, middle, high = np.quantile(drawn, 0.025), np.median(shares), np.quantile(drawn, 0.975)
    return f"watching adds {middle:+.2%} ({low:+.2%} to {high:+.2%}) of processor time, {len(shares)} pairs"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tasks", nargs="*", default=list(TASKS))
    parser.add_argument("--busy", type=int, default=4)
    parser.add_argument("--size", choices=list(SIZES), default="short")
    parser.add_argument("--pairs", type=int, default=2)
    parser.add_argument("--pair-share", type=float, default=0.5, help="the length of a training of a pair")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--no-quiet", action="store_true")
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--folder", default="", help=argparse.SUPPRESS)
    parser.add_argument("--share", type=float, default=1.0, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.child:
        (task,) = given.tasks
        steps = int(given.share * SIZES[given.size][task])
        print(json.dumps(TASKS[task](task, given.folder, steps, given.seed)))
        return
    with tempfile.TemporaryDirectory() as place:
        for task in given.tasks:
            if not given.no_quiet:
                quiet = trained(task, given.size, given.seed, f"{place}/{task}-quiet")
                print(f"{task}, quiet: {held(task, f'{place}/{task}-quiet', quiet)}", flush=True)
            with beside(given.busy):
                busy = trained(task, given.size, given.seed, f"{place}/{task}-busy")
                print(f"{task}, {given.busy} busy: {held(task, f'{place}/{task}-busy', busy)}", flush=True)
                shares = []
                for pair in range(given.pairs):
                    taken = {}
                    for on in (True, False) if pair % 2 else (False, True):
                        folder = f"{place}/{task}-{pair}" if on else ""
                        taken[on] = trained(task, given.size, given.seed + pair, folder, given.pair_share)["cpu"]
                    shares.append(taken[True] / taken[False] - 1.0)
                if shares:
                    print(f"{task}, {given.busy} busy: {interval(shares)}", flush=True)


if __name__ == "__main__":
    main()
