from __future__ import annotations

from weaklink.base.evidence.run import Run
from weaklink.base.evidence.series import Array, Series
from weaklink.base.stats import find_lasting_above, find_lasting_below, level
from weaklink.judge.rules._course import FEWEST
from weaklink.judge.rules.writing import MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule

METRICS = ("system.accelerator_utilisation", "system.accelerator_memory")


@rule(
    "SYS302",
    link=Link.SYSTEM,
    level=Level.INFO,
    on=Run,
    needs=(METRICS,),
    symptoms={"too slow": 2},
)
def accelerator_idle(run: Run, *, busy: float = 0.3, full: float = 0.95) -> Answer:
    """The accelerator is mostly idle, or nearly out of memory.

    ## What it sees
    The utilisation of the accelerator stays below 0.3 for half of the run, or its memory stays over 95 % full. Where
    both are logged, the share of the reserved memory that tensors use is given as well.

    ## Why it is bad
    An idle accelerator waits for environments, rewards or data transfers and costs the same. One that is nearly full
    runs out of memory at the first longer sequence or larger batch, often hours into a run.

    ## What to do
    1. Profile one iteration: how long do rollouts, rewards and updates take?
    2. If idle, run more or faster environments in parallel, enlarge the batch, and compute rewards in batches.
    3. If full, shorten sequences, use smaller micro-batches or activation checkpointing, or shard optimizer states.
    4. If full although tensors use far less, the cache is fragmented: let the framework free or expand its segments.

    ## How to prove it
    Double the number of environments (or halve the batch, for memory) for a hundred updates, and compare steps per
    second and peak memory.

    ## When it is wrong
    Small networks never use an accelerator fully, and many run faster without one. Inference engines reserve their
    memory in advance, up to a configured share, and are full from the first minute.

    ## References
    Jones, Debugging RL, Without the Agonizing Pain, 2021; the memory notes of PyTorch.
    """
    known = [run[name] for name in METRICS if name in run and len(run[name]) >= FEWEST]
    if not known:
        return CannotTell(tuple(name for name in METRICS if name in run), f"fewer than {FEWEST} points")
    for series in known:
        found = _find_idle(series, busy) if series.name == METRICS[0] else _find_full(run, series, full)
        if found is not None:
            return found
    return None


def _read_shares(series: Series) -> Array:
    """The series as shares; values well above 1 are percent."""
    return series.values / 100 if series.values.max() > 1.5 else series.values


def _find_idle(series: Series, busy: float) -> Finding | None:
    held = find_lasting_below(_read_shares(series), busy, window=0.5)
    if held is None:
        return None
    step = float(series.steps[held.start])
    return Finding(
        message=f"The accelerator is busy {held.level:.0%} of the time from step {step:,.0f} on.",
        onset=step,
        onset_within=series.interval,
        confidence=MEDIUM,
        evidence=(Evidence(metric=series.name, value=held.level, limit=busy, step=step),),
    )


def _find_full(run: Run, series: Series, full: float) -> Finding | None:
    held = find_lasting_above(_read_shares(series), full)
    if held is None:
        return None
    step = float(series.steps[held.start])
    used, reserved = run.get("system.memory_allocated"), run.get("system.memory_reserved")
    share = ""
    if used is not None and reserved is not None and level(reserved.values) > 0:
        share = f"; tensors use {level(used.values) / level(reserved.values):.0%} of the reserved memory"
    return Finding(
        message=f"The accelerator's memory is {held.level:.1%} full from step {step:,.0f} on{share}.",
        onset=step,
        onset_within=series.interval,
        confidence=MEDIUM,
        evidence=(Evidence(metric=series.name, value=held.level, limit=full, step=step),),
    )
