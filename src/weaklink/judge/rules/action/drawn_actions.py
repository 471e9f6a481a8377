from __future__ import annotations

from weaklink.base.evidence.flaw_kinds import (
    CLIPPED_INSIDE,
    FEW_ACTIONS,
    HARDLY_DRAWN,
    LEAST,
    MISSING_CHOICES,
    NARROWED,
    NOT_BEST,
    ONE_ACTION,
    ONE_SIDED_ACTIONS,
    OTHER_UNITS,
    OUT_OF_REACH,
    OUTSIDE_SPACE,
)
from weaklink.base.evidence.rollout import Rollout
from weaklink.judge.rules._flaws import FlawWords, judge_flaws
from weaklink.judge.rules.writing import Answer, Level, Link, rule

WORDS = {
    OTHER_UNITS: FlawWords(
        "{head} learns from actions between -{other:.4g} and {other:.4g} and is asked about actions of up to "
        "{number:.4g}: {count:,} of {of:,} lie where no stored action can be, for the two are in different units.",
        "Store the action in the units that the actor hands to the critic, and scale it in one place, just before "
        "env.step.",
        Link.ACTION,
        Level.ERROR,
    ),
    OUTSIDE_SPACE: FlawWords(
        "{count:,} of {of:,} actions that {head} was given lie outside of its action space, by more than a tenth of "
        "its range.",
        "Scale an action between -1 and 1 with low + (action + 1) / 2 * (high - low).",
        Link.ACTION,
        Level.ERROR,
    ),
    OUT_OF_REACH: FlawWords(
        "The {count:,} actions that {head} is asked about lie between -1 and 1, and those that it learns from go well "
        "beyond: the actor reaches {number:.0%} of the range of a dimension, for the two are in different units.",
        "Store the action as the actor gives it, between -1 and 1, and scale it in one place, just before env.step: "
        "low + (action + 1) / 2 * (high - low).",
        Link.ACTION,
        Level.ERROR,
    ),
    NARROWED: FlawWords(
        "The {count:,} actions that {head} is asked about are squashed into a range which, in the units of the "
        "actions that it learns from, is {number:.0%} of that of a dimension: the rest of the space is never chosen.",
        "Squash with tanh, and scale each dimension with its own bounds just before env.step: "
        "low + (action + 1) / 2 * (high - low).",
        Link.ACTION,
        Level.WARN,
    ),
    FEW_ACTIONS: FlawWords(
        "In {count:,} rows {head} learns from actions with {other:,.0f} different numbers in dimension {of}, and the "
        "environment was given {number:.0f} of them: what the actor chooses is lost on the way.",
        "Scale actions with / and not with //, keep them in a floating type, and print what env.step is given.",
        Link.ACTION,
        Level.WARN,
    ),
    CLIPPED_INSIDE: FlawWords(
        "{count:,} of {of:,} actions that {head} was given are exactly {number:.4g} in one dimension and none lies "
        "beyond, although its space goes on to {other:.4g}: actions are clipped inside the space.",
        "Clip at env.action_space.low and env.action_space.high.",
        Link.ACTION,
        Level.WARN,
    ),
    ONE_SIDED_ACTIONS: FlawWords(
        "Before anything was learned {count:,} of {of:,} actions that {head} was given are clipped at {number:.4g} in "
        "one dimension, and {other:.0f} at the other bound: the middle of what the policy draws lies at a bound of the "
        "space instead of in its middle, and half of it is one and the same action.",
        "Scale an action between -1 and 1 with low + (action + 1) / 2 * (high - low).",
        Link.ACTION,
        Level.WARN,
        always=True,
    ),
    MISSING_CHOICES: FlawWords(
        "{head} has {number:.0f} outputs, and its environment {other:.0f} actions to choose from: the last of them can "
        "never be taken.",
        "Make the policy with env.action_space.n outputs.",
        Link.ACTION,
        Level.ERROR,
    ),
    ONE_ACTION: FlawWords(
        "In {count:,} of {of:,} steps all {number:.0f} environments ({head}) were given one and the same action, "
        "although they were in different states: only the action of one of them is used.",
        "Give each environment the action that was chosen for it, actions[i].",
        Link.ACTION,
        Level.ERROR,
    ),
    NOT_BEST: FlawWords(
        "In the {of:,} steps before which the network was asked for the values of the actions, the action with the "
        "largest one is taken {number:.0%} of the time, no more than by chance ({other:.0%}): what is learned is not "
        "what acts.",
        "Take the maximum over the actions of a row, `q.argmax(dim=1)`, and hand that very number to env.step.",
        Link.ACTION,
    ),
    LEAST: FlawWords(
        "In {count:,} of {of:,} steps before which the network was asked, the action with the smallest value is taken.",
        "Take the largest value, `q.argmax(dim=1)`, and check the sign of what the network predicts.",
        Link.ACTION,
    ),
    HARDLY_DRAWN: FlawWords(
        "In the first updates {count:,} actions lie no further from what {head} gave than a spread of {number:.2g}, in "
        "a space that is {other:.4g} wide: hardly anything is tried.",
        "Begin with a standard deviation of a few tenths of the range of an action, log_std near 0 for actions between "
        "-1 and 1, and let it learn.",
        Link.EXPLORATION,
        Level.WARN,
    ),
}


@rule(
    "ACT201",
    link=Link.ACTION,
    level=Level.WARN,
    on=Rollout,
    needs=("recovered",),
    leads_to=(
        "EXP202", "EXP204", "OPT205", "POL201", "POL204", "EXP301", "EXP303", "POL302", "VAL301", "REW301", "REW302",
        "REW304",
    ),
)  # fmt: skip
def drawn_actions(rollout: Rollout) -> Answer:
    """The actions of a hand-written loop do not fit their space, are one in all environments, or hardly differ.

    ## What it sees
    The actions that the environment was given, the bounds of its space, and what the policy answered when it acted. An
    extreme action that comes back to the last digit in many rows is a clip; reported is one that lies inside the space,
    and one at a bound that a policy is clipped at half of the time before it has learned anything. Of an actor that
    climbs a critic, reported are actions outside of the space, actions that its critic is asked about beyond the bounds
    of those it learns from, a part of the space that an actor which squashes its actions cannot reach, and actions of
    many sizes of which the environment is given one or two. In the first three updates, the spread of actions around
    the means of the policy is compared with the range of the space. Reported are also a policy of choices with fewer
    outputs than there are actions, continuous actions that are the same in all environments at every step, and a
    trainer of action values that asks its network only where it does not draw at random, and then takes another action
    than the best one.

    ## Why it is bad
    Outside of what it learns from, a critic's answer is an accident, and the actor looks for the best accident. What
    lies beyond a clip is never tried, while the policy is rewarded as if it had been done. A policy that always does
    nearly the same learns nothing about anything else.

    ## What to do
    1. Take the bounds from `env.action_space`, not from another task.
    2. Start with a standard deviation that covers the space, and keep it among the parameters that learn.

    ## How to prove it
    Print the smallest and the largest action of a rollout beside the bounds of the space.

    ## When it is wrong
    Where a part of the space is left out on purpose. A policy that goes on from a finished training may begin with a
    small standard deviation.

    ## References
    Huang et al., The 37 implementation details of proximal policy optimization (2022), action clipping; Andrychowicz et
    al., What matters for on-policy deep actor-critic methods? (2021), the initial standard deviation.
    """
    return judge_flaws(rollout, WORDS)
