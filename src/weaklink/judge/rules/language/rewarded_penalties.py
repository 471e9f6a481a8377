from __future__ import annotations

import numpy as np

from weaklink.base.evidence.samples import COMPONENT, Samples
from weaklink.base.evidence.series import Array
from weaklink.judge.rules._draws import select_complete
from weaklink.judge.rules.writing import HIGH, Answer, CannotTell, Evidence, Finding, Level, Link, rule

FEWEST, EXACT, FELT, POSITIVE = 60, 0.999, 0.05, 0.95
"""Rows; how much of the reward its parts must explain; how much a penalty must move it, in standard deviations; and the
share of the penalties that must have one sign for it to be known."""
_KL = frozenset(("kl", "kld"))
_PENALTIES = _KL | frozenset(("penalty", "penalties", "cost", "malus"))


@rule(
    "LLM373",
    link=Link.REWARD,
    level=Level.WARN,
    on=Samples,
    needs=("reward",),
    leads_to=("LLM301", "LLM302", "LLM303", "LLM305", "LLM307", "LLM310", "LLM311", "LLM317", "LLM342", "REW305"),
)
def rewarded_penalties(samples: Samples) -> Answer:
    """A penalty raises the reward, such as a KL to the reference that is added: what it should prevent is paid.

    ## What it sees
    Rows give the reward, its components, and a KL or its penalty as a positive number. The reward is a weighted sum of
    these (to 0.999 of its variance), and the weight of the KL is positive, and large enough to matter. A component that
    is called a penalty or a cost, or a KL, and is never above zero is taken off already: with a negative weight it
    raises the reward, which is an alarm as well.

    ## Why it is bad
    The penalty should hold the policy near its reference, or texts short, or harmless. With the wrong sign it pays for
    what it should prevent, ever more of it; the reward rises while texts fall apart.

    ## What to do
    1. Subtract a penalty that is a size, and add one that is negative: `reward - beta * kl`, with `kl = logprob -
       ref_logprob` of the tokens that were sampled.
    2. Check which way round the difference is taken, and that the sign is not applied twice.
    3. Go back to the first checkpoint: what was learned is the drift.

    ## How to prove it
    Work out one row by hand: where the penalty is largest, the reward must be below the sum of the other parts.

    ## When it is wrong
    A distance from another policy that is meant to grow, under the name of a KL.

    ## References
    Ziegler et al., Fine-Tuning Language Models from Human Preferences, 2019.
    """
    parts = [COMPONENT + name for name, _ in samples.columns(COMPONENT)]
    known = [name for name in (*parts, "kl") if name in samples and not _PENALTIES.isdisjoint(_split_name(name))]
    if not known or not set(parts) - set(known):
        return CannotTell(("reward components", "kl"), "no row gives a penalty and the other parts of its reward")
    for name in known:
        # of several names for one KL only that one counts
        others = [part for part in parts if part != name and not (_is_kl(name) and _is_kl(part))]
        rows = select_complete(samples, "reward", name, *others)
        if not others or (sign := _find_sign(rows[name], kl=_is_kl(name))) is None:
            continue
        weight = _find_weight(rows, rows[name], [rows[other] for other in others])
        if weight is not None and weight * sign > 0.0:
            told = "the KL" if _is_kl(name) else "a penalty"
            done = "added to the reward" if weight > 0.0 else "negative and subtracted from the total"
            return Finding(
                message=f"The sign of {told} is wrong: {name.removeprefix(COMPONENT)} is {done}, with a weight of "
                f"{weight:+.3g} over {len(rows):,} rows, so the component raises the reward: what it should prevent "
                "is paid.",
                confidence=HIGH,
                evidence=(Evidence(metric=name, value=weight, limit=0.0),),
            )
    return None


def _split_name(name: str) -> list[str]:
    return name.lower().replace("/", "_").replace(".", "_").split("_")


def _is_kl(name: str) -> bool:
    return not _KL.isdisjoint(_split_name(name))


def _find_sign(values: Array, *, kl: bool) -> float | None:
    """1 for the size of a KL, -1 for a penalty that is negative; None where that is not known.

    A positive number that is called a penalty may be how much of the reward it leaves.
    """
    if len(values) and kl and float((values >= 0.0).mean()) >= POSITIVE:
        return 1.0
    return -1.0 if len(values) and float((values <= 0.0).mean()) >= POSITIVE else None


def _find_weight(rows: Samples, part: Array, others: list[Array]) -> float | None:
    """The weight of a part in the reward; None where the parts do not explain it, or this one hardly moves it."""
    reward = rows["reward"]
    if len(rows) < FEWEST or not part.std() > 0.0:
        return None
    table = np.column_stack([np.ones(len(rows)), part, *others])
    if np.linalg.matrix_rank(table) < table.shape[1] or not reward.std() > 0.0:
        return None
    weights, *_ = np.linalg.lstsq(table, reward, rcond=None)
    left = float((reward - table @ weights).var() / reward.var())
    if left > 1.0 - EXACT or abs(weights[1]) * part.std() < FELT * reward.std():
        return None
    return float(weights[1])
