from __future__ import annotations

import numpy as np

from weaklink.base.evidence.run import Run
from weaklink.base.evidence.series import Series
from weaklink.base.stats import level
from weaklink.judge.rules.writing import (
    HIGH,
    MEDIUM,
    Answer,
    BareLimit,
    CannotTell,
    Evidence,
    Finding,
    Level,
    Link,
    rule,
)

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

# undefined now and then in healthy runs: no variance to explain, no second sample
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
"""Counts of optimizer steps on non-finite gradients, each with the norm that shows whether finite ones followed."""

# undefined as long as no episode has ended
UNTIL_AN_EPISODE_ENDS = ("reward.episode_return", "task.", "evaluation.", "reward.component.", "system.")

# naN counts once it lasts for so many points (for metrics of episodes, the second number) and five usual gaps
FEWEST_LOST, FEWEST_LOST_EPISODES, GAPS = 3, 10, 5.0

# A precursor shows in the last three points, beside at least five that give its usual size
FEWEST_BEFORE, SHORTLY = 8, 3


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
    """A logged number became NaN or infinite.

    ## What it sees
    A loss, a gradient, a value, a reward or a policy statistic was finite and then was not. The rule names the first
    such metric and, where one is logged, the curve that spiked just before. Where optimizer steps on non-finite
    gradients are counted, one is enough, as long as no finite gradient follows it; so is the last row of a log that
    lost three metrics of the update at once, and never before, beside others that are numbers.

    ## Why it is bad
    One non-finite number in a loss makes every parameter non-finite at the next optimizer step. From then on the agent
    acts at random or not at all, whatever the other curves show.

    ## What to do
    1. If a precursor is named, look at that metric: it changed first.
    2. Clip the gradient norm to 0.5 and lower the learning rate by a factor of 10.
    3. Guard divisions and logarithms: a standard deviation of 0 in a normaliser, log(0) of a masked or saturated
       action, a minibatch of size 1 with normalised advantages.
    4. Check observations and rewards for inf: a simulator that blows up produces it first.

    ## How to prove it
    Replay from the last checkpoint before the onset with `torch.autograd.set_detect_anomaly(True)`: the first
    operation that it names is the cause.

    ## When it is wrong
    Some metrics are undefined at times: explained variance while all returns are equal, a return before the first
    episode has ended, a standard deviation of discrete actions. They do not count, nor does NaN that is followed by
    numbers: many loggers write it where a row has no value. A single infinite step of mixed precision is only a
    warning.

    ## References
    Stable-Baselines3 issues 325 and 1028 (minibatch of one sample).
    """
    if not run.series:
        return CannotTell(("any metric",))
    broken = [series for series in run.series.values() if _is_broken(series)]
    bad = (broken or _find_lost_at_end(run)) + _find_never_finite(run)
    bad.sort(key=lambda series: (_find_loss(series), not series.name.startswith("observation.")))
    if not bad:
        return _find_bad_step(run)
    first = bad[0]
    lost = first.nonfinite
    assert lost is not None
    lasting, since = lost.tail > 0, _find_loss(first)
    ahead = _find_precursor(run, since, spike)
    others = f", then {len(bad) - 1} more" if len(bad) > 1 else ""
    before = f"; just before, {ahead[0].name} went from {ahead[1]:.3g} to {ahead[2]:.3g}" if ahead else ""
    evidence = [Evidence(metric=first.name, value=float("nan") if lost.nan else float("inf"), step=since)]
    if ahead:
        evidence.append(Evidence(metric=ahead[0].name, value=ahead[2], limit=spike * ahead[1], step=ahead[3]))
    return Finding(
        message=f"{first.name} is {lost.word} from step {since:,.0f} ({lost.tail or lost.count} points{others})"
        f"{before}.",
        link=_find_source(bad, (since, since + first.interval), calm=ahead is None),
        onset=since,
        onset_within=first.interval,
        level=Level.ERROR if lasting or len(bad) > 1 else Level.WARN,
        confidence=HIGH if lasting else MEDIUM,
        evidence=tuple(evidence),
    )


def _find_source(bad: list[Series], within: tuple[float, float], *, calm: bool) -> Link | None:
    """The link whose numbers were lost first; None for the update itself.

    A return that is no number comes from the environment. Where it is lost in the same row as everything that is worked
    out from it, and nothing grew before, so does all the rest. What still was a number in the row of the first loss is
    no source.
    """
    since, until = within
    lost = [series.name for series in bad if _find_loss(series) <= until and since not in series.steps]
    if any(name.startswith("observation.") for name in lost):
        return Link.OBSERVATION
    if not calm or not any(name.startswith("reward.") for name in lost):
        return None
    return Link.ENVIRONMENT if len(lost) > 1 else Link.REWARD


