from __future__ import annotations

import numpy as np

from weaklink.base.evidence.samples import Samples
from weaklink.base.evidence.series import Array
from weaklink.judge.rules._draws import find_steps, select_complete
from weaklink.judge.rules.writing import HIGH, Answer, CannotTell, Evidence, Finding, Level, Link, rule

FEWEST_STEPS, FEWEST_REPEATS = 4, 3
"""Steps that it takes to compare, and steps whose rewards must be those of the step before."""

BY_CHANCE = 1e-6
"""The chance that two steps have the same rewards in the same order, below which it is none."""


@rule(
    "LLM341",
    link=Link.DATA,
    level=Level.ERROR,
    on=Samples,
    needs=("reward", "text", ("step", "policy_version")),
    leads_to=("LLM301", "LLM311", "LLM312", "LLM330", "LLM310"),
)
def stale_rewards(samples: Samples, *, share: float = 0.1) -> Answer:
    """Steps carry the rewards of an earlier step again, whatever was answered.

    ## What it sees
    At three steps and at a tenth of all or more, the rewards are those of the step before, row by row, although the
    completions are others, and chance would not repeat them so (1 in a million).

    ## Why it is bad
    The rewards belong to other completions. What is learned from them is noise, and the reward curve is flat or looks
    like learning that stopped.

    ## What to do
    1. Look for a buffer of rewards that is filled once and read at every step, or a cache without the completion in its
       key.
    2. Look at what happens where the reward server fails or times out: is the last answer used again?
    3. Carry an id with every completion, and join rewards by it.

    ## How to prove it
    Score the completions of two such steps anew: the rewards must differ.

    ## When it is wrong
    Logs in which the same step was written twice under two numbers, with texts that were edited in between.

    ## References
    Reinforcement Learning Training Debug Guide, on rewards that do not belong to their rows.
    """
    rows = select_complete(samples, "reward", "text")
    steps = find_steps(rows)
    if steps is None:
        return CannotTell(("step",), "no training step")
    known = np.unique(steps[np.isfinite(steps)])
    if len(known) < FEWEST_STEPS:
        return CannotTell(("step",), f"fewer than {FEWEST_STEPS} training steps")
    order = np.argsort(steps, kind="stable")
    order = order[np.isfinite(steps[order])]
    starts = np.searchsorted(steps[order], known)
    rewards, texts = np.split(rows["reward"][order], starts[1:]), np.split(rows.codes["text"][order], starts[1:])
    repeated = [
        place
        for place in range(1, len(known))
        if np.array_equal(rewards[place], rewards[place - 1])
        and not np.isin(texts[place], texts[place - 1]).any()
        and _is_no_chance(rewards[place])
    ]
    part = len(repeated) / (len(known) - 1)
    if len(repeated) < FEWEST_REPEATS or part < share:
        return None
    first = float(known[repeated[0]])
    return Finding(
        message=f"At {len(repeated):,} of {len(known) - 1:,} steps, from step {first:,.0f} on, the rewards are stale: "
        "the same rewards as at the step before, row by row, though the completions are others.",
        onset=first,
        confidence=HIGH,
        evidence=(Evidence(metric="steps with repeated rewards", value=part, limit=share, step=first),),
    )


def _is_no_chance(rewards: Array) -> bool:
    """Whether as many rewards with such values do not come in the same order twice by chance."""
    _, counts = np.unique(rewards, return_counts=True)
    alike = float(((counts / len(rewards)) ** 2).sum())
    return alike ** len(rewards) < BY_CHANCE
