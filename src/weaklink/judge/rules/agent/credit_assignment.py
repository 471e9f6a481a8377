from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from weaklink.base.evidence.samples import Samples, TrajectoryParting
from weaklink.judge.rules._draws import select_complete
from weaklink.judge.rules._samples import LIKELY, split
from weaklink.judge.rules._trajectories import measure_gain, read_column
from weaklink.judge.rules._within import measure_effect
from weaklink.judge.rules.writing import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule

Tasks = Sequence[TrajectoryParting]

TELLING, ALIKE = 4, 2
"""Successes, and as many failures, that a task needs: where they diverge, and where they are alike to the end."""

ENOUGH_PAIRS = 15
"""Successes, and as many failures, of identical trajectories that all tasks together need."""

FEWEST_TASKS, MOST_OF_THEM = 5, 0.7
"""Tasks that must show it, and their share of all that can tell."""

ENOUGH_TRAJECTORIES = 60
"""Comparisons: the standard error of a correlation is then about 0.13."""


@rule(
    "AGT304",
    link=Link.RETURNS,
    level=Level.WARN,
    on=Samples,
    needs=("tool_calls", "outcome"),
    leads_to=("AGT305",),
)
def credit_assignment(
    samples: Samples, *, related: float = 0.15, long: int = 8, early: float = 0.25, after: int = 12
) -> Answer:
    """Credit is unrelated to success, or one number blames all steps of a long trajectory alike.

    ## What it sees
    One of three things. Among trajectories of one draw, the credit (the advantage, else the reward) is unrelated to
    success: a correlation not above 0.15, and with its error below 0.3. Or successes and failures of most tasks make
    the same calls to their end, eight or more, and give the same answers. Or they diverge in the first quarter and make
    twelve or more calls after that, all of which get the same blame. The last two are alarms where success does not
    grow during training, and information otherwise.

    ## Why it is bad
    One number at the end of a long trajectory must say which of its steps was wrong. If it is assigned to the wrong
    trajectory, or if chance decides the result, the gradient is noise. If one early step decides, all others share its
    blame, and learning takes far more trajectories than it should.

    ## What to do
    1. Where credit and success are unrelated: follow one trajectory from the environment to its advantage; look for
       rows that change order between sampling, grading and training.
    2. Where the same calls end differently: replay one of them twenty times. If the result changes, fix the environment
       or the grader before training on.
    3. Where an early step decides: reward reaching the state after it, compare trajectories that share their beginning
       (one group per step), or start some from there.
    4. End trajectories early that can no longer succeed.

    ## How to prove it
    Replay the calls of one successful and one failed trajectory of a task: each must end as it did. Then change only
    the call at which they diverge.

    ## When it is wrong
    Only calls are compared: agents that differ only in their reasoning seem alike. A reward that measures something
    other than success, such as style, is unrelated to it by design.

    ## References
    Reinforcement Learning Training Debug Guide, on long-trajectory credit assignment.
    """
    wrong = _judge_credit(samples, related)
    if isinstance(wrong, Finding):
        return wrong
    parted = [each for each in samples.partings if each.successful != each.failed and _both(each) >= TELLING]
    alike = [each for each in samples.partings if each.successful == each.failed and _both(each) >= ALIKE]
    if len(parted) + len(alike) < FEWEST_TASKS:
        return wrong or CannotTell(("prompt or initial_state",), "too few tasks with successes and failures to compare")
    return _nothing_tells(samples, parted, alike, long) or _lost_early(samples, parted, alike, early, after)


def _both(parting: TrajectoryParting) -> int:
    return min(parting.successes, parting.failures)


