from __future__ import annotations

import numpy as np

from weaklink.base.evidence.survey import BOTH, CUT, LIMITED, RANDOM, TRUNCATED, Play, Survey
from weaklink.judge.rules.writing import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule

FEWEST = 3  # episodes of random play whose lengths can differ

GROWN = 100.0  # times the size that a number has early: what a bounded state never does once it was met

VARIED = 0.1  # the spread relative to the mean below which a counter, not the play, seems to end episodes


@rule(
    "TSK108",
    link=Link.TASK,
    level=Level.WARN,
    on=Survey,
    needs=("random",),
    leads_to=("OBS103", "OBS104", "OBS105", "REW101", "REW104", "REW111", "TSK103", "TSK106"),
    marks=("left to trainers",),
)
def never_ends(survey: Survey, *, steps: int = 2000) -> Answer:
    """No episode ever ends, or a poor policy's hardly ever does, and no time limit ends it.

    ## What it sees
    No episode of any policy ended, although the longest ran for more than 2,000 steps. It is a warning where a limit is
    declared, where random play is paid the same in all later steps, or where what it sees runs away; where rewards keep
    changing within bounds, the task may be one without an end by design, and it is info. Or no time limit is declared,
    no episode was ever truncated, and those of random play terminate after more than 1,000 steps on average and after
    very different ones, the longest after more than 2,000: this is info, since CliffWalking is like that and can be
    learned.

    ## Why it is bad
    Without an end there is no reset, so the agent sees one long trajectory away from its first state and never
    practises the start. Trainers that log the return of an episode log nothing, and evaluations hang.

    ## What to do
    1. Return `terminated` where the task is done or lost.
    2. Wrap the environment in a time limit: `gymnasium.wrappers.TimeLimit(env, max_episode_steps=1000)`.
    3. If the task is meant to continue forever, keep the time limit and let the trainer bootstrap at the truncation.

    ## How to prove it
    `weaklink preflight ENV --arg max_episode_steps=1000`: with a limit every episode is truncated.

    ## When it is wrong
    Episodes that are longer than the survey could wait for. `--seconds` and `--steps` let it wait longer. A task that
    is meant to go on forever, as those of average rewards are, and loops that cut episodes off themselves: beside a
    training it is information, and without a return nothing is called healthy there.

    ## References
    Pardo et al. 2018, Time Limits in Reinforcement Learning.
    """
    plays = survey.plays.values()
    if any(bool(np.any((play.ends != CUT) & (play.ends != LIMITED))) for play in plays):
        return _judge_random_play(survey, steps)
    longest = max((int(play.lengths.max(initial=0)) for play in plays), default=0)
    if longest < steps:
        return CannotTell(("longer episodes",), f"no episode ended, the longest was watched for {longest} steps")
    limit = survey.facts.get("max_episode_steps")
    return Finding(
        message=f"No episode ever ended: the longest ran for {longest:,} steps"
        + (f" although a limit of {limit:,} is declared." if limit else ", and no time limit is declared."),
        level=Level.WARN if limit or _is_over(survey.plays[RANDOM]) else Level.INFO,
        confidence=HIGH if longest >= 5 * steps else MEDIUM,
        evidence=(Evidence(metric="task.episode_length", value=longest, limit=steps),),
    )


def _is_over(play: Play) -> bool:
    """Whether a play goes on though all is over, or runs away: the later half of its longest episode tells."""
    if not len(play.lengths):
        return False
    longest = int(np.argmax(play.lengths))
    first = int(play.starts[longest])
    half = first + int(play.lengths[longest]) // 2
    if np.ptp(play.rewards[half : first + int(play.lengths[longest])]) == 0.0:
        return True
    if play.observations is None or play.kept < 2:
        return False
    with np.errstate(invalid="ignore", over="ignore"):
        early, late = (np.abs(part).max(axis=0) for part in np.array_split(play.observations, 2))
        return not bool((late <= GROWN * np.maximum(early, 1.0)).all())


def _judge_random_play(survey: Survey, steps: int) -> Finding | None:
    """Whether nothing but luck ends the episodes of random play."""
    lengths, limit = survey.plays[RANDOM].ended_lengths, survey.facts.get("max_episode_steps")
    truncated = any(bool(np.any((play.ends == TRUNCATED) | (play.ends == BOTH))) for play in survey.plays.values())
    if limit or truncated or len(lengths) < FEWEST or lengths.max() < steps or lengths.mean() < steps / 2:
        return None
    if lengths.std() < VARIED * lengths.mean():
        return None
    return Finding(
        message=f"No time limit ends an episode: the {len(lengths)} that random play finished took "
        f"{lengths.mean():,.0f} steps on average and up to {lengths.max():,}, and a poor policy may never finish one.",
        level=Level.INFO,
        confidence=MEDIUM,
        evidence=(Evidence(metric="task.episode_length", value=float(lengths.max()), limit=steps),),
    )
