from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from weaklink.base.evidence.rollout import Rollout, SamplerLogProbs
from weaklink.judge.rules.writing import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule

Array = NDArray[Any]

FEWEST = 8
"""Tokens: with fewer the mean is chance."""

NOISE = 10.0
"""Times the floor of numerical noise: rounding alone stays well below."""

EXACT, LIKELY = 20.0, 5.0
"""The factor by which undoing a known mistake must shrink the gap: to prove it below the limit, to name it above."""

CAUSES = {
    "trainer untempered": "the trainer's are those without the temperature of {temperature:g}",
    "sampler untempered": "the sampler's are those without the temperature of {temperature:g}",
    "shifted": "the trainer's are shifted by one token",
}


@rule(
    "LLM201",
    link=Link.DATA,
    level=Level.ERROR,
    on=Rollout,
    needs=("sampler",),
    leads_to=("DAT302", "POL301", "POL303", "POL305", "POL307", "LLM310", "REW301", "REW303", "REW304"),
)
def sampler_trainer_gap(rollout: Rollout, *, most: float = 1e-3, foreign: float = 0.07) -> Answer:
    """Sampler and trainer give the same tokens different log-probabilities.

    ## What it sees
    The log-probabilities of one batch of tokens, from the sampler and in the loss, before any optimizer step on these
    tokens. They differ by more than 0.001 on average and by ten times the numerical noise; by more than 0.07 where
    another engine sampled, unless one known mistake explains all of it.

    ## Why it is bad
    Their ratio is the importance weight in the loss. When both sides hold the same weights it must be 1; where it is
    not, every gradient is biased in the same way, and no learning rate fixes that.

    ## What to do
    1. Divide the logits of the trainer by the sampling temperature, or let the engine report log-probabilities after
       the temperature and not before it.
    2. Check positions and masks: left padding must not shift the position ids.
    3. Compute the log-softmax of both sides in float32, both inside or both outside of autocast.
    4. Compare with dropout off.

    ## How to prove it
    Sample with a temperature of 1 and a learning rate of 0 for three steps. A gap that disappears was the temperature;
    one that stays comes from precision, positions or masks.

    ## When it is wrong
    Mixture-of-experts and quantised engines have a noise floor above 0.07: set `foreign` to the gap of three steps with
    a learning rate of 0.

    ## References
    TRL issues #3029, #4159 and #6789; minimind issue #814; SkyRL issue #1408.
    """
    sampler = rollout.sampler
    if sampler is None or sampler.sampled is None or sampler.trained is None:
        return CannotTell(("sampler",), "the log-probabilities of one side were not seen")
    mask = _compared(sampler)
    if int(mask.sum()) < FEWEST:
        return CannotTell(("sampler",), f"fewer than {FEWEST} tokens")
    gap = _distance(sampler.sampled, sampler.trained, mask)
    cause = _cause(sampler, mask, gap / EXACT) if gap > most else ""
    limit = most if cause else max(foreign if sampler.foreign else most, NOISE * sampler.floor)
    if gap <= limit:
        return None
    cause = cause or _cause(sampler, mask, gap / LIKELY)
    said = CAUSES[cause].format(temperature=sampler.temperature) if cause else _where(sampler, mask, limit)
    return Finding(
        message=f"The log-probabilities of sampler and trainer differ by {gap:.3g} on average: {said}.",
        onset=rollout.step,
        confidence=HIGH if cause else MEDIUM,
        evidence=(Evidence(metric="data.sampler_gap", value=gap, limit=limit, step=rollout.step),),
    )


def _compared(sampler: SamplerLogProbs) -> Array:
    """The tokens that both sides have a finite number for."""
    mask = np.isfinite(np.asarray(sampler.sampled, float)) & np.isfinite(np.asarray(sampler.trained, float))
    return np.asarray(mask if sampler.mask is None else mask & np.asarray(sampler.mask, bool))


def _distance(first: Array, second: Array, mask: Array) -> float:
    return float(np.abs(np.asarray(first, float)[mask] - np.asarray(second, float)[mask]).mean())


def _cause(sampler: SamplerLogProbs, mask: Array, rest: float) -> str:
    """The known mistake that explains the gap up to this rest."""
    sampled, trained = np.asarray(sampler.sampled, float), np.asarray(sampler.trained, float)
    plain = sampler.untempered
    if plain is not None and sampler.temperature not in (None, 1.0):
        known = mask & np.isfinite(plain)
        if known.any() and _distance(trained, plain, known) < rest:
            return "trainer untempered"
        if known.any() and _distance(sampled, plain, known) < rest:
            return "sampler untempered"
    for here, there in ((slice(1, None), slice(None, -1)), (slice(None, -1), slice(1, None))):
        both = mask[:, here] & mask[:, there]
        if both.sum() >= FEWEST and _distance(sampled[:, here], trained[:, there], both) < rest:
            return "shifted"
    return ""


def _where(sampler: SamplerLogProbs, mask: Array, limit: float) -> str:
    apart = np.abs(np.asarray(sampler.sampled, float) - np.asarray(sampler.trained, float)) > limit
    rows = [apart[row][mask[row]] for row in range(len(mask)) if mask[row].any()]
    off = sum(bool(row.mean() > 0.5) for row in rows)
    if off < len(rows) and sum(bool(row.any()) for row in rows) == off:
        return f"{off} of {len(rows)} rows carry all of it, so look at their padding and positions"
    share = float(apart[mask].mean())
    if share < 0.5:
        return f"{share:.0%} of the tokens differ, so look at masks and positions"
    return "most tokens differ, so look at precision, positions and the definition of the log-probability"
