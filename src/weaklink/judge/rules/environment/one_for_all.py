from __future__ import annotations

from weaklink.base.evidence.flaw_kinds import ONE_FOR_ALL
from weaklink.base.evidence.rollout import Rollout
from weaklink.judge.rules._flaws import FlawWords, judge_flaws
from weaklink.judge.rules.writing import Answer, Link, rule

WORDS = {
    ONE_FOR_ALL: FlawWords(
        "{head} is asked about {number:.0f} observations at a time, and then one and the same environment is stepped "
        "{number:.0f} times, in each of {count:,} turns: the {number:.0f} environments are one, and all but its first "
        "action of a turn answer an observation that is out of date.",
        "Make each environment anew: `[make_env() for _ in range(n)]`, not `[make_env()] * n`.",
        Link.ENVIRONMENT,
    ),
}


@rule(
    "ENV203",
    link=Link.ENVIRONMENT,
    level=WORDS[ONE_FOR_ALL].level,
    on=Rollout,
    needs=("recovered",),
    leads_to=("POL204", "RET201", "RET202", "POL302", "VAL301", "REW301", "REW302", "REW304"),
)
def one_for_all(rollout: Rollout) -> Answer:
    """The environments that a hand-written loop steps side by side are one single environment.

    ## What it sees
    How many observations the network is asked about at a time, and which environments are stepped until it is asked
    again: one alone, as often as there were observations, and nothing is asked in between.

    ## Why it is bad
    Each place of the batch acts on what it saw a whole turn ago, while the others have moved the same environment on.
    Its observations, rewards and ends belong to other actions than its own.

    ## What to do
    1. Make an environment for each place: `[make_env() for _ in range(n)]`. `[make_env()] * n` is one, n times.
    2. In a loop of functions bind the variable: `lambda i=i: make_env(i)`.

    ## How to prove it
    Print `len({id(env) for env in envs})`.

    ## When it is wrong
    Several actions that are chosen ahead for one environment, each from an observation of its own, or one environment
    whose agents move one after the other.

    ## References
    Python documentation, Common sequence operations: the items of `s * n` are not copied.
    """
    return judge_flaws(rollout, WORDS)
