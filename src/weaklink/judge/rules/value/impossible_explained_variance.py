from __future__ import annotations

from weaklink.base.evidence.run import Run
from weaklink.base.stats import find_lasting_above
from weaklink.judge.rules._course import FEWEST
from weaklink.judge.rules.writing import HIGH, Answer, CannotTell, Evidence, Finding, Level, Link, rule


@rule(
    "VAL308",
    link=Link.VALUE,
    level=Level.WARN,
    needs=("value.explained_variance",),
    leads_to=("VAL301", "VAL304"),
    checks={"critic": "fails"},
)
def impossible_explained_variance(run: Run, *, slack: float = 0.01) -> Answer:
    """The explained variance is above 1, which cannot be.

    ## What it sees
    The logged explained variance stays above 1 by more than rounding.

    ## Why it is bad
    It is 1 minus a variance over a variance, and neither can be negative. So the number is not what its name says:
    shapes that broadcast, another quantity under this name, or a variance taken of the wrong axis. Whatever is
    concluded from it about the critic is wrong, and the mistake may be in the loss as well.

    ## What to do
    1. Print the shapes of values and targets where it is computed: both must be one flat list of equal length.
    2. Compute 1 - (targets - values).var() / targets.var() on one stored batch by hand and compare.
    3. Check that the value loss uses the same two arrays in the same shapes.

    ## How to prove it
    Give the function that computes it values equal to the targets: it must say exactly 1; with values of zero and
    targets of mean zero it must say 0.

    ## When it is wrong
    A share that is logged in percent is above 1 by design: divide it by 100.

    ## References
    Schulman, Nuts and Bolts of Deep RL Research, 2016 (explained variance).
    """
    explained = run["value.explained_variance"]
    if len(explained) < FEWEST:
        return CannotTell((explained.name,), f"fewer than {FEWEST} points")
    held = find_lasting_above(explained.values, 1.0 + slack)
    if held is None:
        return None
    step = float(explained.steps[held.start])
    return Finding(
        message=f"Explained variance stays at {held.level:.3g} from step {step:,.0f} on; more than 1 is impossible.",
        onset=step,
        onset_within=explained.interval,
        confidence=HIGH,
        evidence=(Evidence(metric=explained.name, value=held.level, limit=1.0 + slack, step=step),),
    )
