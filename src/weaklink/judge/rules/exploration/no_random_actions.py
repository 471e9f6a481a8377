from __future__ import annotations

from weaklink.base.evidence.run import Run
from weaklink.judge.rules._course import FEWEST, rises_after_first
from weaklink.judge.rules.writing import HIGH, Answer, CannotTell, Evidence, Finding, Level, Link, rule


@rule(
    "EXP310",
    link=Link.EXPLORATION,
    level=Level.WARN,
    needs=("exploration.epsilon",),
    leads_to=("REW301", "REW302", "VAL304", "VAL305", "VAL307", "TSK301", "EVA304"),
    symptoms={"reward flat": 16},
    checks={"exploration": "fails"},
)
def no_random_actions(run: Run, *, least: float = 0.01) -> Answer:
    """No action was ever drawn at random.

    ## What it sees
    Epsilon is below 0.01 from its first point to its last, and the return stays where it began, or changed with the
    first point alone.

    ## Why it is bad
    Only what the untrained values happen to prefer is ever tried: of all else nothing is known, so nothing better is
    found.

    ## What to do
    1. Begin with an epsilon of 1 and let it fall to 0.05 within the first tenth to half of the budget.
    2. Or begin with values above any return, so that what was not tried yet looks best.

    ## How to prove it
    Repeat a short run with an epsilon of 0.3 throughout: the returns must scatter more.

    ## When it is wrong
    Noisy networks, bonuses and Boltzmann exploration draw otherwise. The record of an evaluation has an epsilon of 0.

    ## References
    Sutton and Barto, Reinforcement Learning: An Introduction, 2018, section 2.7.
    """
    epsilon, course = run["exploration.epsilon"], run.performance
    if len(epsilon) < FEWEST or course is None:
        return CannotTell((epsilon.name,), f"fewer than {FEWEST} points, or no return to compare with")
    highest = float(epsilon.highs.max())
    if highest >= least or not (course.flat or (course.improved and not rises_after_first(run[course.metric]))):
        return None
    return Finding(
        message=f"Epsilon never rises above {highest:g} (limit {least:g}), and {course.told}: nothing but what the "
        "first values prefer is ever tried.",
        onset=epsilon.first_step,
        onset_within=epsilon.interval,
        confidence=HIGH,
        evidence=(Evidence(metric=epsilon.name, value=highest, limit=least, step=epsilon.last_step),),
    )
