from __future__ import annotations

from weaklink.base.evidence.flaw_kinds import (
    BY_VARIANCE,
    CHANGED_ACTING,
    CHANGED_LEARNING,
    CUT_ROWS,
    LATE_ACTING,
    LOST_COLUMNS,
    MERGED_STATES,
    ONE_OBSERVATION,
    OTHER_ACTING,
    OTHER_NEXT,
    OWN_SCALES,
    ROLLOUT_SCALES,
    SCALED_AWAY,
)
from weaklink.base.evidence.rollout import Rollout
from weaklink.judge.rules._flaws import FlawWords, judge_flaws
from weaklink.judge.rules.writing import Answer, Level, Link, rule

SAME = "Prepare observations once, before they are stored, and hand the same array to the policy and to the buffer."

WORDS = {
    CHANGED_ACTING: FlawWords(
        "Observations before {head} are changed for acting, as by a normaliser, but in the loss they are those of the "
        "environment as they came, in all {count:,} rows: before any step the answers to the same rows lie "
        "{number:.2g} times their spread apart.",
        SAME,
        Link.OBSERVATION,
    ),
    CHANGED_LEARNING: FlawWords(
        "Observations before {head} are changed in the loss, as by a normaliser, but for acting they are those of the "
        "environment as they came, in all {count:,} rows: before any step the answers to the same rows lie "
        "{number:.2g} times their spread apart.",
        SAME,
        Link.OBSERVATION,
    ),
    CUT_ROWS: FlawWords(
        "All {count:,} observations in the loss at {head} are whole numbers, although what was acted on had fractions: "
        "they were cut off where observations are stored.",
        "Give the buffer the dtype of the observations, float32 and not an integer type.",
        Link.OBSERVATION,
    ),
    ONE_OBSERVATION: FlawWords(
        "The {count:,} rows in the loss at {head} hold {number:.0f} different observations, although {of:,} were acted "
        "on: rows refer to one array that is written over.",
        "Store copies: `observation.copy()`, `tensor.clone()`.",
        Link.DATA,
    ),
    SCALED_AWAY: FlawWords(
        "Observations are divided by {of:,} before {head}, exactly so in all {count:,} rows: no column has a root mean "
        "square above {number:.2g}, so that the network hardly tells them apart.",
        "Divide by 255 only where observations are images of whole numbers up to 255; else give them a spread near 1.",
        Link.OBSERVATION,
        Level.WARN,
    ),
    LOST_COLUMNS: FlawWords(
        "{count} of {of} columns of the observations are one and the same number for {head} in all rows, although the "
        "environment gives them others: column {number:.0f} is always {other:.4g}.",
        "Check what each column is divided by or clipped to: a bound of infinity makes everything 0.",
        Link.OBSERVATION,
    ),
    MERGED_STATES: FlawWords(
        "The environment gave the numbers of {of:,} different states, and {head} is given {count:,} different inputs "
        "in their place: it cannot tell the states of one input apart.",
        "Give every state an input of its own, such as a row of zeros with a one at the state's number.",
        Link.OBSERVATION,
        Level.WARN,
        always=True,
    ),
    OTHER_NEXT: FlawWords(
        "Next observations are prepared in another way than observations: column {of} is the environment's times "
        "{number:.4g} where {head} learns and times {other:.4g} where the next value is asked for, in {count:,} rows.",
        SAME,
        Link.OBSERVATION,
    ),
    OWN_SCALES: FlawWords(
        "Each of {count:,} observations is scaled by its own mean and spread before {head}, over its columns: how far "
        "a column is from where it was in another observation is lost.",
        "Scale each column by statistics over many observations, or by the bounds of the observation space.",
        Link.OBSERVATION,
        Level.WARN,
    ),
    BY_VARIANCE: FlawWords(
        "The scale of each of {of} columns before {head} is one over its variance, in {count:,} rows, not over its "
        "standard deviation: columns end up to {number:.2g} times too large or too small.",
        "Divide by the square root of the running variance.",
        Link.OBSERVATION,
    ),
    ROLLOUT_SCALES: FlawWords(
        "All columns of the {count:,} rows in the loss at {head} have a mean of 0 and a spread of 1: they are scaled "
        "by the statistics of their own rollout, while the policy acted on observations with another scale.",
        SAME,
        Link.OBSERVATION,
    ),
    LATE_ACTING: FlawWords(
        "At {count:,} of {of:,} steps {head} chooses the action by an observation that lies back ({number:.0f} steps "
        "at the median), although the environment gave a newer one: the loop goes on with an old observation.",
        "Go on with what the step returned: `observation = next_observation` at every step, not only after a reset.",
        Link.OBSERVATION,
    ),
    OTHER_ACTING: FlawWords(
        "Observations are prepared in another way for acting than for learning: column {of} is the environment's times "
        "{number:.4g} where {head} learns and times {other:.4g} in {count:,} steps where it acts.",
        SAME,
        Link.OBSERVATION,
    ),
}


@rule(
    "OBS202",
    link=Link.OBSERVATION,
    level=Level.ERROR,
    on=Rollout,
    needs=("recovered",),
    leads_to=(
        "POL201", "POL204", "POL205", "RET202", "VAL202", "VAL301", "VAL302", "VAL304", "VAL305", "POL301", "POL302",
        "EXP303", "REW301", "REW302", "REW303", "REW304",
    ),
)  # fmt: skip
def given_observations(rollout: Rollout) -> Answer:
    """The networks of a hand-written loop are given other observations than they should be.

    ## What it sees
    What each network was given when it acted and when it learned, beside what the environment gave in the same rows.
    Reported are observations that are changed on one of these sides alone while the answers to them differ, or that the
    same network is given with another scale or offset; rows without the fractions of their numbers; rows that all hold
    one observation; numbers of states of which several are given as one input; actions that are chosen by observations
    of earlier steps; next observations with another scale or offset than observations; observations that are each
    scaled by their own mean and spread, or for learning by those of their rollout; columns divided by their variance;
    and observations divided by so much that nothing is left of them.

    ## Why it is bad
    A policy that learns from other observations than it acts on learns about states that it never sees. Inputs
    that are all alike tell a network nothing.

    ## What to do
    1. Prepare observations in one function, once for each step, and store what it returns.
    2. Store copies, with the dtype of the observations.
    3. Look at the mean and the spread of what the network is given: both should be of the order of 1.

    ## How to prove it
    Print one observation of one row three times: as the environment gave it, as the policy got it, and in the loss.

    ## When it is wrong
    A normaliser whose statistics have moved on between acting and learning is not reported, nor is a network that
    prepares its observations itself: its answers are the same. A scale is reported only where the trainer multiplies
    all columns by one number.

    ## References
    Huang et al., The 37 implementation details of proximal policy optimization (2022); Andrychowicz et al., What
    matters for on-policy deep actor-critic methods? (2021).
    """
    return judge_flaws(rollout, WORDS)
