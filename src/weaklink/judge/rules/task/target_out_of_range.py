from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from weaklink.base.evidence.series import Array
from weaklink.base.evidence.survey import EXPERTS, RANDOM, SUCCESS, Play, Survey
from weaklink.judge.rules.observation._columns import list_plays
from weaklink.judge.rules.reward._plays import mark_terminations
from weaklink.judge.rules.writing import MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule

WIDEST = 24  # columns whose pairs are gone through
FEWEST_STEPS, FEWEST_EPISODES, FEWEST_PLAYS = 500, 10, 2

PAID = -0.95  # how closely the reward must follow the distance for it to be what is paid for

SMALLEST, LARGEST = 1e-100, 1e100  # spreads beyond these cannot be squared

WEIGHTY = 0.3  # of the largest weight, where several distances are paid for together

FAR = 0.25  # of the range of what moves: what comes no nearer in any step of any policy does not come near at all

FEWEST_SUCCESSES = 3
AT_EDGE = 20  # steps at which a number must be exactly its smallest, and its largest: a fence, which moves run into
CLOSE = 0.1  # of the range of targets: how near successes must be for two columns to be a place and its target
OUTSIDE = 1 / 3  # the share of targets beyond the fence


class _Pair(NamedTuple):
    """A column that resets draw, one that moves, and the shares of targets that it can never come to."""

    target: int
    mover: int
    share: float
    words: str


@rule(
    "TSK111",
    link=Link.TASK,
    level=Level.WARN,
    on=Survey,
    needs=("observation", RANDOM),
    leads_to=("REW102", "REW103", "REW105", "TSK102", "TSK103", "TSK106"),
)
def target_out_of_range(survey: Survey) -> Answer:
    """Targets are drawn where nothing can reach them.

    ## What it sees
    A column that each reset draws and no step changes, beside one that moves, in one of two ways. The reward follows
    their distance (a correlation below -0.95, alone or added to those of other pairs), the one that moves stays on one
    side of every target, and no step of any policy, a searching one among them, comes nearer than a quarter of all its
    range. Or the two are close at every success, which the info tells or which ends the episode with a prize that no
    other step pays, the one that moves is held at a fence on both sides, and a third of the targets lie beyond it, or
    beyond one of two fences where a target has several numbers.

    ## Why it is bad
    The best that can be learned is to come as near as the fence allows. The success rate stays low however long the
    training, and nothing in the curves says why.

    ## What to do
    1. Compare the units and the frame of the two: Fahrenheit and Celsius, centimetres and metres, the field and the
       fence.
    2. Draw targets from the range that can be reached.
    3. Widen what holds the mover back.

    ## How to prove it
    Hold the action at either end for a whole episode, and compare the last state with the targets of ten resets.

    ## When it is wrong
    A slow system that comes to its target only by a long course of actions, which neither a constant action nor a short
    search finds.

    ## References
    Practice.
    """
    plays = {name: play for name, play in survey.baselines.items() if play.observations is not None}
    width = len(survey.labels)
    if len(plays) < FEWEST_PLAYS or RANDOM not in plays or not set(EXPERTS) & set(plays):
        return CannotTell((RANDOM,), f"fewer than {FEWEST_PLAYS} policies, one of them searching")
    random = plays[RANDOM]
    if not 2 <= width <= WIDEST or random.kept < FEWEST_STEPS or random.observations is None:
        return None
    if any(play.observations is None or play.observations.shape[1] != width for play in plays.values()):
        return None
    rows = [(each.before, each.after) for each in list_plays(survey) if each.policy in plays]
    if not all(bool(np.isfinite(part).all()) for pair in rows for part in pair):
        return None
    targets, movers = _split_columns(survey, random)
    found = [*_find_never_near(random, rows, targets, movers), *_find_fenced(plays, rows, targets, movers)]
    if not found:
        return None
    worst = max(found, key=lambda pair: pair.share)
    return Finding(
        message=f"{worst.share:.0%} of the targets in {survey.labels[worst.target]} lie where "
        f"{survey.labels[worst.mover]} never comes: {worst.words}.",
        level=Level.WARN,
        confidence=MEDIUM,
        evidence=(Evidence(metric="task.targets_out_of_range", value=worst.share, limit=OUTSIDE),),
    )


def _split_columns(survey: Survey, play: Play) -> tuple[list[int], list[int]]:
    """The columns that resets draw and no step changes, and those that move."""
    before, after = play.observations, play.successors
    if before is None or after is None:
        return [], []
    numbers = [place for place, kind in enumerate(survey.column_kinds) if kind == "number"]
    starts = play.starts[play.starts < play.kept]
    fixed = [place for place in numbers if bool(np.all(before[:, place] == after[:, place]))]
    drawn = [place for place in fixed if len(np.unique(before[starts, place])) >= FEWEST_EPISODES]
    return drawn, [place for place in numbers if place not in fixed]


