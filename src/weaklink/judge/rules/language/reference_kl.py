from __future__ import annotations

from weaklink.base.evidence.performance import Performance
from weaklink.base.evidence.run import Run
from weaklink.base.evidence.samples import Samples
from weaklink.base.evidence.series import Series
from weaklink.base.stats import HeldStretch, find_departure, level
from weaklink.judge.rules._course import FEWEST, find_still_above, find_still_below, list_outcomes
from weaklink.judge.rules._samples import MeanShift, SampleSplit, find_onset, split
from weaklink.judge.rules.writing import HIGH, LOW, MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule

# times the weight that is high already: nothing but the reference is learned; times the KL that is next to none: what
# scatter a policy has that is held so strongly
STRONG, HELD = 10.0, 10.0


@rule(
    "LLM310",
    link=Link.POLICY,
    level=Level.WARN,
    on=Run,
    needs=("policy.kl_reference",),
    samples=("kl", ("step", "policy_version")),
    leads_to=("LLM303", "LLM305", "LLM307", "LLM311", "LLM317", "REW304", "REW305", "EXP301"),
)
def reference_kl(
    run: Run | Samples,
    *,
    far: float = 10.0,
    growth: float = 20.0,
    least: float = 0.5,
    weight: float = 0.1,
    pinned: float = 1e-3,
) -> Answer:
    """The policy drifts far from its reference policy, or cannot leave it.

    ## What it sees
    The KL to the reference ends lastingly above 10 nats and at three times its level in the first half of the run while
    no measure of success rises; or at twenty times its early level (and over half a nat) while the return or a score
    declines. At the other end, a KL that stays below 0.001 with a coefficient of 0.1 or more, or below 0.01 with one of
    1 or more, in a run that does not improve; and a KL of exactly zero although gradients flow, so the reference is no
    frozen copy. In samples only the drift can be seen, early against late.

    ## Why it is bad
    Far from the reference, text is out of distribution for the reward model, and its rewards mean nothing. Held too
    close, the policy cannot learn. A reference that moves along does not restrain it.

    ## What to do
    1. Drift: raise the KL coefficient or lower the learning rate, and go back to a checkpoint before the onset.
    2. Held too close: lower the coefficient tenfold, and check that the KL is not counted twice, in the reward and in
       the loss.
    3. Exactly zero: check that the reference is a frozen copy, and that adapters are disabled when it is evaluated.

    ## How to prove it
    Read samples from the checkpoint before and after the onset side by side. For a policy that is held too close,
    repeat a short run with a tenth of the coefficient: the reward must begin to rise.

    ## When it is wrong
    Single spikes are harmless and are ignored. KL is summed over tokens in some libraries and averaged in others, so
    long answers have larger sums. Methods without a KL term may drift far and do well.

    ## References
    Ouyang et al., InstructGPT, 2022; the range of 0 to 10 is the TRL guide's.
    """
    if isinstance(run, Samples):
        return _in_samples(run, far, growth, least)
    kl = run["policy.kl_reference"]
    if len(kl) < FEWEST:
        return CannotTell((kl.name,), f"fewer than {FEWEST} points")
    measures = list_outcomes(run)
    early = max(level(kl.values[: len(kl) // 2]), 0.0)
    improved = any(course.improved for course in measures)
    damage = _damage(run, measures)
    limit = max(far, 3.0 * early)
    held = find_still_above(kl.values, limit)
    if held is not None and held.start > 0 and not improved:
        return _report_drift(kl, held, limit, early, damage)
    start = max(level(kl.values[: max(3, len(kl) // 5)]), 1e-6)
    limit = max(growth * start, least)
    held = find_still_above(kl.values, limit)
    if held is not None and held.start > 0 and damage is not None and not improved:
        return _report_drift(kl, held, limit, start, damage)
    return _judge_pinned(run, kl, weight, pinned)


def _damage(run: Run, measures: list[Performance]) -> Performance | None:
    """A measure of success or of reward that has declined."""
    courses = [*measures, *([run.performance] if run.performance is not None else [])]
    return next((course for course in courses if course.declined), None)


def _report_drift(kl: Series, held: HeldStretch, limit: float, before: float, damage: Performance | None) -> Finding:
    step = float(kl.steps[find_departure(kl.values, held.start)])
    proof = [Evidence(metric=kl.name, value=held.level, limit=limit, step=step)]
    said = ""
    if damage is not None:
        proof.append(Evidence(metric=damage.metric, value=damage.final, limit=damage.best, step=damage.best_step))
        said = f", and {damage.metric} fell from {damage.best:.3g} to {damage.final:.3g}"
    return Finding(
        message=f"The KL to the reference holds at {held.level:.3g} nats from step {float(kl.steps[held.start]):,.0f} "
        f"on, up from {before:.3g}{said}.",
        onset=step,
        onset_within=kl.interval,
        confidence=HIGH if damage is not None else MEDIUM,
        evidence=tuple(proof),
    )


def _judge_pinned(run: Run, kl: Series, weight: float, pinned: float) -> Finding | None:
    logged = run.get("policy.kl_coefficient")
    beta = run.config.number("kl_coefficient") if logged is None else level(logged.values)
    if beta is None or beta <= 0:
        return None
    still = find_still_below(abs(kl.values), pinned * (HELD if beta >= STRONG * weight else 1.0))
    if still is None or still.share < 0.8:
        return None
    step = float(kl.steps[still.start])
    performance = run.performance
    norms = run.get("optimizer.gradient_norm")
    if not kl.values.any() and not kl.highs.any() and norms is not None and level(norms.values) > 0:
        return Finding(
            message=f"The KL to the reference is exactly 0 at all {len(kl)} points although gradients flow: "
            "the reference moves with the policy.",
            onset=step,
            onset_within=kl.interval,
            confidence=MEDIUM,
            evidence=(Evidence(metric=kl.name, value=0.0, limit=pinned, step=step),),
        )
    if beta < weight or performance is None or not performance.flat:
        return None
    return Finding(
        message=f"The KL to the reference stays at {still.level:.2g} nats with a coefficient of {beta:g}, and "
        f"{performance.metric} stays flat at {performance.final:.3g}.",
        onset=step,
        onset_within=kl.interval,
        level=Level.WARN if beta >= STRONG * weight else Level.INFO,
        confidence=LOW,
        evidence=(
            Evidence(metric=kl.name, value=still.level, limit=pinned, step=step),
            Evidence(metric="kl_coefficient", value=beta, limit=weight),
        ),
    )


def _in_samples(samples: Samples, far: float, growth: float, least: float) -> Answer:
    parts = split(samples, "kl")
    shift = None if parts is None else parts.shift("kl")
    if parts is None or shift is None:
        return CannotTell(("step",), "too few rows, early or late, to compare")
    if not shift.rose or parts.better:
        return None
    before = max(shift.before, 0.0)
    reward = parts.shift("reward")
    unpaid = reward is None or reward.z < 2.0
    limit = max(far, 3.0 * before)
    if shift.after > limit and (parts.better is False or (unpaid and not parts.measures)):
        return _report_shift(samples, parts, shift, limit)
    limit = max(growth * max(before, 1e-6), least)
    return _report_shift(samples, parts, shift, limit) if shift.after > limit and parts.worst is not None else None


def _report_shift(samples: Samples, parts: SampleSplit, shift: MeanShift, limit: float) -> Finding:
    step, worst = find_onset(samples, "kl", shift), parts.worst
    told = "" if worst is None else f", and {worst[0]} fell from {worst[1].before:.3g} to {worst[1].after:.3g}"
    return Finding(
        message=f"The KL to the reference is {shift.after:.3g} nats in late samples, {shift.before:.3g} "
        f"{parts.where}{told}.",
        onset=step,
        confidence=HIGH if worst is not None else MEDIUM,
        evidence=(Evidence(metric="kl", value=shift.after, limit=limit, step=step),),
    )
