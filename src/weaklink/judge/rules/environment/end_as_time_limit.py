from __future__ import annotations

from pathlib import Path

from weaklink.base.evidence.survey import Survey
from weaklink.base.evidence.written import CUT_END
from weaklink.judge.rules.writing import MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule


@rule(
    "ENV123",
    link=Link.ENVIRONMENT,
    level=Level.WARN,
    on=Survey,
    needs=("observation",),
    leads_to=("TSK104", "ENV107"),
)
def end_as_time_limit(survey: Survey) -> Answer:
    """An end of the task, such as a crash, is reported as a time limit.

    ## What it sees
    The source of the environment, as far as it is your own. The `truncated` that a step returns is worked out of
    something whose name says that the task was failed or solved (`crashed`, `fell`, `off_road`, `reached_goal`), and
    the `terminated` beside it is never anything but False.

    ## Why it is bad
    Where an episode is truncated, trainers go on with the value of its last state, as if it could have gone on. A crash
    then costs nothing of what would have come, and its value is learned from states that nobody will ever leave.

    ## What to do
    1. Return `terminated=True` where the task is over, for good or bad.
    2. Keep `truncated` for limits that are no part of the task: the time limit of training above all.

    ## How to prove it
    Play until it crashes and print both flags of the last step.

    ## When it is wrong
    Where an episode is given up for a reason outside of the task, under such a name.

    ## References
    Pardo et al., Time Limits in Reinforcement Learning, 2018; Gymnasium, documentation of `Env.step`.
    """
    if survey.code is None:
        return CannotTell(("code",), "there is no code of your own that could be read")
    found = next((one for one in survey.code if one.kind == CUT_END), None)
    if found is None:
        return None
    file, _, line = found.where.rpartition(":")
    return Finding(
        message=f"`{found.name}` makes a step `truncated` (line {line} of {Path(file).name}), and `terminated` never "
        "holds: an end of the task is taken for a time limit.",
        confidence=MEDIUM,
        evidence=(Evidence(metric=f"ends by {found.name} that terminate", value=0.0, limit=1.0),),
    )
