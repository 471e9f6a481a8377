from __future__ import annotations

import numpy as np

from weaklink.base.evidence.samples import Samples
from weaklink.judge.rules._draws import FEWEST_DRAWS, FEWEST_ROWS, hash_draws, select_complete
from weaklink.judge.rules.writing import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule

REPEATED = 2
"""Different references: a stated answer that is always one and the same is an example."""

PAID = 0.8
"""The correlation of the reward with giving the stated answer, from which on that is the right one: where prompts state
something else, such as an example, rewards do not follow it."""


@rule(
    "LLM323",
    link=Link.DATA,
    level=Level.WARN,
    on=Samples,
    needs=("prompt", ("reference", "told_answer_given")),
    leads_to=("LLM308", "LLM307", "EVA303"),
)
def answer_in_prompt(samples: Samples, *, share: float = 0.1, right: float = 0.9) -> Answer:
    """The prompt gives the reference answer away.

    ## What it sees
    Prompts that state an answer themselves (a box, `####`, an answer tag, or a label such as "answer key:", "solution:"
    or "expected output:"), and that is the reference: in 0.1 or more of the rows, and in 0.9 or more of those whose
    prompt states one, taken equally over the different references. Examples in a prompt, and earlier attempts that are
    to be corrected, state other answers too; but an example every line of which stands in the question as well is that
    question, and its answer counts alone. Where no row gives a reference, the stated answer counts as the right one
    where completions that give it are paid and others are not (correlation 0.8).

    ## Why it is bad
    The model learns to copy, and its score says nothing about problems whose answer is not given. Reward and accuracy
    rise quickly and look like learning.

    ## What to do
    1. Print one prompt as the model gets it, and find what adds the answer: a template that takes all fields of a row,
       a hint that was meant for a teacher, metadata that was joined to the question.
    2. Build prompts from a list of fields that may be shown, and assert that the reference is not in them.
    3. Train and evaluate again: scores from before mean nothing.

    ## How to prove it
    Take the stated answer out of a hundred prompts and sample again: accuracy falls where it was copied.

    ## When it is wrong
    Tasks in which the answer is given on purpose: explain a known result, or check a proof.

    ## References
    Kapoor and Narayanan, Leakage and the Reproducibility Crisis in Machine-Learning-Based Science, 2023.
    """
    if "reference" not in samples:
        return _judge_by_reward(samples, share)
    rows = select_complete(samples, "prompt", "reference")
    if len(rows) < FEWEST_ROWS or len(np.unique(hash_draws(rows))) < FEWEST_DRAWS:
        return CannotTell(("reference",), f"fewer than {FEWEST_ROWS} rows with a prompt and a right answer")
    stated = _judge_stated(rows, "answer_in_prompt", share, right)
    return stated if stated is not None else _judge_stated(rows, "answer_in_example", share, right)


def _judge_stated(rows: Samples, name: str, share: float, right: float) -> Finding | None:
    """Whether what prompts state, or the example in them that is the question itself, is the reference."""
    if name not in rows:
        return None
    stated = np.isfinite(rows[name])
    told = rows[name][stated]
    _, codes = np.unique(rows.codes["reference"][stated], return_inverse=True)
    drawn = len(np.unique(hash_draws(rows)[stated]))
    part = float(told.sum() / len(rows))
    if part < share or drawn < FEWEST_DRAWS or len(told) < FEWEST_ROWS:
        return None
    by_answer = np.bincount(codes, told) / np.bincount(codes)
    if len(by_answer) < REPEATED or float(by_answer.mean()) < right:
        return None
    said = "a prompt states an answer" if name == "answer_in_prompt" else "an example is the question that is asked"
    return Finding(
        message=f"The answer leaks: {part:.0%} of the prompts contain the reference (limit {share:.0%}): where {said}, "
        f"its answer is the right one in {told.mean():.0%}, over {len(by_answer):,} different answers.",
        confidence=HIGH if len(by_answer) >= FEWEST_DRAWS else MEDIUM,
        evidence=(Evidence(metric=name, value=part, limit=share),),
    )


def _judge_by_reward(samples: Samples, share: float) -> Answer:
    """The same where no reference is known, and the reward says which answers are right."""
    rows = select_complete(samples, "prompt")
    if "reward" not in rows or len(rows) < FEWEST_ROWS:
        return CannotTell(("reference",), "neither a right answer nor a reward is known")
    told = select_complete(rows, "told_answer_given", "reward")
    given = told["told_answer_given"] == 1.0
    part = float(np.isfinite(rows["told_answer_given"]).mean())
    if part < share or min(given.sum(), (~given).sum()) < FEWEST_DRAWS or "answer" not in told:
        return None
    answers, drawn = len(np.unique(told.codes["answer"][given])), len(np.unique(hash_draws(told)))
    if answers < FEWEST_DRAWS or drawn < FEWEST_DRAWS or not told["reward"].std() > 0.0:
        return None
    follows = float(np.corrcoef(given, told["reward"])[0, 1])
    if follows < PAID:
        return None
    return Finding(
        message=f"The answer leaks: {part:.0%} of the prompts contain it (limit {share:.0%}): completions that give "
        "the "
        f"answer which their prompt states are paid, and others are not (correlation {follows:.2f}, {answers:,} "
        "answers).",
        confidence=MEDIUM,
        evidence=(Evidence(metric="told_answer_given", value=part, limit=share),),
    )
