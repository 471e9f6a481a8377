from __future__ import annotations

from weaklink.evidence.performance import course_of
from weaklink.evidence.run import Run
from weaklink.finding import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding, Level
from weaklink.loop import Link
from weaklink.rules._course import FEWEST, outcomes, rise_of
from weaklink.rules._registry import rule


@rule(
    "AGT301",
    link=Link.REWARD,
    level=Level.WARN,
    on=Run,
    needs=("action.tool_calls",),
    leads_to=("AGT303", "AGT305", "LLM302", "LLM309", "REW305"),
)
def tool_hacking(run: Run, *, factor: float = 1.5, least: float = 0.5, top: float = 0.95) -> Answer:
    """The agent calls its tools more and more and gets no further.

    ## What it sees
    Tool calls of a trajectory rise for good, to half as much again and by at least half a call, while no
    measure of success rises. Where success is at its ceiling already, it is worth knowing.

    ## Why it is bad
    Calls are easy to make and easy to pay for. An agent that is paid for process repeats calls that change
    nothing, and every trajectory costs more time and money.

    ## What to do
    1. Read trajectories with many calls: are they repeats of one call with the same arguments?
    2. Pay for the final state, not for steps on the way; pay for a call only the first time.
    3. Set a small price on each call, or a limit.

    ## How to prove it
    Cut the reward for calls in a short run: success must not fall.

    ## When it is wrong
    An agent that learns to use a tool at all calls it more often at first, and success follows later.

    ## References
    Reinforcement Learning Training Debug Guide, on agents; torchforge issue #301.
    """
    calls = run["action.tool_calls"]
    if len(calls) < FEWEST:
        return CannotTell((calls.name,), f"fewer than {FEWEST} points")
    rise = rise_of(calls, factor=factor, least=least)
    if rise is None:
        return None
    courses = outcomes(run)
    if "evaluation.return" in run and (held_out := course_of(run["evaluation.return"])) is not None:
        courses.append(held_out)
    if any(course.improved for course in courses):
        return None
    if not courses:
        return CannotTell(("task.success_rate or evaluation.score",), "whether more calls got further is not logged")
    step = float(calls.steps[rise.onset])
    course = courses[0]
    paid = run.get("reward.mean", "reward.episode_return")
    rewarded = paid is not None and (reward := course_of(paid)) is not None and reward.improved
    return Finding(
        message=f"Tool calls rose from {rise.start:.1f} to {rise.end:.1f} a trajectory from step {step:,.0f} on, while "
        f"{course.metric} went from {course.start:.3g} to {course.final:.3g}.",
        onset=step,
        onset_within=calls.interval,
        level=Level.INFO if top <= course.final <= 1.0 else Level.WARN,
        confidence=HIGH if rewarded or course.declined else MEDIUM,
        evidence=(
            Evidence(metric=calls.name, value=rise.end, limit=factor * rise.start, step=calls.last_step),
            Evidence(metric=course.metric, value=course.final, limit=course.start),
        ),
    )
