from __future__ import annotations

import numpy as np

from weaklink.base.evidence.run import Run
from weaklink.base.proving import OneRung
from weaklink.base.stats import find_lasting_above, level
from weaklink.judge.rules._course import FEWEST
from weaklink.judge.rules.writing import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule


@rule(
    "VAL306",
    link=Link.VALUE,
    level=Level.ERROR,
    on=Run,
    needs=("value.terminal_correlation", "value.penultimate_correlation"),
    leads_to=("VAL301", "VAL304", "VAL305", "POL302", "REW301"),
    experiment=OneRung("delayed-reward"),
)
def terminal_correlation(run: Run, *, high: float = 0.7, low: float = 0.2) -> Answer:
    """The final reward reaches the last state and no state before it.

    ## What it sees
    The value of the last state follows the final reward (correlation above 0.7) while the value of the state before it
    does not (below 0.2), for a third of the run and up to its end.

    ## Why it is bad
    The critic can learn the reward, as the last state shows, but the return is not propagated back even one step. All
    steps but the last are trained without a signal.

    ## What to do
    1. Check the discounted return of one episode by hand, from its end backwards, with a reward of 1 only at the end.
    2. Check the done mask: shifted by one step, it cuts the sum before the last step.
    3. Check that the next state's value is used for bootstrapping, not the same state's, and that gamma is not near 0.

    ## How to prove it
    Train the same agent on a task of two steps with a reward of 1 at the end: the value of the first state must become
    gamma.

    ## When it is wrong
    In games whose last step is decided by chance the end cannot be known one step earlier. Soon after learning begins,
    the last state is learned before the one ahead of it.

    ## References
    Jones, Debugging RL, Without the Agonizing Pain, 2021.
    """
    last, before = run["value.terminal_correlation"], run["value.penultimate_correlation"]
    if min(len(last), len(before)) < FEWEST:
        return CannotTell(
            ("value.terminal_correlation", "value.penultimate_correlation"), f"fewer than {FEWEST} points"
        )
    earlier = np.interp(last.steps, before.steps, before.values)
    both = (last.values > high) & (earlier < low)
    held = find_lasting_above(both.astype(np.float64), 0.5, window=0.33)
    if held is None or not held.to_end:
        return None
    step = float(last.steps[held.start])
    inside = slice(held.start, held.end + 1)
    final, penultimate = level(last.values[inside]), level(earlier[inside])
    return Finding(
        message=f"From step {step:,.0f} on the last state's value follows the final reward (correlation "
        f"{final:.2f}), but that of the state before it does not ({penultimate:.2f}).",
        onset=step,
        onset_within=last.interval,
        confidence=HIGH if held.share > 0.5 else MEDIUM,
        evidence=(
            Evidence(metric=last.name, value=final, limit=high, step=step),
            Evidence(metric=before.name, value=penultimate, limit=low, step=step),
        ),
    )