def _find_bad_step(run: Run) -> Finding | None:
    """An optimizer step on a non-finite gradient that no finite one followed: the weights are lost."""
    for counted, shown in STEPPED_ON.items():
        norm = run.series.get(shown)
        lost = None if norm is None else norm.nonfinite
        if counted in run and norm is not None and lost is not None and lost.tail:
            return Finding(
                message=f"The optimizer stepped on a non-finite gradient at step {lost.since:,.0f}, and no gradient "
                "has been finite since.",
                onset=lost.since,
                onset_within=norm.interval,
                level=Level.ERROR if lost.tail > 1 else Level.WARN,
                confidence=HIGH if lost.tail > 1 else MEDIUM,
                evidence=(Evidence(metric=counted, value=float(run[counted].values[-1]), limit=0.0, step=lost.since),),
            )
    return None


def _find_loss(series: Series) -> float:
    """The step from which on a series is not finite; that of its first infinite point where it recovered."""
    lost = series.nonfinite
    return 0.0 if lost is None else lost.since if lost.tail else lost.first_step


def _is_broken(series: Series) -> bool:
    """Whether the non-finite points of a series mean that something broke.

    Many loggers write NaN where a row has no value, so NaN counts only once it lasts longer than the gaps before. An
    infinite number is never a gap.
    """
    lost = series.nonfinite
    if lost is None or not len(series) or series.name in OFTEN_UNDEFINED:
        return False
    if lost.nan < lost.count and not series.name.startswith(UNTIL_AN_EPISODE_ENDS):
        return lost.last_step > series.first_step
    usual_gap = (lost.count - lost.tail) / len(series)
    least = FEWEST_LOST_EPISODES if series.name.startswith(UNTIL_AN_EPISODE_ENDS) else FEWEST_LOST
    return lost.tail >= max(least, GAPS * usual_gap) and lost.since > series.first_step


def _find_lost_at_end(run: Run) -> list[Series]:
    """What was no number in the last row alone, where that is so of the update itself: the training ended there.

    A row without values, as of a last evaluation, has none of the other metrics of an update either.
    """
    last = [each for each in run.series.values() if len(each) and _is_lost_last(each)]
    core = [each for each in last if each.name in CORE]
    if len(core) < FEWEST_LOST:
        return []
    ended = max(map(_find_loss, core))
    others = (each for name, each in run.series.items() if not name.startswith(("evaluation.", "system.")))
    whole = any(len(each) and each.last_step == ended for each in others)
    return [each for each in last if each.name not in OFTEN_UNDEFINED] if whole else []


def _is_lost_last(series: Series) -> bool:
    """Whether a series has lost its numbers at its end, and never before."""
    lost = series.nonfinite
    return lost is not None and lost.count == lost.tail


def _find_never_finite(run: Run) -> list[Series]:
    """Metrics of the update that were logged several times and never finite."""
    logged = [run.series[name] for name in CORE if name in run.series]
    dead = [series for series in logged if not len(series) and series.count >= FEWEST_LOST]
    infinite = any(series.nonfinite is not None and series.nonfinite.nan < series.count for series in dead)
    return dead if len(dead) > 1 or infinite else []


def _find_precursor(run: Run, step: float, spike: float) -> tuple[Series, float, float, float] | None:
    """The metric that spiked most in the last points before the step: its usual size, its peak and where."""
    known = [_measure_spike(run[name], step) for name in PRECURSORS if name in run]
    spikes = [found for found in known if found is not None and found[0] > spike]
    return max(spikes, key=lambda found: found[0])[1] if spikes else None


def _measure_spike(series: Series, step: float) -> tuple[float, tuple[Series, float, float, float]] | None:
    """By what factor the last points before the step exceed those before them, and where the peak is."""
    before = np.flatnonzero(series.steps <= step)
    if len(before) < FEWEST_BEFORE:
        return None
    sizes = np.maximum(np.abs(series.highs), np.abs(series.lows))[before]
    usual = level(sizes[:-SHORTLY])
    peak = int(np.argmax(sizes[-SHORTLY:])) + len(sizes) - SHORTLY
    top = float(sizes[peak])
    return top / max(usual, 1e-12), (series, usual, top, float(series.steps[peak]))
