from __future__ import annotations

import numpy as np

from weaklink.base.evidence.survey import Survey
from weaklink.base.finding import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding, Level
from weaklink.base.loop import Link
from weaklink.judge.rules._registry import rule
from weaklink.judge.rules.observation._columns import bounds_of, columns_of, played, tuple_of


@rule(
    "OBS101",
    link=Link.OBSERVATION,
    level=Level.ERROR,
    on=Survey,
    needs=("observation", "random"),
    leads_to=("OBS102", "OBS108", "OBS110", "ACT101", "TSK101", "TSK102", "TSK103", "ENV103", "ENV104"),
    checks={"observations change with actions": "fails"},
)
def constant_observation(survey: Survey, *, steps: int = 100) -> Answer:
    """The observation never changes, whatever is done.

    ## What it sees
    Every observation of every play is one and the same, over 100 steps and more. Or each episode keeps, to its end,
    the observation that its reset gave. Tasks of a single step are left alone: there is nothing to follow.

    ## Why it is bad
    A policy that always sees the same can only do one thing. Nothing that it does comes back to it, so no part of the
    task that depends on the state can be learned, however long the training.

    ## What to do
    1. Look at where `step` builds its observation: it often returns the one of the reset, or an array that was filled
       once and never again.
    2. Check the wrappers from the inside out: the first one whose observation stands still is the culprit.
    3. Check that the simulation itself moves on: print its clock or its state after each step.

    ## How to prove it
    Step the innermost environment by hand and compare its observation before and after ten random actions. Then run
    `weaklink preflight ENV` again.

    ## When it is wrong
    A bandit of several steps has nothing to see by design. A space that allows a single value says so itself, and is
    reported as worth knowing only. Of very wide observations only some columns are looked at.

    ## References
    RLMutation, missing state update; DRLinter, missing stepping; practice.
    """
    plays, seen = played(survey), columns_of(survey)
    if seen is None:
        return CannotTell(("observation",), "no observation was kept as numbers")
    if seen.steps < steps:
        return CannotTell(("random",), f"only {seen.steps} observations were kept")
    if not all(np.array_equal(each.before, each.after) for each in plays):
        return None
    if all(int(each.play.lengths.max(initial=0)) <= 1 for each in plays):
        return None
    same = bool(np.all(seen.least == seen.most))
    low, high = bounds_of(survey)
    level = Level.ERROR if same and survey.seen_columns is None else Level.WARN
    if same and bool(np.all(low == high)):
        level = Level.INFO
    count = len(seen.std)
    which = "" if survey.seen_columns is None else f" in the {count:,} columns that were looked at"
    shown = f": always {tuple_of(seen.least)}" if same else ""
    told = (
        "The observation never changes" if same else "The observation stays what the reset gave until the episode ends"
    )
    return Finding(
        message=f"{told}{which}, over {seen.steps:,} steps of {_listed([each.policy for each in plays])}{shown}.",
        level=level,
        confidence=HIGH if level is Level.ERROR else MEDIUM,
        evidence=(Evidence(metric="observation.changed_steps", value=0.0, limit=1.0),),
    )


def _listed(names: list[str]) -> str:
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1]))) + " play"
