"""What sampling costs over the bare loop of `env.step`, and what a whole preflight takes.

Usage: python bench/sampling.py
Exits with 1 when a limit is not kept.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time

import gymnasium
import numpy as np

from weaklink.adapters.environments import adapt_environment
from weaklink.collect.survey.plan import SurveyPlan
from weaklink.collect.survey.sampler import make_random_policy, play
from weaklink.collect.survey.session import SurveySession

ENVIRONMENTS = {"CartPole-v1": 0.60, "HalfCheetah-v5": 0.90}
"""The least share of the bare loop's rate that sampling may reach."""

STEPS = 20_000
KEPT = 10_000  # observations, as in a survey
LONGEST_PREFLIGHT = 10.0


def bare(name: str, steps: int) -> float:
    """Steps a second of the loop that everybody writes first, actions drawn beforehand."""
    env = gymnasium.make(name)
    env.action_space.seed(0)
    actions = [env.action_space.sample() for _ in range(steps)]
    env.reset(seed=0)
    began = time.perf_counter()
    for action in actions:
        _, _, terminated, truncated, _ = env.step(action)
        if terminated or truncated:
            env.reset()
    return steps / (time.perf_counter() - began)


def sampled(name: str, steps: int) -> float:
    """Steps a second of the survey's random play, everything recorded."""
    environment = adapt_environment(gymnasium.make(name))
    session = SurveySession(lambda: environment, SurveyPlan(), lambda stage, made: None)
    act = make_random_policy(environment.action, np.random.default_rng(0))
    until = time.perf_counter() + 60
    began = time.perf_counter()
    made = play(session, environment, act, policy="random", steps=steps, episodes=1, until=until, keep=KEPT)
    return len(made.rewards) / (time.perf_counter() - began)


def measured(name: str, rounds: int) -> tuple[float, float]:
    """The best of several rounds of each, taken in turns."""
    pairs = [(bare(name, STEPS), sampled(name, STEPS)) for _ in range(rounds)]
    return max(pair[0] for pair in pairs), max(pair[1] for pair in pairs)


def preflight_seconds(name: str) -> float:
    began = time.perf_counter()
    command = [sys.executable, "-m", "weaklink", "preflight", name, "--format", "json", "--fail-on", "never"]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - began


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    rounds = parser.parse_args().rounds
    kept = True
    for name, limit in ENVIRONMENTS.items():
        loop, survey = measured(name, rounds)
        kept &= survey / loop >= limit
        print(f"{name:16} bare {loop:10,.0f}/s  sampled {survey:10,.0f}/s  {survey / loop:6.1%}  (limit {limit:.0%})")
    taken = preflight_seconds("CartPole-v1")
    kept &= taken < LONGEST_PREFLIGHT
    print(f"weaklink preflight CartPole-v1, all of it: {taken:.1f} s  (limit {LONGEST_PREFLIGHT:.0f} s)")
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main())
