from __future__ import annotations

from weaklink.base.evidence.known_tasks import find_action_bound
from weaklink.base.evidence.run import Run
from weaklink.base.evidence.series import Array
from weaklink.base.proving import ENTROPY, FALLS, RETURN_RISES, Change, Intervention, Promise
from weaklink.base.stats import level, trend
from weaklink.judge.rules._budget import has_come_far_enough
from weaklink.judge.rules._course import has_come_half, is_policy_left_out
from weaklink.judge.rules.writing import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule

# nats: two equally likely actions have 0.69, so a lower entropy was never the maximum
LEAST_CHOICE = 0.6

# points of a curve that is judged over most of the run
FEWEST_POINTS = 30

# a weight of the entropy bonus that explains such an entropy by itself; 0.1 is a large one
HEAVY = 0.5

# A change below a tenth of the whole range is none
STILL = 0.1


@rule(
    "EXP303",
    link=Link.EXPLORATION,
    level=Level.WARN,
    needs=(("exploration.relative_entropy", "exploration.entropy"),),
    leads_to=("REW301", "POL308"),
    symptoms={"reward flat": 8, "about as good as random": 5},
    checks={"exploration": "decides"},
    experiment=Intervention(
        change=Change(setting="ent_coef", to=0.0),
        promise=Promise(metrics=ENTROPY, then=FALLS),
        if_confirmed="The entropy bonus held the policy at random: keep it small.",
        if_refuted="The bonus is not what keeps the policy random: its gradient is the break. Look at advantages and "
        "the reward.",
        also=(RETURN_RISES,),
    ),
    marks=("driven",),
)
def entropy_stuck_high(run: Run, *, near: float = 0.97, high: float = 0.85, budget: float = 0.5) -> Answer:
    """The policy stays as random as at the start.

    ## What it sees
    Relative entropy (or entropy relative to its own maximum) never leaves the top three percent over most of the
    budget, and the return is flat or has not risen for half of the run; an entropy bonus of weight 0.5 and more is
    reason enough before that. Entropy that never leaves the top fifteen
    percent, of a policy that has not come half of the way to a return that solves its task, is information. Where the
    entropy is one and the same number throughout although gradients flow, the optimizer is blamed: it moves nothing.

    ## Why it is bad
    No policy is being learned: no gradient reaches it, or only noise does, or the entropy bonus outweighs the reward.

    ## What to do
    1. Compare the entropy coefficient with the size of the advantages; set it to 0.01 or less.
    2. Check the advantages: sign, normalisation, and that they are paired with the right actions.
    3. Check that the policy's parameters are in the optimizer and change.
    4. If all that is right, the reward rarely distinguishes actions: check how sparse it is.

    ## How to prove it
    Repeat a short run with the entropy coefficient at 0: if entropy still does not fall, the fault is in the
    policy gradient, not the bonus. `weaklink confirm EXP303 my_project.py` does this.

    ## When it is wrong
    In hard exploration tasks the policy stays near uniform for long before it learns (on Acrobot for a fifth of the
    run). So the rule waits for half of the budget and for a flat return.

    ## References
    Jones, Debugging RL, Without the Agonizing Pain, 2021 (relative policy entropy).
    """
    relative = run.get("exploration.relative_entropy")
    entropy = relative or run["exploration.entropy"]
    if len(entropy) < FEWEST_POINTS:
        return CannotTell((entropy.name,), f"fewer than {FEWEST_POINTS} points")
    course = run.performance
    if course is None:
        return CannotTell(("reward.episode_return",), "no return or success rate to compare with")
    highest = 1.0 if relative is not None else float(entropy.values.max())
    continuous = "exploration.action_std" in run or find_action_bound(str(run.config.values.get("environment", "")))
    if highest < LEAST_CHOICE or entropy.lows.min() < 0 or run.family == "language" or continuous:
        return CannotTell(("exploration.relative_entropy",), "the maximum entropy is not known")
    weight = _read_weight(run)
    if weight < HEAVY and not has_come_far_enough(run, run[course.metric], budget):
        return CannotTell((entropy.name,), "it is early in the budget")
    lowest = float(entropy.values[len(entropy) // 4 :].min()) / highest
    still = course.flat or _is_still(run[course.metric].values)
    stuck = lowest >= near and still
    if not stuck and (lowest < high or has_come_half(run, course) is not False):
        return None
    limit, harm = (near, " and no longer rises") if stuck else (high, "")
    harm += f"; the entropy bonus has a weight of {weight:g}" if stuck and weight >= HEAVY else ""
    left_out = stuck and is_policy_left_out(run)
    if left_out:
        harm += ": it is the same number to the last digit although gradients flow, so no update reaches the policy"
    return Finding(
        message=f"Entropy never falls below {lowest:.3f} of its maximum in the last three quarters of {len(entropy)} "
        f"points, while {course.told}{harm}.",
        link=Link.OPTIMIZER if left_out else Link.EXPLORATION,
        level=Level.WARN if stuck else Level.INFO,
        onset=entropy.first_step,
        onset_within=entropy.last_step - entropy.first_step,  # a curve that never changes has no onset
        confidence=HIGH if relative is not None else MEDIUM,
        evidence=(
            Evidence(metric=entropy.name, value=lowest * highest, limit=limit * highest, step=entropy.last_step),
        ),
    )


def _read_weight(run: Run) -> float:
    """The weight of the entropy bonus, as configured or as logged; 0 where it is not known."""
    logged = run.get("exploration.entropy_coefficient")
    weight = run.config.number("entropy_coefficient")
    return level(logged.values) if weight is None and logged is not None else weight or 0.0


def _is_still(values: Array) -> bool:
    """Whether the second half of a curve no longer rises."""
    half = values[len(values) // 2 :]
    drift = trend(half)
    return not drift.rises and drift.change < STILL * float(values.max() - values.min())
