from __future__ import annotations

from weaklink.base.evidence.flaw_kinds import (
    ACTION_FOR_OWN,
    ACTION_LAG,
    AT_OWN_OBSERVATION,
    CROSSING_WINDOWS,
    CUT_OBSERVATIONS,
    DRAWN_ANEW,
    ENDS_LOST,
    LOST_RESETS,
    NEVER_COLLECTED,
    NO_FUTURE,
    ONE_DISCOUNT,
    ONE_SIDED_DRAWS,
    OTHER_ACTIONS,
    OTHER_NEXT_ROWS,
    REWARD_LAG,
    REWARD_LOST,
    REWARD_SHIFT,
    REWARD_SIGN,
    REWARD_TOTAL,
    RISING_WEIGHTS,
)
from weaklink.base.evidence.rollout import Rollout
from weaklink.judge.rules._flaws import FlawWords, judge_flaws
from weaklink.judge.rules.writing import Answer, Level, Link, rule

WORDS = {
    REWARD_LAG: FlawWords(
        "The targets at {head} are made with the reward of {steps}, in all {count:,} rows that tell.",
        "Store the reward that env.step returned together with the action that it was given.",
        Link.DATA,
    ),
    REWARD_SIGN: FlawWords(
        "The targets at {head} are made with {number:.3g} times minus the reward that the environment gave, in all "
        "{count:,} rows that tell: what it punishes is learned as good.",
        "Learn from the reward as env.step returns it; a cost becomes a reward by one minus sign, not by two.",
        Link.REWARD,
    ),
    REWARD_LOST: FlawWords(
        "The targets at {head} do not contain the reward that the environment gave, in all {count:,} rows that tell.",
        "Store the reward that env.step returned, in a column of its own and of a floating type.",
        Link.REWARD,
    ),
    REWARD_TOTAL: FlawWords(
        "The targets at {head} are made with the return of the episode so far in place of the reward of the step, in "
        "{count:,} rows: each reward is paid again in every later step.",
        "Store the reward that env.step returned, and add rewards up for the log alone.",
        Link.REWARD,
    ),
    REWARD_SHIFT: FlawWords(
        "The targets at {head} are made with rewards that are {number:.3g} more in every step than those that the "
        "environment gave, {other:.3g} on average: whether it is good to end an episode turns round.",
        "Learn from the reward as it is; a number that is added to every step changes the task wherever episodes end.",
        Link.REWARD,
        Level.WARN,
    ),
    ONE_DISCOUNT: FlawWords(
        "The targets at {head} have {of} steps, and the value of what follows them is discounted once, by "
        "{number:.4g}, instead of by {other:.4g}, its power of {of}.",
        "Discount the value behind n steps by `gamma ** n`.",
        Link.RETURNS,
    ),
    CROSSING_WINDOWS: FlawWords(
        "The targets at {head} have {number:.0f} steps and run through the ends of episodes: in {count:,} of {of:,} "
        "rows with an end within these steps, rewards and the observation that follows are those of the next episode.",
        "At the end of an episode store every window that is left, each as short as it is, and begin an empty one.",
        Link.RETURNS,
    ),
    NO_FUTURE: FlawWords(
        "The targets at {head} are the reward of the step alone in all {count:,} rows that tell, although episodes go "
        "on: the discount is 0, or the mask that ends are left out with is turned round.",
        "The target is `reward + gamma * (1 - terminated) * next value`.",
        Link.RETURNS,
    ),
    AT_OWN_OBSERVATION: FlawWords(
        "The targets at {head} go on with a value of the row's own observation, discounted by {number:.3g}, in all "
        "{count:,} rows that tell, and no network is asked about the observation that followed.",
        "Judge the next action at the next observation: store both, and give the target network the latter.",
        Link.RETURNS,
    ),
    ACTION_FOR_OWN: FlawWords(
        "The targets at {head} judge, at the next observations, actions that the actor was asked for at the rows' own "
        "observations, in all {count:,} rows that tell: the action does not belong to the state that it is judged in.",
        "Ask the actor for the next action at the next observation: `actor(next_observations)`.",
        Link.RETURNS,
    ),
    ENDS_LOST: FlawWords(
        "None of {of:,} rows that {head} learns from is one with which an episode ends, although {count:,} did while "
        "they were collected and about {number:.0f} should be among them: the last step of an episode is not stored.",
        "Store every transition, with its terminal flag, before the environment is reset.",
        Link.DATA,
    ),
    RISING_WEIGHTS: FlawWords(
        "The loss at {head} weighs rows the more the larger their errors are (rank correlation {number:.2f} over "
        "{count:,} rows), although these are drawn the more often as well: {other:.0f} draws are of {of:,} rows alone.",
        "Importance weights are `(N * p) ** -beta`: they fall with the probability that a row is drawn with.",
        Link.DATA,
    ),
    ONE_SIDED_DRAWS: FlawWords(
        "Rows of one sign of error at {head} are hardly drawn again: {count:,} times where those of the other sign "
        "would have come back {number:,.0f} times. They are drawn by the error itself and not by its size, so that "
        "half of the mistakes is never corrected.",
        "Make priorities of absolute errors: `abs(target - value) + eps`.",
        Link.DATA,
    ),
    ACTION_LAG: FlawWords(
        "{head} learns the value of the action of {steps} instead of the row's own, in {count:,} of {of:,} rows.",
        "Store the action that env.step was given together with the observation that it was chosen from.",
        Link.DATA,
    ),
    OTHER_ACTIONS: FlawWords(
        "In {count:,} of {of:,} rows {head} is given an action of another row: all of them were taken, but elsewhere.",
        "Draw the indices of a minibatch once and use them for every column.",
        Link.DATA,
    ),
    OTHER_NEXT_ROWS: FlawWords(
        "{count:,} of {of:,} next observations with which the targets at {head} are made are those of other rows, far "
        "from their own: what a row goes on with did not follow it.",
        "Draw the indices of a minibatch once and use them for every column.",
        Link.DATA,
    ),
    DRAWN_ANEW: FlawWords(
        "{head} is given the actions that the environment was given up to row {number:,.0f} of what was collected, and "
        "others in all {count:,} rows that it learns from behind it: what is stored is not what was done.",
        "Store the very action that env.step was given; do not ask the policy for it a second time.",
        Link.ACTION,
    ),
    NEVER_COLLECTED: FlawWords(
        "{count:,} of {of:,} rows that {head} learns from are all zeros and were never collected: they come from the "
        "unfilled part of the replay buffer.",
        "Sample indices below the number of stored transitions, not below the capacity.",
        Link.DATA,
    ),
    CUT_OBSERVATIONS: FlawWords(
        "All {count:,} observations that {head} learns from are whole numbers, although the environment's are not: "
        "the buffer cuts their fractions off.",
        "Give the buffer the dtype of the observations, float32 and not an integer type.",
        Link.OBSERVATION,
    ),
    LOST_RESETS: FlawWords(
        "In what {head} learns from, episodes begin with the last observation of the one before: {count:,} of {of:,} "
        "ends were seen so, and no observation that reset returned.",
        "Go on with the observation that env.reset returns: `observation, info = env.reset()`.",
        Link.ENVIRONMENT,
    ),
}


