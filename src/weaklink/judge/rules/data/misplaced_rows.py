from __future__ import annotations

from weaklink.base.evidence.flaw_kinds import (
    ADVANTAGES_IN_PLACE,
    LEARNED_NEXT,
    LEFT_OUT,
    ONE_REWARD,
    OTHER_ADVANTAGES,
    OTHER_REWARD,
    REWARD_AFTER,
    REWARD_BEFORE,
)
from weaklink.base.evidence.rollout import Rollout
from weaklink.judge.rules._flaws import FlawWords, judge_flaws
from weaklink.judge.rules.writing import Answer, Level, Link, rule

WORDS = {
    LEARNED_NEXT: FlawWords(
        "{head} learns from observations that followed the actions ({count:,} of {of:,} rows show it): each action is "
        "learned on the observation after it, not on the one that it was chosen in.",
        "Store the observation before env.step, as a copy, and replace it only after the row is stored.",
        Link.DATA,
    ),
    LEFT_OUT: FlawWords(
        "Of {of:,} rows that were collected for an update {count:,} are never learned from, while the other "
        "{number:,.0f} come back {other:.0f} times each: minibatches are drawn from a part of the rollout.",
        "Draw the indices of minibatches from all rows, torch.randperm(len(rollout)).",
        Link.DATA,
    ),
    OTHER_ADVANTAGES: FlawWords(
        "The weights of {count:,} rows in the loss at {head} are the advantages of other rows exactly: the advantages "
        "were flattened, turned or shifted in another way than the observations and actions beside them.",
        "Flatten every column of a rollout in the same order, and draw minibatches of all of them with one index.",
        Link.DATA,
    ),
    ADVANTAGES_IN_PLACE: FlawWords(
        "The weights of {count:,} rows in the loss at {head} stay in their places while the rows are shuffled: the "
        "same place of every epoch has the same weight (correlation {number:.3g}), whatever row stands there. The "
        "advantages are not drawn with the index of the observations and actions.",
        "Index the advantages of a minibatch like its observations and actions: `advantages[index]`.",
        Link.DATA,
    ),
    ONE_REWARD: FlawWords(
        "The targets at {head} are made of one reward for all environments at each step ({count:,} rows): those of the "
        "others are overwritten.",
        "Write the reward of environment i at rewards[t, i].",
        Link.REWARD,
    ),
    OTHER_REWARD: FlawWords(
        "The targets at {head} are made of the rewards of another environment ({count:,} rows).",
        "Keep rewards, observations and actions of an environment at the same index.",
        Link.DATA,
    ),
    REWARD_BEFORE: FlawWords(
        "The targets at {head} are made of the rewards of the step before ({count:,} rows): each action is credited "
        "with what the action before it was paid, and what the last action of an episode is paid is lost.",
        "Store the reward that env.step returned for an action in the row of that action.",
        Link.DATA,
    ),
    REWARD_AFTER: FlawWords(
        "The targets at {head} are made of the rewards of the step after ({count:,} rows): no action is credited with "
        "what it was paid.",
        "Store the reward that env.step returned for an action in the row of that action.",
        Link.DATA,
    ),
}


@rule(
    "DAT207",
    link=Link.DATA,
    level=Level.ERROR,
    on=Rollout,
    needs=("recovered",),
    leads_to=(
        "OBS202", "OPT203", "RET201", "RET202", "RET203", "VAL202", "VAL301", "VAL302", "VAL304", "POL204", "POL205",
        "POL301", "POL302", "EXP303", "REW301", "REW302", "REW304",
    ),
)  # fmt: skip
def misplaced_rows(rollout: Rollout) -> Answer:
    """An on-policy update learns from rows that are put together wrongly, or from a part of them.

    ## What it sees
    The rows of an update beside what the environments gave. Reported are inputs of the policy that followed its actions
    (the newest steps in their order, or observations with which episodes or the rollout ended, in which nobody acted);
    rollouts of which more than half is never learned from although the rest comes back four times and more; and targets
    that follow an estimator exactly with the reward of one environment for all, of a neighbour, or of the step before
    or after, and with their own do not. So are weights of the policy's loss that are the advantages of a rollout
    exactly, in another order, and weights that are those of a place in every epoch, whatever row was shuffled to it.

    ## Why it is bad
    An action is credited to what was seen after it, or with what another environment paid: the policy learns noise. Of
    what is left out nothing is learned at all, and the rest is learned by heart.

    ## What to do
    1. Store observation, action and reward of a step together, before the observation is replaced.
    2. Index every column by time and environment alike.
    3. Draw minibatches from all rows of the rollout.

    ## How to prove it
    Print one row of the storage beside what `env.step` gave for it.

    ## When it is wrong
    Methods that keep the best rows of a rollout on purpose leave out the others. One team reward for all agents is paid
    by the environment itself, and is not reported.

    ## References
    Huang et al., The 37 implementation details of proximal policy optimization (2022).
    """
    return judge_flaws(rollout, WORDS)
