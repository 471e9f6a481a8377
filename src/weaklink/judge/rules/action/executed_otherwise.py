from __future__ import annotations

import numpy as np

from weaklink.base.evidence.run import Run
from weaklink.base.evidence.series import Array
from weaklink.base.stats import level
from weaklink.judge.rules._course import FEWEST, has_improved
from weaklink.judge.rules._suspicions import BEARS_OUT
from weaklink.judge.rules.writing import HIGH, Answer, CannotTell, Evidence, Finding, Level, Link, rule

SHARE, CHOSEN, EXECUTED = "action.executed_share", "action.size", "action.executed_size"
SPREAD = "exploration.action_std"

# the mean size of draws of standard deviation 1 around 0, and the largest spread that bounds hardly cut
OF_SPREAD, WIDE = 0.8, 1.0


@rule(
    "ACT305",
    link=Link.ACTION,
    level=Level.WARN,
    needs=((SHARE, EXECUTED),),
    leads_to=BEARS_OUT,
)
def executed_otherwise(run: Run, *, least: float = 0.6, times: float = 4.0) -> Answer:
    """What is executed is not what the policy chose.

    ## What it sees
    The log tells both: less than six tenths of the actions are executed as they were chosen, or the actions that the
    environment is given are four times smaller or larger than the chosen ones, from the start to the end, and the
    return does not improve. Where the size of the chosen ones is not logged, it is that of draws with the spread of the
    policy at least.

    ## Why it is bad
    The policy is paid for actions that it did not take. It cannot learn which of its choices is good, and the data say
    that all of them are alike.

    ## What to do
    1. Print action and executed action of ten steps side by side, at every wrapper.
    2. Look for indices that are mapped twice or into another order, and for a scale that is applied twice.

    ## How to prove it
    Step a copy of the environment without the wrappers with a few fixed actions: the effect must be the same.

    ## When it is wrong
    Environments that replace actions on purpose (sticky actions, slippery ground, a safety layer) may log it too; most
    leave more than six tenths as they are. Actions in physical units are larger by a factor, and are learned all the
    same: where the return improves, nothing is said.

    ## References
    Machado et al., Revisiting the Arcade Learning Environment, 2018 (sticky actions repeat a quarter).
    """
    if has_improved(run):
        return None
    share = run.get(SHARE)
    if share is not None and len(share) >= FEWEST and float(share.highs.max()) < least:
        held = level(share.values)
        words = f"Only {held:.0%} of the actions are executed as they were chosen (limit {least:.0%})"
        return _describe(SHARE, share.first_step, share.interval, held, least, words)
    if EXECUTED in run and CHOSEN not in run and SPREAD in run:
        return _compare_with_spread(run, times)
    if CHOSEN not in run or EXECUTED not in run:
        return None if share is not None else CannotTell((CHOSEN,), "how large the chosen actions are is not logged")
    executed = run[EXECUTED]
    factors = _compare(run)
    if len(factors) < FEWEST:
        return CannotTell((EXECUTED,), f"fewer than {FEWEST} points")
    if 1 / times <= factors.max() and factors.min() <= times:
        return None
    factor = level(factors)
    words = f"The executed actions are {factor:.3g} times as large as the chosen ones"
    return _describe(EXECUTED, executed.first_step, executed.interval, level(executed.values), times, words)


def _compare_with_spread(run: Run, times: float) -> Answer:
    """The same by the spread of what was chosen: draws are at least so large on average, wherever their mean lies."""
    executed, spread = run[EXECUTED], run[SPREAD]
    least = OF_SPREAD * np.minimum(np.interp(executed.steps, spread.steps, spread.values), WIDE)
    if len(executed) < FEWEST:
        return CannotTell((EXECUTED,), f"fewer than {FEWEST} points")
    if not bool((executed.values * times < least).all()):
        return None
    words = f"The executed actions have a mean size of {level(executed.values):.3g}, where draws of the policy have at "
    words += f"least {level(least):.3g}"
    return _describe(EXECUTED, executed.first_step, executed.interval, level(executed.values), times, words)


def _compare(run: Run) -> Array:
    """How many times as large as the chosen action the executed one is, point by point."""
    executed, chosen = run[EXECUTED], run[CHOSEN]
    sizes = np.interp(executed.steps, chosen.steps, chosen.values)
    return executed.values[sizes > 0] / sizes[sizes > 0]


def _describe(name: str, step: float, within: float, value: float, limit: float, words: str) -> Finding:
    return Finding(
        message=f"{words}, from step {step:,.0f} to the end, and the return does not improve.",
        onset=step,
        onset_within=within,
        confidence=HIGH,
        evidence=(Evidence(metric=name, value=value, limit=limit, step=step),),
    )
