from __future__ import annotations

from typing import NamedTuple

import numpy as np

from weaklink.base.evidence.samples import Samples
from weaklink.base.evidence.series import Array
from weaklink.judge.rules._draws import find_steps, hash_draws, select_complete
from weaklink.judge.rules._samples import LIKELY, SURE, convert_to_z
from weaklink.judge.rules.writing import HIGH, Answer, CannotTell, Evidence, Finding, Level, Link, rule

FEWEST = 40
"""Draws of prompts whose difficulty is known."""
MOST_LEVELS = 10
"""Levels of difficulty that are told apart: more values than that are put together."""
SIZEABLE = 0.25
"""The fall over training, in standard deviations of draws of one level, that matters."""


class Trend(NamedTuple):
    """The change of a column from the first step to the last, and how sure it is."""

    change: float
    z: float


@rule(
    "LLM375",
    link=Link.DATA,
    level=Level.WARN,
    on=Samples,
    needs=("difficulty", "reward", ("step", "policy_version")),
)
def easier_prompts(samples: Samples) -> Answer:
    """The reward rises because prompts get easier, while it falls at every level of difficulty.

    ## What it sees
    Rows say how difficult their prompts are. Over training the difficulty changes and the mean reward rises, beyond
    chance; but among prompts of one level of difficulty the reward falls, beyond chance and by a quarter of its spread
    or more. The rise is made by the mix of prompts and not by the policy (Simpson's paradox).

    ## Why it is bad
    The curve of the reward shows progress where the policy gets worse. Checkpoints are chosen by it.

    ## What to do
    1. Plot the reward for each level of difficulty by itself, or on a fixed set of prompts.
    2. Look at the sampler of prompts: a curriculum goes from easy to hard, and weights by success favour easy ones.
    3. Then look for what makes the policy worse: it has been hidden since the levels part.

    ## How to prove it
    Evaluate the first and the last checkpoint on the same prompts: the last one must not be worse.

    ## When it is wrong
    A difficulty that is measured anew from the policy's own success.

    ## References
    Simpson, The Interpretation of Interaction in Contingency Tables, 1951.
    """
    steps = find_steps(samples)
    rows = samples if steps is None else select_complete(samples.where(np.isfinite(steps)), "difficulty", "reward")
    steps = find_steps(rows)
    if steps is None or not len(rows) or not np.ptp(steps) > 0.0 or not np.ptp(rows["difficulty"]) > 0.0:
        return CannotTell(("difficulty", "step"), "one step or one level of difficulty only")
    _, owner = np.unique(hash_draws(rows), return_inverse=True)
    counts = np.bincount(owner)
    if len(counts) < FEWEST:
        return CannotTell(("difficulty",), f"fewer than {FEWEST} draws")
    reward, levels, progress = (
        np.bincount(owner, column) / counts
        for column in (rows["reward"], rows["difficulty"], (steps - steps.min()) / np.ptp(steps))
    )
    level = _name_levels(levels)
    whole, inside, mix = (
        _measure_trend(column, progress, among)
        for column, among in ((reward, np.zeros_like(level)), (reward, level), (levels, np.zeros_like(level)))
    )
    left = reward - (np.bincount(level, reward) / np.maximum(np.bincount(level), 1))[level]
    if whole.z < LIKELY or abs(mix.z) < SURE or inside.z > -SURE or -inside.change < SIZEABLE * float(left.std()):
        return None
    early, late = (float(levels[part].mean()) for part in (progress <= 0.2, progress >= 0.8))
    return Finding(
        message=f"The reward rises because the mix of prompts gets easier: their difficulty goes from {early:.3g} to "
        f"{late:.3g} on average, and at equal difficulty the reward falls by {-inside.change:.2g} from the first step "
        "to the last.",
        confidence=HIGH,
        evidence=(Evidence(metric="reward at equal difficulty", value=inside.change, limit=0.0),),
    )


def _name_levels(levels: Array) -> np.ndarray:
    """The number of the level of each draw."""
    known = np.unique(levels)
    edges = known[1:] if len(known) <= MOST_LEVELS else np.quantile(levels, np.linspace(0, 1, MOST_LEVELS + 1)[1:-1])
    return np.searchsorted(np.unique(edges), levels, side="right")


def _measure_trend(values: Array, progress: Array, among: np.ndarray) -> Trend:
    """The straight trend among draws of one kind."""
    counts = np.maximum(np.bincount(among), 1)
    rise, along = (column - (np.bincount(among, column) / counts)[among] for column in (values, progress))
    reach = float((along**2).sum())
    if not reach > 0.0:
        return Trend(0.0, 0.0)
    slope = float((rise * along).sum()) / reach
    freedom = max(len(values) - len(np.unique(among)) - 1, 1)
    error = (float(((rise - slope * along) ** 2).sum()) / freedom / reach) ** 0.5
    return Trend(slope, convert_to_z(slope / error if error else float(np.inf) * slope if slope else 0.0, freedom))
