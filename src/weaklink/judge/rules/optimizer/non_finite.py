from __future__ import annotations

import numpy as np

from weaklink.base.evidence.run import Run
from weaklink.base.evidence.series import Series
from weaklink.base.finding import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding, Level
from weaklink.base.loop import Link
from weaklink.base.stats import level
from weaklink.judge.rules._declarations import BareLimit
from weaklink.judge.rules._registry import rule

PRECURSORS = (
    "optimizer.gradient_norm",
    "policy.log_prob_min",
    "reward.max",
    "returns.target_max",
    "value.loss",
    "value.q_loss",
    "value.q_mean",
    "policy.kl",
    "optimizer.loss",
)

# not a number by nature, now and then: no variance to explain, no episode finished yet, no second sample
OFTEN_UNDEFINED = ("value.explained_variance", "value.residual_variance", "exploration.action_std", "reward.std")
CORE = (
    "policy.loss",
    "value.loss",
    "value.q_loss",
    "optimizer.loss",
    "optimizer.gradient_norm",
    "policy.kl",
    "exploration.entropy",
)
STEPPED_ON = {
    "optimizer.non_finite_gradients": "optimizer.gradient_norm",
    "optimizer.critic_non_finite_gradients": "optimizer.critic_gradient_norm",
}
"""Steps on a gradient that was none, as counted beside the optimizer, and the norm that shows whether it passed."""
UNTIL_AN_EPISODE_ENDS = ("reward.episode_return", "task.", "evaluation.", "reward.component.", "system.")


@rule(
    "OPT300",
    link=Link.OPTIMIZER,
    level=Level.ERROR,
    leads_to=(
        "OPT301",
        "OPT305",
        "REW301",
        "REW304",
        "EXP301",
        "EXP302",
        "POL302",
        "POL307",
        "VAL301",
        "VAL302",
        "VAL304",
    ),
    tree=0,
    symptoms={"nan": 1},
    checks={"gradients and numbers": "decides"},
    alert=BareLimit(side="not a number"),
    marks=("settled at once",),
)
def non_finite(run: Run, *, spike: float = 10.0) -> Answer:
    """A number of the training became NaN or infinite.

    ## What it sees
    A loss, a gradient, a value, a reward or a policy statistic that was finite and then was not. It names the first
    such metric and, where one is logged, the curve that shot up just before. Where steps on non-finite gradients are
    counted, one is enough, as long as no finite gradient has come after it.

    ## Why it is bad
    One non-finite number in a loss makes every parameter non-finite with the next optimizer step. From then on the
    agent acts at random or not at all, whatever the other curves say.

    ## What to do
    1. Where a forerunner is named, look at that metric: it went first.
    2. Clip the gradient norm to 0.5 and lower the learning rate by 10.
    3. Guard divisions and logarithms: a standard deviation of 0 in a normaliser, log(0) of a masked or saturated
       action, a minibatch of size 1 with normalised advantages.
    4. Check observations and rewards for inf; a simulator that blows up gives one first.

    ## How to prove it
    Replay from the last checkpoint before the onset with `torch.autograd.set_detect_anomaly(True)`: the first
    operation that it names is the break.

    ## When it is wrong
    Some numbers are undefined by nature: explained variance while all returns are equal, a return before the first
    episode has ended, a standard deviation of discrete actions. They are not counted, nor is NaN that is followed by
    numbers again: many loggers write it where a row has nothing to say. A single infinite step of mixed precision is
    told as a warning only.

    ## References
    Stable-Baselines3 issues 325 and 1028 (minibatch of one sample).
    """
    if not run.series:
        return CannotTell(("any metric",))
    bad = [series for series in run.series.values() if _counts(series)] + _never_finite(run)
    bad.sort(key=_lost_at)
    if not bad:
        return _stepped_on_nothing(run)
    first = bad[0]
    lost = first.nonfinite
    assert lost is not None
    lasting, since = lost.tail > 0, _lost_at(first)
    ahead = _forerunner(run, since, spike)
    others = f", then {len(bad) - 1} more" if len(bad) > 1 else ""
    before = f"; before it {ahead[0].name} went from {ahead[1]:.3g} to {ahead[2]:.3g}" if ahead else ""
    evidence = [Evidence(metric=first.name, value=float("nan") if lost.nan else float("inf"), step=since)]
    if ahead:
        evidence.append(Evidence(metric=ahead[0].name, value=ahead[2], limit=spike * ahead[1], step=ahead[3]))
    return Finding(
        message=f"{first.name} is {lost.word} from step {since:,.0f} ({lost.tail or lost.count} points{others})"
        f"{before}.",
        onset=since,
        onset_within=first.interval,
        level=Level.ERROR if lasting or len(bad) > 1 else Level.WARN,
        confidence=HIGH if lasting else MEDIUM,
        evidence=tuple(evidence),
    )


