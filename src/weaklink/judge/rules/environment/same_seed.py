from __future__ import annotations

from weaklink.base.evidence.flaw_kinds import SAME_SEED
from weaklink.base.evidence.rollout import Rollout
from weaklink.judge.rules._flaws import FlawWords, judge_flaws
from weaklink.judge.rules.writing import Answer, Level, Link, rule

WORDS = {
    SAME_SEED: FlawWords(
        "{count:,} of {of:,} resets of {head} were given the seed of the reset before: every episode begins in the "
        "same state and draws the same numbers.",
        "Give a seed to the first reset alone, and call `env.reset()` without one afterwards.",
        Link.ENVIRONMENT,
        Level.WARN,
    ),
}


@rule(
    "ENV202",
    link=Link.ENVIRONMENT,
    level=Level.WARN,
    on=Rollout,
    needs=("recovered",),
    leads_to=("REW302", "EVA301", "EVA302"),
)
def same_seed(rollout: Rollout) -> Answer:
    """Every reset of the training environment gets the same seed.

    ## What it sees
    The seeds that a training hands to `reset`, of environments that draw their first observation from Gymnasium's
    generator.

    ## Why it is bad
    The agent sees one single episode over and over, and learns it by heart. The return of training rises, and in any
    other episode the policy is as good as none.

    ## What to do
    1. Seed once: `env.reset(seed=seed)` before the loop, `env.reset()` inside it.
    2. Where episodes are to be reproducible, draw a seed for each of them from one generator.

    ## How to prove it
    Print the first observation of ten episodes.

    ## When it is wrong
    One episode that is learned by heart on purpose, to test a trainer.

    ## References
    Gymnasium documentation, `Env.reset`.
    """
    return judge_flaws(rollout, WORDS)
