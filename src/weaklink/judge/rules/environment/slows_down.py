from __future__ import annotations

from weaklink.base.evidence.survey import Survey
from weaklink.judge.rules.environment._comparing import select_kinds
from weaklink.judge.rules.writing import HIGH, Answer, CannotTell, Evidence, Finding, Level, Link, rule

FEWEST = 2  # comparisons: one may fall into a warm-up

SHORTEST = 2e-4  # seconds of the processor by which a step must have become slower to cost anything


@rule("ENV115", link=Link.ENVIRONMENT, level=Level.WARN, on=Survey, needs=("comparisons",), leads_to=("ENV113",))
def slows_down(survey: Survey, *, times: float = 3.0) -> Answer:
    """Steps take longer the longer an instance has been in use.

    ## What it sees
    An instance that has played is compared with a new one, with the same seed and the same actions. In every comparison
    the usual step of the old one takes three times as much processor time, and 0.2 ms more at least.

    ## Why it is bad
    Something grows with every step and is gone through in every step: a history that no reset clears, a list that is
    made an array anew. Training slows down from hour to hour and ends for want of memory.

    ## What to do
    1. Look for a list, a dict or a log that `step` appends to and `reset` does not clear.
    2. Keep a running number (a sum, a maximum) in place of everything that went into it, or a `deque` with `maxlen`.

    ## How to prove it
    Time a hundred steps of a new instance and of one that has made ten thousand.

    ## When it is wrong
    A curriculum that makes the world larger from episode to episode.

    ## References
    Practice.
    """
    pairs = [one.step_seconds for one in select_kinds(survey, "after_play") if min(one.step_seconds) > 0.0]
    if len(pairs) < FEWEST:
        return CannotTell(("comparisons",), "no instance that had played was timed beside a new one")
    if any(old < times * new or old - new < SHORTEST for new, old in pairs):
        return None
    new, old = min(pairs, key=lambda pair: pair[1] / pair[0])
    return Finding(
        message=f"A step takes {1000 * old:.2g} ms in an instance that has played before and {1000 * new:.2g} ms in a "
        f"new one, {old / new:.2g} times as long, with the same seed and the same actions, in {len(pairs)} of "
        f"{len(pairs)} comparisons: something grows with every step.",
        link=Link.SYSTEM,
        confidence=HIGH,
        evidence=(Evidence(metric="step.times_as_long", value=old / new, limit=times),),
    )
