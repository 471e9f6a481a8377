from __future__ import annotations

import numpy as np

from weaklink.base.evidence.held import HeldState
from weaklink.base.evidence.survey import Flags, Survey
from weaklink.judge.rules.writing import HIGH, Answer, CannotTell, Evidence, Finding, Level, Link, rule

FEWEST_STEPS, FEWEST_ENDS = 200, 10
KINDS = 3  # different rewards: a flag that is held may be paid by chance
EXACT = 1e-6  # of the largest reward
LOST = 0.5  # of the episodes that terminate, with something owed


@rule(
    "REW126",
    link=Link.REWARD,
    level=Level.WARN,
    on=Survey,
    needs=("held",),
    leads_to=("REW103", "REW108", "TSK102", "TSK106", "OBS110"),
)
def owed_at_the_end(survey: Survey) -> Answer:
    """Rewards are paid a step late, and the last one of an episode never.

    ## What it sees
    An attribute of the environment that is, after every step, exactly what the next step pays. Half of the episodes
    that terminate do so while it is not 0: what their last action earned is lost. Or each reset empties it (it is no
    number there), and the first step of every episode pays nothing.

    ## Why it is bad
    Each action is credited with what the one before it earned. What ends an episode, the goal or the crash, is never
    paid at all, so that nothing tells them apart.

    ## What to do
    1. Return what the action of this step earned: work it out before the `return`, not at the next call.
    2. Where rewards come late on purpose, pay what is owed with the step that ends the episode.

    ## How to prove it
    Print the attribute at the last step of ten episodes beside the reward. Then run `weaklink preflight ENV` again.

    ## When it is wrong
    Where something else is paid for later, outside of the episode.

    ## References
    Sutton and Barto, Reinforcement Learning, 2018, section 3.1; practice.
    """
    held = survey.held
    assert held is not None
    ends = held.lasts[held.terminated]
    emptied = _mark_emptied(held)
    too_few = len(held.lengths) < FEWEST_ENDS or (len(ends) < FEWEST_ENDS and not emptied.any())
    if len(held.paid) < FEWEST_STEPS or too_few or not np.isfinite(held.paid).all():
        why = f"fewer than {FEWEST_STEPS} steps, or {FEWEST_ENDS} ends, beside the attributes of the environment"
        return CannotTell(("held",), why)
    going = np.ones(len(held.paid), dtype=bool)
    going[held.lasts] = False
    now = np.flatnonzero(going)
    paid = held.paid[now + 1]
    close = EXACT * float(np.abs(held.paid).max())
    if len(now) < FEWEST_STEPS or len(np.unique(paid)) < KINDS:
        return None
    for place in np.flatnonzero(held.finite | emptied).tolist():
        owed = held.after[:, place]
        if float(np.abs(owed[now] - paid).max()) > close or float(np.abs(held.paid - owed).max()) <= close:
            continue
        lost = np.abs(owed[ends]) > close
        if (len(ends) >= FEWEST_ENDS and float(lost.mean()) >= LOST) or emptied[place]:
            return _describe(held, place, len(now), lost)
    return None


def _mark_emptied(held: HeldState) -> Flags:
    """The attributes that are no number after each reset, one after each step, while first steps pay nothing."""
    first = ~np.isfinite(held.before[held.firsts])
    later = np.isfinite(held.after).all(axis=0)
    return np.asarray(first.all(axis=0) & later & bool(np.all(held.paid[held.firsts] == 0.0)))


def _describe(held: HeldState, place: int, steps: int, lost: Flags) -> Finding:
    owed = held.after[held.lasts[held.terminated], place]
    told = "it is empty after each reset, and the first step of every episode pays nothing"
    if len(lost):
        told = f"{int(lost.sum())} of {len(lost)} episodes terminate with {float(np.mean(owed)):.3g} on average unpaid"
    share = float(lost.mean()) if len(lost) else 1.0
    return Finding(
        message=f"What a step earns is held in `{held.labels[place]}` and paid with the next one, in all of "
        f"{steps:,} steps; {told}.",
        confidence=HIGH,
        evidence=(Evidence(metric="episodes with a reward unpaid", value=share, limit=LOST),),
    )
