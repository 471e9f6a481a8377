from __future__ import annotations

import numpy as np

from weaklink.base.evidence.run import Run
from weaklink.base.evidence.series import Array
from weaklink.base.finding import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding, Level
from weaklink.base.loop import Link
from weaklink.base.stats import lasting_above, level, quantile
from weaklink.judge.rules._registry import rule


@rule(
    "DAT302",
    link=Link.DATA,
    level=Level.WARN,
    on=Run,
    needs=("data.sampler_gap",),
    leads_to=("POL301", "POL303", "POL305", "POL307", "EXP301", "LLM310", "OPT301", "REW301", "REW303", "REW304"),
)
def sampler_gap_growing(run: Run, *, factor: float = 5.0, least: float = 0.05) -> Answer:
    """The engine that samples and the trainer no longer hold the same policy.

    ## What it sees
    The difference of log-probabilities between sampling engine and trainer rises to over five times the floor that
    the run itself had, and over 0.05, lastingly. With a return that improves all the same it is only worth knowing.

    ## Why it is bad
    The two sides compute the same numbers up to rounding, so their gap has a floor given by the software. A jump above
    it right after the first real updates means that new weights do not reach the sampler: the policy being trained is
    then not the one that acts. A slow rise points at staleness or at growing numerical error.

    ## What to do
    1. Compare a checksum of the sampler's weights before and after a weight push: it must change.
    2. Check what is pushed: adapters (LoRA) merged, all layers there, the engine awake and its cache emptied.
    3. Compare the definitions: temperature, top-p, raw or processed log-probabilities, number format.
    4. Correct what remains with truncated importance weights.

    ## How to prove it
    Run three steps with a learning rate of 0: a gap that stays at the floor then, and jumps with a real learning rate,
    means that the weights do not arrive. A gap at learning rate 0 is one of definition or number format.

    ## When it is wrong
    Floors differ from stack to stack: 0.00002 where both sides share their kernels, 0.07 and more with quantised or
    mixture-of-experts engines. So the run's own floor is the measure. Asynchronous training has a gap that breathes.

    ## References
    TRL issue #5312; verl issue #7495; SkyRL issue #1408.
    """
    series = run["data.sampler_gap"]
    if len(series) < 10:
        return CannotTell(("data.sampler_gap",), "fewer than 10 points")
    gap = np.abs(series.values)
    floor = _floor(gap)
    if floor is None:
        return None
    limit = max(factor * floor, least)
    held = lasting_above(gap, limit)
    if held is None:
        return None
    step = float(series.steps[held.start])
    improved = run.performance is not None and run.performance.improved
    return Finding(
        message=f"The gap between sampler and trainer holds at {held.level:.3g} from step {step:,.0f} on; its floor "
        f"was {floor:.2g}.",
        level=Level.INFO if improved else Level.WARN,
        onset=step,
        onset_within=series.interval,
        confidence=HIGH if held.to_end and held.share > 0.5 else MEDIUM,
        evidence=(Evidence(metric=series.name, value=held.level, limit=limit, step=step),),
    )


def _floor(gap: Array) -> float | None:
    """What the gap is when both sides agree: its start or its lowest tenth, whichever is smaller; zeros say nothing."""
    measured = gap[gap > 0]
    if len(measured) < 5:
        return None
    return min(level(measured[:3]), quantile(measured, 0.1))
