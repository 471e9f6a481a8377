from __future__ import annotations

from weaklink.base.evidence.rollout import NormaliserUse, Rollout
from weaklink.base.finding import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding, Level
from weaklink.base.loop import Link
from weaklink.judge.rules._registry import rule

FEWEST_STEPS = 64


@rule(
    "OBS201",
    link=Link.OBSERVATION,
    level=Level.WARN,
    on=Rollout,
    needs=("normalisers",),
    leads_to=("POL201", "VAL301", "VAL304", "EVA303", "REW302", "REW303", "REW304"),
)
def normaliser_drift(rollout: Rollout, *, often: float = 1.5) -> Answer:
    """A running normaliser counts more than the training's own steps, or began anew when the training was resumed.

    ## What it sees
    How many samples a normaliser took into its statistics beside how many steps were taken: `often` times as many, or
    some while an evaluation ran; an evaluation whose statistics are not the training's; or a training that went on
    from an earlier one with fresh ones.

    ## Why it is bad
    The same state looks different from one moment to the next. Statistics that count an evaluation follow another
    policy; statistics that were lost make a trained policy see numbers that it has never met, and a return of
    thousands starts again near zero.

    ## What to do
    1. Update statistics once a step, in the collector alone: not in the forward pass of the update, too.
    2. Freeze them while evaluating (`training = False`), and give the evaluation the training's own.
    3. Save them with the weights and load them before the first step.

    ## How to prove it
    Print the count of the normaliser before and after an update and an evaluation: it must grow by the steps taken, and
    not at all.

    ## When it is wrong
    A normaliser that counts padding or several agents for one step counts more by right.

    ## References
    Stable-Baselines3 documentation, VecNormalize; baselines issue #228; IsaacLab issue #2635.
    """
    uses = rollout.normalisers or ()
    found = tuple(finding for use in uses for finding in _findings(use, often))
    if found:
        return found if len(found) > 1 else found[0]
    if not uses or all(use.steps < FEWEST_STEPS for use in uses):
        return CannotTell(("normalisers",), "too few steps were taken")
    return None


def _findings(use: NormaliserUse, often: float) -> list[Finding]:
    found = []
    if use.resumed and use.restored is False:
        told = f"The training was resumed, and the statistics of {use.name} began anew"
        found.append(_finding(f"{told}: they were not saved or not loaded.", use.counted, None, HIGH))
    if use.evaluation_counted > 0:
        told = f"{use.name} counted {use.evaluation_counted:,.0f} samples while an evaluation ran"
        found.append(_finding(f"{told}: freeze it there.", use.evaluation_counted, 0.0, HIGH))
    if use.evaluation_lacks > 0:
        told = f"An evaluation normalised with statistics that lack {use.evaluation_lacks:,.0f} of the samples"
        found.append(_finding(f"{told} of {use.name}: give it the training's own.", use.evaluation_lacks, 0.0, HIGH))
    own = use.counted - use.evaluation_counted
    if use.steps >= FEWEST_STEPS and own > often * use.steps:
        times = own / use.steps
        told = f"{use.name} counted {own:,.0f} samples in {use.steps:,.0f} steps, {times:.2g} times as many"
        found.append(_finding(f"{told}.", times, often, MEDIUM))
    return found


def _finding(message: str, value: float, limit: float | None, sure: float) -> Finding:
    evidence = (Evidence(metric="samples counted", value=value, limit=limit),)
    return Finding(message=message, confidence=sure, evidence=evidence)
