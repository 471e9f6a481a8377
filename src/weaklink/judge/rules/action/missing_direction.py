from __future__ import annotations

from collections import Counter

import numpy as np

from weaklink.base.evidence.held import HeldState
from weaklink.base.evidence.series import Array
from weaklink.base.evidence.survey import Survey
from weaklink.judge.rules._goals import GoalPair, list_goal_pairs
from weaklink.judge.rules.writing import HIGH, Answer, CannotTell, Evidence, Finding, Level, Link, rule

FEWEST_EPISODES = 20
FEWEST_MOVES = 40  # moves of a number, all in the same direction
FEWEST_ARRIVALS = 3
FEWEST_TWIN_MOVES = 10  # moves of one action, all the same


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
    in 15 % of the episodes or more the goal lies on the other side of where they begin. Or two choices of action make
    one and the same move of an attribute, no step ever makes the opposite one, and other choices make opposite moves.

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
    return _find_twins(held) if survey.action is not None and survey.action.kind == "discrete" else None


def _find_twins(held: HeldState) -> Finding | None:
    """Two actions with the same move, where opposite moves are made by others and this one has no opposite."""
    actions = held.actions[:, 0].astype(np.int64)
    for name, columns in held.attributes.items():
        moves = (held.after - held.before)[:, columns]
        if len(columns) < 2 or not np.all(held.finite[columns]) or np.any(moves != np.round(moves)):
            continue
        made = {
            action: move for action in np.unique(actions).tolist() if (move := _pick_move(moves[actions == action]))
        }
        known = Counter(made.values())
        ever = {tuple(move) for move in np.unique(moves, axis=0).tolist()}
        opposite = {move: tuple(-each for each in move) for move in known}
        paired = any(opposite[move] in known for move in known)
        for move, count in known.items():
            if count > 1 and paired and opposite[move] not in ever:
                return _describe_twins(name, move, [action for action in made if made[action] == move], len(moves))
    return None


def _pick_move(moves: Array) -> tuple[float, ...]:
    """The one move that an action makes, wherever nothing is in the way; empty where it makes several, or none."""
    there = moves[np.any(moves != 0, axis=1)]
    kinds, counts = np.unique(there, axis=0, return_counts=True)
    return tuple(kinds[0].tolist()) if len(kinds) == 1 and counts[0] >= FEWEST_TWIN_MOVES else ()


def _describe_twins(name: str, move: tuple[float, ...], actions: list[int], steps: int) -> Finding:
    which = " and ".join(map(str, actions))
    shown = ", ".join(f"{each:g}" for each in move)
    return Finding(
        message=f"Actions {which} both move `{name}` by ({shown}), and none of {steps:,} steps of random play moves it "
        "back, although other moves have their opposites: one action has the effect of another.",
        level=Level.WARN,
        confidence=HIGH,
        evidence=(Evidence(metric=f"actions with one move of {name}", value=float(len(actions)), limit=1.0),),
    )


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
