from __future__ import annotations

import numpy as np

from weaklink.base.evidence.run import Run
from weaklink.base.evidence.series import Series
from weaklink.base.proving import ENTROPY_RISES, FALLS, MEAN, RETURN_RISES, Change, Intervention, Promise
from weaklink.base.stats import HeldStretch, find_lasting_above, find_lasting_below, level
from weaklink.judge.rules._course import measure_gain_before
from weaklink.judge.rules.writing import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule

# nats of entropy: a policy with less hardly ever samples another action
DETERMINISTIC = 0.05

# A spike shows in fewer points than a trend
FEWEST_POINTS = 8

# updates that all went beyond what any policy stands
FEWEST_RUINOUS = 5

# of the updates: healthy runs go so far now and then, in a few of a hundred
OFTEN = 0.1

# logging intervals between a jump of the KL and the loss of entropy that it caused
NEARBY = 3

# of its gain: a policy that had made this much of it had found out what to do before it stopped trying
HALF = 0.5


@rule(
    "POL303",
    link=Link.POLICY,
    level=Level.WARN,
    needs=("policy.kl",),
    leads_to=(
        "POL301",
        "POL302",
        "POL305",
        "POL307",
        "EXP301",
        "EXP302",
        "EXP304",
        "VAL301",
        "VAL304",
        "VAL307",
        "REW301",
        "REW302",
        "REW303",
        "REW304",
    ),
    symptoms={"reward flat": 5, "reward oscillates": 5, "reward declines": 6, "entropy collapsed": 5},
    checks={"size of the updates": "decides"},
    experiment=Intervention(
        change=Change(setting="learning_rate", times=0.1),
        promise=Promise(metrics=("policy.kl",), then=FALLS, level=0.02, measure=MEAN),
        if_confirmed="The step was too large: keep the smaller learning rate, or stop the update at a target KL of "
        "0.02.",
        if_refuted="The learning rate does not drive the KL: look at the number of epochs, at advantage "
        "normalisation and at old log-probabilities.",
        also=(ENTROPY_RISES, RETURN_RISES),
    ),
    marks=("driven",),
)
def kl_spike(
    run: Run, *, limit: float = 0.05, over_target: float = 2.0, ruinous: float = 0.5, window: float = 0.1
) -> Answer:
    """The policy leaves its trust region.

    ## What it sees
    The KL between the policy before and after the update stays above twice its target (0.05 where there is none) while
    the return does not improve. Or it stays above 0.5, which harms any policy, or jumps above 0.5 right before entropy
    collapses for good. Where the return improved all the same, such a jump counts above 1, and only if most of the
    gain was still to come; a KL above 0.5 in one of ten updates is then information.

    ## Why it is bad
    The advantages were estimated under the old policy. Far from it they mean nothing, so the update is a blind step,
    and the resulting policy collects the next batch.

    ## What to do
    1. Stop the update when the KL exceeds its target (such as 0.02), and roll back to the last healthy checkpoint.
    2. Lower the learning rate by a factor of 3 to 10, then the number of epochs.
    3. Check advantage normalisation and the size of the rewards.

    ## How to prove it
    Repeat a short run with a tenth of the learning rate and nothing else changed: the KL must fall below 0.02, and
    entropy must fall slowly instead of at once. `weaklink confirm POL303 my_project.py` does this.

    ## When it is wrong
    Single spikes do no harm, and some healthy locomotion runs stay at 0.03 to 0.1 throughout: while the return
    improves, only a KL above 0.5 counts. A solved task ends with a policy without entropy, which is not reported.

    ## References
    Schulman, Approximating KL Divergence, 2020. Huang et al., The 37 Implementation Details of PPO, 2022.
    """
    divergence = run["policy.kl"]
    always = len(divergence) >= FEWEST_RUINOUS and float(divergence.lows.min()) > ruinous
    if len(divergence) < FEWEST_POINTS and not always:
        return CannotTell(("policy.kl",), f"fewer than {FEWEST_POINTS} points")
    target = run.config.number("target_kl")
    bound = over_target * target if target else limit
    held = find_lasting_above(divergence.values, max(ruinous, bound), window=window)
    course = run.performance
    if held is None and course is not None and course.stuck:
        held = find_lasting_above(divergence.values, bound, window=0.2)
    if held is not None:
        return _describe(run, held, bound, ruinous)
    fatal = _find_fatal_jump(run, bound, ruinous if course is not None and not course.improved else 2 * ruinous)
    return fatal or _find_often_far(divergence, bound, ruinous)


def _find_often_far(divergence: Series, bound: float, ruinous: float) -> Finding | None:
    """Updates that went beyond what policies stand, again and again, though each time the policy came back."""
    far = np.flatnonzero(divergence.values > max(ruinous, bound))
    if len(far) < max(FEWEST_RUINOUS, OFTEN * len(divergence)):
        return None
    step, usual = float(divergence.steps[far[0]]), level(divergence.values[far])
    return Finding(
        message=f"The KL is {usual:.2g} in {len(far)} of {len(divergence)} updates from step {step:,.0f} on (limit "
        f"{bound:.2g}).",
        onset=step,
        onset_within=divergence.interval,
        level=Level.INFO,
        confidence=MEDIUM,
        evidence=(Evidence(metric="policy.kl", value=usual, limit=bound, step=step),),
    )


def _describe(run: Run, held: HeldStretch, bound: float, ruinous: float) -> Finding:
    divergence, course = run["policy.kl"], run.performance
    step = float(divergence.steps[held.start])
    harm = f", while {course.told}" if course else ""
    return Finding(
        message=f"The KL stays at {held.level:.2g} from step {step:,.0f} on (limit {bound:.2g}){harm}.",
        onset=step,
        onset_within=divergence.interval,
        confidence=HIGH if held.level > ruinous else MEDIUM,
        evidence=(Evidence(metric="policy.kl", value=held.level, limit=bound, step=step),),
    )


def _find_fatal_jump(run: Run, bound: float, ruinous: float) -> Finding | None:
    """A jump of the KL that ended in an entropy collapse: a deterministic policy shows no large KL afterwards."""
    divergence, entropy = run["policy.kl"], run.get("exploration.entropy")
    if entropy is None or run.performance is None or entropy.lows.min() < -1e-6:
        return None
    dead = find_lasting_below(entropy.values, DETERMINISTIC)
    if dead is None or not dead.to_end:
        return None
    died = float(entropy.steps[dead.start])
    if run.performance.improved and measure_gain_before(run, died) > HALF:
        return None
    jumped = (divergence.values > ruinous) & (np.abs(divergence.steps - died) <= NEARBY * divergence.interval)
    if not jumped.any():
        return None
    first = int(np.argmax(jumped))
    step, value = float(divergence.steps[first]), float(divergence.values[first])
    return Finding(
        message=f"The KL jumps to {value:.2g} at step {step:,.0f} (limit {bound:.2g}) and entropy is gone from step "
        f"{died:,.0f} on, while {run.performance.told}.",
        onset=step,
        onset_within=divergence.interval,
        confidence=HIGH,
        evidence=(
            Evidence(metric="policy.kl", value=value, limit=bound, step=step),
            Evidence(metric=entropy.name, value=dead.level, limit=DETERMINISTIC, step=died),
        ),
    )
