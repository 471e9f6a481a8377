from __future__ import annotations

import numpy as np

from weaklink.base.evidence.samples import Samples
from weaklink.base.evidence.series import Array
from weaklink.judge.rules._assigned import find_owner
from weaklink.judge.rules._draws import FEWEST_ROWS, find_steps, hash_columns, select_complete, select_single_turns
from weaklink.judge.rules.writing import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule

FEWEST_TEXTS = 10
"""Texts that were graded more than once: with fewer the share of the noise is chance."""
WIDE = 0.2
"""The standard deviation of grades of one text, as a share of the range of all: two thirds of what dice would have.
Where all completions are alike, even a good judge's small differences are most of what is left."""


@rule(
    "LLM352",
    link=Link.REWARD,
    level=Level.WARN,
    on=Samples,
    needs=("reward", "text", "prompt"),
    leads_to=("LLM311", "LLM312", "REW304"),
)
def noisy_rewards(samples: Samples, *, limit: float = 0.3) -> Answer:
    """The same completion of the same prompt gets different rewards.

    ## What it sees
    Rows of one step with the same prompt, the same outcome and the same completion, to the letter: the variance of
    their rewards is more than 0.3 of that of all rewards, and their standard deviation more than a fifth of the range.
    Trajectories are left out, since an environment may answer differently.

    ## Why it is bad
    Nothing that the model writes explains these differences, and group-relative advantages make them a signal: of two
    equal completions one is made more likely and the other less. So much of every gradient is noise.

    ## What to do
    1. Grade at temperature 0, or take the mean of several grades.
    2. Ask for a grade on few, well described levels instead of a number from 0 to 100.
    3. Check that rewards are joined to their rows by an id, and that no cache returns the grade of another row.

    ## How to prove it
    Grade ten completions five times each: the grades of one must differ far less than those of different ones.

    ## When it is wrong
    Rewards that depend on something beside the text on purpose, such as its latency or how rare it is in its group.

    ## References
    Zheng et al., Judging LLM-as-a-Judge, 2023 (how well judges agree with themselves).
    """
    rows = select_single_turns(select_complete(samples, "reward", "text", "prompt"))
    noise, texts, count = _measure_noise(rows)
    if texts < FEWEST_TEXTS or count < 2 * FEWEST_ROWS:
        return CannotTell(("completion",), f"fewer than {FEWEST_TEXTS} completions were graded more than once")
    whole, reach = float(rows["reward"].var()), float(np.ptp(rows["reward"]))
    share = min(noise / whole, 1.0) if whole > 0.0 else 0.0
    if share <= limit or noise**0.5 <= WIDE * reach:
        return None
    if _are_misaligned(rows):
        return CannotTell(("reward",), "rewards are those of other rows, which looks like noise")
    return Finding(
        message=f"Rewards are noisy: the same completion of the same prompt gets rewards that differ by "
        f"{noise**0.5:.2g} (standard deviation over {texts:,} such texts in {count:,} rows), {share:.0%} of the "
        f"variance of all rewards (limit {limit:.0%}).",
        confidence=HIGH if texts >= 3 * FEWEST_TEXTS else MEDIUM,
        evidence=(Evidence(metric="variance of equal completions", value=share, limit=limit),),
    )


def _are_misaligned(rows: Samples) -> bool:
    """Whether rewards go with the outcomes of other rows."""
    known = rows.where(np.isfinite(rows[rows.outcome])) if rows.outcome is not None else None
    if known is None or rows.outcome is None or len(known) < 2 * FEWEST_ROWS:
        return False
    return find_owner(known, known["reward"], known[rows.outcome]) is not None


def _measure_noise(rows: Samples) -> tuple[float, int, int]:
    """The variance of rewards among equal completions, how many texts have several rows, and how many these are."""
    if not len(rows):
        return 0.0, 0, 0
    steps, nothing = find_steps(rows), np.zeros(len(rows))
    clock: Array = nothing if steps is None else steps + 0.0
    outcome: Array = nothing if rows.outcome is None else rows[rows.outcome] + 0.0
    keys = hash_columns(clock, outcome, rows.codes["prompt"], rows.codes["text"])
    _, owner, sizes = np.unique(keys, return_inverse=True, return_counts=True)
    reward = rows["reward"]
    left = reward - (np.bincount(owner, reward) / sizes)[owner]
    several = sizes > 1
    freedom = int((sizes[several] - 1).sum())
    noise = float((left**2).sum()) / freedom if freedom else 0.0
    return noise, int(several.sum()), int(sizes[several].sum())
