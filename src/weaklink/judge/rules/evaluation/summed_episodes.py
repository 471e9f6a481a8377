from __future__ import annotations

import numpy as np

from weaklink.base.evidence.series import Array
from weaklink.base.evidence.survey import RANDOM, Play, Survey
from weaklink.judge.rules.writing import HIGH, Answer, CannotTell, Evidence, Finding, Level, Link, rule

FEWEST = 10  # episodes whose score is told and whose return is not zero

CLOSE = 1e-4  # relative: scores are often rounded to single precision


@rule("EVA102", link=Link.EVALUATION, level=Level.ERROR, on=Survey, needs=(RANDOM,))
def summed_episodes(survey: Survey) -> Answer:
    """The score of an episode that the environment tells is a sum over all episodes so far.

    ## What it sees
    At the end of an episode the info holds `episode` with its return `r` and its length `l`, as
    `RecordEpisodeStatistics` and `Monitor` tell them. From one episode to the next the number told grows by exactly
    what the episode returned, or by exactly its length, and it is not the episode's own. Scores of rewards in other
    units are fine.

    ## Why it is bad
    Trainers log this number as the return of an episode, choose checkpoints by it and stop by it. It grows whatever is
    learned: every run looks like a success.

    ## What to do
    1. Clear the sum in `reset`, before the first step of the next episode.
    2. Use `gymnasium.wrappers.RecordEpisodeStatistics`.

    ## How to prove it
    Play two episodes, add up their rewards by hand, and print `info["episode"]` at the end of each.

    ## When it is wrong
    Where the key means the sum over several lives or rounds on purpose.

    ## References
    Gymnasium, `RecordEpisodeStatistics`; practice.
    """
    play = survey.plays[RANDOM]
    if play.told_returns is None and play.told_lengths is None:
        return CannotTell(("episode",), "no info tells the score of an episode")
    scores = (("r", "return", play.told_returns, _sum_returns(play)), ("l", "length", play.told_lengths, play.lengths))
    for key, name, told, own in scores:
        count = 0 if told is None else _count_carried(told, np.asarray(own, dtype=float))
        if count and told is not None:
            last = int(np.flatnonzero(np.isfinite(told))[-1])
            return Finding(
                message=f"info['episode']['{key}'] is not the {name} of the episode but the sum over all so far: it "
                f"grows by the {name} of each of {count} episodes, to {told[last]:,.6g} where the episode had "
                f"{own[last]:,.6g}.",
                level=Level.ERROR,
                confidence=HIGH,
                evidence=(Evidence(metric=f"episode.{key}", value=float(told[last]), limit=float(own[last])),),
            )
    return None


def _sum_returns(play: Play) -> Array:
    """The return of every episode, whole or not."""
    return np.asarray(np.bincount(play.episode_of, weights=play.rewards, minlength=len(play.lengths)))


def _count_carried(told: Array, own: Array) -> int:
    """The episodes by whose score the number grew, where all did and it is not their own; 0 where that is not so."""
    if len(told) != len(own):
        return 0
    pairs = np.flatnonzero(np.isfinite(told[1:]) & np.isfinite(told[:-1]) & np.isfinite(own[1:]) & (own[1:] != 0.0)) + 1
    grown, due, size = told[pairs] - told[pairs - 1], own[pairs], 1.0 + np.abs(told[pairs])
    carried = bool(np.all(np.abs(grown - due) <= CLOSE * size))
    strange = bool(np.all(np.abs(told[pairs] - due) > CLOSE * size))
    return len(pairs) if len(pairs) >= FEWEST and carried and strange else 0
