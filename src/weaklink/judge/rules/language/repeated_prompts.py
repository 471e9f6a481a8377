from __future__ import annotations

import numpy as np

from weaklink.base.evidence.samples import FIGURE, Samples
from weaklink.judge.rules._draws import hash_draws, select_complete
from weaklink.judge.rules.writing import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule

FEWEST_PROMPTS, FEWEST_DRAWS = 20, 60
"""Different prompts, and draws of them, that it takes to say that some are drawn too often."""

FEW, FEWER, LEAST = 0.25, 0.05, 0.4
"""The share of the different prompts that counts as few; and the one from which on a lower share of the draws is too
much for them."""

HANDFUL, OFTEN = 4, 15
"""Different prompts that are too few for any training, and how often each must have been drawn on average, over several
steps: a set of a few hundred is repeated too, but nobody trains a model for three questions without meaning to."""

SIZES = frozenset((
    "dataset_size", "dataset_length", "dataset_len", "data_size", "train_size", "train_set_size", "trainset_size",
    "num_train_examples", "num_train_prompts", "n_train", "train_prompts",
))  # fmt: skip
"""Names of how many prompts there are to draw from."""
PART, AGAIN = 0.1, 8
"""The share of them that were drawn at all, and how often each of those, before the first pass over the data could be
over: drawn without replacement each would have come once."""


@rule(
    "LLM322",
    link=Link.DATA,
    level=Level.WARN,
    on=Samples,
    needs=("prompt", ("step", "policy_version")),
    leads_to=("LLM307", "LLM308"),
)
def repeated_prompts(samples: Samples, *, most: float = 0.75) -> Answer:
    """A few prompts make up most of the draws, while the others hardly occur.

    ## What it sees
    A quarter of the different prompts, or fewer, make up over 0.75 of all draws (a group of completions is one draw),
    and each of them was drawn at least five times as often as the median of the others; of a twentieth of the prompts,
    or fewer, 0.4 of the draws are too many. Prompts that all recur alike,
    as in several epochs over a small set, are fine; but four prompts or fewer in a whole training, each drawn fifteen
    times and more, are a loader that is stuck. So it is where rows say how many prompts there are (`dataset_size`), and
    fewer draws than that were all made of a tenth of them or less, eight times each. Rows of one prompt at one step
    count as several draws where they are several times as many as those of the median prompt. Without training steps
    rows of one prompt may be one draw, so the rule does not judge.

    ## Why it is bad
    The model is trained on, or judged by, those few prompts. It learns their answers by heart, and every mean over rows
    is a mean over a handful of prompts.

    ## What to do
    1. Count the prompts of the data before it is mixed: look for a file that was read twice or a join that multiplied.
    2. Look at the sampler: a weight that never decays, a seed that is set anew at every step, a cache.
    3. Remove duplicates by the normalised prompt, and draw without replacement within an epoch.

    ## How to prove it
    Count distinct prompts in the first thousand rows that the loader gives, and in its source: the shares must agree.

    ## When it is wrong
    Logs of real traffic, where a few questions are asked all the time, and curricula that return to what is not yet
    solved.

    ## References
    Lee et al., Deduplicating Training Data Makes Language Models Better, 2022.
    """
    rows = select_complete(samples, "prompt", "step" if "step" in samples else "policy_version")
    _, first, sizes = np.unique(hash_draws(rows), return_index=True, return_counts=True)
    _, prompts = np.unique(rows.codes["prompt"][first], return_inverse=True)
    # rows of one prompt at one step are one draw only as far as other prompts have as many
    counts = np.bincount(prompts, np.maximum(sizes // max(int(np.median(sizes)), 1), 1)).astype(np.int64)
    draws = int(counts.sum())
    if 1 < len(counts) <= HANDFUL and draws >= OFTEN * len(counts) and "turns" not in rows:
        return _report_handful(len(counts), draws)
    if (restarted := _find_restarts(rows, len(counts), draws)) is not None:
        return restarted
    if len(counts) < FEWEST_PROMPTS or draws < FEWEST_DRAWS:
        return CannotTell(("prompt",), f"fewer than {FEWEST_PROMPTS} different prompts, or {FEWEST_DRAWS} draws")
    ordered = np.sort(counts)[::-1]
    often = ordered >= 5 * np.median(ordered)
    few, share = int(often.sum()), float(ordered[often].sum() / draws)
    limit = LEAST if few <= FEWER * len(counts) else most
    if not few or few > FEW * len(counts) or share <= limit:
        return None
    return Finding(
        message=f"{few} of {len(counts):,} different prompts make up {share:.0%} of the draws (limit {limit:.0%}): "
        f"these duplicates are repeated up to {ordered[0]:,} times, the others about {np.median(ordered):.0f} times.",
        confidence=HIGH if share > 0.85 else MEDIUM,
        evidence=(Evidence(metric="share of the commonest prompts", value=share, limit=limit),),
    )


def _find_restarts(rows: Samples, count: int, draws: int) -> Finding | None:
    """A few prompts over and over, though rows say that there are many more and not all can have been drawn yet."""
    told = [column[np.isfinite(column)] for name, column in rows.columns(FIGURE) if name.lower() in SIZES]
    size = max((float(column.min()) for column in told if len(column)), default=0.0)
    if draws < FEWEST_DRAWS or draws > size or not 1 < count <= PART * size or draws < AGAIN * count:
        return None
    return Finding(
        message=f"The same {count:,} prompts are repeated in all {draws:,} draws, about {draws // count:,} times each, "
        f"of the {size:,.0f} prompts that the data holds: the loader begins anew, or draws from a part of them.",
        confidence=HIGH,
        evidence=(Evidence(metric="different prompts", value=float(count), limit=PART * size),),
    )


def _report_handful(count: int, draws: int) -> Finding:
    return Finding(
        message=f"The whole training sees {count} different prompts in {draws:,} draws: the same prompts are repeated "
        f"about {draws // count:,} times each.",
        confidence=MEDIUM,
        evidence=(Evidence(metric="different prompts", value=float(count), limit=float(HANDFUL)),),
    )
