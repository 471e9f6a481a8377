from __future__ import annotations

from weaklink.base.evidence.run import Run
from weaklink.judge.rules._course import FEWEST, find_still_above, has_improved, start_of
from weaklink.judge.rules.writing import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule


@rule(
    "ACT301",
    link=Link.ACTION,
    level=Level.WARN,
    needs=("action.saturated_fraction",),
    leads_to=(
        "POL302",
        "POL308",
        "POL309",
        "EXP302",
        "EXP303",
        "OPT302",
        "VAL301",
        "VAL304",
        "REW301",
        "REW303",
        "REW304",
    ),
    symptoms={"reward flat": 11, "about as good as random": 9},
)
def actions_saturated(run: Run, *, limit: float = 0.5, nearly_all: float = 0.9) -> Answer:
    """Most actions lie at the ends of their range.

    ## What it sees
    The share of actions that are at the ends of their range, or are clipped to them, stays above a half to the end of
    the log while the return does not improve. Where it is nine tenths from the first update on, the return is not
    asked: no policy has learned that yet.

    ## Why it is bad
    What lies beyond the end does the same as the end: the policy gets no gradient from there, and between two extremes
    it cannot choose. A Gaussian that is far wider than the range, an actor without a tanh, and actions in other units
    than those of the environment all look like this.

    ## What to do
    1. Compare the range of the action space with what the policy draws: spread, mean, units.
    2. Begin with a standard deviation of 0.3 to 1 of the range, squash with a tanh, or penalise what is clipped.
    3. For TD3 and DDPG check that the actor ends in a tanh and that its preactivations stay small.

    ## How to prove it
    Print a hundred actions before they are clipped, at the start and after a thousand updates: most must lie inside.

    ## When it is wrong
    The best policy of some tasks is to push as hard as possible one way or the other. If the return improves and the
    share grew to where it is, nothing is said.

    ## References
    Fujimoto and Gu, A Minimalist Approach to Offline RL, 2021; practice.
    """
    series = run["action.saturated_fraction"]
    if len(series) < FEWEST:
        return CannotTell((series.name,), f"fewer than {FEWEST} points")
    if float(series.highs.max()) > 1.0:
        return None
    at_once = start_of(series.values) >= nearly_all
    held = find_still_above(series.values, nearly_all if at_once else limit)
    if held is None or (has_improved(run) and not at_once):
        return None
    told = "the untrained policy already drew them beyond it" if at_once else "the return does not improve"
    step = float(series.steps[held.start])
    return Finding(
        message=f"{held.level:.0%} of the actions lie at the ends of their range from step {step:,.0f} on (limit "
        f"{limit:.0%}), and {told}.",
        onset=step,
        onset_within=series.interval,
        confidence=HIGH if held.level > nearly_all else MEDIUM,
        evidence=(Evidence(metric=series.name, value=held.level, limit=limit, step=step),),
    )
