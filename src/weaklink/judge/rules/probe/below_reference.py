from __future__ import annotations

import numpy as np

from weaklink.base.evidence.comparison import HUNG, Comparison, Contestant
from weaklink.base.evidence.standing import ContestantSide, Standing, compute_standing
from weaklink.base.evidence.standing import SeedLevel as Interval
from weaklink.judge.rules.writing import HIGH, LOW, MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule

FEWEST_SEEDS, MANY_SEEDS = 3, 5
"""The least that a comparison needs, and what gives it high confidence."""

SHORT = 0.8
"""A trainer that took less than this share of the reference's steps had a smaller budget."""

ALMOST_ALWAYS = 0.95
"""The share of pairs of seeds in which the reference is better: 19 of 20."""

KEPT = (0.5, 2.0)
"""A value is about right between half and twice the return that follows."""


@rule("PRB130", link=Link.POLICY, level=Level.WARN, on=Comparison)
def below_reference(comparison: Comparison, *, share: float = 0.8, spreads: float = 2.0) -> Answer:
    """With the same environment, budget and seeds the trainer learns clearly less than the reference.

    ## What it sees
    Both are trained with at least three seeds, and each trained agent plays ten episodes in a fresh environment. It
    fires when all of this holds: the trainer makes less than 0.8 of what the reference gains over random play; the
    interval of the difference (95 %, by resampling the seeds) lies below zero; in nineteen of twenty pairs of seeds the
    reference is better; and the difference is larger than the range of the seeds of either and than twice their spread.
    Before an alarm both are trained with more seeds. Then it looks at where they differ: in the values, compared with
    the returns that follow, and in the actions for the same observations. A trainer whose every training fails or does
    not finish, where the reference trains, is reported here too, whatever the number of seeds.

    ## Why it is bad
    The task can be learned with this budget, and the trainer does not learn it. The difference is in its code, or in
    settings that differ from the reference's.

    ## What to do
    1. Run `weaklink probe TRAINER`: it names the broken component where a small problem with a known answer exposes it.
    2. Give both the same settings with `--config`, and read in the notes which of them the reference does not support.
    3. Where only the values differ, look at the targets and the scale of the rewards; where only `act` falls short of
       training, at what `act` does differently: normalising, scaling, sampling.

    ## How to prove it
    `weaklink probe TRAINER --against REFERENCE --env ENV --steps STEPS --seeds 5` with twice the steps: a bug stays
    below the reference, a slow start catches up.

    ## When it is wrong
    A trainer with other settings may be right and slow: smaller learning rate, larger batches, another network. An
    algorithm that explores for longer is below one that does not when the budget is short. On an environment that few
    seeds solve, three to five seeds can differ by luck. A trainer that learns with only some of its seeds is not
    reported. One that does not finish may only be slow: raise `--timeout`.

    ## References
    Henderson et al. 2018 (how far seeds differ); Agarwal et al. 2021 (intervals over few runs); Patterson et al. 2023
    (comparing agents); practice.
    """
    blocked = _check_comparable(comparison)
    if blocked is not None:
        return blocked
    found = compute_standing(comparison)
    if not _learns(found.reference, comparison):
        return CannotTell((f"a reference that learns within {comparison.steps:,} steps: give --steps more",))
    if found.gain is None or found.gain >= share or not _clear(found, spreads):
        return None
    if found.late_difference is not None and found.late_difference.high >= 0.0:
        return _only_afterwards(comparison, found)
    return _below(comparison, found)


def _check_comparable(comparison: Comparison) -> Answer:
    """What rules a comparison out: failures, too few seeds, different budgets."""
    trainer, reference = comparison.trainer, comparison.reference
    if _fails_alone(trainer, reference):
        return _fails(comparison)
    if not comparison.random:
        return CannotTell(("episodes of random play that end",))
    for side in (trainer, reference):
        if len(side.whole) < FEWEST_SEEDS:
            why = f" ({side.failed[0].failure})" if side.failed else ""
            return CannotTell((f"{FEWEST_SEEDS} seeds of {side.name} that train to the end{why}",))
    ours, theirs = (np.mean([each.taken for each in side.whole]) for side in (trainer, reference))
    if 0 < ours < SHORT * theirs:
        return CannotTell((f"the same budget: the trainer took {ours:,.0f} steps, the reference {theirs:,.0f}",))
    return None


def _fails_alone(trainer: Contestant, reference: Contestant) -> bool:
    """Whether all of its trainings fail where the reference trains; if both time out, the limit may be too short."""
    all_fail = bool(trainer.failed) and len(trainer.failed) == len(trainer.trainings)
    return all_fail and bool(reference.whole) and not (_hangs(trainer) and _hangs(reference))


def _hangs(side: Contestant) -> bool:
    return any(each.kind == HUNG for each in side.failed)


