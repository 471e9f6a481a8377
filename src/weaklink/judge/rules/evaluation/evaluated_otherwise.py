from __future__ import annotations

from weaklink.base.evidence.flaw_kinds import (
    BEST_AS_MEAN,
    CUT_EVALUATION,
    EVALUATED_INSIDE,
    GROWING_TOTALS,
    LAST_REWARDS,
    NO_MEMORY,
    OTHER_ENVIRONMENT,
    OTHER_INPUTS,
    RANDOM_EVALUATION,
    RUNNING_TOTALS,
    SAME_EPISODE,
    STALE_POLICY,
)
from weaklink.base.evidence.rollout import Rollout
from weaklink.judge.rules._flaws import FlawWords, judge_flaws
from weaklink.judge.rules.writing import Answer, Level, Link, rule

WORDS = {
    STALE_POLICY: FlawWords(
        "Evaluations play a copy of {head} whose weights never change: after {of:,} optimizer steps they are still "
        "what they were, while the network that learns moved on.",
        "Evaluate the network that learns itself, or copy its weights right before each evaluation.",
        Link.EVALUATION,
    ),
    OTHER_INPUTS: FlawWords(
        "In evaluations {head} is given observations that are prepared in another way than in training: they lie "
        "{number:.2g} spreads of their column from what training makes of the same observations.",
        "Use one function, with the statistics of training, to prepare observations in both places.",
        Link.EVALUATION,
    ),
    OTHER_ENVIRONMENT: FlawWords(
        "The environment of evaluations is another one than that of training: {head} is {number:.6g} there and "
        "{other:.6g} in training, whenever it was looked at. Numbers that differ: {count}.",
        "Make both environments with the same arguments; where the difference is meant, compare returns with care.",
        Link.EVALUATION,
        Level.WARN,
    ),
    NO_MEMORY: FlawWords(
        "In evaluations the network before {head} is given a memory of zeros in every step, while in training it is "
        "carried from step to step: what it remembers does not count.",
        "Carry the hidden state from step to step in evaluations, and clear it where an episode begins.",
        Link.EVALUATION,
    ),
    EVALUATED_INSIDE: FlawWords(
        "Something else plays in {head}, the environment of training: an episode is broken off or begun again by a "
        "reset, none of the {count:,} steps that follow is learned from, and then training steps on past an end, from "
        "an observation that is out of date.",
        "Make an environment of its own for evaluations.",
        Link.EVALUATION,
    ),
    RANDOM_EVALUATION: FlawWords(
        "No network is asked in any of {count:,} steps of {of} evaluations: what is learned does not play there, and "
        "actions are drawn at random or by something else.",
        "Ask the network that learns for the action at every step of an evaluation, with epsilon at 0 or near it.",
        Link.EVALUATION,
        Level.WARN,
    ),
    SAME_EPISODE: FlawWords(
        "Evaluations of {number:.0f} episodes play one and the same: {count} of {of} resets have the seed of the reset "
        "before, although the environment draws how an episode begins.",
        "Give each episode of an evaluation a seed of its own, such as 1000 + its number.",
        Link.EVALUATION,
        Level.WARN,
    ),
    GROWING_TOTALS: FlawWords(
        "The return that is printed in training grows up to {number:.6g}, while no return of the {count:,} episodes "
        "that were played is larger in size than {other:.6g}: totals are not set back to zero where an episode ends.",
        "Set the return of an episode to zero when it ends, for each environment of its own.",
        Link.EVALUATION,
    ),
    BEST_AS_MEAN: FlawWords(
        "What is printed as a mean return is the largest one of all {count:,} episodes so far, whenever it is printed "
        "({number:.6g} at last), although others were lower.",
        "Print the mean over the last episodes.",
        Link.EVALUATION,
    ),
    RUNNING_TOTALS: FlawWords(
        "The score that is printed after an evaluation is no mean return: in all {count} evaluations it is exactly the "
        "mean of running totals, as where the return is not set back to zero between episodes.",
        "Set the return of an evaluation to zero at the beginning of each episode.",
        Link.EVALUATION,
    ),
    LAST_REWARDS: FlawWords(
        "The score that is printed after an evaluation is no return: in all {count} evaluations it is exactly the last "
        "reward of its episodes.",
        "Add up the rewards of an episode, and report the sum.",
        Link.EVALUATION,
    ),
    CUT_EVALUATION: FlawWords(
        "Evaluations give episodes up after {number:.0f} steps, {count} times, although none had ended; in training "
        "one lasts {of:,} steps or more. Their returns are those of the first part of an episode.",
        "Play evaluation episodes until the environment ends them.",
        Link.EVALUATION,
        Level.WARN,
    ),
}


@rule(
    "EVA201",
    link=Link.EVALUATION,
    level=Level.ERROR,
    on=Rollout,
    needs=("recovered",),
    leads_to=("EVA303", "REW301", "REW302", "REW304"),
)
def evaluated_otherwise(rollout: Rollout) -> Answer:
    """Evaluations of a hand-written loop play something else than what is trained.

    ## What it sees
    An environment that is stepped and that no update learns from is one of evaluations. Now and then it is looked at
    what is done there: which network is asked, with which weights, what it is given, when episodes end, and which
    numbers the environment has. A few steps of training right afterwards are looked at beside it. Reported is a
    copy of the policy that nobody writes to, observations that are scaled or normalised otherwise, an environment with
    other numbers (its gravity, the size of its goal), evaluations of several episodes that all begin with one seed,
    ones that are played in the environment of training and break off its episode, and episodes that are given up
    although they go on in training; also a network with a memory that is always empty there,
    evaluations that no network takes part in, and printed scores that are always exactly what a known mistake makes of
    the episodes that were played, while no printed number is what they add up to. Of training, returns that are printed
    and grow beyond all that were played, and means that always are the largest return so far.

    ## Why it is bad
    Everything is decided by evaluations: which run is best, whether a change helped, when to stop. Training may be
    right and look wrong, or the other way round.

    ## What to do
    1. Evaluate through the same functions that act in training, with exploration off.
    2. Make the environment by the same function, with the same arguments and wrappers.
    3. Copy weights and the statistics of normalisers right before each evaluation.

    ## How to prove it
    Evaluate in the environment of training with the policy of training for ten episodes: the mean return must lie
    near that of the training episodes, but for exploration.

    ## When it is wrong
    Some train with randomised or easier environments on purpose, or with noise that evaluations leave out. Then
    the number that differs is the one that was meant to, and only returns must not be compared.

    ## References
    Henderson et al., Deep reinforcement learning that matters (2018); Agarwal et al., Deep reinforcement learning at
    the edge of the statistical precipice (2021).
    """
    return judge_flaws(rollout, WORDS)
