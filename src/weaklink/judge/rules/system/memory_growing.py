from __future__ import annotations

import numpy as np

from weaklink.base.evidence.run import Run
from weaklink.base.stats import find_departure, level, mann_kendall
from weaklink.judge.rules._course import FEWEST
from weaklink.judge.rules.writing import MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule

# mann-Kendall's tau of memory that grows without a pause in the last third of the log
STEADY = 0.9

# of the rate of the first third: what grows slows the training so much; and mann-Kendall's tau of a rate that falls on
SLOWER, FALLS = 0.6, -0.6

# of its largest: a replay buffer that grows by less over the last third is full
FULL = 0.01


@rule(
    "SYS306",
    link=Link.SYSTEM,
    level=Level.WARN,
    needs=("system.memory",),
    leads_to=("SYS301",),
    symptoms={"too slow": 4},
    checks={"throughput and memory": "fails"},
)
def memory_growing(run: Run, *, times: float = 1.4) -> Answer:
    """The memory of the training process grows without end.

    ## What it sees
    The logged memory rises without a pause over the last third of the log and is there at least 1.4 times what it was
    before it began to rise, and no replay buffer is being filled, or the steps of a second become fewer beside it, to
    less than six tenths.

    ## Why it is bad
    Something is kept that should be let go: graphs of losses, a list of statistics, frames. First each step becomes
    slower, then the process is killed.

    ## What to do
    1. Log `loss.item()`, not the tensor: a kept loss keeps its whole graph.
    2. Empty the lists of statistics after they were written.
    3. Compare two pictures of `tracemalloc`, a thousand updates apart.

    ## How to prove it
    Run without logging, then without learning, then without the environment: where the memory stays level, the part
    that was left out is the one.

    ## When it is wrong
    Replay buffers and caches that are filled grow as well; off-policy training without a logged fill of its buffer is
    not judged.

    ## References
    PyTorch FAQ, "My model reports cuda runtime error(2): out of memory".
    """
    memory = run["system.memory"]
    slower = _becomes_slower(run)
    fewest = (1.5 if slower else 3) * FEWEST
    if len(memory) < fewest:
        return CannotTell((memory.name,), f"fewer than {fewest:.0f} points")
    if run.family != "on-policy" and not slower and not _is_full(run):
        return CannotTell(("data.buffer_size",), "a replay buffer may be what grows")
    third = len(memory) // 3
    lowest, end = level(memory.values[:third]), float(memory.values[-1])
    if end < times * lowest or mann_kendall(memory.values[-third:])[0] < STEADY:
        return None
    place = find_departure(memory.values, int(np.argmax(memory.values > times * lowest)))
    step = float(memory.steps[place])
    return Finding(
        message=f"From step {step:,.0f} on the memory of the process grows from {lowest:,.4g} to {end:,.4g} and does "
        "not stop.",
        onset=step,
        onset_within=memory.interval,
        confidence=MEDIUM,
        evidence=(Evidence(metric=memory.name, value=end, limit=times * lowest, step=step),),
    )


def _becomes_slower(run: Run) -> bool:
    """Whether fewer and fewer steps are made in a second, to the end: filling a replay buffer does not slow them down.

    What comes before learning begins is left out.
    """
    rate = run.get("system.env_steps_per_second")
    if rate is None or len(rate) < FEWEST:
        return False
    rates = rate.values[len(rate) // 5 :]
    third = len(rates) // 3
    return level(rates[-third:]) < SLOWER * level(rates[:third]) and mann_kendall(rates)[0] < FALLS


def _is_full(run: Run) -> bool:
    """Whether the replay buffer is known not to grow any more over the last third of the log."""
    filled = run.get("data.buffer_size")
    if filled is None or len(filled) < 3:
        return False
    late = filled.values[-max(len(filled) // 3, 2) :]
    return bool(late[-1] - late[0] <= FULL * float(filled.highs.max()))
