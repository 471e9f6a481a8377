from __future__ import annotations

import numpy as np

from weaklink.base.evidence.run import Run
from weaklink.base.evidence.series import Array, Series
from weaklink.base.stats import find_lasting_above, level, quantile
from weaklink.judge.rules._course import FEWEST, has_improved
from weaklink.judge.rules.writing import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule

# rows that agree to the last digit before they part, and the share of those after that must not
AGREED, NEARLY_ALL = 5, 0.9


@rule(
    "DAT302",
    link=Link.DATA,
    level=Level.WARN,
    on=Run,
    needs=("data.sampler_gap",),
    leads_to=("POL301", "POL303", "POL305", "POL307", "EXP301", "LLM310", "OPT301", "REW301", "REW303", "REW304"),
)
def sampler_gap_growing(run: Run, *, factor: float = 5.0, least: float = 0.05, wide: float = 0.12) -> Answer:
    """The sampling engine and the trainer no longer hold the same policy.

    ## What it sees
    The difference of log-probabilities between sampling engine and trainer rises above five times the run's own floor
    and above 0.05, and stays there. If the return improves all the same, this is only information. Or nine of ten
    points are above 0.12 from the first on, whatever the return does: no software is so far off its own numbers, so
    the two compute different things. Or both agreed to the last digit at first and never again: then the weights no
    longer arrive (filed under system), whatever the return does where the gap is above 0.12.

    ## Why it is bad
    Both sides compute the same numbers up to rounding, so their gap has a floor given by the software. A jump above it
    right after the first real updates means that new weights do not reach the sampler: the policy being trained is then
    not the one that generates. A slow rise points to staleness or growing numerical error.

    ## What to do
    1. Compare a checksum of the sampler's weights before and after a weight push: it must change.
    2. Check what is pushed: adapters (LoRA) merged, all layers there, the engine awake and its cache emptied.
    3. Compare the definitions: temperature, top-p, raw or processed log-probabilities, floating-point format.
    4. Correct the remaining gap with truncated importance sampling.

    ## How to prove it
    Run three steps with a learning rate of 0. A gap that then stays at the floor, and jumps with a real learning rate,
    means that the weights do not arrive. A gap at learning rate 0 comes from definitions or the floating-point format.

    ## When it is wrong
    Floors differ between stacks: 0.00002 where both sides share their kernels, 0.07 and more with quantised or
    mixture-of-experts engines. So the run's own floor is the reference. In asynchronous training the gap fluctuates.

    ## References
    TRL issue #5312; verl issue #7495; SkyRL issue #1408.
    """
    series = run["data.sampler_gap"]
    if len(series) < FEWEST:
        return CannotTell(("data.sampler_gap",), f"fewer than {FEWEST} points")
    gap = np.abs(series.values)
    parted = _find_parting(gap)
    if parted is not None and (away := level(gap[parted:])) > least:
        return _describe_parting(run, series, parted, away, wide)
    floor = _measure_floor(gap)
    if floor is None:
        return None
    if floor > wide:
        return _describe_wide(series, floor, wide)
    limit = max(factor * floor, least)
    held = find_lasting_above(gap, limit)
    if held is None:
        return None
    step = float(series.steps[held.start])
    return Finding(
        message=f"The log-probability gap between sampler and trainer stays at {held.level:.3g} from step {step:,.0f} "
        f"on; its floor was {floor:.2g}.",
        level=Level.INFO if has_improved(run) else Level.WARN,
        onset=step,
        onset_within=series.interval,
        confidence=HIGH if held.to_end and held.share > 0.5 else MEDIUM,
        evidence=(Evidence(metric=series.name, value=held.level, limit=limit, step=step),),
    )


def _find_parting(gap: Array) -> int | None:
    """The index at which a gap of exactly 0 ends for good, where it was that in several rows before."""
    apart = np.flatnonzero(gap > 0)
    if not len(apart) or apart[0] < AGREED or len(gap) - apart[0] < FEWEST:
        return None
    return int(apart[0]) if float(np.mean(gap[apart[0] :] > 0)) > NEARLY_ALL else None


def _describe_parting(run: Run, series: Series, place: int, away: float, wide: float) -> Finding:
    step = float(series.steps[place])
    return Finding(
        message=f"Sampler and trainer agree to the last digit up to step {step:,.0f}, and from then on their "
        f"log-probabilities are {away:.3g} apart: new weights do not reach the sampler.",
        link=Link.SYSTEM,
        level=Level.INFO if has_improved(run) and away <= wide else Level.WARN,
        onset=step,
        onset_within=series.interval,
        confidence=HIGH,
        evidence=(Evidence(metric=series.name, value=away, limit=0.0, step=step),),
    )


def _describe_wide(series: Series, floor: float, wide: float) -> Finding:
    return Finding(
        message=f"The log-probability gap between sampler and trainer is {level(np.abs(series.values)):.3g} and never "
        f"much below {floor:.2g} (limit {wide:g}): they do not compute the same, in temperature, in masked tokens or "
        "in precision.",
        link=Link.SYSTEM,
        onset=series.first_step,
        onset_within=series.interval,
        confidence=HIGH,
        evidence=(Evidence(metric=series.name, value=floor, limit=wide, step=series.first_step),),
    )


def _measure_floor(gap: Array) -> float | None:
    """The gap while both sides agree: its start or its lowest tenth, whichever is smaller; zeros are no measurement."""
    measured = gap[gap > 0]
    if len(measured) < 5:
        return None
    return min(level(measured[:3]), quantile(measured, 0.1))
