from __future__ import annotations

from weaklink.evidence.run import Run
from weaklink.finding import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding, Level
from weaklink.loop import Link
from weaklink.rules._course import FEWEST, start_of, still_above
from weaklink.rules._registry import rule
from weaklink.stats import level


@rule(
    "AGT303",
    link=Link.ACTION,
    level=Level.WARN,
    on=Run,
    needs=("action.tool_failures",),
    leads_to=("AGT305", "LLM308", "REW301", "REW302"),
)
def illegal_tool_call(run: Run, *, limit: float = 0.3) -> Answer:
    """Many tool calls fail, and training does not teach the agent to make them rightly.

    ## What it sees
    The share of tool calls that fail stays above 0.3 until the end of the log and has not come down by a
    third since the start. Where the run improves all the same, it is worth knowing.

    ## Why it is bad
    A failed call gives the agent an error message instead of the world. If failures are common the agent
    learns from the wrapper around its tools, and if a failed call counts as a step done it learns to fail.

    ## What to do
    1. List the failed calls by their error: unknown tool, wrong arguments, time-out, broken tool.
    2. Fix what is the tool's fault: time-outs, rate limits, sandboxes that die.
    3. Show the allowed tools and their arguments in the prompt, and give calls outside them a price.
    4. Check that a failed call is never graded as a success.

    ## How to prove it
    Let a script make a hundred right calls: they must all succeed. Then count the failed calls in trajectories that
    were graded as successes.

    ## When it is wrong
    Searches that may come back empty, or code whose tests fail until it is right, count as failures in some
    wrappers.

    ## References
    Reinforcement Learning Training Debug Guide, on agents.
    """
    failures = run["action.tool_failures"]
    if len(failures) < FEWEST:
        return CannotTell((failures.name,), f"fewer than {FEWEST} points")
    held = still_above(failures.values, limit)
    if held is None:
        return None
    start, end = start_of(failures.values), level(failures.values[-max(3, len(failures) // 5) :])
    if end < start / 1.5:
        return None
    step = float(failures.steps[held.start])
    learns = run.performance is not None and run.performance.improved
    return Finding(
        message=f"{held.level:.0%} of the tool calls fail from step {step:,.0f} on (limit {limit:.0%}; "
        f"{start:.0%} at the start).",
        onset=step,
        onset_within=failures.interval,
        level=Level.INFO if learns else Level.WARN,
        confidence=HIGH if held.level > 2 * limit else MEDIUM,
        evidence=(Evidence(metric=failures.name, value=held.level, limit=limit, step=step),),
    )