def _stepped_on_nothing(run: Run) -> Finding | None:
    """The optimizer stepped on a gradient that was no number, and none has been one since: the weights are lost."""
    for counted, shown in STEPPED_ON.items():
        norm = run.series.get(shown)
        lost = None if norm is None else norm.nonfinite
        if counted in run and norm is not None and lost is not None and lost.tail:
            return Finding(
                message=f"The optimizer stepped on a gradient that was no number at step {lost.since:,.0f}, and none "
                "has been one since.",
                onset=lost.since,
                onset_within=norm.interval,
                level=Level.ERROR if lost.tail > 1 else Level.WARN,
                confidence=HIGH if lost.tail > 1 else MEDIUM,
                evidence=(Evidence(metric=counted, value=float(run[counted].values[-1]), limit=0.0, step=lost.since),),
            )
    return None


def _lost_at(series: Series) -> float:
    """The step from which on a series is lost, or of its first infinite point where it came back."""
    lost = series.nonfinite
    return 0.0 if lost is None else lost.since if lost.tail else lost.first_step


def _counts(series: Series) -> bool:
    """Whether the non-finite points of a series mean that something broke.

    NaN that is followed by numbers again is how many loggers write "nothing this time". It counts once it stays, for
    longer than the gaps before it. An infinite number is never a gap.
    """
    lost = series.nonfinite
    if lost is None or not len(series) or series.name in OFTEN_UNDEFINED:
        return False
    if lost.nan < lost.count and not series.name.startswith(UNTIL_AN_EPISODE_ENDS):
        return lost.last_step > series.first_step
    usual_gap = (lost.count - lost.tail) / len(series)
    least = 10 if series.name.startswith(UNTIL_AN_EPISODE_ENDS) else 3
    return lost.tail >= max(least, 5 * usual_gap) and lost.since > series.first_step


def _never_finite(run: Run) -> list[Series]:
    """The metrics of the update that were logged again and again and never were a number."""
    logged = [run.series[name] for name in CORE if name in run.series]
    dead = [series for series in logged if not len(series) and series.count >= 3]
    infinite = any(series.nonfinite is not None and series.nonfinite.nan < series.count for series in dead)
    return dead if len(dead) > 1 or infinite else []


def _forerunner(run: Run, step: float, spike: float) -> tuple[Series, float, float, float] | None:
    """The metric that had shot up most in the last points before the step: its usual size, its peak and where."""
    best: tuple[float, tuple[Series, float, float, float]] | None = None
    for name in PRECURSORS:
        series = run.get(name)
        if series is None:
            continue
        before = np.flatnonzero(series.steps <= step)
        if len(before) < 8:
            continue
        sizes = np.maximum(np.abs(series.highs), np.abs(series.lows))[before]
        usual = level(sizes[:-3])
        peak = int(np.argmax(sizes[-3:])) + len(sizes) - 3
        factor = float(sizes[peak]) / max(usual, 1e-12)
        if factor > spike and (best is None or factor > best[0]):
            best = factor, (series, usual, float(sizes[peak]), float(series.steps[peak]))
    return None if best is None else best[1]
