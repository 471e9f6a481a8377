from __future__ import annotations

import numpy as np

from weaklink.base.evidence.run import Run
from weaklink.base.evidence.series import Series
from weaklink.base.proving import RISES, Change, Intervention, Promise
from weaklink.base.stats import level
from weaklink.judge.rules.writing import HIGH, LOW, MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule

FEWEST = 10  # points below which a level is not reliable


@rule(
    "REW307",
    link=Link.REWARD,
    level=Level.WARN,
    needs=(("reward.episode_return", "returns.target_std", "reward.nonzero_fraction", "reward.std"),),
    leads_to=(
        "OBS302",
        "POL309",
        "REW308",
        "RET301",
        "RET302",
        "VAL301",
        "VAL302",
        "VAL303",
        "VAL304",
        "VAL305",
        "OPT301",
        "OPT302",
        "POL302",
        "POL308",
        "EXP301",
        "EXP303",
        "EXP306",
        "REW301",
        "REW302",
        "REW303",
        "REW304",
    ),
    symptoms={"reward flat": 1, "reward oscillates": 2, "entropy collapsed": 6, "q-values diverge": 6},
    experiment=Intervention(
        change=Change(setting="reward_scale", times=0.01),
        promise=Promise(metrics=("value.explained_variance",), then=RISES),
        if_confirmed="The rewards were too large to learn from: divide them by this size, or normalise them.",
        if_refuted="The critic does not get better with smaller rewards: look at the critic (`weaklink fit-critic`) "
        "and at what it sees.",
        sized_by_finding=True,
    ),
)
def weak_signal_in_training(
    run: Run, *, huge: float = 1000.0, explained: float = 0.1, sparse: float = 0.05, snr: float = 0.1
) -> Answer:
    """The rewards of the training rollouts have a scale or density that cannot be learned from.

    ## What it sees
    Discounted returns above 1,000 in size together with a critic that explains nothing of them for most of the run (or,
    where only its loss is logged, a loss that never falls beside a return that is stuck): the reward is too large for
    the learner. As info only: fewer than 5 % of steps with a reward, and a mean reward under a tenth of its standard
    deviation.

    ## Why it is bad
    A critic starts at 0 and moves by about its learning rate; targets in the thousands stay out of its reach, its loss
    dominates every other term, and gradient clipping then leaves almost nothing for the policy.

    ## What to do
    1. Divide the rewards by a constant so that discounted returns lie within [-3, 3], or normalise them with running
       statistics (VecNormalize, NormalizeReward).
    2. Do not clip rewards whose size carries meaning; scale them.
    3. Where rewards are rare, add potential-based shaping.

    ## How to prove it
    Repeat a short run with every reward divided by the size named here: explained variance must rise within the first
    tenth of the run. `weaklink confirm REW307 my_project.py` does this.

    ## When it is wrong
    Large returns alone do no harm to learners that normalise them, or whose critic follows them: SAC solves HalfCheetah
    at returns of 10,000. The rule therefore also checks the critic.

    ## References
    van Hasselt et al., Learning Values across Many Orders of Magnitude, 2016. Engstrom et al., Implementation Matters
    in Deep RL, 2020.
    """
    size = measure_returns(run)
    critic = run.get("value.explained_variance", "value.loss", "value.q_loss")
    if size is not None and critic is not None and size[0] > huge:
        told = (
            _describe_blind_critic(critic, explained)
            if critic.name.endswith("variance")
            else _describe_stuck_loss(run, critic)
        )
        if told is not None:
            return _describe_scale(size[0], size[1], huge, critic, told)
    return _judge_density(run, sparse, snr, size is not None and critic is not None)


def _describe_blind_critic(critic: Series, explained: float) -> str | None:
    """In words, a critic that explains next to nothing of the returns for most of the run; None otherwise."""
    if len(critic) < 15 or np.mean(critic.values < explained) < 0.8:
        return None
    late = level(critic.values[-len(critic) // 3 :])
    return f"the critic explains {late:.2g} of them over {len(critic)} points" if late < explained else None


def _describe_stuck_loss(run: Run, loss: Series) -> str | None:
    """In words, a value loss that never fell beside a return that is stuck; None otherwise."""
    if len(loss) < 30 or run.performance is None or not run.performance.stuck:
        return None
    early, late = (level(part) for part in (loss.values[: len(loss) // 5], loss.values[-len(loss) // 3 :]))
    return f"{loss.name} stays at {late:.3g} (it started at {early:.3g})" if late > 0.5 * early else None


def measure_returns(run: Run) -> tuple[float, Series] | None:
    """The size of discounted returns and the series it comes from: value targets, else step reward times horizon."""
    targets = run.get("returns.target_max", "returns.target_mean")
    if targets is not None:
        return level(np.abs(targets.values)), targets
    returns = run.get("reward.episode_return")
    lengths = run.get("task.episode_length")
    if returns is None or lengths is None or len(returns) < 8 or len(lengths) < 8:
        return None
    horizon = 1.0 / max(1.0 - (run.config.number("gamma") or 0.99), 1e-4)
    length = max(level(lengths.values), 1.0)
    return level(np.abs(returns.values)) / length * min(length, horizon), returns


def _describe_scale(size: float, shown: Series, huge: float, critic: Series, told: str) -> Finding:
    return Finding(
        message=f"Discounted returns are about {size:,.0f} in size, and {told}: the rewards are too large to learn "
        "from.",
        onset=min(shown.first_step, critic.first_step),  # rewards have their scale before the first episode ends
        onset_within=max(shown.interval, abs(critic.first_step - shown.first_step) + critic.interval),
        confidence=HIGH if critic.name.endswith("variance") else MEDIUM,
        evidence=(
            Evidence(metric=shown.name, value=level(np.abs(shown.values)), limit=huge, step=shown.first_step),
            Evidence(metric=critic.name, value=level(critic.values), step=critic.last_step),
        ),
    )


def _judge_density(run: Run, sparse: float, snr: float, sized: bool) -> Answer:
    """Whether rewards are rare or mostly noise."""
    paying = run.get("reward.nonzero_fraction")
    share = level(paying.values) if paying is not None and len(paying) >= FEWEST else np.inf
    if paying is not None and share < sparse:
        return _inform(f"Only {share:.1%} of the steps have a reward ({sparse:.0%} is usual).", paying, share, sparse)
    mean, deviation = run.get("reward.mean"), run.get("reward.std")
    if mean is None or deviation is None or run.family == "language" or min(len(mean), len(deviation)) < FEWEST:
        missing = ("value.explained_variance", "task.episode_length")
        return None if paying is not None or sized else CannotTell(missing, "the size of the returns is unknown")
    usual = level(deviation.values)
    ratio = abs(level(mean.values)) / usual if usual > 0 else np.inf
    words = f"The mean reward is {ratio:.2g} times its standard deviation: the signal is weak."
    return _inform(words, mean, ratio, snr) if ratio < snr else None


def _inform(message: str, series: Series, value: float, limit: float) -> Finding:
    return Finding(
        message=message,
        level=Level.INFO,
        confidence=LOW if len(series) < 30 else MEDIUM,
        onset=series.first_step,
        onset_within=series.interval,
        evidence=(Evidence(metric=series.name, value=value, limit=limit, step=series.last_step),),
    )
