from __future__ import annotations

import math

from weaklink.base.evidence.model import ModelCheck, Sensitivity
from weaklink.judge.rules.writing import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule

MOST_NAMED = 5  # columns that a message names before it only says that there are more


@rule(
    "OBS120",
    link=Link.OBSERVATION,
    level=Level.ERROR,
    on=ModelCheck,
    needs=("sensitivity",),
    leads_to=("POL302", "EXP303", "VAL304", "REW301", "REW302"),
)
def insensitive_policy(check: ModelCheck, *, floor: float = 1e-7, dead: float = 1e-9) -> Answer:
    """The output of the policy does not depend on the observation.

    ## What it sees
    The model gets different observations, the same ones with one column moved by its standard deviation, and others far
    away from all of them. Its outputs (the parameters of the action distribution, or the Q-values) do not change at
    all; or only those of the critic do not. Single columns that change nothing are reported as info.

    ## Why it is bad
    A policy that ignores its input plays one fixed strategy, and no training can make it react. A critic that ignores
    its input is a constant, and advantages are then only noisy returns.

    ## What to do
    1. Check the features extractor: an output that does not depend on its input, a layer of dead ReLU units, a sum or
       mean over the wrong axis.
    2. Check the path from the environment to the network: a normaliser that clips everything to its limit, a division
       by 255 of numbers that are not pixels, a wrong key of a dict observation.
    3. For single columns: check that the extractor uses the whole observation.

    ## How to prove it
    Feed two very different observations to the network and compare the logits or means by eye; then follow them back,
    layer by layer, to the place where they become equal.

    ## When it is wrong
    A model that was trained to one constant action, because the task has one, is right to ignore its input. Columns
    that the extractor leaves out on purpose are info only.

    ## References
    Practice.
    """
    seen = check.sensitivity
    if seen is None or not seen.varied or seen.rows < 2:
        return CannotTell(("sensitivity",), "all observations were the same")
    if not all(map(math.isfinite, (seen.policy_overall, *seen.policy))):
        return CannotTell(("sensitivity",), "the outputs are NaN or infinite")
    change = max(seen.policy_overall, _count_overflow(seen.policy_far), *seen.policy)
    if change <= floor:
        words = f"The output of the policy is the same for {seen.rows} different observations"
        return _describe(f"{words} and whichever column is moved.", "policy change", change, floor, Level.ERROR)
    if seen.value is not None and seen.value_overall is not None:
        change = max(seen.value_overall, _count_overflow(seen.value_far or 0.0), *seen.value)
        if change <= floor:
            words = f"The value of the critic is the same for {seen.rows} different observations"
            return _describe(f"{words} and whichever column is moved.", "value change", change, floor, Level.WARN)
    return _find_dead_columns(seen, dead)


def _count_overflow(change: float) -> float:
    """Far out an output may overflow: that is a change too."""
    return change if math.isfinite(change) else math.inf


def _find_dead_columns(seen: Sensitivity, dead: float) -> Finding | None:
    values = seen.value or (0.0,) * len(seen.policy)
    columns = zip(seen.labels, seen.spread, seen.policy, values, strict=True)
    deaf = [label for label, spread, policy, value in columns if spread > 0.0 and max(policy, value) <= dead]
    if not deaf:
        return None
    moved = sum(spread > 0.0 for spread in seen.spread)
    shown = ", ".join(deaf[:MOST_NAMED]) + (" and more" if len(deaf) > MOST_NAMED else "")
    words = f"{len(deaf)} of {moved} observation columns change neither policy nor value: {shown}."
    return _describe(words, "columns", float(len(deaf)), None, Level.INFO)


def _describe(message: str, metric: str, value: float, limit: float | None, level: Level) -> Finding:
    return Finding(
        message=message,
        level=level,
        confidence=HIGH if level is Level.ERROR else MEDIUM,
        evidence=(Evidence(metric=metric, value=value, limit=limit),),
    )
