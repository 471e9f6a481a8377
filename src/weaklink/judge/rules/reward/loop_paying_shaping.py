from __future__ import annotations

import numpy as np

from weaklink.base.evidence.series import Array
from weaklink.base.evidence.survey import RANDOM, Survey
from weaklink.base.reference.shaping import PAYS, POTENTIAL, Shaping
from weaklink.judge.rules.reward._components import is_whole_reward
from weaklink.judge.rules.reward._terms import collect_term_steps, examine_term
from weaklink.judge.rules.writing import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule


@rule(
    "REW112",
    link=Link.REWARD,
    level=Level.WARN,
    on=Survey,
    needs=(RANDOM,),
    leads_to=("REW109", "REW305", "EVA305", "TSK104"),
)
def loop_paying_shaping(survey: Survey, *, small: float = 0.05, longest: int = 100) -> Answer:
    """The shaping term pays for going in circles.

    ## What it sees
    The shaping component of the reward (the key given, or a component called `shaping`) is not a difference of
    potentials, and within one episode a policy returned to an earlier state and was paid for the loop, repeatedly. A
    potential that is not zero in terminal states is info.

    ## Why it is bad
    A loop that pays can be repeated forever. The return rises, episodes grow long, and the task is never done. A
    difference of potentials adds up to zero over every loop, so it cannot be exploited.

    ## What to do
    1. Charge on the way back what is paid on the way there: pay `gamma * potential(next) - potential(now)`.
       `weaklink.adapters.gymnasium.shaping.PotentialShaping` does this, with zero in terminal states.
    2. Pay a bonus for a place or an event once per episode, and add to the observation whether it was paid.
    3. Use the discount of the learner in the term.

    ## How to prove it
    `weaklink preflight ENV --shaping KEY` with the term replaced: no loop pays any more. Or train briefly and watch the
    task metric beside the return.

    ## When it is wrong
    Where the observation hides what the potential depends on (a distance run, a counter), different states look the
    same and a loop seems closed although it is not. A loop that pays little compared with the task is info only.

    ## References
    Ng, Harada and Russell, Policy Invariance under Reward Transformations, 1999. Randlov and Alstrom, Learning to Drive
    a Bicycle using Reinforcement Learning and Shaping, 1998.
    """
    key = _find_shaping_key(survey)
    if not key:
        return CannotTell(("shaping",), "no component of the reward is known to be a shaping term")
    if survey.seen_columns is not None:
        return CannotTell(("observations",), "observations are too wide to recognise states")
    steps = collect_term_steps(survey, key)
    if steps is None:
        return CannotTell(("observations",), "no play has both observations and the shaping term")
    told = examine_term(steps, survey.gamma, longest)
    if told.verdict == PAYS:
        return _describe_loop(told, key, steps.terms, steps.rewards, small)
    if told.verdict == POTENTIAL:
        return _judge_terminal(told, key, steps.terms)
    return CannotTell((key,), told.why)


def _find_shaping_key(survey: Survey) -> str:
    keys = [survey.shaping] if survey.shaping else []
    keys += [key for play in survey.plays.values() for key in play.components if "shap" in key.lower()]
    for key in keys:
        terms = [(play.components[key], play.rewards) for play in survey.plays.values() if key in play.components]
        if any(np.any(values) and not _is_whole(values, rewards) for values, rewards in terms):
            return key
    return ""


def _is_whole(values: Array, rewards: Array) -> bool:
    """Whether a component with that name is the whole shaped reward, and not the term."""
    return len(values) != len(rewards) or not len(rewards) or is_whole_reward(values, rewards)


def _describe_loop(told: Shaping, key: str, terms: Array, rewards: Array, small: float) -> Finding | None:
    loop = told.loop
    if loop is None:
        return None
    rate = loop.gain / loop.steps
    task = float(np.mean(np.abs(rewards - terms)))
    little = rate < small * task
    return Finding(
        message=f"The shaping term '{key}' pays {loop.gain:.3g} for {loop.steps} steps that end where they started"
        f" ({rate:.2g} a step, against {task:.2g} for the rest), and {told.residual:.0%} of it is not a potential.",
        level=Level.INFO if little else Level.WARN,
        confidence=HIGH if told.noise < 0.05 else MEDIUM,
        evidence=(
            Evidence(metric=f"reward.component.{key}.loop", value=loop.gain, limit=0.0, step=float(loop.start)),
            Evidence(metric=f"reward.component.{key}.residual", value=told.residual),
        ),
    )


def _judge_terminal(told: Shaping, key: str, terms: Array) -> Finding | None:
    if told.terminal is None or told.terminal <= float(np.sqrt(np.mean(terms**2))):
        return None
    return Finding(
        message=f"The shaping term '{key}' is the difference of a potential, which is {told.terminal:.3g} in terminal "
        "states and should be zero there.",
        level=Level.INFO,
        confidence=MEDIUM,
        evidence=(Evidence(metric=f"reward.component.{key}.terminal", value=told.terminal, limit=0.0),),
    )
