from __future__ import annotations

from weaklink.base.evidence.run import Run
from weaklink.base.finding import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding, Level
from weaklink.base.loop import Link
from weaklink.base.proving import MEAN, RISES, Change, Intervention, Promise
from weaklink.base.stats import lasting_below
from weaklink.judge.rules._registry import rule


@rule(
    "POL302",
    link=Link.POLICY,
    level=Level.WARN,
    needs=("policy.kl",),
    leads_to=("POL308", "EXP303", "VAL304", "REW301", "REW302"),
    tree=6,
    symptoms={"reward flat": 4, "about as good as random": 4},
    experiment=Intervention(
        change=Change(setting="learning_rate", times=10.0),
        promise=Promise(metrics=("policy.kl",), then=RISES, measure=MEAN),
        if_confirmed="The update reaches the policy and was only too small: raise the learning rate.",
        if_refuted="The update never reaches the policy: look at the optimizer's parameters, a detach, or advantages "
        "of 0.",
    ),
)
def no_policy_change(run: Run, *, kl: float = 1e-5, clip: float = 1e-4, annealed: float = 0.1) -> Answer:
    """The policy is not being updated.

    ## What it sees
    KL and clip fraction are zero for all practical purposes over most of the run, the learning rate has not been
    annealed away, and the return does not move.

    ## Why it is bad
    The old and the new policy are the same policy: whatever is collected, nothing is learnt from it.

    ## What to do
    1. Check the learning rate: too small by orders of magnitude, or a schedule that starts at its end.
    2. Check that the policy's parameters are in the optimizer and get a gradient.
    3. Check that the old log-probabilities are kept from collection and not recomputed in every epoch: that gives a
       ratio of exactly 1 for ever.
    4. If value and policy share a clipped gradient, huge value losses leave the policy nothing: look at the reward
       scale.

    ## How to prove it
    Multiply the learning rate by 10 for a short run: KL must rise by about 100. If it stays 0, the update never reaches
    the policy. `weaklink confirm POL302 my_project.py` does this.

    ## When it is wrong
    One pass over fresh data (GRPO with one inner iteration) has a ratio of 1 by design, and at the end of an annealed
    schedule nothing moves. Neither counts.

    ## References
    Huang et al., The 37 Implementation Details of Proximal Policy Optimization, 2022.
    """
    divergence = run["policy.kl"]
    if len(divergence) < 10:
        return CannotTell(("policy.kl",), "fewer than 10 points")
    course = run.performance
    if course is None:
        return CannotTell(("reward.episode_return",), "no measure of success to compare with")
    if run.family == "language" and (run.config.number("inner_iterations") or 1) <= 1:
        return CannotTell(("policy.kl",), "with one inner iteration the ratio is 1 by design")
    clipping = run.get("policy.clip_fraction")
    rate = run.get("optimizer.learning_rate")
    upto = len(divergence)
    if rate is not None and len(rate) > 1:
        alive = rate.steps[rate.values > annealed * rate.values.max()]
        upto = int((divergence.steps <= (alive[-1] if len(alive) else 0)).sum())
    held = lasting_below(abs(divergence.values[:upto]), kl, window=0.5)
    still = clipping is None or lasting_below(clipping.values, clip, window=0.5) is not None
    if held is None or not still or course.improved:
        return None
    step = float(divergence.steps[held.start])
    return Finding(
        message=f"KL stays at {held.level:.1g} from step {step:,.0f} on and hardly a sample is clipped, while "
        f"{course.told}.",
        onset=step,
        onset_within=divergence.interval,
        confidence=HIGH if clipping is not None else MEDIUM,
        evidence=(Evidence(metric="policy.kl", value=held.level, limit=kl, step=step),),
    )
