from __future__ import annotations

import numpy as np

from weaklink.base.evidence.samples import Samples
from weaklink.base.evidence.series import Array
from weaklink.judge.rules._draws import FEWEST_ROWS, mark_samples, select_single_turns
from weaklink.judge.rules._marked import measure_marked
from weaklink.judge.rules.writing import HIGH, Answer, CannotTell, Evidence, Finding, Level, Link, rule

MISSING = "ends without an answer"
NOTHING, SOMETHING, MOSTLY = 0.02, 0.3, 0.95
"""What those without an answer get at most and others at least, as parts of the range of rewards; and the share of the
completions with the highest reward that have the mark."""
VERDICTS = 12


@rule(
    "LLM368",
    link=Link.TASK,
    level=Level.WARN,
    on=Samples,
    needs=("answer_missing", "reward"),
    leads_to=("LLM301", "LLM302", "LLM304", "LLM308", "LLM312", "REW301", "REW304"),
)
def missing_answers(samples: Samples, *, limit: float = 0.5) -> Answer:
    """Most completions stop by themselves before they come to an answer, and earn nothing.

    ## What it sees
    Prompts ask for the answer in a mark (`\\boxed`, `<answer>`, `####`), there is a reference, and rewards are
    verdicts. More than half of the completions that no limit cut off have no such mark, and these do not become fewer;
    they get nothing, while others are paid, and completions that are paid the most nearly all have it.

    ## Why it is bad
    A text that breaks off earns nothing however good it is. A stop string that occurs within answers, such as a blank
    line, an end-of-sequence token of another model, or a post-processing step takes the answers away, and the policy is
    punished for what it never did.

    ## What to do
    1. Read ten of these completions: do they end at a place where the model would have gone on?
    2. Look at the stop strings and stop tokens of the sampler, and at what is stripped before grading.
    3. Where completions are whole, say in the prompt how an answer is to be stated, or show it.

    ## How to prove it
    Sample twenty prompts without stop strings: the answers must come.

    ## When it is wrong
    A model that never learns the form that is asked for: then the form is what is missing.

    ## References
    vLLM, SamplingParams: `stop` and `include_stop_str_in_output`.
    """
    rows = mark_samples(select_single_turns(samples), MISSING, _mark_missing)
    found = measure_marked(rows, MISSING, "reward")
    if isinstance(found, CannotTell):
        return found
    reward, missing = found.rows["reward"], found.rows[MISSING] == 1.0
    low, high = float(reward.min()), float(reward.max())
    fell = found.shift is not None and found.shift.fell
    if not found.over(limit) or fell or not 2 <= len(np.unique(reward)) <= VERDICTS:
        return None
    best = reward == high
    if best.sum() < FEWEST_ROWS or float((~missing[best]).mean()) < MOSTLY or not missing.any():
        return None
    paid = [(float(reward[side].mean()) - low) / (high - low) for side in (missing, ~missing)]
    if paid[0] > NOTHING or paid[1] < SOMETHING:
        return None
    return Finding(
        message=f"{found.share:.0%} of the completions end without a final answer in the form that the prompt asks for "
        f"(limit {limit:.0%}), though no limit cut them off, and get nothing; those with one get "
        f"{float(reward[~missing].mean()):.3g} on average: a stop string or token may end them too early.",
        onset=found.onset,
        confidence=HIGH,
        evidence=(Evidence(metric="answer_missing", value=found.share, limit=limit),),
    )


def _mark_missing(samples: Samples) -> Array:
    if "answer_missing" not in samples:
        return np.full(len(samples), np.nan)
    left_out = np.zeros(len(samples), bool)  # what is cut off, empty or abstains has a rule of its own
    for name in ("truncated", "abstains", "blank"):
        left_out |= samples[name] == 1.0 if name in samples else False
    return np.where(left_out, np.nan, samples["answer_missing"])