def _judge_credit(samples: Samples, related: float) -> Finding | CannotTell | None:
    """Whether credit has nothing to do with the outcome among trajectories of one draw."""
    credit = next((name for name in ("advantage", "reward") if name in samples), None)
    outcome = samples.outcome
    if credit is None or outcome is None or not ("group" in samples or "prompt" in samples):
        return None
    rows = select_complete(samples, "tool_calls", credit, outcome)
    found = measure_effect(rows, credit, rows[outcome], None)
    if found is None or not found.paired or found.rows < ENOUGH_TRAJECTORIES or found.strength == 0.0:
        return None
    if found.strength > related or found.strength + LIKELY / found.rows**0.5 > 2 * related:
        return None
    if credit == "reward" and _paid_by_claims(rows, outcome, 2 * related):
        return None
    return Finding(
        message=f"Among trajectories of one draw the {credit} is unrelated to {outcome} (r = "
        f"{found.strength:.2f} over {found.rows:,} comparisons): the wrong trajectories get the credit.",
        confidence=HIGH,
        evidence=(Evidence(metric=credit, value=found.strength, limit=related),),
    )


def _paid_by_claims(rows: Samples, outcome: str, strength: float) -> bool:
    """Whether the reward is for claims of success: another fault, which has its own rule."""
    claims = measure_effect(rows, "reward", read_column(rows, "claims_success"), outcome)
    return claims is not None and claims.strength > strength


def _nothing_tells(samples: Samples, parted: Tasks, alike: Tasks, long: int) -> Finding | None:
    """Whether the same calls end in success and in failure, with the same answers."""
    telling = len(parted) + len(alike)
    alike = [each for each in alike if len(each.shared) >= long and _to_the_letter(each)]
    if len(alike) < max(FEWEST_TASKS, MOST_OF_THEM * telling) or sum(map(_both, alike)) < ENOUGH_PAIRS:
        return None
    if _answers_tell(samples):
        return None
    middle = float(np.median([len(each.shared) for each in alike]))
    return Finding(
        message=f"In {len(alike)} of {telling} tasks successes and failures make the same {middle:.0f} calls to "
        f"the end: no step explains the failure.",
        level=_level(samples),
        confidence=MEDIUM,
        evidence=(Evidence(metric="partings", value=len(alike) / telling, limit=MOST_OF_THEM),),
    )


def _answers_tell(samples: Samples) -> bool:
    """Whether the final answer predicts the outcome better than the task does."""
    outcome = samples.outcome
    if "answer" not in samples or "task" not in samples or outcome is None:
        return False
    rows = select_complete(samples, "answer", "task", outcome)
    _, tasks = np.unique(rows.codes["task"], return_inverse=True)
    _, cells = np.unique(np.stack((rows.codes["task"], rows.codes["answer"])), axis=1, return_inverse=True)
    left = [_left(rows[outcome], codes.reshape(-1)) for codes in (tasks, cells)]
    return left[1] < 0.5 * left[0]


def _left(values: np.ndarray, codes: np.ndarray) -> float:
    """The variance that is left inside cells, for as many degrees of freedom as they leave."""
    counts = np.bincount(codes)
    means = np.bincount(codes, values) / counts
    return float(((values - means[codes]) ** 2).sum() / max(len(values) - len(counts), 1))


def _to_the_letter(parting: TrajectoryParting) -> bool:
    """Whether the calls that are shared are shared with their arguments, and not by the names of tools alone."""
    return sum(call.endswith("(...)") for call in parting.shared) <= 0.2 * len(parting.shared)


def _lost_early(samples: Samples, parted: Tasks, alike: Tasks, early: float, after: int) -> Finding | None:
    calls, telling = float(np.nanmedian(samples["tool_calls"])), len(parted) + len(alike)
    soon = [each for each in parted if len(each.shared) <= min(early * calls, calls - after)]
    if len(soon) < max(FEWEST_TASKS, MOST_OF_THEM * telling):
        return None
    place = float(np.median([len(each.shared) + 1 for each in soon]))
    first = soon[0]
    return Finding(
        message=f"In {len(soon)} of {telling} tasks successes and failures diverge at call {place:.0f} of {calls:.0f}"
        f", and all later calls get the same blame; in one, successes go on with {first.successful} and failures "
        f"with {first.failed}.",
        level=_level(samples),
        confidence=MEDIUM,
        evidence=(Evidence(metric="partings", value=place, limit=early * calls),),
    )


def _level(samples: Samples) -> Level:
    """A warning where success is known not to grow, and information otherwise."""
    parts = split(samples, "tool_calls")
    gain = None if parts is None else measure_gain(parts)
    return Level.INFO if gain is None or gain.better or gain.never else Level.WARN
