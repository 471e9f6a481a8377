from __future__ import annotations

import numpy as np

from weaklink.base.evidence.samples import Samples
from weaklink.judge.rules._draws import FEWEST_ROWS, average_by_draw, mark_samples, select_complete
from weaklink.judge.rules._samples import LIKELY, find_onset, select_settled, split
from weaklink.judge.rules.writing import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule

MALFORMED = "trajectories with malformed calls"


@rule(
    "AGT313",
    link=Link.ACTION,
    level=Level.WARN,
    on=Samples,
    needs=("malformed_calls",),
    leads_to=("AGT301", "AGT303", "AGT306", "LLM301"),
)
def malformed_arguments(samples: Samples, *, limit: float = 0.2) -> Answer:
    """Tool calls have arguments that do not fit the schema of the tool.

    ## What it sees
    In more than 0.2 of the last trajectories that call tools, a call has arguments that are no JSON, lack one that the
    schema requires, or have one that it does not know; and these do not become fewer during training. Without a schema,
    arguments count that begin an object and are no JSON, and those that the tool says it could not parse.

    ## Why it is bad
    Such calls fail, or do something else than was meant. Where most calls fail by their form, the agent cannot learn
    what they are good for.

    ## What to do
    1. Read three such calls beside the schema: are names different, or is the JSON cut off?
    2. Compare the schema in the prompt with that of the environment, and look for a limit on tokens that cuts calls.
    3. Constrain the decoding to the schema, or answer such calls with what is wrong.

    ## How to prove it
    Validate the arguments of twenty calls against the schema with any JSON Schema validator.

    ## When it is wrong
    Tools that take more than their schema says.

    ## References
    Patil et al., Gorilla, 2023 (calls with wrong arguments).
    """
    rows = mark_samples(select_complete(samples, "malformed_calls"), MALFORMED, _mark_malformed)
    late = average_by_draw(select_settled(rows, MALFORMED), MALFORMED) if len(rows) >= 2 * FEWEST_ROWS else None
    if late is None:
        return CannotTell(("allowed_tools",), f"fewer than {2 * FEWEST_ROWS} trajectories with calls and schemas")
    parts = split(rows, MALFORMED)
    shift = None if parts is None else parts.shift(MALFORMED)
    if late.mean - LIKELY * late.error <= limit or (shift is not None and shift.fell):
        return None
    return Finding(
        message=f"{late.mean:.0%} of the trajectories have tool calls with malformed arguments (limit {limit:.0%}): "
        "invalid "
        "JSON, a missing required parameter, or one that the schema does not know.",
        onset=find_onset(rows, MALFORMED, shift) if shift is not None and shift.rose else None,
        confidence=HIGH if late.mean > 2 * limit else MEDIUM,
        evidence=(Evidence(metric="malformed_calls", value=late.mean, limit=limit),),
    )


def _mark_malformed(samples: Samples) -> np.ndarray:
    counts = samples["malformed_calls"] if "malformed_calls" in samples else np.full(len(samples), np.nan)
    return np.where(np.isfinite(counts), counts > 0, np.nan)
