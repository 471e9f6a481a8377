from __future__ import annotations

import numpy as np

from weaklink.base.evidence.run import Run
from weaklink.base.evidence.series import Array
from weaklink.base.stats import level
from weaklink.judge.rules._suspicions import BEARS_OUT
from weaklink.judge.rules.writing import MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule

# curves that are computed from one rollout each, and how much they change at least from one fresh rollout to the next,
# as a share of themselves: in healthy trainings 0.02 and more of the loss of the critic, 0.06 of that of the policy
LOSSES = {"value.loss": 0.005, "policy.loss": 0.03}

# a policy that moves; one that does not sees the same losses again as long as its episodes are the same
MOVES = 1e-3

# points that are judged, and the part of the log that they are at least
FEWEST_POINTS, PART = 15, 0.3


@rule(
    "DAT304",
    link=Link.DATA,
    level=Level.WARN,
    needs=(*LOSSES, "policy.kl"),
    leads_to=(*BEARS_OUT, "REW302"),
)
def rollout_not_renewed(run: Run, *, part: float = PART) -> Answer:
    """Losses move without the scatter that fresh rollouts have.

    ## What it sees
    Over the last three tenths of the log and 15 points, the loss of the critic changes by less than half a percent
    from update to update and that of the policy by less than three percent, while each update moves the policy.

    ## Why it is bad
    Each update of an on-policy method learns from episodes of its own, and the losses scatter as these do. Losses that
    glide are computed from the same rows again and again: the buffer is not refilled, or its old part is drawn. The
    policy fits those rows and learns nothing of what it does now.

    ## What to do
    1. Print the sum of the stored rewards before each update: it must change.
    2. Look for a buffer whose position is not set back, and for a copy that is learned from in place of the buffer.

    ## How to prove it
    Compare the observations of two successive rollouts: hardly a row must be the same.

    ## When it is wrong
    Losses that are logged as averages over many updates scatter little as well.

    ## References
    Practice.
    """
    kl = run["policy.kl"]
    if run.family != "on-policy" or min(len(run[name]) for name in LOSSES) < FEWEST_POINTS / part:
        return CannotTell(tuple(LOSSES), f"fewer than {FEWEST_POINTS / part:.0f} points, or learned from replay")
    rates = {name: _measure_changes(run[name].values[-int(part * len(run[name])) :]) for name in LOSSES}
    if any(rates[name] > most for name, most in LOSSES.items()) or level(kl.values[-int(part * len(kl)) :]) < MOVES:
        return None
    name = "value.loss"
    calm = _list_changes(run[name].values) < 5 * LOSSES[name]
    loud = np.flatnonzero(~calm)
    place = int(loud[-1]) + 1 if len(loud) else 0
    step = float(run[name].steps[place])
    return Finding(
        message=f"From step {step:,.0f} on value.loss changes by {rates[name]:.2%} from update to update, policy.loss "
        f"by {rates['policy.loss']:.2%}: fresh rollouts scatter more, these are the same rows again.",
        onset=step,
        onset_within=run[name].interval,
        confidence=MEDIUM,
        evidence=(Evidence(metric=name, value=rates[name], limit=LOSSES[name], step=step),),
    )


def _list_changes(values: Array) -> Array:
    return np.abs(np.diff(values)) / np.maximum(np.abs(values[1:]), 1e-12)


def _measure_changes(values: Array) -> float:
    """The usual change from one point to the next, as a share of the value."""
    return level(_list_changes(values))
