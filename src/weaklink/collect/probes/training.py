"""One training on a real environment: its episodes, what the agent then achieves, and what it answers."""

from __future__ import annotations

import time
import traceback
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import msgspec

from weaklink.base.evidence.comparison import RAISED, ContestantTraining
from weaklink.base.evidence.series import Array
from weaklink.base.outside.own_code import describe_error
from weaklink.collect.probes.answering import AskedAgent, make_asked_agent
from weaklink.collect.probes.contestants import GAMMA, ReadyTrainer
from weaklink.collect.probes.episodes import EpisodeCollector

SHOWN = ("value", "q", "log_prob", "sample", "reset")
LONGEST_TOLD = 1500
MOST_EPISODES = 20_000


def run_training(
    contestant: ReadyTrainer, make: Callable[[], Any], steps: int, seed: int, rows: Array, folder: Path | None = None
) -> ContestantTraining:
    """Trains once, then evaluates and asks; what the trainer raises is part of it.

    Args:
        contestant: the trainer and what it is told.
        make: makes one environment.
        steps: the budget.
        seed: of this training.
        rows: observations to ask about, flattened.
        folder: where environments in other processes may leave their episodes.
    """
    watched = import_module("weaklink.adapters.gymnasium.episodes").Watched
    keeper, began = EpisodeCollector(folder), time.monotonic()
    try:
        agent = contestant.train(lambda: watched(make(), keeper), steps, seed, **contestant.told)
        seconds = time.monotonic() - began
        gamma = float(contestant.told.get("gamma", getattr(agent, "gamma", GAMMA)))
        one = make_asked_agent(agent, make, gamma)
        evaluation = one.evaluated()
    except (Exception, SystemExit) as error:
        return ContestantTraining(
            seed=seed,
            steps=steps,
            taken=keeper.steps,
            seconds=time.monotonic() - began,
            failure=describe_error(error),
            kind=RAISED,
            printed="".join(traceback.format_exception(error))[-LONGEST_TOLD:],
        )
    episodes = keeper.rows()
    taken = max(keeper.steps, int(episodes[-1, 0]) if len(episodes) else 0)
    known = ContestantTraining(
        seed=seed,
        steps=steps,
        taken=taken,
        seconds=seconds,
        gamma=gamma,
        ends=tuple(int(end) for end in episodes[-MOST_EPISODES:, 0]),
        returns=tuple(episodes[-MOST_EPISODES:, 1].tolist()),
        lengths=tuple(int(length) for length in episodes[-MOST_EPISODES:, 2]),
        evaluation=evaluation,
        shows=tuple(name for name in SHOWN if hasattr(agent, name)),
    )
    return _add_answers(known, one, rows)


def _add_answers(known: ContestantTraining, one: AskedAgent, rows: Array) -> ContestantTraining:
    """With the agent's answers; an agent that fails at them was trained all the same."""
    try:
        return msgspec.structs.replace(known, answers=one.answers(rows))
    except (Exception, SystemExit) as error:
        return msgspec.structs.replace(known, notes=(f"asking the agent failed: {describe_error(error)}",))
