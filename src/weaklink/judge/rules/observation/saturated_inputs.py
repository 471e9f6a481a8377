from __future__ import annotations

from weaklink.base.evidence.flaw_kinds import CUT_COLUMN, SATURATED_INPUTS
from weaklink.base.evidence.rollout import Rollout
from weaklink.judge.rules._flaws import FlawWords, judge_flaws
from weaklink.judge.rules.writing import Answer, Level, Link, rule

WORDS = {
    SATURATED_INPUTS: FlawWords(
        "In {count:,} rows that {head} learns from, {number:.0%} more entries of a typical column than the environment "
        "gives lie exactly at the column's largest or smallest number: observations are cut off.",
        "Clip normalised observations at 5 to 10 standard deviations, and scale before clipping.",
        Link.OBSERVATION,
    ),
    CUT_COLUMN: FlawWords(
        "In {count:,} rows that {head} was given, {number:.0%} more entries of column {of} than the environment's "
        "lie exactly at its largest or smallest number, and the others follow the environment's: it is cut off.",
        "Clip at the bounds of the observation space, on both sides of 0 where the column has both signs.",
        Link.OBSERVATION,
        Level.WARN,
    ),
}


@rule(
    "OBS204",
    link=Link.OBSERVATION,
    level=Level.ERROR,
    on=Rollout,
    needs=("recovered",),
    leads_to=(
        "VAL202", "VAL301", "VAL302", "VAL304", "VAL305", "POL302", "EXP303", "REW301", "REW302", "REW303", "REW304",
    ),
)  # fmt: skip
def saturated_inputs(rollout: Rollout) -> Answer:
    """Nearly all that a network is given, or that one of its inputs shows, lies at the bounds of a clip.

    ## What it sees
    The rows that a network learns from beside what the environment gave: in half of the columns, most entries are
    exactly the largest or the smallest one, and those of the environment are not. Or this holds of one column, whose
    other entries are the environment's but for a scale and an offset.

    ## Why it is bad
    All states look alike but for a few signs. Values and actions cannot depend on what is cut off.

    ## What to do
    1. Look for a clip with narrow bounds, or one that comes before the scaling it was meant for.
    2. Print the inputs of the network: most of them should lie strictly between the bounds.

    ## How to prove it
    Count the entries of one minibatch that equal the bounds.

    ## When it is wrong
    Observations that are turned into signs or flags on purpose.

    ## References
    Andrychowicz et al., What matters for on-policy deep actor-critic methods (2021), on clipping of normalised
    observations.
    """
    return judge_flaws(rollout, WORDS)
