from __future__ import annotations

from weaklink.base.evidence.config import Config
from weaklink.judge.rules._hyperparameters import read_positive
from weaklink.judge.rules._suspicions import BEARS_OUT, find_outside, suspect
from weaklink.judge.rules.writing import Answer, CannotTell, Level, Link, rule

# of the budget: a schedule of a few hundred steps may be long enough where that is a good part of all
SHORT = 0.02


@rule(
    "EXP102",
    link=Link.EXPLORATION,
    level=Level.INFO,
    on=Config,
    leads_to=BEARS_OUT,
    marks=("suspect",),
)
def epsilon_schedule(
    config: Config, *, most: float = 0.3, least: float = 0.2, shortest: float = 0.005, soonest: float = 500
) -> Answer:
    """Random actions never begin, end at once, or never end.

    ## What it sees
    A share of random actions that ends above 0.3, begins below 0.2, or falls within half a percent of the budget, or
    within 500 steps and a fiftieth of it. It is information, and a warning where the curves show what it leads to.

    ## Why it is bad
    Without random actions at the beginning only what the untrained network happens to prefer is ever tried. With many
    of them at the end what was learned hardly shows, and the data never come from where it would lead.

    ## What to do
    1. Let epsilon fall from 1 to 0.01 to 0.1 over the first tenth to half of the budget.

    ## How to prove it
    Repeat a short run with such a schedule and nothing else changed: the return must differ.

    ## When it is wrong
    Values that begin too high explore by themselves, as do noisy networks and bonuses. Some evaluate another policy
    than the one that collects.

    ## References
    Mnih et al., Human-level control through deep reinforcement learning, 2015.
    """
    if not {"exploration_final_epsilon", "exploration_initial_epsilon", "exploration_fraction"} & config.values.keys():
        return CannotTell(("exploration_final_epsilon",), "no schedule of random actions is configured")
    found = find_outside(
        config,
        ("exploration_final_epsilon", None, most, "", "so many actions stay random to the end"),
        ("exploration_initial_epsilon", least, None, "hardly an action is random at the beginning", ""),
    )
    fraction = read_positive(config, "exploration_fraction") or config.number("exploration_fraction")
    if found is not None or fraction is None or fraction >= SHORT:
        return found
    steps = fraction * (config.number("total_steps") or float("inf"))
    if fraction >= shortest and steps >= soonest:
        return None
    limit = shortest if fraction < shortest else SHORT
    return suspect(config, "exploration_fraction", fraction, limit, "random actions end as soon as they begin")
