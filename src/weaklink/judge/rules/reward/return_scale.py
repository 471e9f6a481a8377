from __future__ import annotations

import numpy as np

from weaklink.base.evidence.series import Array
from weaklink.base.evidence.survey import RANDOM, Survey
from weaklink.base.stats import level, quantile
from weaklink.judge.rules._healthy import compare_with_healthy
from weaklink.judge.rules.reward._plays import is_sound, select_sound_plays
from weaklink.judge.rules.writing import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule

# times past the largest of healthy environments, whose returns are those of a short search: trained policies earn
# several times as much there (HumanoidStandup: 200 and more a step, six times), and are trained all the same
TRAINED = 10.0


@rule(
    "REW104",
    link=Link.REWARD,
    level=Level.WARN,
    on=Survey,
    needs=(RANDOM,),
    leads_to=("RET301", "RET302", "VAL301", "VAL302", "VAL304", "OPT301", "REW301", "REW307"),
    checks={"return scale": "decides"},
    marks=("left to trainers",),
)
def return_scale(
    survey: Survey, *, usual: float = 10.0, huge: float = 1000.0, huge_reward: float = 500.0, wanted: float = 3.0
) -> Answer:
    """Discounted returns are far larger than a critic can easily fit.

    ## What it sees
    Discounted returns outside [-10, 10] (info), outside [-1000, 1000] together with single rewards of several hundred
    or more (a warning), or ten times as large as in every healthy environment known (a warning; a hundred times is an
    error). The rule does not fire where the settings or the wrappers normalise rewards.

    ## Why it is bad
    A critic starts near 0 and moves by about its learning rate. Targets in the thousands stay out of its reach for
    long, its loss dominates the policy's in a shared network, and gradient clipping leaves almost nothing for the
    policy.

    ## What to do
    1. Divide every reward by the constant named in the message, so that discounted returns lie within [-3, 3].
    2. Or normalise rewards by running statistics (VecNormalize, NormalizeReward), without a clip that cuts real ones.
    3. Scale, do not clip, where the size of a reward carries meaning.

    ## How to prove it
    Run `weaklink preflight ENV` again with the rewards divided, and compare two short trainings: the explained variance
    of the scaled one must rise in the first tenth.

    ## When it is wrong
    Many tasks are learned with returns of a hundred or a thousand (CartPole, Pendulum, HalfCheetah); off-policy
    learners with separate critics tolerate more than on-policy ones with a shared network. So size alone is info as
    long as healthy environments have it too.

    ## References
    van Hasselt et al., Learning Values across Many Orders of Magnitude, 2016. Engstrom et al., Implementation Matters
    in Deep RL, 2020.
    """
    plays = select_sound_plays(survey)
    if RANDOM not in plays:
        return CannotTell((RANDOM,), "random play has no finite reward")
    if _is_normalised(survey):
        return None
    sizes = measure_return_sizes(survey)
    if not sizes:
        return CannotTell((RANDOM,), "no episode ended")
    name = max(sizes, key=lambda each: sizes[each])
    size = sizes[name]
    if size <= usual:
        return None
    rewards = np.abs(plays[name].rewards)
    typical = level(rewards[rewards > 0])
    standing = compare_with_healthy("reward.discounted_return", size)
    beyond = standing.times > TRAINED
    bad = size > huge and typical > huge_reward
    single = f", and single rewards are about {typical:,.0f} in size" if bad else ""
    place = f" ({standing.words})" if beyond else ""
    return Finding(
        message=f"Discounted returns of {name} play reach {size:,.4g} in size{single}{place}: "
        f"divide rewards by about {_round_up(size / wanted):,.4g}.",
        level=max(standing.level if beyond else Level.INFO, Level.WARN if bad else Level.INFO),
        confidence=HIGH if bad or beyond else MEDIUM,
        evidence=(
            Evidence(metric="reward.discounted_return", value=size, limit=huge if bad else usual),
            Evidence(metric="reward.size", value=typical, limit=huge_reward),
        ),
    )


def measure_return_sizes(survey: Survey) -> dict[str, float]:
    """The size of the discounted returns of each play that has finite ones."""
    sizes = {name: _measure_size(play.discounted(survey.gamma)) for name, play in select_sound_plays(survey).items()}
    return {name: size for name, size in sizes.items() if size is not None}


def _measure_size(returns: Array) -> float | None:
    """The size of discounted returns without outliers: their 95 % quantile."""
    return quantile(np.abs(returns), 0.95) if is_sound(returns) else None


def _round_up(factor: float) -> float:
    """The factor rounded up to one digit, which is enough for a scale."""
    unit = 10.0 ** np.floor(np.log10(factor))
    return float(np.ceil(factor / unit) * unit)


def _is_normalised(survey: Survey) -> bool:
    wrappers = " ".join(map(str, survey.facts.get("wrappers") or ()))
    return (
        bool(survey.config.flag("normalize_reward"))
        or bool(survey.facts.get("normalises_rewards"))
        or "NormalizeReward" in wrappers
    )
