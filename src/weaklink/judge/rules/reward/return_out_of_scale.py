from __future__ import annotations

import numpy as np

from weaklink.base.evidence.run import Run
from weaklink.base.stats import level
from weaklink.judge.rules._course import FEWEST, has_improved
from weaklink.judge.rules._hyperparameters import read_flag
from weaklink.judge.rules.writing import MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule


@rule(
    "REW308",
    link=Link.REWARD,
    level=Level.WARN,
    needs=("reward.episode_return",),
    leads_to=(
        "RET301",
        "RET302",
        "VAL301",
        "VAL302",
        "VAL304",
        "VAL305",
        "OPT301",
        "OPT302",
        "OPT305",
        "POL302",
        "POL303",
        "POL308",
        "EXP301",
        "EXP303",
        "REW301",
        "REW303",
        "REW304",
    ),
    symptoms={"reward flat": 17},
)
def return_out_of_scale(run: Run, *, least: float = 1e-3, most: float = 1e4, loss: float = 1e6) -> Answer:
    """Returns are so small that they vanish, or so large that the critic cannot follow.

    ## What it sees
    The absolute return of an episode never exceeds 0.001 although it is not 0, or its median exceeds 10,000 while the
    loss of the critic exceeds a million; rewards are not normalised, and the return does not improve.

    ## Why it is bad
    Gradients follow the size of the returns. Tiny ones vanish beside the epsilon of Adam and the entropy bonus; huge
    ones make the critic's loss drown the policy's, and clipping leaves it a direction without a size.

    ## What to do
    1. Multiply the reward by a constant so that returns are between 1 and 10, or normalise it by a running spread.
    2. Check for a factor that is applied twice, and for units (metres against millimetres).

    ## How to prove it
    Repeat a short run with rewards of the size of 1 and nothing else changed: losses and the return must react.

    ## When it is wrong
    Where the trainer normalises what it learns from, the raw return may be of any size: then it improves all the same.

    ## References
    Henderson et al., Deep Reinforcement Learning That Matters, 2018 (reward scale).
    """
    series, error = run["reward.episode_return"], run.get("value.loss", "value.q_loss")
    if len(series) < FEWEST:
        return CannotTell((series.name,), f"fewer than {FEWEST} points")
    normalised = read_flag(run.config, "norm_reward", "normalize_reward", "normalize_rewards", "normalize")
    if has_improved(run) or normalised:
        return None
    highest = float(max(np.abs(series.highs).max(), np.abs(series.lows).max()))
    size = level(np.abs(series.values))
    huge = size > most and error is not None and level(error.values) > loss
    if not huge and not 0 < highest < least:
        return None
    value, limit = (size, most) if huge else (highest, least)
    return Finding(
        message=f"Returns are of the size of {value:.3g} (limit {limit:g}), rewards are not normalised, and the return "
        "does not improve.",
        onset=series.first_step,
        onset_within=series.interval,
        confidence=MEDIUM,
        evidence=(Evidence(metric=series.name, value=value, limit=limit, step=series.first_step),),
    )
