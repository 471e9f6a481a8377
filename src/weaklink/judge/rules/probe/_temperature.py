"""Why a soft policy is too random or not random enough: what its entropy and its temperature say together.

A right temperature falls while the entropy lies above its target and rises while it lies below. One that does the
opposite runs away; where it does what it should and the entropy does not follow, the policy is to blame.
"""

from __future__ import annotations

from statistics import median

from weaklink.base.evidence.outcome import Measure, Trial
from weaklink.base.finding import HIGH, LOW, MEDIUM
from weaklink.base.loop import Link
from weaklink.judge.rules.probe._cause import Cause, measured, missed

RUN_AWAY, SPENT = 3.0, 0.01
"""In units of the reward, whose size is 1: above the first only randomness counts, below the second it hardly does."""

ABOVE = 0.7
ITS_LOSS = "the sign of the temperature's loss, the target entropy, and the log-probability with its tanh correction"


def overheated(trials: list[Trial]) -> Cause | None:
    """Continuous actions that miss because being random is worth more to the policy than the reward."""
    temperature = _temperature(trials)
    if not missed(trials, "distance") or temperature is None or temperature < RUN_AWAY:
        return None
    if not all(measure.measured > measure.right + ABOVE for measure in measured(trials, "entropy")):
        return None
    return Cause(
        Link.EXPLORATION,
        f"its temperature has grown to {temperature:.3g}, so that being random pays more than the reward",
        ITS_LOSS,
        HIGH,
    )


def wrong_entropy(trials: list[Trial]) -> Cause | None:
    """What the entropy of a soft policy is that does not come to its target."""
    off = missed(trials, "entropy")
    if not off:
        return None
    above, temperature = _share_above(off), _temperature(trials)
    if temperature is not None and above == 1.0 and temperature <= SPENT:
        return Cause(
            Link.POLICY,
            f"the entropy of its actions stays above its target though the temperature has fallen to "
            f"{temperature:.2g}: the policy does not become surer",
            "whether the actor's loss reaches the spread, and what bounds the spread from below",
            MEDIUM,
        )
    if temperature is not None and above == 0.0 and temperature >= RUN_AWAY:
        return Cause(
            Link.POLICY,
            f"the entropy of its actions stays below its target though the temperature has grown to "
            f"{temperature:.3g}: the policy does not become more random",
            "the sign of the entropy in the actor's loss, and what bounds the spread from above",
            MEDIUM,
        )
    return Cause(Link.EXPLORATION, _settles(above, temperature), ITS_LOSS, MEDIUM if above in (0.0, 1.0) else LOW)


def _settles(above: float, temperature: float | None) -> str:
    settles = f"the entropy of its actions settles {'above' if above > 0.5 else 'below'} its target"
    return settles if temperature is None else f"{settles}, with a temperature of {temperature:.2g}"


def _share_above(off: list[Measure]) -> float:
    return sum(measure.measured > measure.high for measure in off) / len(off) if off else 0.0


def _temperature(trials: list[Trial]) -> float | None:
    told = [measure.measured for measure in measured(trials, "temperature")]
    return median(told) if told else None
