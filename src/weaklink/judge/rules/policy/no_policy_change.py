from __future__ import annotations

from weaklink.base.evidence.run import Run
from weaklink.base.evidence.series import Series
from weaklink.base.proving import MEAN, RISES, Change, Intervention, Promise
from weaklink.base.stats import find_lasting_below
from weaklink.judge.rules._course import FEWEST, is_policy_left_out
from weaklink.judge.rules._hyperparameters import is_one_step_a_rollout
from weaklink.judge.rules.writing import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule

# a KL and a ratio that were never different but by rounding: no step that moves a policy leaves so little
EXACT = 1e-8


@rule(
    "POL302",
    link=Link.POLICY,
    level=Level.WARN,
    needs=("policy.kl",),
    leads_to=("POL308", "EXP303", "VAL301", "VAL304", "REW301", "REW302"),
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
    KL and clip fraction are practically zero over half of the run, the learning rate is not yet annealed, and the
    return does not improve. Or they are exactly zero in every row of a training that improves, by several gradient
    steps a rollout: then the policy is compared with itself. Where the entropy is one and the same number throughout
    although gradients flow, the optimizer is blamed: it does not hold the policy's parameters.

    ## Why it is bad
    The old and the new policy are the same: nothing is learned from the collected data.

    ## What to do
    1. Check the learning rate: it may be orders of magnitude too small, or its schedule may start at the end.
    2. Check that the policy's parameters are in the optimizer and get a gradient.
    3. Check that the old log-probabilities are kept from the rollout and not recomputed in every epoch: that makes the
       ratio exactly 1 for ever.
    4. If value and policy share a clipped gradient, a huge value loss leaves nothing for the policy: check the reward
       scale.

    ## How to prove it
    Multiply the learning rate by 10 for a short run: the KL must rise by a factor of about 100. If it stays 0, the
    update never reaches the policy. `weaklink confirm POL302 my_project.py` does this.

    ## When it is wrong
    One gradient step on fresh data (GRPO with one inner iteration, one epoch of one minibatch) has a ratio of 1 by
    design, and at the end of an annealed schedule nothing moves. Neither is reported.

    ## References
    Huang et al., The 37 Implementation Details of Proximal Policy Optimization, 2022.
    """
    divergence = run["policy.kl"]
    if len(divergence) < FEWEST:
        return CannotTell(("policy.kl",), f"fewer than {FEWEST} points")
    course = run.performance
    if course is None:
        return CannotTell(("reward.episode_return",), "no return or success rate to compare with")
    if run.family == "language" and (run.config.number("inner_iterations") or 1) <= 1:
        return CannotTell(("policy.kl",), "with one inner iteration the ratio is 1 by design")
    if is_one_step_a_rollout(run.config):
        return CannotTell(("policy.kl",), "with one gradient step a rollout the ratio is 1 by design")
    clipping = run.get("policy.clip_fraction")
    if course.improved:
        return _find_own_ratio(run, divergence, clipping)
    held = find_lasting_below(abs(divergence.values[: _count_live(run, divergence, annealed)]), kl, window=0.5)
    still = clipping is None or find_lasting_below(clipping.values, clip, window=0.5) is not None
    if held is None or not still:
        return None
    step = float(divergence.steps[held.start])
    left_out = is_policy_left_out(run)
    told = ": gradients flow, and none of them moves the policy" if left_out else ""
    return Finding(
        message=f"The KL stays at {held.level:.1g} from step {step:,.0f} on and hardly any sample is clipped, while "
        f"{course.told}{told}.",
        link=Link.OPTIMIZER if left_out else Link.POLICY,
        onset=step,
        onset_within=divergence.interval,
        confidence=HIGH if clipping is not None else MEDIUM,
        evidence=(Evidence(metric="policy.kl", value=held.level, limit=kl, step=step),),
    )


def _find_own_ratio(run: Run, divergence: Series, clipping: Series | None) -> Finding | None:
    """The finding, if the policy changes by several steps a rollout and its ratio never does."""
    steps = max(run.config.number("epochs") or 1.0, run.config.number("minibatches") or 1.0)
    ratio = run.get("policy.ratio_mean", "policy.ratio_max")
    still = clipping is not None and float(clipping.highs.max()) == 0.0 and float(abs(divergence.values).max()) <= EXACT
    if steps <= 1 or not still or (ratio is not None and float(abs(ratio.values - 1.0).max()) > EXACT):
        return None
    return Finding(
        message=f"The KL is 0 and no sample is clipped in any of {len(divergence)} rows, although each rollout is "
        "learned from more than once and the return improves: the old log-probabilities are made anew in each "
        "minibatch, by the policy that is being updated.",
        onset=divergence.first_step,
        onset_within=divergence.interval,
        confidence=HIGH,
        evidence=(Evidence(metric="policy.kl", value=0.0, step=divergence.first_step),),
    )


def _count_live(run: Run, series: Series, annealed: float) -> int:
    """How many points come before the learning rate is annealed for good; all where it is not logged."""
    rate = run.get("optimizer.learning_rate")
    if rate is None or len(rate) < 2:
        return len(series)
    live = rate.steps[rate.values > annealed * rate.values.max()]
    return int((series.steps <= (live[-1] if len(live) else 0)).sum())
