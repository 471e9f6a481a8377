from __future__ import annotations

import numpy as np

from weaklink.base.evidence.run import Run
from weaklink.base.evidence.series import Array
from weaklink.base.stats import level
from weaklink.judge.rules._course import FEWEST, start_of
from weaklink.judge.rules.writing import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule

# of its early share: an agent that learns what is allowed makes fewer mistakes than that
HARDLY_FEWER = 0.8


@rule(
    "ACT302",
    link=Link.ACTION,
    level=Level.WARN,
    needs=("action.invalid_fraction",),
    leads_to=("EXP301", "EXP303", "VAL304", "POL309", "REW301", "REW302", "REW304"),
    symptoms={"reward flat": 12},
)
def invalid_actions(run: Run, *, limit: float = 0.3) -> Answer:
    """Most actions are not allowed, and training does not make them fewer.

    ## What it sees
    The share of invalid actions, or their number in an episode over its length, is above three tenths at the end and
    not below eight tenths of what it was at the start.

    ## Why it is bad
    An action that is refused does nothing, or is fined. A policy that goes on choosing such actions does not see which
    are allowed: a mask is missing, is turned round, or belongs to another state.

    ## What to do
    1. Print the mask and the action that the environment refuses, for the first ten refusals.
    2. Check that a mask of 1 means allowed on both sides, and that it is read after the step, from the same
       environment.

    ## How to prove it
    Play random actions under the mask: none may be refused.

    ## When it is wrong
    Environments that count an action as invalid although it is one of several that wait.

    ## References
    Huang and Ontañón, A Closer Look at Invalid Action Masking in Policy Gradient Algorithms, 2022.
    """
    series = run["action.invalid_fraction"]
    if len(series) < FEWEST:
        return CannotTell((series.name,), f"fewer than {FEWEST} points")
    shares = _measure_shares(run)
    if shares is None:
        return CannotTell(
            ("task.episode_length",), "a number of invalid actions says nothing without the number of all"
        )
    start, end = start_of(shares), level(shares[-max(len(shares) // 5, 3) :])
    if end <= limit or end > 1.0 or end < HARDLY_FEWER * start:
        return None
    return Finding(
        message=f"{end:.0%} of the actions are invalid at the end (limit {limit:.0%}), after {start:.0%} at the start: "
        "the policy does not see what is allowed.",
        onset=series.first_step,
        onset_within=series.interval,
        confidence=HIGH if end > 2 * limit else MEDIUM,
        evidence=(Evidence(metric=series.name, value=end, limit=limit, step=series.first_step),),
    )


def _measure_shares(run: Run) -> Array | None:
    """The share of invalid actions at each point; None where only their number is known."""
    series, length = run["action.invalid_fraction"], run.get("task.episode_length")
    if float(series.highs.max()) <= 1.0:
        return series.values
    if length is None:
        return None
    return series.values / np.maximum(np.interp(series.steps, length.steps, length.values), 1.0)
