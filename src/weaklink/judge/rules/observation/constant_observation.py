from __future__ import annotations

import numpy as np

from weaklink.base.evidence.survey import Survey
from weaklink.judge.rules._words import join_names
from weaklink.judge.rules.observation._columns import list_plays, measure_columns, read_bounds, write_tuple
from weaklink.judge.rules.writing import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule


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
    """The observation never changes, whatever the actions.

    ## What it sees
    Every observation of every play is the same, over 100 steps or more. Or the observation of the reset is returned
    until the episode ends. Single-step tasks are left out: there is no next observation to compare.

    ## Why it is bad
    A policy that always sees the same input can only do one thing. It never observes the effect of its actions, so
    nothing that depends on the state can be learned, however long the training.

    ## What to do
    1. Look at where `step` builds its observation: it often returns the one of the reset, or an array that was filled
       only once.
    2. Check the wrappers from the inside out: the first one whose observation is constant is the culprit.
    3. Check that the simulation itself advances: print its clock or its state after each step.

    ## How to prove it
    Step the innermost environment by hand and compare its observation before and after ten random actions. Then run
    `weaklink preflight ENV` again.

    ## When it is wrong
    A bandit of several steps has nothing to observe by design. A space that allows a single value says so itself, and
    is reported as info only. Of very wide observations only some columns are checked.

    ## References
    RLMutation, missing state update; DRLinter, missing stepping; practice.
    """
    plays, seen = list_plays(survey), measure_columns(survey)
    if seen is None:
        return CannotTell(("observation",), "no observation was kept as numbers")
    if seen.steps < steps:
        return CannotTell(("random",), f"only {seen.steps} observations were kept")
    single_steps = all(int(each.play.lengths.max(initial=0)) <= 1 for each in plays)
    if single_steps or not all(np.array_equal(each.before, each.after) for each in plays):
        return None
    same = bool(np.all(seen.least == seen.most))
    level = _rate(survey, same)
    which = "" if survey.seen_columns is None else f" in the {len(seen.std):,} columns that were checked"
    shown = f": always {write_tuple(seen.least)}" if same else ""
    told = (
        "The observation never changes" if same else "The observation of the reset is returned until the episode ends"
    )
    return Finding(
        message=f"{told}{which}, over {seen.steps:,} steps of {join_names(each.policy for each in plays)} play{shown}.",
        level=level,
        confidence=HIGH if level is Level.ERROR else MEDIUM,
        evidence=(Evidence(metric="observation.changed_steps", value=0.0, limit=1.0),),
    )


def _rate(survey: Survey, same: bool) -> Level:
    """How bad it is: info where the space allows a single value, an error where all columns were checked."""
    low, high = read_bounds(survey)
    if same and bool(np.all(low == high)):
        return Level.INFO
    return Level.ERROR if same and survey.seen_columns is None else Level.WARN