@rule(
    "DAT206",
    link=Link.DATA,
    level=Level.ERROR,
    on=Rollout,
    needs=("recovered",),
    leads_to=(
        "RET202", "VAL202", "VAL301", "VAL302", "VAL303", "VAL304", "VAL305", "POL302", "EXP303", "REW301", "REW302",
        "REW303", "REW304",
    ),
)  # fmt: skip
def replayed_rows(rollout: Rollout) -> Answer:
    """Replayed transitions are not those that were collected.

    ## What it sees
    The rows that a critic is given while learning, found byte for byte among what the environments gave and were given.
    Reported are rewards and actions that are those of another step, rewards that are left out or learned with the
    opposite sign, actions that were drawn with indices of their own or are others than those taken, rows of zeros that
    no environment gave, observations whose fractions were cut off, episodes that begin with the last observation of the
    one before, terminal steps that never come back, next values that are asked of the row's own observation, and
    importance weights that rise with the errors by which rows are drawn.

    ## Why it is bad
    The critic learns from transitions that never happened, and its loss falls all the same.

    ## What to do
    1. Write observation, action, reward, next observation and end of one step at one place, with one index.
    2. Sample below the number of transitions that are stored, with one set of indices for all columns.
    3. Give the buffer the dtype of what it stores.
    4. Go on with the observation that `env.reset` returns.

    ## How to prove it
    Print one sampled row beside the step of the environment that it was made of.

    ## When it is wrong
    Rewards and actions that are scaled, clipped or squashed belong to their rows and are not reported. Transitions that
    come from elsewhere, such as demonstrations, are not on the tape and are not judged.

    ## References
    Mnih et al., Human-level control through deep reinforcement learning (2015); Jones, Debugging reinforcement learning
    systems (2021).
    """
    return judge_flaws(rollout, WORDS)
