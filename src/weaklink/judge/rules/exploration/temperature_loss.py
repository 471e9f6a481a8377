from __future__ import annotations

from weaklink.base.evidence.flaw_kinds import HIGH_ENTROPY, TARGET_ENTROPY, TEMPERATURE_SIGN, WIDE_ENTROPY
from weaklink.base.evidence.rollout import Rollout
from weaklink.judge.rules._flaws import FlawWords, judge_flaws
from weaklink.judge.rules.writing import Answer, Level, Link, rule

WORDS = {
    TEMPERATURE_SIGN: FlawWords(
        "The temperature's loss has the wrong sign: over {count:,} steps its gradient rises with the log-probability, "
        "so that the temperature falls while the entropy is below its target of {number:.4g}.",
        "The loss is -(log_alpha * (log_prob + target_entropy).detach()).mean().",
        Link.EXPLORATION,
    ),
    WIDE_ENTROPY: FlawWords(
        "The temperature's loss aims at an entropy of {number:.4g}: minus the {of} dimensions of an observation, where "
        "an action has {count}. The policy becomes all but deterministic before the temperature stops falling.",
        "Use minus the number of action dimensions as the target entropy.",
        Link.EXPLORATION,
        Level.WARN,
    ),
    HIGH_ENTROPY: FlawWords(
        "The temperature's loss aims at an entropy of {number:.4g} for actions between -1 and 1, above that of actions "
        "drawn evenly from half of their range: the policy stays nearly random. Usual is minus the number of action "
        "dimensions, {count} here; its sign may be missing.",
        "Use minus the number of action dimensions as the target entropy.",
        Link.EXPLORATION,
        Level.WARN,
    ),
    TARGET_ENTROPY: FlawWords(
        "The temperature's loss aims at an entropy of {number:.4g}, which no policy over actions between -1 and 1 can "
        "have (at most 0.693 a dimension, of which there are {count}): the temperature grows without end.",
        "Use minus the number of action dimensions as the target entropy.",
        Link.EXPLORATION,
    ),
}


@rule(
    "EXP206",
    link=Link.EXPLORATION,
    level=Level.ERROR,
    on=Rollout,
    needs=("recovered",),
    leads_to=("EXP301", "EXP303", "EXP304", "EXP305", "POL301", "POL302", "VAL301", "VAL302", "REW302", "REW304"),
)
def temperature_loss(rollout: Rollout) -> Answer:
    """The loss of the temperature drives it the wrong way, or towards an entropy that is out of reach.

    ## What it sees
    The gradient at the logarithm of the temperature over several steps, and the mean log-probability of the actions of
    the actor's loss. One factor and one target entropy explain all of them; the factor has the wrong sign, or the
    entropy is larger than that of the uniform distribution, or minus the dimensions of an observation.

    ## Why it is bad
    The temperature runs away: to zero, where the policy stops exploring, or without end, where it ignores the reward.

    ## What to do
    1. The loss is `-(log_alpha * (log_prob + target_entropy).detach()).mean()`.
    2. The usual target entropy is minus the number of action dimensions.

    ## How to prove it
    Print the temperature and the entropy: the former must rise while the latter is below its target.

    ## When it is wrong
    Nothing is reported where the factor and the target do not explain every step exactly.

    ## References
    Haarnoja et al., Soft actor-critic algorithms and applications (2018), section 5.
    """
    return judge_flaws(rollout, WORDS)
