from __future__ import annotations

import numpy as np

from weaklink.base.evidence.samples import Samples
from weaklink.judge.rules._draws import FEWEST_ROWS, average_by_draw, mark_samples, select_complete
from weaklink.judge.rules._samples import LIKELY, MeanShift, measure_course, select_settled, split
from weaklink.judge.rules.writing import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule

INVENTS = "trajectories with invented results"
BEGUN = 0.15
"""The part of its rise after which it has begun."""
WHOLE = 0.9
"""The share of trajectories from which on the log writes results into the agent's messages itself."""


@rule(
    "AGT307",
    link=Link.ACTION,
    level=Level.WARN,
    on=Samples,
    needs=("invented_results",),
    leads_to=("AGT302", "AGT303", "AGT304", "AGT309", "LLM301", "LLM304", "LLM311"),
)
def invented_results(samples: Samples, *, limit: float = 0.05) -> Answer:
    """The agent writes results of tools itself, in its own messages.

    ## What it sees
    In more than 0.05 of the last trajectories a message of the agent holds the result of a tool (`Observation:`,
    `<tool_response>` and the like). In a chat, results come in messages of the tool. A call with its result in one
    message counts only where other trajectories have messages of the tool: some logs write results there themselves.

    ## Why it is bad
    The result is made up. An invented one always fits the answer, so where it is rewarded the agent stops calling tools
    that may fail, and what it reports has nothing to do with the world.

    ## What to do
    1. Stop generation at the marks of a result (`Observation:`, `<tool_response>`).
    2. Mask results of tools out of the loss, or the agent learns to write them.
    3. Reward only what real results bear out: check the final state, or match claims with the logged results.

    ## How to prove it
    Search the log of the tools for the calls behind ten such results: there must be one for each.

    ## When it is wrong
    Agents that quote a real result with the same words before they answer, and logs that write results into the agent's
    messages; where nearly all trajectories have them from the start, the rule does not judge.

    ## References
    Yao et al., ReAct, 2022 (observations come from the environment).
    """
    rows = mark_samples(select_complete(samples, "invented_results"), INVENTS, _mark_invented)
    parts = split(rows, INVENTS)
    late = average_by_draw(select_settled(rows, INVENTS), INVENTS) if len(rows) >= 2 * FEWEST_ROWS else None
    if late is None:
        return CannotTell(("messages",), f"fewer than {2 * FEWEST_ROWS} trajectories")
    first = late if parts is None or parts.baseline else average_by_draw(parts.before, INVENTS)
    if first is not None and min(first.mean, late.mean) >= WHOLE:
        return CannotTell(("messages",), "nearly every trajectory has results in the agent's messages")
    if late.mean - LIKELY * late.error <= limit:
        return None
    shift = None if parts is None else parts.shift(INVENTS)
    rose = shift is not None and shift.rose
    return Finding(
        message=f"{late.mean:.0%} of the trajectories hold invented results: the agent writes the tool's result "
        f"itself, in its own message, instead of waiting for it (limit {limit:.0%}).",
        onset=_find_start(rows, shift) if shift is not None and rose else None,
        confidence=HIGH if rose else MEDIUM,
        evidence=(Evidence(metric="invented_results", value=late.mean, limit=limit),),
    )


def _find_start(rows: Samples, shift: MeanShift) -> float | None:
    """The step from which on the share lies above that of the start: the first ones are copied by the later ones."""
    over = measure_course(rows, INVENTS)
    return None if over is None else over.crossed(shift.before + BEGUN * shift.change)


def _mark_invented(samples: Samples) -> np.ndarray:
    counts = samples["invented_results"] if "invented_results" in samples else np.full(len(samples), np.nan)
    return np.where(np.isfinite(counts), counts > 0, np.nan)
