from __future__ import annotations

import numpy as np

from weaklink.base.evidence.survey import BOTH, CUT, RANDOM, SUCCESS, TERMINATED, ZERO, Play, Survey
from weaklink.judge.rules._words import join_names
from weaklink.judge.rules.reward._plays import mark_last_steps
from weaklink.judge.rules.writing import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule

FEWEST_EPISODES, FEWEST_PLAYS = 20, 3

NEARLY_ALL = 0.95  # of the episodes of each policy

# where no info tells of success: the share of the episodes of random play and of half of the policies, beside others
# so much longer that the task is not one of a single step; of the other rewards so many are less than such an end pays
MOST, FAR_LONGER, ABOVE = 0.5, 10, 0.99

# or one action throughout does so nearly always, for the highest reward there is, and random play now and then: where
# one may stop at any time, the first moment is seldom the best
SIMPLE, WHOLE, SOMETIMES = ("zero", "constant"), 0.99, 0.2

# or doing nothing gets it every time: what is left of the highest reward, how often random play may get it, and by how
# many standard deviations of its returns another policy may do better
CLOSE, BY_CHANCE, UNBEATEN = 0.9, 0.5, 0.05


@rule(
    "TSK110",
    link=Link.TASK,
    level=Level.WARN,
    on=Survey,
    needs=(RANDOM,),
    leads_to=("OBS101", "OBS102", "OBS108", "REW105", "REW107", "TSK101", "TSK102", "TSK105"),
)
def solved_at_start(survey: Survey, *, steps: int = 2) -> Answer:
    """Every episode succeeds in its first steps, whatever is done.

    ## What it sees
    Of three policies or more, one of them random, nearly all episodes end within 2 steps, and the info calls each of
    them a success. Where no info tells of success, an end is one that pays more than hardly any other step does: more
    than half of the episodes of random play, and of half of the policies, terminate so within 2 steps, while others go
    on for ten times as long. Or one action throughout does so in nearly every episode, for the highest reward of all.

    ## Why it is bad
    There is nothing to learn: the task is solved before the policy has done anything. Success rates are perfect from
    the first update on, and say nothing.

    ## What to do
    1. Look at the start and at the goal: places in different frames, a start that is drawn around the goal.
    2. Check the tolerance: its units, and whether it is larger than the world.

    ## How to prove it
    Print the distance to the goal right after the reset, beside the tolerance.

    ## When it is wrong
    The first lesson of a curriculum. A game of chance that is won at once more often than not.

    ## References
    Practice.
    """
    plays = {name: play for name, play in survey.baselines.items() if play.episodes >= FEWEST_EPISODES}
    told = {name: share for name, play in plays.items() if (share := _measure_success(play, steps)) is not None}
    if not told and RANDOM in plays and len(plays) >= FEWEST_PLAYS:
        return _judge_paid_ends(plays, steps, _is_of_numbers(survey))
    if RANDOM not in told or len(told) < FEWEST_PLAYS:
        return CannotTell((RANDOM,), f"fewer than {FEWEST_PLAYS} policies with episodes that tell of success")
    worst = min(told.values())
    if worst < NEARLY_ALL:
        return None
    return Finding(
        message=f"At least {worst:.0%} of the episodes of {join_names(told)} end with a success within {steps} steps: "
        "the task is solved as it starts.",
        level=Level.WARN,
        confidence=HIGH,
        evidence=(Evidence(metric="task.solved_at_start", value=worst, limit=NEARLY_ALL),),
    )


def _is_of_numbers(survey: Survey) -> bool:
    """Whether 0 means to do nothing: of choices it is one like the others."""
    return survey.action is not None and all(column.kind == "number" for column in survey.action.columns)


