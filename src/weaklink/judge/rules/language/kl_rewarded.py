from __future__ import annotations

import numpy as np

from weaklink.base.evidence.samples import COMPONENT, Samples
from weaklink.base.evidence.series import Array
from weaklink.judge.rules._draws import select_complete
from weaklink.judge.rules.writing import HIGH, Answer, CannotTell, Evidence, Finding, Level, Link, rule

FEWEST, EXACT, FELT, POSITIVE = 60, 0.999, 0.05, 0.95
"""Rows; how much of the reward its parts must explain; how much the KL must move it, in standard deviations; and the
share of the KLs that must be positive for their sign to be known."""


@rule(
    "LLM373",
    link=Link.REWARD,
    level=Level.WARN,
    on=Samples,
    needs=("reward",),
    leads_to=("LLM301", "LLM302", "LLM303", "LLM305", "LLM307", "LLM310", "LLM311", "LLM317", "LLM342", "REW305"),
)
def kl_rewarded(samples: Samples) -> Answer:
    """The KL to the reference is added to the reward and not taken off: drifting away is paid.

    ## What it sees
    Rows give the reward, its components, and a KL or its penalty as a positive number. The reward is a weighted sum of
    these (to 0.999 of its variance), and the weight of the KL is positive, and large enough to matter.

    ## Why it is bad
    The penalty should hold the policy near its reference. With the wrong sign it pays for drifting away, faster and
    faster; the reward rises while texts fall apart.

    ## What to do
    1. Subtract the penalty: `reward - beta * kl`, with `kl = logprob - ref_logprob` of the tokens that were sampled.
    2. Check which way round the difference is taken, and that the sign is not applied twice.
    3. Go back to the first checkpoint: what was learned is the drift.

    ## How to prove it
    Work out one row by hand: with a KL above zero the reward must be below the score.

    ## When it is wrong
    A distance from another policy that is meant to grow, under the name of a KL.

    ## References
    Ziegler et al., Fine-Tuning Language Models from Human Preferences, 2019.
    """
    parts = [COMPONENT + name for name, _ in samples.columns(COMPONENT)]
    others = [name for name in parts if not _is_kl(name)]
    known = [name for name in (*parts, "kl") if name not in others and name in samples]
    if not known or not others:
        return CannotTell(("reward components", "kl"), "no row gives the KL and the other parts of its reward")
    for name in known:
        rows = select_complete(samples, "reward", name, *others)
        weight = _find_weight(rows, rows[name], [rows[other] for other in others])
        if weight is not None and weight > 0.0:
            return Finding(
                message=f"The sign of the KL is wrong: {name.removeprefix(COMPONENT)} is added to the reward with a "
                f"weight of {weight:+.3g}, and not taken off, over {len(rows):,} rows: drifting away from the "
                "reference is paid.",
                confidence=HIGH,
                evidence=(Evidence(metric=name, value=weight, limit=0.0),),
            )
    return None


def _is_kl(name: str) -> bool:
    words = name.lower().replace("/", "_").replace(".", "_").split("_")
    return "kl" in words or "kld" in words


def _find_weight(rows: Samples, kl: Array, others: list[Array]) -> float | None:
    """The weight of the KL in the reward; None where the parts do not explain it, or the KL hardly moves it."""
    reward = rows["reward"]
    if len(rows) < FEWEST or float((kl >= 0.0).mean()) < POSITIVE or not kl.std() > 0.0:
        return None
    table = np.column_stack([np.ones(len(rows)), kl, *others])
    if np.linalg.matrix_rank(table) < table.shape[1] or not reward.std() > 0.0:
        return None
    weights, *_ = np.linalg.lstsq(table, reward, rcond=None)
    left = float((reward - table @ weights).var() / reward.var())
    if left > 1.0 - EXACT or abs(weights[1]) * kl.std() < FELT * reward.std():
        return None
    return float(weights[1])
