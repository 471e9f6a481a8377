from __future__ import annotations

from weaklink.base.evidence.run import Run
from weaklink.base.evidence.series import Array
from weaklink.base.finding import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding, Level
from weaklink.base.loop import Link
from weaklink.base.proving import ENTROPY, FALLS, RETURN_RISES, Change, Intervention, Promise
from weaklink.base.stats import trend
from weaklink.judge.rules._budget import far_enough
from weaklink.judge.rules._registry import rule

LEAST_CHOICE = 0.6  # nats: two actions at even odds have 0.69, so less than this was never the maximum


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
)
def entropy_stuck_high(run: Run, *, near: float = 0.97, budget: float = 0.5) -> Answer:
    """The policy stays as random as it began.

    ## What it sees
    Relative entropy (or entropy over its own highest value) never leaves the top three percent, over most of the
    budget, and the return is flat or has stood still for half of the run.

    ## Why it is bad
    No policy is being learnt: either no gradient reaches it, or what reaches it is noise, or an entropy bonus is worth
    more than the reward.

    ## What to do
    1. Compare the entropy coefficient with the size of the advantages; set it to 0.01 or less.
    2. Check the advantages: sign, normalisation, and that they belong to the actions they are paired with.
    3. Check that the policy's parameters are in the optimizer and change.
    4. If all that is right, the reward tells actions apart too rarely: see how sparse it is.

    ## How to prove it
    Repeat a short run with the entropy coefficient at 0: if entropy still does not fall, the policy gradient is the
    break, not the bonus. `weaklink confirm EXP303 my_project.py` does this.

    ## When it is wrong
    Hard exploration tasks stay near uniform for long before they take off (Acrobot does for a fifth of its run); the
    rule waits for most of the budget and for a return that is flat.

    ## References
    Jones, Debugging RL, Without the Agonizing Pain, 2021 (relative policy entropy).
    """
    relative = run.get("exploration.relative_entropy")
    entropy = relative or run["exploration.entropy"]
    if len(entropy) < 30:
        return CannotTell((entropy.name,), "fewer than 30 points")
    course = run.performance
    if course is None:
        return CannotTell(("reward.episode_return",), "no measure of success to compare with")
    highest = 1.0 if relative is not None else float(entropy.values.max())
    if (
        run.family == "language"
        or run.get("exploration.action_std") is not None
        or highest < LEAST_CHOICE
        or entropy.lows.min() < 0
    ):
        return CannotTell(("exploration.relative_entropy",), "the maximum of the entropy is not known")
    if not far_enough(run, run[course.metric], budget):
        return CannotTell((entropy.name,), "it is early in the budget")
    lowest = float(entropy.values[len(entropy) // 4 :].min()) / highest
    if lowest < near or not (course.flat or _stands_still(run[course.metric].values)):
        return None
    return Finding(
        message=f"Entropy never falls below {lowest:.3f} of its maximum in the last three quarters of {len(entropy)} "
        f"points, and {course.told} and stands still.",
        onset=entropy.first_step,
        onset_within=entropy.last_step - entropy.first_step,  # a curve that never departs has no onset of its own
        confidence=HIGH if relative is not None else MEDIUM,
        evidence=(Evidence(metric=entropy.name, value=lowest * highest, limit=near * highest, step=entropy.last_step),),
    )


def _stands_still(values: Array) -> bool:
    """Whether the second half of a curve no longer rises."""
    half = values[len(values) // 2 :]
    drift = trend(half)
    return not drift.rises and drift.change < 0.1 * float(values.max() - values.min())
