from __future__ import annotations

import numpy as np

from weaklink.base.evidence.samples import Samples
from weaklink.judge.rules._draws import select_complete
from weaklink.judge.rules._samples import select_settled
from weaklink.judge.rules._trajectories import mark_successes
from weaklink.judge.rules.writing import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule

TOLD = 0.15
"""The share of trajectories with a call that is too few where prompts tell to use the tools."""
FEWEST, MOSTLY = 60, 0.5
"""Trajectories, and the share of them that are told to use their tools."""


@rule(
    "AGT312",
    link=Link.ACTION,
    level=Level.WARN,
    on=Samples,
    needs=("offered_tools", "tool_calls", ("outcome", "reward")),
    leads_to=("AGT301", "AGT302", "AGT309", "LLM301", "LLM311"),
)
def unused_tools(samples: Samples, *, most: float = 0.02, solved: float = 0.8) -> Answer:
    """Tools are offered and never called, and tasks stay unsolved.

    ## What it sees
    Trajectories are offered tools, at most 0.02 of them (0.15 where prompts tell to) call any at the end, and less than
    0.8 of these succeed; or no outcome is known, and their prompts tell them to use the tools.

    ## Why it is bad
    What the tools would tell is made up instead. An action that is never tried is never learned: calls may not be
    parsed, tools may be missing in the prompt as the model sees it, or calling them was never worth while.

    ## What to do
    1. Print the prompt as the model gets it: are the tools in it, in the form that it was trained on?
    2. Look for calls in the raw text that the parser did not recognise.
    3. Show a few calls by supervised training or in the prompt, and pay for results that only tools can give.

    ## How to prove it
    Let the model answer ten prompts with the instruction to call a tool first: a call must arrive in the environment.

    ## When it is wrong
    Tasks that need no tool.

    ## References
    Yao et al., ReAct, 2022.
    """
    rows = select_complete(samples, "offered_tools", "tool_calls")
    rows = rows.where(rows["offered_tools"] > 0)
    judged = rows.outcome or "reward"
    if len(rows) < FEWEST or judged not in rows:
        return CannotTell(("allowed_tools",), f"fewer than {FEWEST} trajectories that are offered tools")
    rows = select_settled(rows, "tool_calls")
    used = float((rows["tool_calls"] > 0).mean())
    known = np.isfinite(rows[judged])
    success = float(mark_successes(rows[judged])[known].mean())
    asked = "demands_tools" in rows and float((rows["demands_tools"] == 1.0).mean()) >= MOSTLY
    limit = max(most, TOLD) if asked else most
    if used > limit or (success >= solved and (rows.outcome is not None or not asked)):
        return None
    how = "hardly ever" if used else "never"
    return Finding(
        message=f"Tools are offered and {how} called: {used:.0%} of {len(rows):,} trajectories make a tool call (limit "
        f"{limit:.0%}), and {success:.0%} of them count as successes. What the tools would tell is made up.",
        confidence=HIGH if not used else MEDIUM,
        evidence=(Evidence(metric="tool_calls", value=used, limit=limit),),
    )
