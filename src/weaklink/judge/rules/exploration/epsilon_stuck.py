from __future__ import annotations

import numpy as np

from weaklink.base.evidence.run import Run
from weaklink.judge.rules._budget import count_episodes, has_come_far_enough
from weaklink.judge.rules._course import FEWEST, has_improved
from weaklink.judge.rules.writing import HIGH, Answer, CannotTell, Evidence, Finding, Level, Link, rule

STILL = 1e-4  # of all actions: an epsilon that moves less has ended its schedule
ENOUGH_EPISODES = 300  # agents that learn at all from a few hundred episodes have begun to use what they learned


@rule(
    "EXP309",
    link=Link.EXPLORATION,
    level=Level.WARN,
    needs=("exploration.epsilon",),
    leads_to=("REW301", "VAL305", "TSK301", "EVA304"),
    symptoms={"reward flat": 5, "about as good as random": 2},
    checks={"exploration": "fails"},
)
def epsilon_stuck(run: Run, *, random: float = 0.9, most: float = 0.5, budget: float = 0.5) -> Answer:
    """Most actions are drawn at random to the end.

    ## What it sees
    Epsilon never falls below 0.9, or stays at one value above 0.5 over the last half of the log, over half of the
    budget or 300 episodes, and no return improves.

    ## Why it is bad
    The return is that of random play whatever was learned, and the data never come from where the learned policy would
    go.

    ## What to do
    1. Check the schedule: its end value, its length in the same unit as the counter that drives it (steps, episodes,
       updates), and that the counter moves.
    2. Let epsilon reach 0.05 to 0.1 within the first tenth to half of the budget.
    3. Log an evaluation without random actions beside the return of training.

    ## How to prove it
    Print epsilon and the share of actions that differ from the greedy one, a thousand steps apart: both must fall.

    ## When it is wrong
    Data for offline learning are collected at random on purpose.

    ## References
    Mnih et al., Human-level Control through Deep Reinforcement Learning, 2015 (epsilon from 1 to 0.1); practice.
    """
    epsilon = run["exploration.epsilon"]
    if len(epsilon) < FEWEST:
        return CannotTell((epsilon.name,), f"fewer than {FEWEST} points")
    lowest = float(epsilon.lows.min())
    over = float(np.ptp(epsilon.values[len(epsilon) // 2 :])) < STILL  # the schedule is at its end
    limit = most if over else random
    if lowest < limit or float(epsilon.highs.max()) > 1.0:
        return None
    if count_episodes(run) < ENOUGH_EPISODES and not has_come_far_enough(run, epsilon, budget):
        return CannotTell((epsilon.name,), "it is early in the budget")
    if has_improved(run):
        return None
    return Finding(
        message=f"Epsilon never falls below {lowest:.3g} (limit {limit:g}) up to step {epsilon.last_step:,.0f}: the "
        "agent acts at random, whatever it learns.",
        onset=epsilon.first_step,
        onset_within=epsilon.interval,
        confidence=HIGH,
        evidence=(Evidence(metric=epsilon.name, value=lowest, limit=limit, step=epsilon.last_step),),
    )