def _find_never_near(
    play: Play, rows: list[tuple[Array, Array]], targets: list[int], movers: list[int]
) -> Iterator[_Pair]:
    """Pairs whose distance is paid for and never small."""
    rewards = play.rewards[: play.kept]
    if play.successors is None or not np.isfinite(rewards).all() or np.ptp(rewards) == 0.0:
        return
    for target, mover in _list_paid_pairs(play.successors, rewards, targets, movers):
        gaps = np.concatenate([after[:, target] - after[:, mover] for _, after in rows])
        moved = np.concatenate([after[:, mover] for _, after in rows])
        nearest, reach = float(np.abs(gaps).min()), float(np.ptp(moved))
        if nearest > FAR * reach and (bool(np.all(gaps > 0)) or bool(np.all(gaps < 0))):
            words = (
                f"the reward falls with their distance, which is {nearest:.4g} at the least over {len(gaps):,} "
                f"steps of {len(rows)} policies, and what moves stays between {moved.min():.4g} and {moved.max():.4g}"
            )
            yield _Pair(target, mover, 1.0, words)


def _list_paid_pairs(seen: Array, rewards: Array, targets: list[int], movers: list[int]) -> Iterator[tuple[int, int]]:
    """Pairs of a target and what moves whose distance the reward follows, alone or added to those of other pairs."""
    pairs = [(target, mover) for target in targets for mover in movers]
    away = {pair: np.abs(seen[:, pair[1]] - seen[:, pair[0]]) for pair in pairs[:WIDEST]}
    away = {pair: gap for pair, gap in away.items() if SMALLEST < float(gap.std()) < LARGEST}
    alone = [pair for pair, gap in away.items() if float(np.corrcoef(gap, rewards)[0, 1]) <= PAID]
    yield from alone
    if alone or len(away) < 2:
        return
    gaps = np.column_stack([(gap - gap.mean()) / gap.std() for gap in away.values()])
    weights = np.linalg.lstsq(gaps, rewards - rewards.mean(), rcond=1e-9)[0]
    if float(np.corrcoef(gaps @ weights, rewards)[0, 1]) >= -PAID:
        large = WEIGHTY * float(np.abs(weights).max())
        yield from (pair for pair, weight in zip(away, weights.tolist(), strict=True) if weight < -large)


def _find_fenced(
    plays: dict[str, Play], rows: list[tuple[Array, Array]], targets: list[int], movers: list[int]
) -> Iterator[_Pair]:
    """Pairs that are close at every success, where the mover runs into a fence that many targets lie beyond."""
    met = [_select_successes(play) for play in plays.values()]
    together = np.concatenate([each for each in met if each is not None] or [np.empty((0, 0))])
    if len(together) < FEWEST_SUCCESSES:
        return
    drawn = np.concatenate(
        [play.observations[play.starts[play.starts < play.kept]] for play in plays.values()]  # type: ignore[index]
    )
    pairs, beyond = [], np.zeros(len(drawn), dtype=bool)
    for target in targets:
        spread = float(np.ptp(drawn[:, target]))
        for mover in movers:
            tolerance = float(np.abs(together[:, mover] - together[:, target]).max())
            moved = np.concatenate([after[:, mover] for _, after in rows])
            low, high = float(moved.min()), float(moved.max())
            fenced = min(np.count_nonzero(moved == low), np.count_nonzero(moved == high)) >= AT_EDGE
            if not fenced or tolerance > CLOSE * spread:
                continue
            wanted = drawn[:, target]
            outside = (wanted < low - tolerance) | (wanted > high + tolerance)
            beyond |= outside
            words = (
                f"it is held between {low:.4g} and {high:.4g}, the targets lie between {wanted.min():.4g} and "
                f"{wanted.max():.4g}, and at {len(together):,} successes the two are within {tolerance:.2g}"
            )
            pairs.append(_Pair(target, mover, float(outside.mean()), words))
    share = float(beyond.mean())
    if pairs and share >= OUTSIDE:  # a target in the plane lies outside where either of its numbers does
        yield max(pairs, key=lambda pair: pair.share)._replace(share=share)


def _select_successes(play: Play) -> Array | None:
    """What was seen after the steps that the info calls a success; None where it tells of none.

    Where it tells nothing, they are the steps that end an episode and pay far more than any other step does.
    """
    key = next((key for key in SUCCESS if len(play.metrics.get(key, ())) == len(play.rewards)), None)
    if play.successors is None:
        return None
    if key is not None:
        return np.asarray(play.successors[play.metrics[key][: play.kept] > 0])
    ends = mark_terminations(play)
    if not ends.any() or ends.all() or not np.isfinite(play.rewards).all():
        return None
    inner = play.rewards[~ends]
    prized = ends & (play.rewards > inner.max() + max(float(np.ptp(inner)), 0.0))
    return np.asarray(play.successors[prized[: play.kept]])
