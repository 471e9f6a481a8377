from __future__ import annotations

import numpy as np

from weaklink.base.evidence.run import Run
from weaklink.base.evidence.series import Array, Series
from weaklink.base.stats import find_lasting_above, find_lasting_below, level, noise
from weaklink.judge.rules._allowance import compute_horizon
from weaklink.judge.rules._budget import has_come_far_enough
from weaklink.judge.rules._course import FEWEST, find_still_above, has_improved
from weaklink.judge.rules._hyperparameters import read_flag, read_number
from weaklink.judge.rules._paid import find_pay_of_step
from weaklink.judge.rules.writing import MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule

# the gap must shrink by this share of the targets for the critic to count as catching up
CLOSING = 0.05

RETURNS = ("reward.episode_return", "evaluation.return")

NORMALISERS = ("normalize_value", "value_normalization", "use_popart", "use_valuenorm", "value_norm", "popart")

REWARD_NORMALISERS = ("norm_reward", "normalize_reward", "normalize_rewards", "normalize")
REWARD_FACTORS = ("reward_scale", "reward_scaling", "reward_factor")

# the first tenth of the budget is not judged; where it is not known, so many steps or updates
EARLY, EARLY_STEPS, EARLY_UPDATES = 0.1, 4_000, 15

# times the best return, or times the return of the end where values rise beyond the best while it has fallen; and the
# share of the longest episode that episodes last at the end
BEYOND, ABOVE_BEST, SHORTER = 3.0, 1.5, 0.5

# times their level in the middle of the run: values that go on rising are of no other unit
RISING = 1.2

# of the largest error: so little is left where values agree with their targets
SETTLED = 1e-3

# values are off in nine of ten points over six tenths of the second half of the run
MOSTLY, WINDOW = 0.9, 0.6


@rule(
    "VAL305",
    link=Link.VALUE,
    level=Level.WARN,
    on=Run,
    needs=(("value.mean", "value.q_mean"), ("returns.target_mean", "reward.min", *RETURNS)),
    leads_to=("VAL301", "VAL304", "RET301", "POL307", "POL309", "REW301", "REW303", "REW304"),
    symptoms={"q-values diverge": 5},
    checks={"critic": "fails"},
)
def value_scale(run: Run, *, apart: float = 1.0, share: float = 0.1) -> Answer:
    """The mean value does not match the mean of its targets.

    ## What it sees
    In the second half of the run the mean value differs from the mean of its targets by more than one standard
    deviation of the targets (two, while the return improves) and by more than a tenth of the targets' size, and does
    not approach it. Or the mean value stays negative although no reward was ever negative, or positive although every
    return was negative, while the return does not improve; of a soft critic, what its entropy can earn is taken off
    first, and what is left must exceed the size of the returns. Where the errors of positive values have all but gone,
    the values are right and the rewards that are learned from are not the logged ones. Or values end beyond three times
    the best return that any episode had, or beyond three times the last returns and half as much again as the best, and
    still rise, where no return was negative and episodes end by themselves: no later than half of the longest.

    ## Why it is bad
    A biased critic gives every action the same wrong advantage, and the policy learns the error of the critic. A
    negative value without any negative reward shows that the reward is not propagated back, or that its sign is
    flipped somewhere.

    ## What to do
    1. Train only the critic on one fixed rollout: if it cannot fit it, fix the critic or its optimizer first.
    2. Compare the units: is one of values and targets normalised, clipped or scaled and the other not?
    3. Widen the value clip range, or switch it off, if returns are larger than it.
    4. Check the signs in the discounting, and the done mask.

    ## How to prove it
    Print value, target and reward of one episode side by side: the target must follow from the rewards, and the value
    must be close to the target after some hundred updates on that episode alone.

    ## When it is wrong
    While returns rise fast, the critic lags behind its targets. As long as it approaches them nothing is reported, nor
    within the first tenth of the budget (4,000 steps where it is not known), when a critic has hardly moved.
    Normalised values cannot be compared with raw targets; where the configuration mentions it, nothing is judged. Soft
    critics (SAC) may go below zero with positive rewards, and so may values with a penalty for the KL to a reference.

    ## References
    Jones, Debugging RL, Without the Agonizing Pain, 2021.
    """
    values = run.get("value.mean", "value.q_mean")
    if values is None or len(values) < FEWEST:
        return CannotTell(("value.mean",), f"fewer than {FEWEST} points")
    if read_flag(run.config, *NORMALISERS):
        return CannotTell(("value.mean",), "values are normalised, but their targets may not be")
    if not has_come_far_enough(run, values, EARLY, EARLY_STEPS, updates=EARLY_UPDATES):
        return CannotTell(("value.mean",), "it is early: a critic needs time to approach its targets")
    targets = run.get("returns.target_mean")
    found = None
    if targets is not None and len(targets) >= FEWEST:
        found = _find_bias(run, values, targets, apart, share)
    found = found or _find_negative(run, values, share) or _find_positive(run, values, share)
    found = found or _find_unpaid(run, values) or _find_unearned(run, values)
    if found is None and targets is None and "reward.min" not in run:
        return CannotTell(("returns.target_mean",), "returns alone show a wrong sign and nothing else")
    return found


