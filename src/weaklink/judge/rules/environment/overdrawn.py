from __future__ import annotations

import numpy as np

from weaklink.base.evidence.held import Flags, HeldState
from weaklink.base.evidence.series import Array
from weaklink.base.evidence.survey import Survey
from weaklink.judge.rules.writing import MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule

FEWEST_STEPS, FEWEST_EPISODES = 200, 5
FEWEST_BELOW, SHARE_BELOW = 30, 0.03  # steps below nothing, and their share of all
STILL = 0.1  # of these steps, that take still more of it, and that pay
KINDS = 5  # different amounts: a flag or a code is no stock
SHOWN = 0.999  # the correlation with a column that shows what is owed
WIDEST = 64  # columns that are compared


@rule(
    "ENV118",
    link=Link.ENVIRONMENT,
    level=Level.WARN,
    on=Survey,
    needs=("observation", "held"),
    leads_to=("OBS110", "OBS123", "REW109", "TSK102"),
)
def overdrawn(survey: Survey) -> Answer:
    """More is taken from a stock than there is, and the observation shows it as empty.

    ## What it sees
    A column of the observation is one of the environment's own attributes as long as that is above 0, and 0 where it is
    below. Every episode begins with some of it. In 3 % of all steps or more it is below 0 already, a tenth of these
    steps take still more and a tenth of them pay, and no other column shows how much is owed.

    ## Why it is bad
    What runs out in the real world does not run out here: seats, charge, goods or money are spent that nobody has. The
    best policy is the one that spends them, and the observation does not even show that it does.

    ## What to do
    1. Limit what is taken by what is left, and pay for that only: `taken = min(wanted, left)`.
    2. End the episode where nothing is left, if nothing can be done any more.
    3. Where owing is meant (back orders, credit), show how much is owed.

    ## How to prove it
    Print the attribute at each step of an episode: it must never be below 0.

    ## When it is wrong
    Debts that are part of the task and are meant to be hidden.

    ## References
    Practice.
    """
    held = survey.held
    if held is None or len(held.rewards) < FEWEST_STEPS or len(held.lengths) < FEWEST_EPISODES:
        return CannotTell(("held",), f"fewer than {FEWEST_STEPS} steps of {FEWEST_EPISODES} episodes with attributes")
    for place in np.flatnonzero(held.finite).tolist():
        left = held.after[:, place]
        below = left < 0.0
        rare = int(below.sum()) < max(FEWEST_BELOW, SHARE_BELOW * len(left))
        if rare or np.any(held.before[held.firsts, place] <= 0.0) or not _is_still_spent(held, place, below):
            continue
        column = _find_column(held.successors, left, below)
        if column is not None:
            return Finding(
                message=f"`{held.labels[place]}` falls below 0 in {int(below.sum()):,} of {len(left):,} steps, down to "
                f"{float(left.min()):.4g}, and {survey.labels[column]} shows 0 there; more is taken from it still, and "
                f"steps go on paying up to {float(held.rewards[below].max()):.4g}.",
                confidence=MEDIUM,
                evidence=(Evidence(metric=held.labels[place], value=float(left.min()), limit=0.0),),
            )
    return None


def _is_still_spent(held: HeldState, place: int, below: Flags) -> bool:
    """Whether steps that begin below nothing take still more of it, and pay."""
    owing = held.before[:, place] < 0.0
    if int((owing & below).sum()) < FEWEST_BELOW or not np.isfinite(held.rewards).all():
        return False
    takes = held.after[owing, place] < held.before[owing, place]
    return float(np.mean(takes)) >= STILL and float(np.mean(held.rewards[owing] > 0.0)) >= STILL


def _find_column(seen: Array, left: Array, below: Flags) -> int | None:
    """The column that shows what is left, and 0 where it is less; None where another shows what is owed."""
    due = np.maximum(left, 0.0)
    if len(np.unique(due)) < KINDS:
        return None
    same = np.all(np.abs(seen[:, :WIDEST] - due[:, None]) <= 1e-6 * float(due.max()), axis=0)
    if not same.any() or _is_shown(seen[below][:, :WIDEST], left[below]):
        return None
    return int(np.flatnonzero(same)[0])


def _is_shown(seen: Array, left: Array) -> bool:
    """Whether any column goes with what is owed."""
    away = left - left.mean()
    if not away.any():
        return False
    moving = seen[:, np.ptp(seen, axis=0) > 0]
    rows = moving - moving.mean(axis=0)
    together = np.abs(away @ rows) / (np.linalg.norm(rows, axis=0) * float(np.linalg.norm(away)))
    return bool(np.any(together > SHOWN))
