from __future__ import annotations

from math import sqrt

from weaklink.base.evidence.recovered import RecoveredPolicy
from weaklink.base.evidence.rollout import Rollout
from weaklink.base.finding import answer_with
from weaklink.judge.rules.writing import HIGH, Answer, CannotTell, Evidence, Finding, Level, Link, rule

# fewer draws tell little
FEWEST_ROWS = 64
# a smaller factor of the logits is none that draws can tell from 0
LEAST = 0.02


@rule(
    "EXP204",
    link=Link.EXPLORATION,
    level=Level.ERROR,
    on=Rollout,
    needs=("recovered",),
    leads_to=("EXP301", "POL301", "POL302", "POL303", "VAL301", "REW301", "REW302", "REW304"),
)
def not_drawn_from_policy(
    rollout: Rollout, *, deviations: float = 6.0, greedy: float = 0.99, sharpness: float = 1.5
) -> Answer:
    """The actions of an on-policy trainer are not drawn from its policy: likely ones are taken too often or too seldom.

    ## What it sees
    The probabilities that the policy gave when it acted, and the actions that the environment was given. The likeliest
    action was taken in more than `greedy` of the rows, which is more than `deviations` standard deviations above the
    share that these probabilities lead to. Also actions that are drawn at another temperature: the factor of the logits
    with which they are likeliest is above `sharpness`, or below its inverse in an update after the first, and a factor
    of 1 lies more than `deviations` standard deviations away.

    ## Why it is bad
    A policy gradient learns from the difference between actions. Where only one is ever tried in each state, nothing
    tells it that another one would be better, and probabilities of actions that were never drawn weigh the loss. Where
    actions are drawn at a higher temperature, the returns are those of another, more random policy, and its gradient is
    weighed by probabilities that no action was drawn with.

    ## What to do
    1. Collect with `distribution.sample()`; take the mode only to evaluate.
    2. Use one temperature, in the distribution that actions are drawn from and in the one that the loss scores.

    ## How to prove it
    Count the actions of one rollout beside the mean of the probabilities.

    ## When it is wrong
    A trainer that learns from demonstrations of a greedy policy on purpose, or that corrects for the policy which acted
    in a way that is not read.

    ## References
    Williams, Simple statistical gradient-following algorithms (1992).
    """
    part = rollout.recovered
    judged = [each for each in part.policies if each.drawn >= FEWEST_ROWS] if part is not None else []
    if not judged:
        return CannotTell(("recovered",), "the probabilities of the policy that acted are not known")
    first = part is not None and part.number <= 1
    found = (
        _judge(each, deviations, greedy) or _judge_sharpness(each, deviations, sharpness, first=first)
        for each in judged
        if not each.twice
    )
    return answer_with(each for each in found if each is not None)


def _judge(part: RecoveredPolicy, deviations: float, greedy: float) -> Finding | None:
    spread = sqrt(max(part.expected * (1.0 - part.expected), 1e-12) / part.drawn)
    if part.likeliest <= greedy or part.likeliest <= part.expected + deviations * spread:
        return None
    return Finding(
        message=f"In {part.likeliest:.1%} of {part.drawn:,} rows the action taken is the likeliest one of the policy "
        f"at {part.head}, where its own probabilities lead to {part.expected:.1%}: actions are not sampled.",
        confidence=HIGH,
        evidence=(Evidence(metric="likeliest action taken", value=part.likeliest, limit=part.expected),),
    )


def _judge_sharpness(part: RecoveredPolicy, deviations: float, sharpness: float, *, first: bool) -> Finding | None:
    colder = part.sharper > deviations and part.sharpness > sharpness
    warmer = part.sharper < -deviations and part.sharpness < 1.0 / sharpness and not first
    if not colder and not warmer:
        return None
    heat = f"of {1.0 / part.sharpness:.2g}" if part.sharpness > LEAST else f"above {1.0 / LEAST:.0f}"
    return Finding(
        message=f"The actions of {part.drawn:,} rows are drawn as by the policy at {part.head} with a temperature "
        f"{heat}, {abs(part.sharper):.0f} standard deviations away from the one that the loss scores: "
        f"the likeliest action was taken in {part.likeliest:.0%} of them, {part.expected:.0%} are to be expected.",
        confidence=HIGH,
        fix=("Draw actions from the very distribution whose log-probabilities the loss uses.",),
        evidence=(Evidence(metric="factor of the logits", value=part.sharpness, limit=sharpness),),
    )
