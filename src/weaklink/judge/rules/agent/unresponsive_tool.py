from __future__ import annotations

import numpy as np

from weaklink.base.evidence.samples import Samples
from weaklink.judge.rules._draws import select_complete
from weaklink.judge.rules.writing import HIGH, Answer, CannotTell, Evidence, Finding, Level, Link, rule

FEWEST, FEWEST_TASKS = 20, 10
"""Different calls that got one result, and tasks in which they were made: fewer may ask for the same in other words."""


@rule(
    "AGT319",
    link=Link.ENVIRONMENT,
    level=Level.WARN,
    on=Samples,
    needs=("lookup", "lookup_result", "task", "tool_calls"),
    leads_to=("AGT303", "AGT304", "AGT305", "AGT311", "LLM308", "LLM311", "LLM366", "REW301"),
)
def unresponsive_tool(samples: Samples, *, limit: float = 0.5) -> Answer:
    """A tool that looks things up gives one and the same result, whatever it is asked.

    ## What it sees
    Of each trajectory the last call of a tool that looks something up (by its name: search, query, find, get, read,
    open, ...) and its result, where that has twelve words or more and is no failure. In more than half of these the
    result is the same to the letter, although twenty different calls or more were made, in ten tasks or more.

    ## Why it is bad
    The agent cannot learn what it is asked: nothing that it does with the tool changes what it sees. It learns to
    guess, to abstain, or not to call the tool at all.

    ## What to do
    1. Call the tool by hand with two different questions, the way the environment does.
    2. Look for a cache whose key leaves out the question, a mock that was left in place, and a default page.
    3. Log the arguments that arrive in the tool beside those that the agent wrote.

    ## How to prove it
    Ask the tool for something that its result cannot hold: the result must change.

    ## When it is wrong
    Tools that return one page of help or one document to whatever is asked, on purpose.

    ## References
    Jin et al., Search-R1, 2025 (results of a search in the loop of training).
    """
    rows = select_complete(samples, "lookup", "lookup_result", "task", "tool_calls")
    results, counts = np.unique(rows.codes["lookup_result"], return_counts=True)
    if len(rows) < 2 * FEWEST or len(np.unique(rows.codes["lookup"])) < FEWEST:
        return CannotTell(("lookup",), f"fewer than {FEWEST} different calls that look something up")
    same = rows.codes["lookup_result"] == results[np.argmax(counts)]
    calls, tasks = (len(np.unique(rows.codes[name][same])) for name in ("lookup", "task"))
    share = float(same.mean())
    if share <= limit or calls < FEWEST or tasks < FEWEST_TASKS:
        return None
    return Finding(
        message=f"A tool does not respond to what it is asked: {share:.0%} of the last look-ups of {len(rows):,} "
        f"trajectories got the same result, to the letter (limit {limit:.0%}), by {calls:,} different calls in "
        f"{tasks:,} tasks, as from a cache or a mock.",
        confidence=HIGH,
        evidence=(Evidence(metric="lookup_result", value=share, limit=limit),),
    )
