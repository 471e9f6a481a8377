from __future__ import annotations

from weaklink.base.evidence.survey import POLICY, RANDOM, Survey
from weaklink.judge.rules.task._standing import compare_returns, find_strongest, read_returns
from weaklink.judge.rules.writing import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule

COMPATIBLE = 0.5  # where the interval includes this much of the gap, the episodes are too few


@rule("TSK102", link=Link.TASK, level=Level.WARN, on=Survey, needs=(POLICY, RANDOM), leads_to=("REW301",))
def too_hard(survey: Survey, *, closed: float = 0.1, episodes: int = 20) -> Answer:
    """The policy has closed almost none of the gap between random play and an expert.

    ## What it sees
    The return of random play counts as 0, that of the best expert as 1: a policy of yours, one that cheats, the exact
    solution of a small task, or a short search, whichever is best. The trained policy reaches less than 0.1. The expert
    must be significantly better than random play.

    ## Why it is bad
    The expert proves that the task can be done and that the reward shows it. If training does not get a tenth of the
    way, the step from random actions to anything useful is too large for this learner: too many actions must be right
    in a row, or the policy cannot observe what the expert knows.

    ## What to do
    1. Make the task easier first: start closer to the goal, fewer obstacles, a shorter episode; then raise the
       difficulty.
    2. Reward progress with a shaping term that does not change the optimal policy.
    3. Check that the policy observes what the expert uses; give it a memory where the past matters.
    4. Start from demonstrations of the expert.

    ## How to prove it
    Train on the easiest version that still contains the goal. If the gap closes there, the difficulty was the cause; if
    not, look at the trainer.

    ## When it is wrong
    A policy that was trained only briefly. An expert that reads the hidden state may do what no policy can do from the
    observations.

    ## References
    Bengio et al., Curriculum Learning, 2009; Ng, Harada and Russell, Policy Invariance under Reward Transformations,
    1999.
    """
    trained, untrained = (read_returns(survey.plays.get(name)) for name in (POLICY, RANDOM))
    held = compare_returns(trained, untrained)
    if held is None or min(len(trained), len(untrained)) < episodes:
        return CannotTell((POLICY, RANDOM), f"fewer than {episodes} whole episodes of each")
    rival = find_strongest(survey)
    if rival is None:
        return CannotTell(("automaton",), "no expert is significantly better than random play")
    share, most = held.difference / rival.gap, held.high / rival.gap
    if share >= closed:
        return None
    if most >= COMPATIBLE:
        return CannotTell((POLICY,), "too few episodes for returns this noisy")
    shown = "nothing" if share <= 0 else f"{share:.1%}"
    return Finding(
        message=f"The policy has closed {shown} of the gap between random play ({untrained.mean():.4g}) and "
        f"{rival.name} ({untrained.mean() + rival.gap:.4g}): it returns {trained.mean():.4g}.",
        confidence=HIGH if most < closed else MEDIUM,
        evidence=(Evidence(metric="task.gap_closed", value=share, limit=closed),),
    )
