from __future__ import annotations

from weaklink.base.evidence.samples import Samples
from weaklink.judge.rules._draws import select_complete
from weaklink.judge.rules._samples import LIKELY, SURE, MeanShift, measure_course, split
from weaklink.judge.rules.writing import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule

FALLEN = 3.0
"""Standard errors by which the outcome must fall; the length falls by four besides."""
BEGUN = 0.25
"""The part of a fall that is no chance any more."""


@rule(
    "LLM347",
    link=Link.REWARD,
    level=Level.WARN,
    on=Samples,
    needs=("length", "outcome", "reward", ("step", "policy_version", "baseline")),
    leads_to=("LLM301", "LLM304", "LLM307", "LLM311"),
)
def shrinking_completions(samples: Samples, *, factor: float = 0.5) -> Answer:
    """Completions get shorter and worse, and are paid for being short.

    ## What it sees
    The length of completions falls during training, or from a baseline, to half or less, beyond chance; an outcome
    falls too; and the reward does not.

    ## Why it is bad
    A penalty on length that is too strong, or a sum over tokens that are paid below zero, makes the shortest answer the
    best one. The policy drops the reasoning first and then the answer.

    ## What to do
    1. Look for a term that falls with length, and compare its size with what a right answer earns.
    2. Pay the penalty only beyond a length, or only among right answers.
    3. Start from a checkpoint before answers shrank.

    ## How to prove it
    Repeat a short run without the penalty: the outcome must not fall.

    ## When it is wrong
    An outcome that fell for another reason while answers became shorter on purpose.

    ## References
    Kimi Team, Kimi k1.5, 2025 (a length penalty that is introduced slowly).
    """
    rows = select_complete(samples, "length", "reward")
    parts = split(rows, "length")
    shift = None if parts is None else parts.shift("length")
    reward = None if parts is None else parts.shift("reward")
    if parts is None or shift is None or reward is None or not parts.measures:
        return CannotTell(("step or baseline", "outcome"), "no start to compare with")
    worst = parts.worst
    if not shift.fell or shift.after > factor * shift.before or worst is None or worst[1].z > -FALLEN:
        return None
    if reward.z <= -LIKELY or any(moved.z >= LIKELY and moved.sizeable for moved in parts.measures.values()):
        return None
    name, fall = worst
    onset, halfway = (_find_fall(rows, shift, part) for part in (BEGUN, 0.5))
    return Finding(
        message=f"Completions get ever shorter: late ones are {shift.after:.0f} {samples.unit} long, "
        f"{shift.before:.0f} {parts.where}, and worse ({name} went from {fall.before:.3g} to {fall.after:.3g}), "
        "while the reward went "
        f"from {reward.before:.3g} to {reward.after:.3g}: being short is paid.",
        onset=onset,
        onset_within=0.0 if onset is None or halfway is None else max(halfway - onset, 0.0),
        confidence=HIGH if fall.z <= -SURE else MEDIUM,
        evidence=(
            Evidence(metric="length", value=shift.after, limit=shift.before),
            Evidence(metric=name, value=fall.after, limit=fall.before),
        ),
    )


def _find_fall(rows: Samples, shift: MeanShift, part: float) -> float | None:
    """The step from which on this part of the fall is done."""
    over = measure_course(rows, "length")
    return None if over is None else over.crossed(shift.before + part * shift.change, falling=True)