def _fails(comparison: Comparison) -> Finding:
    failed, hangs = comparison.trainer.failed, _hangs(comparison.trainer)
    look = "see where it hangs" if hangs else "read its traceback"
    return Finding(
        message=f"On {comparison.environment} the trainer fails in {len(failed)} of {len(failed)} seeds "
        f"({failed[0].failure.rstrip('.')}), where {comparison.reference.name} trains to the end.",
        link=Link.SYSTEM,
        level=Level.ERROR,
        confidence=MEDIUM if hangs else HIGH,
        evidence=(Evidence(metric="trainings that failed", value=float(len(failed)), limit=0.0),),
        fix=(
            f"Run the trainer on this environment by itself and {look}.",
            *(("If it is only slow, raise `--timeout` or lower `--steps`.",) if hangs else ()),
        ),
    )


def _learns(reference: ContestantSide, comparison: Comparison) -> bool:
    """Whether each seed of the reference is better than random play is on average."""
    return min(reference.seeds) > float(np.mean(comparison.random))


def _clear(found: Standing, spreads: float) -> bool:
    """Whether the difference is beyond chance, and larger than the differences between seeds."""
    assert found.difference is not None
    assert found.worse is not None
    ours, theirs = np.array(found.trainer.seeds), np.array(found.reference.seeds)
    pooled = float(np.sqrt((ours.var(ddof=1) + theirs.var(ddof=1)) / 2))
    least = max(float(np.ptp(ours)), float(np.ptp(theirs)), spreads * pooled)
    return found.difference.high < 0.0 and found.worse >= ALMOST_ALWAYS and -found.difference.mean > least


def _below(comparison: Comparison, found: Standing) -> Finding:
    off = _values_off(found)
    return Finding(
        message=f"{_numbers(comparison, found)}. {_where(comparison, found)}",
        link=Link.VALUE if off else Link.POLICY,
        confidence=HIGH if len(found.trainer.seeds) >= MANY_SEEDS else MEDIUM,
        evidence=_evidence(found),
        verify=f"weaklink probe {comparison.trainer.name} --against {comparison.reference.name} "
        f"--env {comparison.environment} --steps {2 * comparison.steps} --seeds {MANY_SEEDS}",
    )


def _only_afterwards(comparison: Comparison, found: Standing) -> Finding:
    return Finding(
        message=f"{_numbers(comparison, found)}; in training it keeps up with the reference, so the difference "
        "is in what `act` does.",
        link=Link.EVALUATION,
        level=Level.INFO,
        confidence=LOW,
        evidence=_evidence(found),
    )


def _numbers(comparison: Comparison, found: Standing) -> str:
    ours, theirs = found.trainer.final, found.reference.final
    assert ours is not None
    assert theirs is not None
    assert found.gain is not None
    return (
        f"On {comparison.environment} the trained agent's return is {_range(ours)} where {comparison.reference.name} "
        f"reaches {_range(theirs)} with the same {comparison.steps:,} steps, in {len(found.trainer.seeds)} seeds each: "
        f"{max(found.gain, 0.0):.0%} of its gain over random play ({found.random:.3g})"
    )


def _range(level: Interval) -> str:
    return f"{level.mean:.3g} ({level.low:.3g} to {level.high:.3g})"


def _where(comparison: Comparison, found: Standing) -> str:
    """Which of the outputs differ."""
    parts = []
    if found.agreement is not None and found.own_agreement is not None:
        parts.append(
            f"it acts as the reference does in {found.agreement:.0%} of {comparison.observations} observations, where "
            f"the reference's own seeds agree in {found.own_agreement:.0%}"
        )
    if found.trainer.promise is not None and found.reference.promise is not None:
        parts.append(
            f"its values are {found.trainer.promise:.2g} times the returns that follow, the reference's "
            f"{found.reference.promise:.2g} times"
        )
    if not parts:
        return "Expose `value` or `q` to see where they differ."
    text = "; ".join(parts)
    return f"{text[0].upper()}{text[1:]}."


def _values_off(found: Standing) -> bool:
    """Whether the trainer's values are far from the returns that follow while the reference's are not."""
    ours, theirs = found.trainer.promise, found.reference.promise
    if ours is None or theirs is None:
        return False
    low, high = KEPT
    return low <= theirs <= high and not low <= ours <= high


def _evidence(found: Standing) -> tuple[Evidence, ...]:
    ours, theirs = found.trainer, found.reference
    assert ours.final is not None
    assert theirs.final is not None
    rows = [Evidence(metric="final return", value=ours.final.mean, limit=theirs.final.mean)]
    pairs = (
        ("return late in training", _mean(ours.late), _mean(theirs.late)),
        ("actions alike", found.agreement, found.own_agreement),
        ("value over what follows", ours.promise, theirs.promise),
        ("steps to half of the reference's gain", ours.half_way, theirs.half_way),
        ("entropy of the policy", ours.entropy, theirs.entropy),
    )
    rows += [Evidence(metric=name, value=value, limit=limit) for name, value, limit in pairs if value is not None]
    return tuple(rows)


def _mean(level: Interval | None) -> float | None:
    return None if level is None else level.mean
