from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np

from weaklink.base.evidence.performance import measure_course
from weaklink.base.evidence.run import Run
from weaklink.base.evidence.series import Series
from weaklink.judge.rules.writing import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule

SUCCESS = ("evaluation.success_rate", "task.success_rate")
PAID = ("reward.episode_return", "reward.mean")
OPPONENT = re.compile(r"win[ _-]?rate", re.IGNORECASE)
FEWEST = 10  # points: a fair game gives ten equal evaluations of few games by chance once in a thousand

# where no training episode ever succeeds, not even by chance, the goal is out of reach or not told
SUCCESS_IN_TRAINING = "task.success_rate"


@rule(
    "EVA304",
    link=Link.EVALUATION,
    level=Level.WARN,
    on=Run,
    needs=(("evaluation.win_rate", *SUCCESS),),
    leads_to=("REW301", "EXP303", "VAL304", "POL302"),
)
def degenerate_win_rate(run: Run, *, share: float = 0.6) -> Answer:
    """The win rate is always 0 % or always 100 %, so there is nothing left to learn.

    ## What it sees
    The win rate is exactly 0 % or exactly 100 % for the last 60 % of the log; or the success rate is exactly 0 % for
    that long. Keys of single opponents count too. Where the return or the reward improves although success stays at 0,
    or comes to 100 % on the way, it is info only. A success rate that reached 100 % is the goal of training, and
    healthy.

    ## Why it is bad
    A game that is always lost or always won pays the same whatever the actions, so no action has an advantage. The
    opponent is too strong or too weak, or the task is out of reach of the policy's exploration.

    ## What to do
    1. Always lost: start with weaker opponents or easier goals, and raise the difficulty with the success rate.
    2. Always won: play against past versions of the policy, or stronger opponents; keep win rates between 5 and 95 %.
    3. Check how success is counted: a flag that is never set looks the same.
    4. Try a simple scripted player: if it never wins either, the game or the counting is broken.

    ## How to prove it
    Play twenty games with a strong hand-written player and twenty at random against the same opponent: the numbers of
    wins must differ.

    ## When it is wrong
    A benchmark opponent that is always beaten says nothing about training, as long as others are not. Few games per
    evaluation give exactly 0 or 1 by chance.

    ## References
    Vinyals et al., Grandmaster Level in StarCraft II Using Multi-Agent Reinforcement Learning, 2019.
    """
    known = [series for series in _list_rates(run) if len(series) >= FEWEST]
    if not known:
        return CannotTell(("evaluation.win_rate",), f"fewer than {FEWEST} points")
    for series in known:
        for extreme in (0.0, 1.0):
            if extreme == 1.0 and series.name in SUCCESS:
                continue
            start = _find_stuck(series, extreme)
            if start is not None and len(series) - start >= max(FEWEST, share * len(series)):
                return _describe(run, series, start, extreme)
    return None


def _list_rates(run: Run) -> Iterator[Series]:
    """Yields win and success rates, and win rates against single opponents under other keys."""
    yield from run.matching("evaluation.win_rate")
    yield from (run[name] for name in SUCCESS if name in run)
    yield from (series for name, series in run.unknown.items() if OPPONENT.search(name) and len(series))


def _find_stuck(series: Series, extreme: float) -> int | None:
    """The index from which the rate is exactly 0 or exactly 1 to the end."""
    top = 100.0 if series.highs.max() > 1.5 else 1.0
    stuck = (np.abs(series.lows - extreme * top) < 1e-9) & (np.abs(series.highs - extreme * top) < 1e-9)
    free = np.flatnonzero(~stuck)
    if not len(free):
        return 0
    return int(free[-1]) + 1 if free[-1] + 1 < len(series) else None


def _describe(run: Run, series: Series, start: int, extreme: float) -> Finding:
    step = float(series.steps[start])
    courses = [run.performance, *(measure_course(run[name]) for name in PAID if name in run)]
    other = any(course is not None and course.improved and course.metric != series.name for course in courses)
    what = "success rate" if series.name in SUCCESS else "win rate"
    whose = f" ({series.name})" if series.name not in (*SUCCESS, "evaluation.win_rate") else ""
    return Finding(
        message=f"The {what}{whose} is exactly {extreme:.0%} from step {step:,.0f} to the end, "
        f"for {len(series) - start} points.",
        link=Link.TASK if series.name == SUCCESS_IN_TRAINING and not start and extreme == 0.0 else None,
        level=Level.INFO if other and (start or extreme == 0.0) else Level.WARN,
        onset=step,
        onset_within=series.interval,
        confidence=HIGH if len(series) - start >= 30 else MEDIUM,
        evidence=(Evidence(metric=series.name, value=float(series.values[-1]), step=step),),
    )
