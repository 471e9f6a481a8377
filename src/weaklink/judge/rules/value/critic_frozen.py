from __future__ import annotations

import numpy as np

from weaklink.base.evidence.run import Run
from weaklink.base.stats import level
from weaklink.judge.rules._allowance import compute_horizon
from weaklink.judge.rules._course import FEWEST, start_of
from weaklink.judge.rules.writing import HIGH, Answer, CannotTell, Evidence, Finding, Level, Link, rule


@rule(
    "VAL309",
    link=Link.VALUE,
    level=Level.WARN,
    needs=("value.q_mean", "value.q_loss", "reward.episode_return", "task.episode_length"),
    leads_to=("VAL304", "VAL305", "EXP301", "EXP303", "EXP307", "POL302", "POL309", "REW301", "REW303", "REW304"),
    symptoms={"reward flat": 15},
)
def critic_frozen(run: Run, *, moved: float = 0.01, fallen: float = 0.8) -> Answer:
    """The Q values stay where they began, whatever the rewards are.

    ## What it sees
    The mean Q value moves by less than a hundredth of what the rewards add up to over the horizon of the discount, its
    loss has not fallen below eight tenths of its start, and the return does not improve.

    ## Why it is bad
    The critic is not trained: its loss is worked out and reaches no weight, so that the actor follows a network of
    chance.

    ## What to do
    1. Check that the optimizer of the critic holds the parameters of the critic that is used, and not of a copy.
    2. Check that nothing detaches the Q value in its own loss, and that `step` follows `backward`.
    3. Check the learning rate of the critic.

    ## How to prove it
    Print one weight of the critic before and after an update: it must differ.

    ## When it is wrong
    In the first few hundred updates values have not moved far: then the loss still falls, or too few points are logged.
    Rewards that cancel out over an episode leave Q values near 0; then the loss is small beside them and falls.

    ## References
    Practice.
    """
    values, loss = run["value.q_mean"], run["value.q_loss"]
    course = run.performance
    if min(len(values), len(loss)) < FEWEST or course is None:
        return CannotTell((values.name,), f"fewer than {FEWEST} points")
    returns, length = run["reward.episode_return"], run["task.episode_length"]
    rate = abs(level(returns.values)) / max(level(length.values), 1.0)
    worth = rate * min(compute_horizon(run), level(length.values))
    travelled = float(np.ptp(values.values))
    kept = level(loss.values[-max(len(loss) // 5, 3) :]) / max(start_of(loss.values), 1e-12)
    if course.improved or worth <= 0 or travelled >= moved * worth or kept < fallen:
        return None
    return Finding(
        message=f"The mean Q value moves by {travelled:.3g} over {len(values)} points, where the rewards add up to "
        f"{worth:.4g}, and its loss stays at {kept:.0%} of its start: the critic is not trained.",
        onset=values.first_step,
        onset_within=values.interval,
        confidence=HIGH,
        evidence=(Evidence(metric=values.name, value=travelled, limit=moved * worth, step=values.last_step),),
    )
