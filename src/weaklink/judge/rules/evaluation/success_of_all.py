from __future__ import annotations

import numpy as np

from weaklink.base.evidence.survey import RANDOM, SUCCESS, Play, Survey
from weaklink.judge.rules.evaluation._ends import read_ends, read_terminated
from weaklink.judge.rules.reward._plays import mark_last_steps, select_sound_baselines
from weaklink.judge.rules.writing import HIGH, Answer, CannotTell, Evidence, Finding, Level, Link, rule

FEWEST = 10  # episodes that fail before the first success, or the steps told in them, and that all succeed after it

FEWEST_POLICIES, FEWEST_ENDS = 3, 3  # that all succeed: of 380 healthy environments none was like that
PAID_MOSTLY = 0.5  # of the ends: then success goes with what is paid

FEWEST_FINED, FEWEST_PRIZED = 10, 3  # ends that pay less than any other step, and ends that pay more


@rule(
    "EVA103",
    link=Link.EVALUATION,
    level=Level.WARN,
    on=Survey,
    needs=(RANDOM,),
    leads_to=("TSK110", "EVA303"),
)
def success_of_all(survey: Survey) -> Answer:
    """The info calls every episode a success, whatever happened in it.

    ## What it sees
    A key of the info that means success (`is_success`, `success`, `solved`). In random play it is false throughout at
    first, and from the first success on it is never false again, in whatever episode: no reset clears it. Or it is
    true at every end of every policy, or at every one that terminates, although some of these ends pay more than any
    other step does and others less than any other, or just what all other steps pay. Or every policy, doing nothing
    among them, succeeds in every episode, and few of the ends pay more than other steps do.

    ## Why it is bad
    Trainers and curricula count this flag as the success rate. It is perfect whatever the policy does, so the best
    checkpoint, the time to stop and the next lesson are chosen by nothing.

    ## What to do
    1. Clear the flag in `reset`, with all else that belongs to one episode.
    2. Work it out of what happened (`distance < tolerance`), not of the episode being over.

    ## How to prove it
    Play an episode that fails and one that succeeds, in both orders, and print the flag at each end.

    ## When it is wrong
    Where the flag says that the task was solved once in the life of the environment, or that no error occurred.

    ## References
    Gymnasium-Robotics and Stable-Baselines3 (`EvalCallback`) on `is_success`; practice.
    """
    plays = select_sound_baselines(survey)
    keys = [key for key in SUCCESS if any(len(play.metrics.get(key, ())) for play in plays.values())]
    if RANDOM not in plays or not keys:
        return CannotTell((RANDOM,), "no info of random play tells of success, or too few whole episodes were played")
    key = keys[0]
    return _judge_kept(key, plays[RANDOM]) or _judge_ends(key, list(plays.values())) or _judge_policies(key, plays)


def _judge_kept(key: str, play: Play) -> Finding | None:
    """The finding, if random play succeeds for ever from its first success on, in every episode and at every step."""
    told = play.metrics.get(key)
    if told is None or len(told) != len(play.rewards):
        return None
    places = np.flatnonzero(np.isfinite(told))
    flags = told[places] > 0.0
    first = int(np.argmax(flags)) if flags.any() else len(flags)
    if first < FEWEST or not flags[first:].all():
        return None
    later = len(np.unique(play.episode_of[places[first:]])) - 1
    if later < FEWEST:
        return None
    return _describe(
        f"info['{key}'] is false in the first {first:,} steps of random play that tell it, and true at every one after "
        f"that, through {later} more episodes from their first step that tells it on: no reset clears it."
    )


def _judge_ends(key: str, plays: list[Play]) -> Finding | None:
    """The finding, if ends that pay more than any other step and ends that pay less are all called a success."""
    ends = [(play.rewards[mark_last_steps(play)], read_ends(key, play), read_terminated(play)) for play in plays]
    inner = np.concatenate([play.rewards[~mark_last_steps(play)] for play in plays])
    paid, told, over = (np.concatenate(part) for part in zip(*ends, strict=True))
    what = "ends of episodes"
    if not np.all(told > 0.0):  # false or not told at some end: at a time limit perhaps, which is no end of the task
        paid, told, over, what = paid[over], told[over], over[over], "ends that terminate"
    if not len(inner) or not len(told) or not np.all(told > 0.0):
        return None
    fined, prized = int((paid < min(inner.min(), 0.0)).sum()), int((paid > max(inner.max(), 0.0)).sum())
    unpaid = int((paid[over] == inner[0]).sum()) if np.all(inner == inner[0]) and not fined else 0
    if max(fined, unpaid) < FEWEST_FINED or prized < FEWEST_PRIZED:
        return None
    rest = f"{fined:,} less than any other" if fined else f"{unpaid:,} what every other step pays"
    return _describe(
        f"info['{key}'] is true at all {len(paid):,} {what}, although {prized:,} of them pay more than any "
        f"other step does and {rest}: it does not tell success from failure."
    )


def _judge_policies(key: str, plays: dict[str, Play]) -> Finding | None:
    """The finding, if all episodes of every policy succeed, doing nothing among them, and hardly any is paid for it."""
    told = {name: read_ends(key, play) for name, play in plays.items()}
    lasts = [mark_last_steps(play) for play in plays.values()]
    paid, inner = (
        np.concatenate([play.rewards[chosen] for play, chosen in zip(plays.values(), each, strict=True)])
        for each in (lasts, [~last for last in lasts])
    )
    always = all(len(ends) >= FEWEST_ENDS and bool(np.all(ends > 0.0)) for ends in told.values())
    if len(told) < FEWEST_POLICIES or not always:
        return None
    # a task that is solved as it starts, that pays nothing or pays every end is told as such
    if len(inner) <= len(paid) or np.ptp(inner) == 0.0 or np.mean(paid > inner.max()) >= PAID_MOSTLY:
        return None
    return _describe(
        f"info['{key}'] is true at all {len(paid):,} ends of episodes of {', '.join(told)}, and few of them pay more "
        "than other steps do: whatever is done counts as a success."
    )


def _describe(message: str) -> Finding:
    return Finding(
        message=message,
        confidence=HIGH,
        evidence=(Evidence(metric="success told of failures", value=1.0, limit=0.0),),
    )
