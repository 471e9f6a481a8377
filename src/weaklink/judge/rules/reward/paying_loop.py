from __future__ import annotations

from weaklink.base.evidence.survey import Survey
from weaklink.judge.rules.writing import HIGH, Answer, CannotTell, Evidence, Finding, Level, Link, rule


@rule(
    "REW117",
    link=Link.REWARD,
    level=Level.WARN,
    on=Survey,
    needs=("reached",),
    leads_to=("TSK101", "TSK102", "TSK106"),
)
def paying_loop(survey: Survey) -> Answer:
    """Going round in circles pays more than reaching the end of the task.

    ## What it sees
    A small world is mapped: each action is tried in each state that any course of actions reaches. Some circle pays at
    every turn; it is played, and pays again and again. Over the time limit (or over the horizon of the discount, where
    there is none) that is more than the end of the task pays, which the map shows too.

    ## Why it is bad
    The best policy never finishes. A learner that explores enough finds the circle, its return rises beyond that of
    every policy that does what was meant, and the success rate falls.

    ## What to do
    1. Pay for an event once: keep in the state that the key was taken, and show it.
    2. Or take back what was paid when the event is undone, as a potential does (`gamma * phi(next) - phi(now)`).

    ## How to prove it
    `weaklink preflight ENV --select REW117` after the change.

    ## When it is wrong
    A task that is to go on, whose end with a prize is an exit and not the goal.

    ## References
    Ng, Harada and Russell, Policy Invariance under Reward Transformations, 1999; Randlov and Alstrom, Learning to Drive
    a Bicycle, 1998: a shaping reward that was earned by riding in circles.
    """
    prizes = [one for one in survey.reached if one.prize > 0.0]
    if not prizes:
        return CannotTell(("reached",), "no start was mapped from which an end that pays can be reached")
    best = max(prizes, key=lambda one: one.loop)
    limit = survey.facts.get("max_episode_steps")
    steps = float(limit) if isinstance(limit, int | float) and limit else 1.0 / (1.0 - survey.gamma)
    if best.loop * steps <= best.prize:
        return None
    return Finding(
        message=f"Going round in circles pays {best.loop:.3g} a step, {best.loop * steps:.3g} over {steps:,.0f} steps, "
        f"and the end of the task, {best.nearest} steps away, pays {best.prize:.3g}: never coming there pays more.",
        confidence=HIGH,
        evidence=(Evidence(metric="reward of going round", value=best.loop * steps, limit=best.prize),),
    )
