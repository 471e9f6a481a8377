"""What a task is seen to pay: the same for every step, where return and length of episodes keep one ratio."""

from __future__ import annotations

import numpy as np

from weaklink.base.evidence.run import Run
from weaklink.base.stats import level
from weaklink.judge.rules._course import FEWEST

# of the pay of a step: ratios of rounded numbers differ by so little
ALIKE = 0.01

# times the shortest length: episodes that are all alike have one ratio whatever they pay
VARIED = 1.2


def find_pay_of_step(run: Run) -> float | None:
    """What every step pays, where episodes of differing lengths show that all steps pay the same; None otherwise."""
    returns, lengths = run.get("reward.episode_return"), run.get("task.episode_length")
    if returns is None or lengths is None or min(len(returns), len(lengths)) < FEWEST:
        return None
    if float(lengths.highs.max()) < VARIED * float(lengths.lows.min()):
        return None
    paid = returns.values / np.maximum(np.interp(returns.steps, lengths.steps, lengths.values), 1.0)
    each = level(paid)
    return each if each and float(np.max(np.abs(paid - each))) <= ALIKE * abs(each) else None
