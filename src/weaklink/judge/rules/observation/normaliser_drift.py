from __future__ import annotations

from weaklink.base.evidence.rollout import NormaliserUse, Rollout
from weaklink.judge.rules.writing import (
    HIGH,
    MEDIUM,
    Answer,
    CannotTell,
    Evidence,
    Finding,
    Level,
    Link,
    answer_with,
    rule,
)

FEWEST_STEPS = 64  # below this the samples of a warm-up or of the first reset weigh too much in the count per step


@rule(
    "OBS201",
    link=Link.OBSERVATION,
    level=Level.WARN,
    on=Rollout,
    needs=("normalisers",),
    leads_to=("POL201", "VAL301", "VAL304", "EVA303", "REW302", "REW303", "REW304"),
)
def normaliser_drift(rollout: Rollout, *, often: float = 1.5) -> Answer:
    """A running normaliser counts more than the training steps, or was reset when training resumed.

    ## What it sees
    How many samples a normaliser added to its statistics compared with the number of steps taken: `often` times as
    many, or some during an evaluation; an evaluation that does not use the statistics of training; or a resumed
    training that started with fresh statistics.

    ## Why it is bad
    The same state looks different from one moment to the next. Statistics that include an evaluation follow another
    policy; lost statistics give a trained policy inputs that it has never seen, and a return of thousands starts again
    near zero.

    ## What to do
    1. Update statistics once per step, in the collector only: not in the forward pass of the update too.
    2. Freeze them during evaluation (`training = False`), and use the statistics of training there.
    3. Save them with the weights and load them before the first step.

    ## How to prove it
    Print the count of the normaliser before and after an update and an evaluation: it must grow by the steps taken in
    the first, and not at all in the second.

    ## When it is wrong
    A normaliser that counts padding or several agents per step rightly counts more.

    ## References
    Stable-Baselines3 documentation, VecNormalize; baselines issue #228; IsaacLab issue #2635.
    """
    uses = rollout.normalisers or ()
    answer = answer_with(finding for use in uses for finding in _judge(use, often))
    if answer is None and all(use.steps < FEWEST_STEPS for use in uses):
        return CannotTell(("normalisers",), "too few steps were taken")
    return answer


def _judge(use: NormaliserUse, often: float) -> list[Finding]:
    found = []
    if use.resumed and use.restored is False:
        told = f"The training was resumed, and the statistics of {use.name} started from scratch"
        found.append(_describe(f"{told}: they were not saved or not loaded.", use.counted, None, HIGH))
    if use.evaluation_counted > 0:
        told = f"{use.name} counted {use.evaluation_counted:,.0f} samples during an evaluation"
        found.append(_describe(f"{told}: freeze it during evaluation.", use.evaluation_counted, 0.0, HIGH))
    if use.evaluation_lacks > 0:
        told = f"An evaluation used statistics that lack {use.evaluation_lacks:,.0f} of the samples"
        found.append(
            _describe(f"{told} of {use.name}: use the statistics of training.", use.evaluation_lacks, 0.0, HIGH)
        )
    own = use.counted - use.evaluation_counted
    if use.steps >= FEWEST_STEPS and own > often * use.steps:
        times = own / use.steps
        told = f"{use.name} counted {own:,.0f} samples in {use.steps:,.0f} steps, {times:.2g} times as many"
        found.append(_describe(f"{told}.", times, often, MEDIUM))
    return found


def _describe(message: str, value: float, limit: float | None, sure: float) -> Finding:
    evidence = (Evidence(metric="samples counted", value=value, limit=limit),)
    return Finding(message=message, confidence=sure, evidence=evidence)
