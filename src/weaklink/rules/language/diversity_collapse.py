from __future__ import annotations

from weaklink.evidence.performance import course_of
from weaklink.evidence.run import Run
from weaklink.finding import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding, Level
from weaklink.loop import Link
from weaklink.rules._course import FEWEST, gained, start_of, still_below
from weaklink.rules._registry import rule


@rule(
    "LLM307",
    link=Link.EXPLORATION,
    level=Level.WARN,
    on=Run,
    needs=("task.distinct_fraction",),
    leads_to=("LLM308", "LLM312", "REW302", "REW304"),
)
def diversity_collapse(run: Run, *, limit: float = 0.2) -> Answer:
    """All answers to a prompt become one and the same, without becoming right.

    ## What it sees
    The share of distinct answers within a group stays below 0.2 until the end of the log, after it began at
    twice that level or more, and neither a measure of success nor the reward rises. Where it was that low
    from the start, it is worth knowing.

    ## Why it is bad
    A group whose members agree carries no comparison, so nothing can be learned from it. Token entropy may
    look fine all the while: the words vary and the answer does not.

    ## What to do
    1. Check the sampling temperature and top-p that rollouts really use.
    2. Strengthen the pull to the reference, or the entropy bonus; lower the learning rate.
    3. Go back to the last checkpoint with diverse answers, and drop prompts that all members answer alike.

    ## How to prove it
    Sample one prompt fifty times from the first and from the last checkpoint, and count the distinct answers.

    ## When it is wrong
    A solved task has one answer and all members give it: success then rises and the rule stays silent.
    Yes-or-no questions have few answers by nature.

    ## References
    Cui et al., The Entropy Mechanism of Reinforcement Learning for Reasoning Language Models, 2025.
    """
    distinct = run["task.distinct_fraction"]
    if len(distinct) < FEWEST:
        return CannotTell((distinct.name,), f"fewer than {FEWEST} points")
    held = still_below(distinct.values, limit)
    if held is None:
        return None
    better = gained(run)
    paid = run.get("reward.mean", "reward.episode_return")
    reward = None if paid is None else course_of(paid)
    if better or (better is None and reward is not None and reward.improved):
        return None
    if better is None and reward is None:
        return CannotTell(("evaluation.score or reward.mean",), "agreement on the right answer looks the same")
    start = start_of(distinct.values)
    fallen = start >= 2 * max(held.level, 1e-12)
    step = float(distinct.steps[held.start])
    entropy = run.get("exploration.entropy", "exploration.relative_entropy")
    said = "" if entropy is None else f"; {entropy.name} still reads {entropy.values[-1]:.3g}"
    since = f"down from {start:.0%}" if fallen else "as from the start"
    return Finding(
        message=f"Only {held.level:.0%} of the answers in a group are distinct from step {step:,.0f} on, {since}, "
        f"and success does not rise{said}.",
        onset=step,
        onset_within=distinct.interval,
        level=Level.WARN if fallen else Level.INFO,
        confidence=HIGH if fallen and better is False else MEDIUM,
        evidence=(Evidence(metric=distinct.name, value=held.level, limit=limit, step=step),),
    )
