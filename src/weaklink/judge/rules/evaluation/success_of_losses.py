from __future__ import annotations

import numpy as np

from weaklink.base.evidence.survey import RANDOM, SUCCESS, Survey
from weaklink.judge.rules.evaluation._ends import read_ends, read_terminated
from weaklink.judge.rules.reward._plays import mark_last_steps, select_sound_baselines
from weaklink.judge.rules.writing import HIGH, Answer, CannotTell, Evidence, Finding, Level, Link, rule

FEWEST, FEWEST_PRIZED = 10, 3  # ends of each kind
SHARE = 0.05  # of the successes that must pay what failures do


@rule(
    "EVA104",
    link=Link.EVALUATION,
    level=Level.WARN,
    on=Survey,
    needs=(RANDOM,),
    leads_to=("EVA303", "REW109"),
)
def success_of_losses(survey: Survey) -> Answer:
    """The info calls some ends a success that pay what failures do.

    ## What it sees
    A key of the info that means success (`is_success`, `success`, `solved`), at the ends that terminate, over all
    policies. Some of those that it calls a success pay more than any other step does; and ten or more, a twentieth of
    all successes, pay less than any other step, no more than half of the failures do and less than nothing.

    ## Why it is bad
    Trainers count this flag as the success rate, and choose the best checkpoint by it. Here it rises with policies that
    lose.

    ## What to do
    1. Work out the flag and the reward from one and the same condition, after the outcome is settled.
    2. Look for a rule that the reward knows and the flag does not: a limit that was passed, a move that was invalid, a
       side that had lost before.

    ## How to prove it
    Print reward and flag at the ends of a hundred episodes of random play: no success may pay what a failure does.

    ## When it is wrong
    Where the reward is for something else than the success, such as a race that is won at a high price.

    ## References
    Gymnasium-Robotics and Stable-Baselines3 (`EvalCallback`) on `is_success`; practice.
    """
    plays = select_sound_baselines(survey)
    key = next((key for key in SUCCESS if any(len(play.metrics.get(key, ())) for play in plays.values())), None)
    if RANDOM not in plays or key is None:
        return CannotTell((RANDOM,), "no info of random play tells of success, or too few whole episodes were played")
    over = [read_terminated(play) for play in plays.values()]
    ends = [play.rewards[mark_last_steps(play)] for play in plays.values()]
    flags = [read_ends(key, play) for play in plays.values()]
    inner = np.concatenate([play.rewards[~mark_last_steps(play)] for play in plays.values()])
    paid, told = (np.concatenate([one[end] for one, end in zip(each, over, strict=True)]) for each in (ends, flags))
    won, lost = paid[told > 0.0], paid[told == 0.0]
    if not len(inner) or len(lost) < FEWEST or len(won) < FEWEST:
        return None
    low = min(float(np.median(lost)), 0.0)
    like_losses = (won <= low) & (won < min(float(inner.min()), 0.0))
    prized = int((won > max(float(inner.max()), 0.0)).sum())
    if int(like_losses.sum()) < max(FEWEST, SHARE * len(won)) or prized < FEWEST_PRIZED:
        return None
    return Finding(
        message=f"info['{key}'] is true at {len(won):,} ends, of which {prized:,} pay more than any other step does "
        f"and {int(like_losses.sum()):,} no more than {low:.3g}, as most of the {len(lost):,} ends do that it calls "
        "none: it calls losses a success.",
        confidence=HIGH,
        evidence=(Evidence(metric="successes that pay like failures", value=float(like_losses.mean()), limit=SHARE),),
    )
