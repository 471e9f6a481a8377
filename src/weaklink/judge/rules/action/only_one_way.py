from __future__ import annotations

import numpy as np

from weaklink.base.evidence.series import Array
from weaklink.base.evidence.survey import BOTH, RANDOM, TERMINATED, Play, Survey
from weaklink.judge.rules.observation._columns import list_plays
from weaklink.judge.rules.writing import MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule

FEWEST_EPISODES = 10
FEWEST_MOVES = 100  # moves, all in the same direction
FEWEST_TAKEN = 30  # steps with an action before the limit is reached
DISTINCT = 5  # different values at the start
SPREAD = 0.5  # of its range: where episodes begin, the outermost tenths apart
RESTS = 0.5  # of the steps of random play at the limit
WIDEST = 64


@rule(
    "ACT114",
    link=Link.ACTION,
    level=Level.WARN,
    on=Survey,
    needs=("action", "observation", RANDOM),
    leads_to=("ACT106", "REW105", "TSK101", "TSK102", "TSK103", "ENV108"),
)
def only_one_way(survey: Survey) -> Answer:
    """What actions move can be moved one way only.

    ## What it sees
    A column that some choices of action move and others leave as it is. Episodes begin with it all over its range, so
    that both ways lead somewhere; but over all policies it is only ever moved one way, rests at the end of its range
    for most of random play, and no episode terminates there or anywhere.

    ## Why it is bad
    After a few steps nothing is left to decide: what was added cannot be taken away again, and all policies end in the
    same state.

    ## What to do
    1. Print what each action does to that number. An offset that is left out (`action` for `action - 1`) turns less,
       the same and more into the same, more and much more.
    2. Check that the table of moves has both signs.

    ## How to prove it
    Take each action ten times from the middle and compare. Then run `weaklink preflight ENV` again.

    ## When it is wrong
    A stock that is only used up, and is drawn anew for each episode, in a task on a fixed clock.

    ## References
    Practice.
    """
    random = survey.plays[RANDOM]
    rows = list_plays(survey)
    if survey.action is None or survey.action.kind != "discrete" or random.observations is None:
        return None
    if random.episodes < FEWEST_EPISODES or not 0 < len(survey.labels) <= WIDEST:
        return CannotTell((RANDOM,), f"fewer than {FEWEST_EPISODES} whole episodes, or too many columns")
    if any(bool(np.any((each.play.ends == TERMINATED) | (each.play.ends == BOTH))) for each in rows):
        return None
    moves = np.concatenate([each.after - each.before for each in rows])
    seen = np.concatenate([each.before for each in rows])
    for place, kind in enumerate(survey.column_kinds):
        if kind not in ("number", "category") or not _goes_one_way(moves[:, place]):
            continue
        limit = float(seen[:, place].max() if moves[:, place].max() > 0 else seen[:, place].min())
        if _is_free_at_start(random, place, float(np.ptp(seen[:, place]))) and _is_moved(random, place, limit):
            count = int(np.count_nonzero(moves[:, place]))
            way = "up" if moves[:, place].max() > 0 else "down"
            return Finding(
                message=f"{survey.labels[place]} begins anywhere in its range and is only ever moved {way}, in "
                f"{count:,} moves of {len(rows)} policies; then it rests at {limit:.4g}: no action moves it back.",
                confidence=MEDIUM,
                evidence=(Evidence(metric="action.moves_one_way", value=float(count), limit=float(FEWEST_MOVES)),),
            )
    return None


def _goes_one_way(moves: Array) -> bool:
    up, down = int(np.count_nonzero(moves > 0)), int(np.count_nonzero(moves < 0))
    return bool(np.isfinite(moves).all()) and min(up, down) == 0 and up + down >= FEWEST_MOVES


def _is_free_at_start(play: Play, place: int, reach: float) -> bool:
    """Whether episodes begin with many values, far apart."""
    begun = np.asarray(play.observations)[play.starts[play.starts < play.kept], place]
    low, high = np.quantile(begun, (0.1, 0.9))
    return len(np.unique(begun)) >= DISTINCT and float(high - low) >= SPREAD * reach


def _is_moved(play: Play, place: int, limit: float) -> bool:
    """Whether some choices move the column and another does not, away from the limit, where it rests mostly."""
    before, after = np.asarray(play.observations)[:, place], np.asarray(play.successors)[:, place]
    if play.actions is None or float(np.mean(before == limit)) < RESTS:
        return False
    away = np.abs(after - before)[before != limit]
    taken = play.actions[: play.kept][before != limit, 0]
    groups = [away[taken == choice] for choice in np.unique(taken)]
    if min(len(group) for group in groups) < FEWEST_TAKEN:
        return False
    return any(not group.any() for group in groups) and any(bool(np.all(group > 0)) for group in groups)
