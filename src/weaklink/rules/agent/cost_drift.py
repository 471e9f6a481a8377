from __future__ import annotations

from weaklink.evidence.run import Run
from weaklink.finding import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding, Level
from weaklink.loop import Link
from weaklink.rules._course import FEWEST, language_run, outcomes, rise_of
from weaklink.rules._registry import rule


@rule(
    "AGT305",
    link=Link.TASK,
    level=Level.WARN,
    on=Run,
    needs=(("task.cost", "task.turns"),),
    leads_to=("LLM309", "SYS301"),
)
def cost_drift(run: Run, *, factor: float = 1.5) -> Answer:
    """A trajectory costs more and more for the same success.

    ## What it sees
    In the training of an agent, the cost or the number of turns of a trajectory rises for good to half as
    much again as at the start, while no measure of success rises.

    ## Why it is bad
    What is not priced grows. Longer trajectories make training slower, data staler and the finished agent
    dearer, and they hide an agent that no longer recovers from its mistakes but goes in circles.

    ## What to do
    1. Read long trajectories: where does the agent go in circles, and after which mistake?
    2. Set a small price on turns or cost, or a limit with a clear end.
    3. Compare the cost of solved and unsolved tasks: if only unsolved ones grow, let the agent give up
       sooner.

    ## How to prove it
    Let the first and the last checkpoint solve one fixed set of tasks: the last one must not need more turns
    for the tasks that both solve.

    ## When it is wrong
    A curriculum of harder tasks costs more by design. Costs in safe reinforcement learning are constraints,
    not expenses; runs of classic control are not judged.

    ## References
    Reinforcement Learning Training Debug Guide, on agents.
    """
    agent = language_run(run) or "action.tool_calls" in run
    if not agent and not ("task.turns" in run and not run.family):
        return None
    logged = [run[name] for name in ("task.cost", "task.turns") if name in run and len(run[name]) >= FEWEST]
    if not logged:
        return CannotTell(("task.cost or task.turns",), f"fewer than {FEWEST} points")
    risen = [(series, rise) for series in logged if (rise := rise_of(series, factor=factor)) is not None]
    if not risen:
        return None
    courses = outcomes(run)
    if any(course.improved for course in courses):
        return None
    if not courses:
        return CannotTell(("task.success_rate or evaluation.score",), "whether success grew with it is not logged")
    series, rise = risen[0]
    course = courses[0]
    step = float(series.steps[rise.onset])
    word = "The cost" if series.name == "task.cost" else "The number of turns"
    return Finding(
        message=f"{word} of a trajectory rose from {rise.start:.3g} to {rise.end:.3g} from step {step:,.0f} on, while "
        f"{course.metric} went from {course.start:.3g} to {course.final:.3g}.",
        onset=step,
        onset_within=series.interval,
        confidence=HIGH if course.declined else MEDIUM,
        evidence=(
            Evidence(metric=series.name, value=rise.end, limit=factor * rise.start, step=series.last_step),
            Evidence(metric=course.metric, value=course.final, limit=course.start),
        ),
    )
