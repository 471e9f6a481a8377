from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np

from weaklink.base.evidence.survey import Survey, Sweep
from weaklink.base.finding import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding, Level
from weaklink.base.loop import Link
from weaklink.base.stats import contest
from weaklink.judge.rules._registry import rule
from weaklink.judge.rules.action._effects import (
    FEWEST_STATES,
    enough,
    middle,
    moves,
    numeric,
    reward_scale,
    strongest,
)

FAINT = 1e-6
"""A difference in reward that no learner notices."""

ALIKE, FEWEST_PAIRS = 0.5, 100
"""How alike the rewards of one step and the next must be, and over how many steps, to follow a state that moves."""

SLIGHT = 0.1
FEWEST_EPISODES, MOST_EPISODES = 20, 500


@dataclass(frozen=True)
class _Strength:
    """How far the ends of one dimension take the state, on its own and next to what happens anyway."""

    sweep: Sweep
    effect: float
    relative: float
    paid: float


@rule(
    "ACT103",
    link=Link.ACTION,
    level=Level.WARN,
    on=Survey,
    needs=("action", "sweeps"),
    leads_to=("REW105", "ENV108", "TSK102", "TSK103", "TSK106", "EXP303"),
)
def scale_too_small(survey: Survey, *, share: float = 0.01, others: float = 100.0) -> Answer:
    """The strongest action there is hardly does anything.

    ## What it sees
    A continuous dimension is held at the ends of its range from several states. In most of them, what follows differs
    from what follows without it by less than 1 % of how far the state moves by itself, by less than 1 % of the spread
    of the observations, and by less than 1 % of the spread of rewards. That holds for every dimension, or for one
    while another is 100 times as strong. Or the rewards alone differ by less than 1 %, for every dimension, and random
    play, doing nothing, the best constant action and a search all earn the same.

    ## Why it is bad
    The policy cannot steer. Whatever it does, the return is decided by the rest, so the gradient is noise.

    ## What to do
    1. Check the units: degrees for radians, newtons for millinewtons, a time step counted twice.
    2. Scale the action inside `step`, so that the ends of the range are as strong as the actuator allows.
    3. Repeat each action for several steps where the simulation is finer than the control has to be.

    ## How to prove it
    Multiply the action by 100 inside `step`: the finding must go, and `weaklink preflight ENV` must show a search that
    beats random play.

    ## When it is wrong
    Slow systems, where actions add up over hundreds of steps. Effects on something that is not observed.

    ## References
    Practice; Stable-Baselines3, tips for custom environments.
    """
    numbers = numeric(survey)
    if not numbers:
        return None
    sweeps = [sweep for sweep in numbers if enough(sweep)]
    if not sweeps:
        return CannotTell(("sweeps",), f"no dimension was tried from {FEWEST_STATES} states or more")
    strengths = [_strength(survey, sweep) for sweep in sweeps]
    weak = [each for each in strengths if max(each.effect, each.relative, each.paid) < share and moves(each.sweep)]
    if not weak:
        return _without_profit(survey, strengths, share)
    best = max(each.effect for each in strengths)
    every = len(weak) == len(strengths) and 2 * len(weak) >= len(survey.sweeps)
    if not every:
        weak = [each for each in weak if best > others * each.effect]
    if not weak:
        return None
    worst = min(weak, key=lambda each: each.effect)
    compared = (
        "" if every else f", while another dimension moves it {best / max(worst.effect, 1e-300):,.0f} times as far"
    )
    return Finding(
        message=f"The ends of {worst.sweep.label}, held for {worst.sweep.horizon} steps, move the state by "
        f"{worst.relative:.1g} of its own motion and {worst.effect:.1g} of its spread (limit {share:g}){compared}.",
        confidence=HIGH if every else MEDIUM,
        evidence=tuple(
            Evidence(metric=f"{each.sweep.label} effect", value=each.effect, limit=share) for each in weak[:4]
        ),
    )


def _without_profit(survey: Survey, strengths: list[_Strength], share: float) -> Answer:
    """Actions that move the state a little, but change the reward by next to nothing, so that no policy is better."""
    worst = max(strengths, key=lambda each: each.paid)
    if worst.paid >= share or reward_scale(survey, worst.sweep.horizon) <= FAINT or "random" not in survey.plays:
        return None
    if not all(moves(each.sweep) for each in strengths):
        return None
    if any(max(each.effect, each.relative) >= SLIGHT for each in strengths) and not _smooth(survey):
        return None
    plays = {name: play.returns[np.isfinite(play.returns)] for name, play in survey.baselines.items()}
    plays = {name: returns[:MOST_EPISODES] for name, returns in plays.items() if len(returns) >= FEWEST_EPISODES}
    if len(plays) < 3 or not {"search", "tabular"} & set(plays) or "random" not in plays:
        return None
    if any(contest(first, second).apart for first, second in combinations(plays.values(), 2)):
        return None
    return Finding(
        message=f"The ends of {worst.sweep.label}, held for {worst.sweep.horizon} steps, change the reward by "
        f"{worst.paid:.1g} of its spread (limit {share:g}), and {', '.join(plays)} play all earn the same.",
        confidence=MEDIUM,
        evidence=(Evidence(metric=f"{worst.sweep.label} effect on reward", value=worst.paid, limit=share),),
    )


def _smooth(survey: Survey) -> bool:
    """Whether the reward of a step is close to that of the step before it, as where it follows a state that moves.

    Then an action that changes it by next to nothing is weak. A sparse reward, or one that is mostly noise, says
    nothing within the few steps of a sweep.
    """
    play = survey.plays["random"]
    within = play.time[1:] > 0
    before, after = play.rewards[:-1][within], play.rewards[1:][within]
    if len(before) < FEWEST_PAIRS or not np.isfinite(before).all() or before.std() == 0 or after.std() == 0:
        return False
    together = float(((before - before.mean()) * (after - after.mean())).mean())
    return together / float(before.std() * after.std()) > ALIKE


def _strength(survey: Survey, sweep: Sweep) -> _Strength:
    ends = strongest(sweep.far, sweep.positions)
    motion = np.maximum(sweep.motion[: len(ends)], 1e-12)
    paid = strongest(np.abs(sweep.far_reward), sweep.positions)
    scale = reward_scale(survey, sweep.horizon)
    relative = np.where(paid > FAINT, paid / scale if scale > 0 else np.inf, 0.0)
    return _Strength(sweep, middle(ends), middle(ends / motion), middle(relative))
