from __future__ import annotations

from weaklink.base.evidence.flaw_kinds import (
    DROWNED,
    EVER_MORE_RANDOM,
    NEVER_DRAWN,
    NEVER_NOISY,
    NO_NOISE,
    ONE_SIDED,
    SAME_NOISE,
    SPENT_EARLY,
    STILL_RANDOM,
)
from weaklink.base.evidence.rollout import Rollout
from weaklink.judge.rules._flaws import FlawWords, judge_flaws
from weaklink.judge.rules.writing import Answer, Level, Link, rule

WORDS = {
    STILL_RANDOM: FlawWords(
        "{number:.0%} of the actions are drawn at random, in every update that was read up to step {count:,} of "
        "{of:,}: what is learned is never followed.",
        "Let epsilon fall to 0.05 or 0.1 within the first half of the run, driven by the counter that its schedule is "
        "written for.",
        Link.EXPLORATION,
        Level.WARN,
    ),
    SPENT_EARLY: FlawWords(
        "Of the {count:,} steps before the first update, {number:.0%} of the first quarter are drawn at random and "
        "{other:.0%} of the last: exploration is over before anything is learned.",
        "Let epsilon fall over the first tenth to half of the run, counted from the first update on, by the counter "
        "that its schedule is written for.",
        Link.EXPLORATION,
        Level.WARN,
    ),
    EVER_MORE_RANDOM: FlawWords(
        "The trainer follows its network at first and draws {number:.0%} of its actions at random later, at step "
        "{count:,} of {of:,}: epsilon is applied the wrong way round.",
        "Draw at random where `random() < epsilon`, and let epsilon fall.",
        Link.EXPLORATION,
    ),
    NO_NOISE: FlawWords(
        "{count:,} of the first {of:,} actions are exactly what {head} answered: there is no noise and no random "
        "start, so nothing is tried out.",
        "Add noise to the actions of a deterministic actor while collecting, and begin with random ones; draw the "
        "action where the actor has a distribution.",
        Link.EXPLORATION,
        Level.WARN,
    ),
    NEVER_NOISY: FlawWords(
        "All {count:,} actions of {of} updates that were read are exactly what the actor answered: there is no noise, "
        "so that nothing else is tried out.",
        "Add noise to the actions of a deterministic actor while collecting; draw the action where the actor has a "
        "distribution.",
        Link.EXPLORATION,
        Level.WARN,
    ),
    NEVER_DRAWN: FlawWords(
        "Of {of} actions, number {number:.0f} is never among {count:,} that were drawn at random, where it should be "
        "there about {other:.0f} times: exploration leaves it out.",
        "Draw from all actions, as `env.action_space.sample()` does; `randrange(n)` and `integers(n)` end at n - 1.",
        Link.EXPLORATION,
        Level.WARN,
    ),
    ONE_SIDED: FlawWords(
        "In {count:,} of {of:,} actions the noise pushes to the same side of what the actor answered: it has no mean "
        "of zero, and the other side is never tried out.",
        "Draw noise around zero: `normal(0, scale)`, or `uniform(-scale, scale)`.",
        Link.EXPLORATION,
        Level.WARN,
    ),
    SAME_NOISE: FlawWords(
        "In {count:,} steps the action is what {head} answered and one and the same offset: the noise is drawn anew "
        "from the same seed, and nothing else is tried out.",
        "Make the generator of the noise once, before the loop, and draw from it at every step.",
        Link.EXPLORATION,
    ),
    DROWNED: FlawWords(
        "Nearly all of the last {count:,} actions lie exactly at a bound of the action space and do not follow what "
        "{head} answered: the noise is wider than the space, and only the side at which it is clipped is left.",
        "Give the noise a standard deviation of a tenth of the action's range, in the units in which it is added.",
        Link.EXPLORATION,
        Level.WARN,
    ),
}


@rule(
    "EXP205",
    link=Link.EXPLORATION,
    level=Level.WARN,
    on=Rollout,
    needs=("recovered",),
    leads_to=("VAL305", "POL302", "EXP303", "REW301", "REW302", "REW303", "REW304", "TSK301"),
    checks={"exploration": "fails"},
)
def missing_exploration(rollout: Rollout) -> Answer:
    """A trainer that learns from replay explores never, always, or ever more.

    ## What it sees
    What the networks answered right before each step that was collected, and the action that the environment got.
    Reported are actions of a continuous actor that equal its answer from the first step on, but for a scale and an
    offset, or in all updates that were read; ones that differ from it by the same number in every step, or always to
    the same side; ones that lie at the bounds of their space whatever it answers; actions of a trainer of action values
    that are drawn at random in every update that was read, the last one well within the run; ones that are the
    network's own at first and random later; ones that are random at first and no longer before the first update; and an
    action that is never among the random ones.

    ## Why it is bad
    Without noise the critic only knows the actor's own actions, and cannot say which other one is better. With nothing
    but random actions the data never come from where the learned policy would go.

    ## What to do
    1. Deterministic actors: add noise of a tenth of the action's range while collecting, none while evaluating.
    2. Epsilon-greedy: start at 1, fall to 0.05 or 0.1, in the unit that the schedule is written for.
    3. Actors with a distribution: draw from it while collecting.

    ## How to prove it
    Print the action and what the network answers for the same observation, for twenty steps at the beginning and at the
    end of the run.

    ## When it is wrong
    Noise on the weights of the network that acts, or inside of the environment. Data that are collected at random on
    purpose, an action that a mask never allows, and a run that is stopped before its epsilon was to fall.

    ## References
    Lillicrap et al., Continuous control with deep reinforcement learning (2016); Fujimoto et al., Addressing function
    approximation error in actor-critic methods (2018); Mnih et al., Human-level control through deep reinforcement
    learning (2015).
    """
    return judge_flaws(rollout, WORDS)
