from __future__ import annotations

from weaklink.base.evidence.run import Run
from weaklink.base.stats import level
from weaklink.judge.rules.writing import MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule

# fewer measured updates may all lie in a warm-up of the learning rate
FEWEST = 3


@rule(
    "OPT308",
    link=Link.OPTIMIZER,
    level=Level.WARN,
    on=Run,
    needs=("optimizer.parameter_change", "optimizer.updates"),
    leads_to=("POL302", "POL308", "VAL304", "EXP303", "REW301", "REW302", "REW304"),
    symptoms={"reward flat": 3},
)
def weights_hardly_moved(run: Run, *, share: float = 0.05, updates: float = 200) -> Answer:
    """All updates together can have moved the weights by a few percent only.

    ## What it sees
    The usual change of the weights in one update, as a share of their norm, times the number of updates: it is below
    `share` after at least `updates` updates, and the return does not improve.

    ## Why it is bad
    Even if every update had pulled in the same direction the policy could not be another one than at the start.

    ## What to do
    1. Raise the learning rate: 1e-4 to 1e-3 is usual for Adam.
    2. Look for a factor that shrinks the loss or the gradient before the step, or for a warm-up that never ends.

    ## How to prove it
    Train with ten and with a hundred times the learning rate: losses and entropy must react.

    ## When it is wrong
    Pretrained networks are tuned with small steps on purpose; language models are not judged.

    ## References
    Jones, Debugging reinforcement learning systems (2021).
    """
    changes, count = run["optimizer.parameter_change"], float(run["optimizer.updates"].highs.max())
    if run.family == "language" or len(changes) < FEWEST or count < updates:
        return CannotTell(("optimizer.parameter_change",), "too few updates were made or measured")
    if run.performance is None or run.performance.improved:
        return None
    usual = level(changes.values)
    if usual * count >= share:
        return None
    return Finding(
        message=f"An update moves the weights by {usual:.1g} of their norm: {count:,.0f} updates can have moved them "
        f"by {usual * count:.1%} at most, and the return does not improve.",
        onset=0.0,
        confidence=MEDIUM,
        evidence=(Evidence(metric="optimizer.parameter_change", value=usual, limit=share / count),),
    )