def _find_bias(run: Run, values: Series, targets: Series, apart: float, share: float) -> Finding | None:
    """Values that stay away from their targets."""
    half = len(values) // 2
    steps, found = values.steps[half:], values.values[half:]
    wanted = np.interp(steps, targets.steps, targets.values)
    width = _measure_width(run, steps)
    if width is None:
        return None
    limit = np.maximum((2 if has_improved(run) else 1) * apart * width, share * np.abs(wanted))
    gap = found - wanted
    held = find_lasting_above(np.abs(gap) - limit, 0.0, share=MOSTLY, window=WINDOW)
    if held is None:
        return None
    inside = slice(held.start, held.end + 1)
    off, error = level(gap[inside]), noise(gap[inside])
    same_side = float(np.mean(np.sign(gap[inside]) == np.sign(off)))
    if same_side < MOSTLY or abs(off) < 3 * error or _is_closing(gap, np.maximum(np.abs(wanted), width)):
        return None
    step, target = float(steps[held.start]), level(wanted[inside])
    return Finding(
        message=f"The mean value stays {abs(off):,.3g} {'above' if off > 0 else 'below'} its target of {target:,.3g} "
        f"from step {step:,.0f} on; the targets have a standard deviation of {level(width[inside]):,.3g}.",
        onset=step,
        onset_within=values.interval,
        confidence=MEDIUM,
        evidence=(
            Evidence(metric=values.name, value=target + off, limit=target, step=step),
            Evidence(metric="returns.target_mean", value=target, step=step),
        ),
    )


