"""What every rule of the ladder reports: the first form of its rung that fails, with the cause; or that it holds."""

from __future__ import annotations

import math
from collections.abc import Callable

from weaklink.base.evidence.outcome import UNDECIDED, UNSEEN, WRONG, Measure, Outcome, Rung, RungTrial
from weaklink.judge.rules.probe._cause import Cause
from weaklink.judge.rules.probe._causes import find_cause
from weaklink.judge.rules.probe._proven import explain_by_proof, find_proof
from weaklink.judge.rules.writing import HIGH, LOW, Answer, CannotTell, Evidence, Finding, Level, Link

MOST_SHOWN = 4
"""Measures in the evidence of a finding; the first is in its message."""

Because = Callable[[list[RungTrial]], Cause | None]
UNITS = {
    "value": "the value",
    "q": "the value of the action",
    "action": "the share of right actions",
    "behaviour": "the share of right actions",
    "distance": "the distance from the right action (half of the range is 1)",
    "entropy": "the entropy of the actions",
    "guesses": "the share of right guesses",
    "forbidden": "the count of forbidden actions",
    "density": "the integral of exp(log_prob) over the range",
    "value loss": "the value loss",
    "explained variance": "the explained variance",
    "gradient explained": "the share of the gradient that is explained",
    "gradient share": "the gradient, relative to that on the model's own tokens,",
    "log-probability off": "the largest error of a log-probability",
    "temperature": "the temperature",
    "agreement": "the agreement",
    "unevenness of weights": "the unevenness of the weights of one completion's tokens",
    "power of the length": "the power of the length",
    "drift": "the drift",
    "probability": "the probability",
    "weight of the end": "the weight of the EOS token",
    "KL left": "the KL to the reference that is left",
    "weight of the KL": "the weight of the KL, in units of beta,",
}
AT_LEAST = ("action", "behaviour", "explained variance", "probability")
AT_MOST = ("distance", "guesses", "value loss", "drift", "KL left", "gradient share", "log-probability off")


def broken(outcome: Outcome, name: str, link: Link, reason: str, look: str, because: Because | None = None) -> Answer:
    """Judges one rung of the ladder.

    Args:
        outcome: the whole climb.
        name: the rung.
        link: the link to blame where nothing more is known.
        reason: what is then likely wrong.
        look: where to look for it.
        because: finds the cause in the failed trials instead, for rungs with their own causes.
    """
    rungs = [rung for rung in outcome.of(name) if rung.verdict != UNSEEN]
    if not rungs:
        return CannotTell((name,), "the agent exposes nothing that answers it")
    wrong = _wrong(outcome, name)
    if wrong:
        return _finding(outcome, wrong[0], Cause(link, reason, look, LOW), because)
    undecided = [rung for rung in rungs if rung.verdict == UNDECIDED and not _only_failures(rung)]
    if undecided:
        return _unsure(undecided[0])
    failing = [rung for rung in rungs if _only_failures(rung)]
    if failing and len(failing) == len(rungs):
        return CannotTell((name,), "the trainer fails on it")
    return None


def wrong_form(outcome: Outcome, name: str) -> str:
    """The first form of a rung that fails; empty where none does."""
    return next((rung.problem for rung in _wrong(outcome, name)), "")


def _wrong(outcome: Outcome, name: str) -> list[Rung]:
    return [rung for rung in outcome.of(name) if rung.verdict == WRONG and not _only_failures(rung)]


def _only_failures(rung: Rung) -> bool:
    """Whether it failed only because the trainer raised or ended early, which has its own rule."""
    return bool(rung.failed) and all(trial.failure for trial in rung.failed)


def _finding(outcome: Outcome, rung: Rung, otherwise: Cause, because: Because | None) -> Finding:
    trials = [trial for trial in rung.failed if not trial.failure]
    shown = trials[0].missed[:MOST_SHOWN]
    if rung.contrast is not None:
        return _setting(outcome, rung, shown)
    proof = find_proof(outcome, otherwise.link, alone=rung.stands_alone)
    if proof is not None:
        why = explain_by_proof(proof)
    else:
        why = find_cause(outcome, rung, otherwise) if because is None else because(trials) or otherwise
    seeds = f"{len(rung.failed)} of {len(rung.final)} seeds"
    steps = max(trial.steps for trial in trials)
    unit = "updates" if outcome.shows == ("tokens",) else "steps"
    return Finding(
        message=f"On {rung.environment} {_numbers(shown[0])} after {steps:,} {unit}, in {seeds}: {why.reason}.",
        link=why.link,
        level=why.level,
        confidence=why.confidence,
        evidence=tuple(map(_evidence, shown)),
        fix=(f"Look at {why.look}.", *_neighbours(outcome, rung)),
        verify=outcome.again(rung),
    )


def _setting(outcome: Outcome, rung: Rung, shown: tuple[Measure, ...]) -> Finding:
    """The rung holds with the ladder's own settings: nothing is wrong with the code."""
    contrast = rung.contrast
    assert contrast is not None
    cures = [f"{name} = {to} instead of {given}" for name, given, to in contrast.cures]
    remedy = f"{' or '.join(cures)} alone fixes it" if cures else "no single setting fixes it"
    return Finding(
        message=f"On {rung.environment} {_numbers(shown[0])} as configured, but it holds with the ladder's own "
        f"settings: the code is right and these settings cannot learn it; {remedy}.",
        link=Link.OPTIMIZER,
        level=Level.WARN,
        confidence=HIGH,
        evidence=tuple(map(_evidence, shown)),
        fix=tuple(f"Set {cure}." for cure in cures)
        or ("Start from the algorithm's defaults and change one at a time.",),
        verify=f"{outcome.again(rung)} --as-configured --config FILE",
    )


def _unsure(rung: Rung) -> Finding:
    missed = next(trial.missed for trial in rung.failed if not trial.failure)[:MOST_SHOWN]
    return Finding(
        message=f"On {rung.environment} {len(rung.failed)} of {len(rung.final)} seeds miss: {_numbers(missed[0])}; "
        f"this may be chance.",
        level=Level.INFO,
        confidence=LOW,
        evidence=tuple(map(_evidence, missed)),
    )


def _numbers(measure: Measure) -> str:
    what = UNITS.get(measure.what, measure.what)
    measured = f"{measure.measured:.3g}" if math.isfinite(measure.measured) else "no finite number"
    return f"{what} ({measure.where}) is {measured} where {_limits(measure)} is right"


def _limits(measure: Measure) -> str:
    if measure.what in AT_LEAST:
        return f"at least {measure.low:.3g}"
    if measure.what in AT_MOST:
        return f"at most {measure.high:.3g}"
    return f"{measure.right:.3g}"


def _evidence(measure: Measure) -> Evidence:
    limit = measure.low if measure.measured < measure.low else measure.high
    return Evidence(metric=f"{measure.what} ({measure.where})", value=measure.measured, limit=limit)


def _neighbours(outcome: Outcome, rung: Rung) -> tuple[str, ...]:
    """What the rungs before it rule out: they hold, so the fault lies in what this one adds."""
    before = [other.name for other in outcome.rungs if other.verdict == "right" and other.code < rung.code]
    held = list(dict.fromkeys(before))
    if not held:
        return (f"This rung needs only {rung.adds}: look there.",)
    verb = "hold" if len(held) > 1 else "holds"
    return (f"{', '.join(held[-3:])} {verb}, so the fault lies in what this rung adds: {rung.adds}.",)
