from __future__ import annotations

from weaklink.base.evidence.samples import Samples
from weaklink.judge.rules._draws import FEWEST_ROWS, average_by_draw, select_complete
from weaklink.judge.rules._samples import LIKELY, select_latest, split
from weaklink.judge.rules._tricks import compare_pay
from weaklink.judge.rules.writing import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule


@rule(
    "LLM325",
    link=Link.REWARD,
    level=Level.WARN,
    on=Samples,
    needs=("several_answers", "reward"),
    leads_to=("LLM301", "LLM302", "LLM304", "LLM311", "REW305"),
)
def several_answers(samples: Samples, *, limit: float = 0.05) -> Answer:
    """Completions offer several final answers, and are paid because one of them is right.

    ## What it sees
    More than 0.05 of the last completions, beyond chance, end in several answers side by side (boxes, tags, "3, 4 or
    5", or three and more numbers in a row) of which one is the reference, and their reward is no lower than that of
    completions with one answer. Boxes within the steps of a solution do not count, nor do rows whose reference is
    itself more than one number or name.

    ## Why it is bad
    The verifier looks for the reference among the answers instead of taking one. Naming every candidate is far easier
    than solving, so the policy learns to name more and more of them.

    ## What to do
    1. Extract exactly one final answer, the last, and pay nothing where several different ones are offered.
    2. Make such a completion a test case of the verifier (`weaklink audit --verifier module:reward` tries it).
    3. Go back to a checkpoint from before the share rose.

    ## How to prove it
    Score fifty of these completions with their last answer alone: the reward falls to the rate of guessing.

    ## When it is wrong
    Questions with several right answers whose reference names only one of them.

    ## References
    Baker et al., Monitoring Reasoning Models for Misbehavior, 2025 (verifiers that accept any of several answers).
    """
    rows = select_complete(samples, "several_answers", "reward")
    late = select_latest(rows, "several_answers")
    now = average_by_draw(late, "several_answers")
    if now is None:
        return CannotTell(("several_answers",), f"fewer than {FEWEST_ROWS} rows with a reward and a plain reference")
    paid = compare_pay(late, "several_answers")
    if now.mean - LIKELY * now.error <= limit or paid is None or paid < 0.0:
        return None
    parts = split(rows, "several_answers")
    shift = None if parts is None else parts.shift("several_answers")
    rose = shift is not None and shift.rose
    before = f", {shift.before:.0%} at the start" if shift is not None and rose else ""
    return Finding(
        message=f"{now.mean:.0%} of the completions offer several answers of which one is right (limit {limit:.0%}"
        f"{before}), and they get {paid:.2g} more reward than those with one answer: the verifier accepts any of them.",
        confidence=HIGH if rose else MEDIUM,
        evidence=(Evidence(metric="several_answers", value=now.mean, limit=limit),),
    )