def _is_closing(gap: Array, size: Array) -> bool:
    """Whether the values are catching up: the gap, as a share of the targets, has clearly shrunk."""
    away = np.abs(gap) / np.maximum(size, 1e-12)
    third = max(len(away) // 3, 1)
    shrunk = level(away[:third]) - level(away[-third:])
    return shrunk > max(CLOSING, 2 * noise(away))


def _measure_width(run: Run, steps: Array) -> Array | None:
    """The spread of the targets at these steps: as logged, or a quarter of their range."""
    spread, low, high = (run.get(f"returns.target_{word}") for word in ("std", "min", "max"))
    if spread is not None:
        return np.interp(steps, spread.steps, np.abs(spread.values))
    if low is not None and high is not None:
        return np.abs(np.interp(steps, high.steps, high.values) - np.interp(steps, low.steps, low.values)) / 4
    return None


def _find_negative(run: Run, values: Series, share: float) -> Finding | None:
    """Negative values where no reward was ever negative."""
    lowest, pay = run.get("reward.min"), find_pay_of_step(run) or 0.0
    soft = "exploration.temperature" in run or run.family == "language"
    known = pay > 0 if lowest is None else float(lowest.lows.min()) >= 0
    if soft or not known:
        return None
    reach = max(
        (float(np.abs(s.values).max()) for s in (run.get("reward.max"), run.get("returns.target_mean")) if s),
        default=pay / share,  # a critic that has hardly learned strays from 0 by less than a step pays
    )
    held = find_lasting_below(values.values[len(values) // 2 :], -share * reach, share=MOSTLY, window=WINDOW)
    if held is None:
        return None
    step = float(values.steps[len(values) // 2 + held.start])
    return Finding(
        message=f"The mean value stays at {held.level:,.3g} from step {step:,.0f} on although no reward was ever "
        "below 0" + (f": every step pays {pay:.3g}." if lowest is None else "."),
        onset=step,
        onset_within=values.interval,
        confidence=MEDIUM,
        evidence=(
            Evidence(metric=values.name, value=held.level, limit=0.0, step=step),
            *([] if lowest is None else [Evidence(metric=lowest.name, value=float(lowest.lows.min()))]),
        ),
    )


def _find_positive(run: Run, values: Series, share: float) -> Finding | None:
    """Positive values where every return was negative."""
    seen = [run[name] for name in (*RETURNS, "reward.episode_return_max") if name in run]
    soft = "exploration.temperature" in run or run.family == "language"
    paid = run.get("reward.max")
    if soft or not seen or run.performance is None or not run.performance.stuck:
        return None
    if any(series.highs.max() >= 0 for series in seen) or (paid is not None and paid.highs.max() > 0):
        return None
    size = level(np.abs(seen[0].values)) * _find_reach(run)
    held = find_lasting_above(values.values[len(values) // 2 :], share * size, share=MOSTLY, window=WINDOW)
    if held is None:
        return None
    settled = _has_settled(run)
    told = ": with the rewards that are learned from they agree, so these are not the ones that are logged"
    since = find_lasting_above(values.values, share * size)
    step = float(values.steps[len(values) // 2 + held.start if since is None else since.start])
    return Finding(
        message=f"The mean value stays at {held.level:,.3g} from step {step:,.0f} on although every return is below 0 "
        f"({seen[0].name} about {level(seen[0].values):,.3g}){told if settled else ''}.",
        link=Link.REWARD if settled else None,
        onset=step,
        onset_within=values.interval,
        confidence=MEDIUM,
        evidence=(
            Evidence(metric=values.name, value=held.level, limit=0.0, step=step),
            Evidence(metric=seen[0].name, value=level(seen[0].values), step=seen[0].last_step),
        ),
    )


def _find_reach(run: Run) -> float:
    """The share of a return that lies within the horizon of the discount, which is all that a value counts."""
    lengths = run.get("task.episode_length")
    return 1.0 if lengths is None else min(1.0, compute_horizon(run) / max(level(lengths.values), 1.0))


def _has_settled(run: Run) -> bool:
    """Whether next to nothing is left of the errors by which values are corrected: they follow from what was paid."""
    errors = run.get("value.td_error")
    if errors is None or len(errors) < FEWEST:
        return False
    return level(np.abs(errors.values[-max(len(errors) // 5, 3) :])) < SETTLED * float(np.abs(errors.values).max())


def _find_unearned(run: Run, values: Series) -> Finding | None:
    """Values of a soft critic above zero by more than entropy can earn, and by the size of returns that all cost."""
    temperature, entropy = run.get("exploration.temperature"), run.get("exploration.entropy")
    returns, paid = run.get(*RETURNS), run.get("reward.max")
    if temperature is None or entropy is None or returns is None or run.family == "language":
        return None
    if returns.highs.max() >= 0 or (paid is not None and paid.highs.max() > 0) or len(returns) < FEWEST:
        return None
    steps = values.steps
    drawn = np.maximum(np.interp(steps, entropy.steps, entropy.values), 0.0)
    earned = np.interp(steps, temperature.steps, temperature.values) * drawn * compute_horizon(run)
    size = level(np.abs(returns.values[len(returns) // 2 :]))
    held = find_still_above(values.values - earned, size)
    if held is None:
        return None
    step = float(steps[held.start])
    return Finding(
        message=f"The mean value is above zero by {held.level:,.3g} more than its entropy can earn from step "
        f"{step:,.0f} on, although every return is below 0 ({returns.name} about {-size:,.3g}).",
        onset=step,
        onset_within=values.interval,
        confidence=MEDIUM,
        evidence=(
            Evidence(metric=values.name, value=held.level, limit=size, step=step),
            Evidence(metric=returns.name, value=-size, step=returns.last_step),
        ),
    )


def _find_unpaid(run: Run, values: Series) -> Finding | None:
    """Values beyond all that episodes ever paid, where they end by themselves: their targets go on after the end."""
    returns, lengths = run.get("reward.episode_return"), run.get("task.episode_length")
    soft = "exploration.temperature" in run or run.family == "language"
    rescaled = read_flag(run.config, *REWARD_NORMALISERS) or read_number(run.config, *REWARD_FACTORS)
    if soft or rescaled or returns is None or lengths is None or len(lengths) < FEWEST:
        return None
    lowest = run.get("reward.min")
    ends = level(lengths.values[-max(len(lengths) // 5, 3) :])
    if returns.lows.min() < 0 or (lowest is not None and lowest.lows.min() < 0):
        return None
    best = float(returns.highs.max())
    now = level(returns.values[-max(len(returns) // 5, 3) :])
    limit = min(BEYOND * best, max(ABOVE_BEST * best, BEYOND * now))
    held = find_still_above(values.values, limit)
    half = level(values.values[len(values) // 2 :][: max(len(values) // 10, 3)])
    if level(values.values[-max(len(values) // 10, 3) :]) < RISING * half:
        return None  # units that differ are reached and kept
    if held is None or not limit or ends > SHORTER * float(lengths.highs.max()):
        return None
    passed = find_still_above(values.values, best)
    step = float(values.steps[held.start if passed is None else passed.start])
    return Finding(
        message=f"The mean value rises to {held.level:,.3g} and is beyond the {best:,.3g} that episodes paid at most "
        f"from step {step:,.0f} on, and episodes end after {ends:,.3g} steps: the targets go on beyond the end of an "
        "episode.",
        link=Link.RETURNS,
        onset=step,
        onset_within=values.interval,
        confidence=MEDIUM,
        evidence=(
            Evidence(metric=values.name, value=held.level, limit=limit, step=step),
            Evidence(metric=returns.name, value=best, step=returns.last_step),
        ),
    )
