"""How long the ladder takes: the five classic rungs on SB3's PPO beside probing-environments, and the discrete ladder.

    python bench/probe_speed.py

CPU seconds of the trainings themselves, after everything is imported, with this process and its children counted.
probing-environments trains each of its five environments once, weaklink each rung with three seeds.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import time
from pathlib import Path

from weaklink import probe
from weaklink.collect.probes.inline import InlineRunner
from weaklink.collect.probes.ladder import LadderClimb
from weaklink.collect.probes.plan import ProbePlan
from weaklink.collect.probes.trainers import find_trainer, read_traits

PEER = Path("build/peer")
CLASSIC = ("PRB101", "PRB102", "PRB103", "PRB104", "PRB105")
CHECKS = """
import sys, time, warnings
warnings.simplefilter("ignore")
import torch
torch.set_num_threads(1)
torch.backends.mkldnn.enabled = False
from stable_baselines3 import PPO
from probing_environments import checks
from probing_environments.adaptors import sb3
from weaklink.collect.probes.trial import trial  # both sides pay for loading it
known = {name: getattr(sb3, name) for name in dir(sb3)}
began, failed = time.process_time(), []
for name in ("check_loss_or_optimizer_value_net", "check_backprop_value_net", "check_reward_discounting",
             "check_advantage_policy", "check_actor_and_critic_coupling"):
    check = getattr(checks, name)
    taken = check.__code__.co_varnames[: check.__code__.co_argcount]
    given = {word: known[word] for word in taken if word in known}
    try:
        check(PPO, **given)
    except Exception as error:
        failed.append(f"{name}: {type(error).__name__} {str(error)[:80]}")
print(time.process_time() - began, failed)
"""


def classic(seeds: int) -> tuple[float, str]:
    """CPU seconds of the five rungs in this process, and the verdict."""
    import torch

    torch.set_num_threads(1)
    torch.backends.mkldnn.enabled = False
    train = find_trainer("sb3:PPO")
    LadderClimb(
        "warm", read_traits(train), ProbePlan(seeds=1, only=("TwoActions",), steps=128), InlineRunner(train)
    ).climbed()
    began = time.process_time()
    plan = ProbePlan(
        seeds=seeds, only=("ConstantReward", "ObservedReward", "DelayedReward", "TwoActions", "MatchingAction")
    )
    outcome = LadderClimb("sb3:PPO", read_traits(train), plan, InlineRunner(train)).climbed()
    return time.process_time() - began, ", ".join(f"{rung.code} {rung.verdict}" for rung in outcome.rungs)


def whole() -> tuple[float, float, int]:
    """Wall and CPU seconds of the discrete ladder as the command climbs it, and its rungs."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    began = time.monotonic()
    outcome = probe("sb3:PPO", actions="discrete").outcome
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return time.monotonic() - began, cpu, len(outcome.rungs)


def peer() -> str:
    """What probing-environments says of its own five checks."""
    path = os.pathsep.join((*sys.path, str(PEER.resolve())))
    done = subprocess.run(
        [sys.executable, "-c", CHECKS], env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True
    )
    return done.stdout.strip() or done.stderr.strip()[-300:]


def main() -> None:
    for seeds in (1, 3):
        seconds, verdicts = classic(seeds)
        print(f"five classic rungs, {seeds} seed(s): {seconds:.1f} CPU s ({verdicts})")
    wall, cpu, rungs = whole()
    told = f"{rungs} rungs, 3 seeds: {wall:.1f} s wall, {cpu:.1f} CPU s, imports counted"
    print(f"discrete ladder as the command climbs it, {told}")
    if PEER.is_dir():
        print(f"probing-environments, five checks, one training each: {peer()} CPU s")


if __name__ == "__main__":
    main()
