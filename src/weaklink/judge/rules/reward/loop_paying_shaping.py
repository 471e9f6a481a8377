from __future__ import annotations

import numpy as np

from weaklink.base.evidence.series import Array
from weaklink.base.evidence.survey import RANDOM, Flags, Ints, Play, Survey
from weaklink.base.finding import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding, Level
from weaklink.base.loop import Link
from weaklink.base.reference.shaping import PAYS, POTENTIAL, Shaping, potential
from weaklink.judge.rules._registry import rule
from weaklink.judge.rules.reward._components import same
from weaklink.judge.rules.reward._plays import is_sound, sound_plays, terminal_steps

MOST_STEPS = 4000


@rule(
    "REW112",
    link=Link.REWARD,
    level=Level.WARN,
    on=Survey,
    needs=(RANDOM,),
    leads_to=("REW109", "REW305", "EVA305", "TSK104"),
)
def loop_paying_shaping(survey: Survey, *, small: float = 0.05, longest: int = 100) -> Answer:
    """The shaping term pays for going round in a loop.

    ## What it sees
    The part of the reward that is meant to shape (the key given, or a component called `shaping`) is no difference of a
    potential, and within one episode a policy came back to where it had been and had been paid for it, again and
    again. A potential that is not zero in terminal states is told as worth knowing.

    ## Why it is bad
    A loop that pays can be run for ever. The return rises, episodes grow long, and the task is never done. A difference
    of a potential adds up to nothing on every loop, so it cannot be farmed.

    ## What to do
    1. Charge on the way back what is paid on the way there: pay `gamma * potential(next) - potential(now)`.
       `weaklink.adapters.gymnasium.shaping.PotentialShaping` does this, with zero in terminal states.
    2. Pay a bonus for a place or an event once an episode, and let the observation tell whether it was paid.
    3. Use the learner's own discount in the term.

    ## How to prove it
    `weaklink preflight ENV --shaping KEY` with the term replaced: no loop pays any more. Or train briefly and watch the
    task metric beside the return.

    ## When it is wrong
    Where the observation hides what the potential depends on (a distance run, a counter), different states look the
    same and a loop seems closed that is not. A loop that pays little beside the task is only told.

    ## References
    Ng, Harada and Russell, Policy Invariance under Reward Transformations, 1999. Randlov and Alstrom, Learning to Drive
    a Bicycle using Reinforcement Learning and Shaping, 1998.
    """
    key = _shaping_key(survey)
    if not key:
        return CannotTell(("shaping",), "no part of the reward is known to shape it")
    if survey.seen_columns is not None:
        return CannotTell(("observations",), "observations are too wide to tell states apart")
    steps = _steps(survey, key)
    if steps is None:
        return CannotTell(("observations",), "no play has both observations and the shaping term")
    told = potential(*steps[:3], survey.gamma, *steps[3:5], longest=longest)
    if told.verdict == PAYS:
        return _loop(told, key, steps[2], steps[5], small)
    if told.verdict == POTENTIAL:
        return _terminal(told, key, steps[2])
    return CannotTell((key,), told.why)


def _shaping_key(survey: Survey) -> str:
    keys = [survey.shaping] if survey.shaping else []
    keys += [key for play in survey.plays.values() for key in play.components if "shap" in key.lower()]
    for key in keys:
        terms = [(play.components[key], play.rewards) for play in survey.plays.values() if key in play.components]
        if any(np.any(values) and not _is_all(values, rewards) for values, rewards in terms):
            return key
    return ""


def _is_all(values: Array, rewards: Array) -> bool:
    """Whether a part with that name is the whole shaped reward, and not the term."""
    return len(values) != len(rewards) or not len(rewards) or same(values, rewards)


def _steps(survey: Survey, key: str) -> tuple[Array, Array, Array, Ints, Flags, Array] | None:
    """States, successors, terms, episodes, terminations and rewards of the first steps of every play that has them."""
    plays = [play for play in sound_plays(survey).values() if _has(play, key)]
    if not plays:
        return None
    pieces = [_piece(play, key, MOST_STEPS // len(plays), number * 10_000_000) for number, play in enumerate(plays)]
    columns = [np.concatenate(column) for column in zip(*pieces, strict=True)]
    return columns[0], columns[1], columns[2], columns[3], columns[4], columns[5]


def _has(play: Play, key: str) -> bool:
    values = play.components.get(key)
    if values is None or len(values) != len(play.rewards) or not is_sound(values) or play.kept == 0:
        return False
    return play.successors is not None and len(play.successors) == play.kept


def _piece(play: Play, key: str, most: int, number: int) -> tuple[Array, Array, Array, Ints, Flags, Array]:
    count = min(play.kept, most, len(play.rewards))
    ends = terminal_steps(play)[:count]
    assert play.observations is not None
    assert play.successors is not None
    return (
        play.observations[:count],
        play.successors[:count],
        play.components[key][:count],
        play.episode_of[:count] + number,
        ends,
        play.rewards[:count],
    )


def _loop(told: Shaping, key: str, terms: Array, rewards: Array, small: float) -> Finding | None:
    loop = told.loop
    if loop is None:
        return None
    rate = loop.gain / loop.steps
    task = float(np.mean(np.abs(rewards - terms)))
    little = rate < small * task
    return Finding(
        message=f"The shaping term '{key}' pays {loop.gain:.3g} for {loop.steps} steps that end where they began"
        f" ({rate:.2g} a step, beside {task:.2g} for the rest), and {told.residual:.0%} of it is no potential.",
        level=Level.INFO if little else Level.WARN,
        confidence=HIGH if told.noise < 0.05 else MEDIUM,
        evidence=(
            Evidence(metric=f"reward.component.{key}.loop", value=loop.gain, limit=0.0, step=float(loop.start)),
            Evidence(metric=f"reward.component.{key}.residual", value=told.residual),
        ),
    )


def _terminal(told: Shaping, key: str, terms: Array) -> Finding | None:
    if told.terminal is None or told.terminal <= float(np.sqrt(np.mean(terms**2))):
        return None
    return Finding(
        message=f"The shaping term '{key}' is the difference of a potential, which is {told.terminal:.3g} in terminal "
        "states and should be zero there.",
        level=Level.INFO,
        confidence=MEDIUM,
        evidence=(Evidence(metric=f"reward.component.{key}.terminal", value=told.terminal, limit=0.0),),
    )
