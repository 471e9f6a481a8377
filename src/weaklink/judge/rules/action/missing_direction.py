from __future__ import annotations

import numpy as np

from weaklink.base.evidence.held import HeldState
from weaklink.base.evidence.survey import Survey
from weaklink.judge.rules._goals import GoalPair, list_goal_pairs
from weaklink.judge.rules.writing import HIGH, Answer, CannotTell, Evidence, Finding, Level, Link, rule

FEWEST_EPISODES = 20
FEWEST_MOVES = 40  # moves of a number, all in the same direction
FEWEST_ARRIVALS = 3


@rule(
    "ACT110",
    link=Link.ACTION,
    level=Level.WARN,
    on=Survey,
    needs=("held",),
    leads_to=("ACT101", "REW101", "REW107", "TSK101", "TSK102", "TSK103", "TSK106"),
)
def missing_direction(survey: Survey, *, share: float = 0.15) -> Answer:
    """No action moves in a direction in which goals lie.

    ## What it sees
    An attribute that moves and one that each reset draws, a place and a goal: episodes terminate where both are the
    same. One number of the place only ever rises, or only ever falls, over forty moves and more of random play, and
    in 15 % of the episodes or more the goal lies on the other side of where they begin.

    ## Why it is bad
    Those episodes cannot be solved, whatever the policy does. Averages over episodes hide it: the success rate stops
    at some level below one.

    ## What to do
    1. Print what each action does to the place. Actions count from 0: a comparison with 1 to n leaves one of n unused
       and the last direction without an action.
    2. Look for two actions with the same move in a table of moves.
    3. Check the action space: it may have one action too few.

    ## How to prove it
    Take each action ten times from the middle and compare. Then run `weaklink preflight ENV` again.

    ## When it is wrong
    A goal on the other side that is reached in another way, by going round or through a door that random play never
    found.

    ## References
    Practice.
    """
    held = survey.held
    assert held is not None
    if len(held.lengths) < FEWEST_EPISODES:
        return CannotTell(("held",), f"fewer than {FEWEST_EPISODES} episodes beside the attributes of the environment")
    for pair in list_goal_pairs(held):
        if not _ends_there(held, pair):
            continue
        for here, there in zip(pair.moving.tolist(), pair.held_still.tolist(), strict=True):
            moves = (held.after - held.before)[:, here]
            up, down = int((moves > 0).sum()), int((moves < 0).sum())
            if min(up, down) or up + down < FEWEST_MOVES:
                continue
            gaps = (held.before[:, there] - held.before[:, here])[held.firsts]
            behind = float(np.mean(gaps < 0 if up else gaps > 0))
            if behind >= share:
                return _describe(held, (here, there), up + down, behind, share)
    return None


def _ends_there(held: HeldState, pair: GoalPair) -> bool:
    """Whether episodes terminate where both are the same, several did, and none goes on from there."""
    same = np.all(held.after[:, pair.moving] == held.after[:, pair.held_still], axis=1)
    ends = np.zeros(len(same), dtype=bool)
    ends[held.lasts[held.terminated]] = True
    return int((same & ends).sum()) >= FEWEST_ARRIVALS and not bool((same & ~ends).any())


def _describe(held: HeldState, places: tuple[int, int], moves: int, behind: float, limit: float) -> Finding:
    here, there = (held.labels[place] for place in places)
    rises = bool(np.any(held.after[:, places[0]] > held.before[:, places[0]]))
    return Finding(
        message=f"`{here}` only ever {'rises' if rises else 'falls'} ({moves:,} moves of random play), and in "
        f"{behind:.0%} of {len(held.lengths)} episodes `{there}` lies on the other side (limit {limit:.0%}): no action "
        "moves there.",
        level=Level.WARN,
        confidence=HIGH,
        evidence=(Evidence(metric=f"{there} behind {here}", value=behind, limit=limit),),
    )