def _judge_doing_nothing(plays: dict[str, Play], usual: float) -> Finding | None:
    """The finding, if the action 0 gets the prize in every episode, random play seldom, and nobody returns more."""
    idle, random = plays.get(ZERO), plays[RANDOM]
    if idle is None or not {"search", "tabular"} & set(plays):
        return None
    best = max(float(play.returns.mean()) for play in plays.values())
    top = max(float(play.rewards.max()) for play in plays.values())
    if _measure_paid_ends(idle, int(idle.lengths.max()), max(usual, CLOSE * top)) < 1.0:
        return None
    by_chance = _measure_paid_ends(random, int(random.lengths.max()), max(usual, CLOSE * top))
    scatter = float(random.returns.std())
    if by_chance > BY_CHANCE or best - float(idle.returns.mean()) > UNBEATEN * scatter or idle.returns.std() > scatter:
        return None
    return Finding(
        message=f"Doing nothing ends every one of {idle.episodes} episodes, after {float(idle.lengths.mean()):,.0f} "
        f"steps, with a reward of up to {top:.3g}, the highest there is, and no policy returns more; random play comes "
        f"to it in {by_chance:.0%}: either nothing has to be done, or what pays is not the task.",
        level=Level.WARN,
        confidence=MEDIUM,
        evidence=(Evidence(metric="task.solved_by_doing_nothing", value=1.0, limit=BY_CHANCE),),
    )


def _judge_paid_ends(plays: dict[str, Play], steps: int, has_rest: bool) -> Answer:
    """Judges by ends that pay more than other steps do."""
    longest = max(int(play.lengths.max()) for play in plays.values())
    inner = np.concatenate([play.rewards[~mark_last_steps(play)] for play in plays.values()])
    if longest < FAR_LONGER * steps or not len(inner) or not np.isfinite(inner).all():
        return CannotTell((RANDOM,), "no info tells of success, and no episode is long enough to compare with")
    top = max(float(play.rewards.max()) for play in plays.values())
    usual = max(float(np.quantile(inner, ABOVE)), 0.0)
    shares = {name: _measure_paid_ends(play, steps, usual) for name, play in plays.items()}
    least = min(shares[RANDOM], float(np.median(list(shares.values()))))
    simple = max((_measure_paid_ends(plays[name], steps, WHOLE * top) for name in SIMPLE if name in plays), default=0.0)
    if least < MOST and (simple < NEARLY_ALL or shares[RANDOM] < SOMETIMES):
        return _judge_doing_nothing(plays, usual) if has_rest else None
    others = (least, "half of the policies") if least >= MOST else (simple, "one action throughout")
    return Finding(
        message=f"{shares[RANDOM]:.0%} of the episodes of random play terminate within {steps} steps with a reward "
        f"above {usual:.3g}, which hardly any other step pays, and so do {others[0]:.0%} of those of {others[1]}; "
        f"the longest episode has {longest:,} steps: most are won as they start.",
        level=Level.WARN,
        confidence=MEDIUM,
        evidence=(Evidence(metric="task.solved_at_start", value=others[0], limit=MOST),),
    )


def _measure_paid_ends(play: Play, steps: int, usual: float) -> float:
    """The share of whole episodes that terminate soon and are paid more for it than usual."""
    whole = (play.ends != CUT) & (play.lengths > 0)
    last = play.rewards[(play.starts + play.lengths - 1)[whole]]
    over = (play.ends[whole] == TERMINATED) | (play.ends[whole] == BOTH)
    return float(np.mean(over & (last > usual) & (play.lengths[whole] <= steps)))


def _measure_success(play: Play, steps: int) -> float | None:
    """The share of whole episodes that are short and end with a success; None where none tells of success."""
    key = next((key for key in SUCCESS if len(play.metrics.get(key, ())) == len(play.rewards)), None)
    if key is None:
        return None
    whole = (play.ends != CUT) & (play.lengths > 0)
    last = play.metrics[key][(play.starts + play.lengths - 1)[whole]]
    return float(np.mean((last > 0) & (play.lengths[whole] <= steps)))
