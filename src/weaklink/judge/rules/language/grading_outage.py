from __future__ import annotations

import numpy as np

from weaklink.base.evidence.samples import Flags, Samples
from weaklink.base.evidence.series import Array
from weaklink.judge.rules._draws import find_steps, select_complete
from weaklink.judge.rules.writing import HIGH, Answer, CannotTell, Evidence, Finding, Level, Link, rule

FEWEST, FEWEST_DRAWS = 20, 5
"""Rows, and different prompts, without any pay, and as many before: one hard prompt is no outage."""
PAID = 0.15
"""The share of rows that got more than the lowest reward before, from which on none at all is no chance."""
SAME = 0.2
"""How much the mean length of completions may change: a policy that fell apart writes other texts."""


@rule(
    "LLM359",
    link=Link.REWARD,
    level=Level.WARN,
    on=Samples,
    needs=("reward", "step", "length", "prompt"),
    leads_to=("LLM301", "LLM308", "LLM311", "LLM312", "LLM331"),
)
def grading_outage(samples: Samples, *, chance: float = 1e-6) -> Answer:
    """From one step on every completion gets the lowest reward, though texts are what they were: the grader fails.

    ## What it sees
    From some step to the end of the file all rewards are the lowest of all, 20 rows of 5 prompts or more, where 0.15 or
    more of the rows before were paid more: all of them failing by chance is less likely than one in a million. The
    lengths of the completions do not change by more than a fifth, so it is not the policy that fell apart.

    ## Why it is bad
    A sandbox that times out, a judge that cannot be reached or a verifier that crashes pays nothing for anything. Right
    answers are punished like wrong ones, or every advantage is 0 and the training stands still at full cost.

    ## What to do
    1. Grade one completion from before that step again: does it still get its reward?
    2. Look at the log of the sandbox or the judge at that time: timeouts, quota, a full disk, a new image.
    3. Tell failures of the grader from wrong answers: raise, retry, or leave the row out of the loss.

    ## How to prove it
    Grade twenty completions from after that step by hand: some must be right.

    ## When it is wrong
    Prompts that become too hard from one step on, such as the next level of a curriculum; log their difficulty.

    ## References
    Code RL with sandboxes: an executor that is out of service gives a reward of zero to all programs.
    """
    rows = select_complete(samples, "reward", "step", "length", "prompt")
    steps = find_steps(rows)
    if steps is None or len(rows) < 4 * FEWEST:
        return CannotTell(("step",), f"fewer than {4 * FEWEST} rows with a step")
    low = float(rows["reward"].min())
    paid: Flags = rows["reward"] > low
    last = float(steps[paid].max()) if paid.any() else float("inf")
    after, before = steps > last, steps <= last
    if after.sum() < FEWEST or before.sum() < FEWEST or len(np.unique(rows.codes["prompt"][after])) < FEWEST_DRAWS:
        return None
    groups = len(np.unique(rows.codes["prompt"][after]))
    share = float(paid[before].mean())
    solved = _share_of_prompts(rows, before, paid)
    if share < PAID or (1.0 - solved) ** groups > chance or not _alike(rows["length"], before, after):
        return None
    start = float(steps[after].min())
    return Finding(
        message=f"From step {start:,.0f} on all {int(after.sum()):,} completions get the same reward, {low:g}, the "
        f"lowest, right or wrong; before, {share:.0%} were paid more, and completions are as long as they were: the "
        "grader fails (a sandbox or a judge that times out, is out of service or crashes), not the policy.",
        confidence=HIGH,
        evidence=(Evidence(metric="rows with more than the lowest reward", value=0.0, limit=share),),
    )


def _share_of_prompts(rows: Samples, part: Flags, paid: Flags) -> float:
    """The share of prompts with at least one completion that was paid."""
    _, owner = np.unique(rows.codes["prompt"][part], return_inverse=True)
    return float((np.bincount(owner, paid[part]) > 0).mean())


def _alike(length: Array, before: Flags, after: Flags) -> bool:
    first, second = float(length[before].mean()), float(length[after].mean())
    return abs(second - first) <= SAME * max(first, 1.0)
