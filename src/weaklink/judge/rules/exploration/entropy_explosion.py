from __future__ import annotations

import numpy as np

from weaklink.base.evidence.performance import Performance
from weaklink.base.evidence.run import Run
from weaklink.base.proving import FALLS, Change, Intervention, Promise
from weaklink.base.stats import find_departure, find_lasting_above, level, noise, trend
from weaklink.judge.rules.writing import MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule

# the start is the first twentieth of the curve
FEWEST_POINTS = 20

# of the actions: so many lie beyond their bounds where a policy has hardly a say
BEYOND = 0.9

# A rise must exceed the scatter from point to point so many times
NOISE = 4.0


@rule(
    "EXP306",
    link=Link.EXPLORATION,
    level=Level.WARN,
    needs=(("exploration.action_std", "exploration.entropy"),),
    leads_to=("LLM310", "REW301", "REW303", "REW304"),
    checks={"exploration": "fails"},
    experiment=Intervention(
        change=Change(setting="ent_coef", to=0.0),
        promise=Promise(metrics=("exploration.action_std", "exploration.entropy"), then=FALLS),
        if_confirmed="The bonus blew the spread up: keep it at 0 or small.",
        if_refuted="The spread grows without the bonus too: the advantages push it. Look at their scale and at the "
        "bounds.",
    ),
)
def entropy_explosion(
    run: Run, *, wider: float = 1.4, nats: float = 0.3, ruinous: float = 10.0, drowned: float = 4.0
) -> Answer:
    """The policy becomes more random as it trains, and worse.

    ## What it sees
    The standard deviation of the actions grows to 1.4 times its start, or the entropy by 0.3 nats, and stays there
    while the return falls. Or an entropy that had fallen is back at its start, and the return with it. Or the standard
    deviation grows tenfold, or fourfold while actions come to lie beyond their bounds nine times in ten, whatever the
    return does: then hardly anything of the policy is left in its actions.

    ## Why it is bad
    In effect the policy is rewarded for noise: the entropy bonus outweighs the reward, or the advantages push every
    sampled action away. The agent unlearns what it knew.

    ## What to do
    1. Lower the entropy coefficient, or anneal it; compare its term in the loss with the policy loss.
    2. Check the sign of the entropy term and of the advantages.
    3. Bound the log standard deviation (about 0.5 at most for actions in [-1, 1]).
    4. Look for penalties that make every action look bad: then random actions are as good as any.

    ## How to prove it
    Repeat a short run with the entropy coefficient at 0: if the standard deviation still grows, the
    advantages cause it.
    `weaklink confirm EXP306 my_project.py` does this.

    ## When it is wrong
    Locomotion policies often widen their actions first and narrow them later while the return rises; so the rule asks
    for a return that does not rise.

    ## References
    Andrychowicz et al., What Matters in On-Policy Reinforcement Learning, 2020 (action distribution).
    """
    course = run.performance
    if course is None:
        return CannotTell(("reward.episode_return",), "no return or success rate to compare with")
    ruined = _find_growth(run, "exploration.action_std", ruinous, 0.0)
    ruined = ruined or (_find_growth(run, "exploration.action_std", drowned, 0.0) if _is_beyond_bounds(run) else None)
    if ruined is not None or course.improved or not (course.declined or course.trend.falls):
        return ruined
    return (
        _find_growth(run, "exploration.action_std", wider, 0.0)
        or _find_growth(run, "exploration.entropy", 1.0, nats)
        or _find_way_back(run, course)
    )


def _is_beyond_bounds(run: Run) -> bool:
    """Whether hardly any action is within its bounds at the end, and more were at the start."""
    cut = run.get("action.saturated_fraction")
    if cut is None or len(cut) < FEWEST_POINTS:
        return False
    end = level(cut.values[-max(len(cut) // 10, 2) :])
    return end > BEYOND and float(cut.values[0]) < end / 2


def _find_way_back(run: Run, course: Performance) -> Finding | None:
    """An entropy that had fallen and is back where it began, with a return that is back there too."""
    entropy = run.get("exploration.entropy")
    if entropy is None or len(entropy) < FEWEST_POINTS or not course.declined or course.final > course.start:
        return None
    values = entropy.values
    start, width = level(values[: max(len(values) // 20, 3)]), max(len(values) // 5, 5)
    means = np.convolve(values, np.ones(width) / width, mode="valid")
    low = int(np.argmin(means)) + width
    bound = start - NOISE * noise(values)
    held = find_lasting_above(values[low:], start, window=0.3)
    if means.min() > bound or held is None or not held.to_end:
        return None
    step = float(entropy.steps[low + held.start])
    return Finding(
        message=f"{entropy.name} had fallen from {start:.3g} to {means.min():.3g} and is back at {held.level:.3g} from "
        f"step {step:,.0f} on, while {course.told}: the policy has unlearned what it knew.",
        onset=float(entropy.steps[low - 1]),
        onset_within=step - float(entropy.steps[low - 1]),
        confidence=MEDIUM,
        evidence=(Evidence(metric=entropy.name, value=held.level, limit=start, step=step),),
    )


def _find_growth(run: Run, name: str, factor: float, added: float) -> Finding | None:
    """A lasting rise of a metric above `factor` times its start plus `added`, beyond its noise."""
    series, course = run.get(name), run.performance
    if series is None or course is None or len(series) < FEWEST_POINTS:
        return None
    start = level(series.values[: max(len(series) // 20, 3)])
    bound = max(factor * start + added, start + NOISE * noise(series.values))
    held = find_lasting_above(series.values, bound)
    if held is None or not held.to_end or not trend(series.values).rises:
        return None
    step = float(series.steps[find_departure(series.values, held.start)])
    return Finding(
        message=f"{series.name} grows from {start:.3g} to {held.level:.3g} from step {step:,.0f} on and stays there, "
        f"while {course.told}.",
        onset=step,
        onset_within=series.interval,
        confidence=MEDIUM,
        evidence=(Evidence(metric=series.name, value=held.level, limit=bound, step=step),),
    )
