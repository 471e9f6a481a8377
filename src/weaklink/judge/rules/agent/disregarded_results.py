from __future__ import annotations

import numpy as np

from weaklink.base.evidence.samples import Samples
from weaklink.judge.rules._marked import measure_marked
from weaklink.judge.rules.writing import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule

UNPAID = 0.25
"""How much less answers that contradict their results may get, as a share of the range of rewards."""


@rule(
    "AGT311",
    link=Link.ACTION,
    level=Level.WARN,
    on=Samples,
    needs=(("passes_over_result", "contradicts_result"),),
    leads_to=("AGT302", "LLM301", "LLM311", "LLM317"),
)
def disregarded_results(samples: Samples, *, limit: float = 0.1) -> Answer:
    """The final answer disregards what the tools returned.

    ## What it sees
    In more than 0.1 of the last trajectories whose last call gave a single number, the answer is another number, which
    neither a result nor the task names, neither rounded nor in per cent; and these became more during training, or the
    result was the reference answer. Trajectories whose result is wrong are not judged where the reference is known.
    Where a result states the reference in its text and the last words of the agent give something else, in more than
    0.2 of the trajectories, it is an alarm if these are paid like those that give it: an error alone would cost.

    ## Why it is bad
    The agent has the answer and says something else. It does not read its results: they may be masked, cut or put where
    the model does not see them, or it was never worth while to use them.

    ## What to do
    1. Print the tokens of one such trajectory as the model gets them: is the result there, in a turn of the tool?
    2. Check that results are in the context when the answer is sampled, and masked in the loss only.
    3. Pay for the answer alone, and not for calls.

    ## How to prove it
    Sample the last turn of ten such trajectories again with the result repeated in the question: the answers change.

    ## When it is wrong
    Tasks in which the agent computes with the last result, such as units or sums, in its head.

    ## References
    Yao et al., ReAct, 2022 (answers that follow from observations).
    """
    contradicted = _find_contradicted(samples, 2 * limit)
    found = measure_marked(samples, "passes_over_result") if "passes_over_result" in samples else contradicted
    if contradicted is not None and not isinstance(contradicted, CannotTell):
        return contradicted
    if found is None or isinstance(found, CannotTell | Finding):
        return found
    if not found.over(limit) or not (found.rose or ("reference" in found.late and found.over(2 * limit))):
        return None
    return Finding(
        message=f"In {found.share:.0%} of the trajectories the final answer contradicts the tool result: that is one "
        f"number, and the answer another (limit {limit:.0%}{found.since}).",
        onset=found.onset,
        confidence=HIGH if found.rose else MEDIUM,
        evidence=(Evidence(metric="passes_over_result", value=found.share, limit=limit),),
    )


def _find_contradicted(samples: Samples, limit: float) -> Finding | CannotTell | None:
    """Answers that contradict the page or record that was read, and are paid like those that do not."""
    told = "contradicts_result" in samples and "reward" in samples
    found = measure_marked(samples, "contradicts_result", "reward") if told else None
    if found is None or isinstance(found, CannotTell):
        return found
    marked = found.late["contradicts_result"] == 1.0
    if not found.over(limit) or marked.all() or not marked.any():
        return None
    paid, others = float(found.late["reward"][marked].mean()), float(found.late["reward"][~marked].mean())
    spread = float(np.ptp(samples["reward"][np.isfinite(samples["reward"])]))
    if others - paid > UNPAID * spread:
        return None
    return Finding(
        message=f"In {found.share:.0%} of the trajectories the final answer contradicts the tool result, which states "
        f"the right one (limit {limit:.0%}{found.since}), and they get {paid:.3g} reward, the others {others:.3g}: "
        "results are not read, and the reward does not ask for it.",
        onset=found.onset,
        confidence=HIGH,
        evidence=(Evidence(metric="contradicts_result", value=found.share, limit=limit),),
    )
