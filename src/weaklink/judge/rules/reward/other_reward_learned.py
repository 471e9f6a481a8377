from __future__ import annotations

import numpy as np

from weaklink.base.evidence.run import Run
from weaklink.base.stats import level, quantile
from weaklink.judge.rules._course import FEWEST, is_language_run
from weaklink.judge.rules._suspicions import BEARS_OUT
from weaklink.judge.rules.writing import HIGH, Answer, CannotTell, Evidence, Finding, Level, Link, rule

RETURN, LENGTH, REWARD, LOSS = "reward.episode_return", "task.episode_length", "reward.mean", "value.loss"

# steps of an episode below which the reward of a step is hardly told from a return; and so few rows may be otherwise
FEWEST_STEPS, FEW = 3.0, 0.1

# of the return: what is left of rewards that hardly reach the learner
LOST = 1e-3

# times the return: a loss that is summed over a rollout means an error so many times too large, and no more
SUMMED = 100.0


@rule(
    "REW311",
    link=Link.REWARD,
    level=Level.WARN,
    needs=(RETURN, (REWARD, LOSS)),
    leads_to=(*BEARS_OUT, "VAL304"),
)
def other_reward_learned(run: Run, *, times: float = 3.0) -> Answer:
    """The reward that is learned from is far larger, or smaller, than the one that returns are made of.

    ## What it sees
    In nine of ten rows the mean reward of a step is three times as large as the return of a whole episode, or larger,
    or summed over an episode less than a thousandth of it.
    Where it is not logged: the value loss means errors a hundred times as large as any return that was ever logged.

    ## Why it is bad
    Returns are the sums of rewards, so the trainer does not learn from what is logged. Rewards of a thousand times
    their size make the critic useless, since it starts near 0 and moves by small steps, and its gradient
    drowns the policy's where they share layers.

    ## What to do
    1. Print the rewards of one episode as they are stored for learning, and their sum: it must be the logged return.
    2. Look for a factor in a wrapper, a unit (cents, millimetres), or one that is applied twice.
    3. Bring discounted returns into [-10, 10], by a running standard deviation or a fixed factor.

    ## How to prove it
    Divide the reward by that factor for a short run: the critic must begin to explain returns.

    ## When it is wrong
    Returns that are normalised before they are logged. A mean reward that is one of completions or of whole episodes is
    no reward of a step: where it equals the return, nothing is said.

    ## References
    Andrychowicz et al., What Matters In On-Policy Reinforcement Learning, 2021 (reward normalisation).
    """
    returns = run[RETURN]
    if len(returns) < FEWEST or is_language_run(run):
        return CannotTell((RETURN,), f"fewer than {FEWEST} points, or rewards of completions")
    largest = float(max(np.abs(returns.lows).max(), np.abs(returns.highs).max()))
    if not largest:
        return CannotTell((RETURN,), "no return differs from 0")
    if REWARD in run and len(run[REWARD]) >= FEWEST:
        return _compare_with_reward(run, times)
    loss = run.get(LOSS)
    if loss is None or len(loss) < FEWEST:
        return CannotTell((REWARD,), f"fewer than {FEWEST} points")
    error = float(quantile(np.maximum(loss.values, 0.0), FEW)) ** 0.5
    if error < SUMMED * largest:
        return None
    return _describe(
        run, LOSS, error**2, (SUMMED * largest) ** 2, f"means errors of {error:,.3g} in nine of ten rows", largest
    )


def _compare_with_reward(run: Run, times: float) -> Answer:
    returns, reward, lengths = run[RETURN], run[REWARD], run.get(LENGTH)
    if lengths is None or level(lengths.values) < FEWEST_STEPS:
        return CannotTell((LENGTH,), "how many steps an episode has is not known")
    size = np.abs(np.interp(returns.steps, reward.steps, reward.values))
    held, whole = level(reward.values), level(returns.values)
    summed = size * np.interp(returns.steps, lengths.steps, lengths.values)
    if float(quantile(np.abs(returns.values) * LOST - summed, FEW)) > 0:
        return _describe(
            run, REWARD, held, LOST * whole, f"is {held:,.3g} a step in episodes of {level(lengths.values):,.3g}", whole
        )
    if float(quantile(size - times * np.abs(returns.values), FEW)) <= 0:
        return None
    return _describe(
        run, REWARD, held, times * whole, f"is {held:,.3g} a step in episodes of {level(lengths.values):,.3g}", whole
    )


def _describe(run: Run, name: str, value: float, limit: float, told: str, paid: float) -> Finding:
    series = run[name]
    return Finding(
        message=f"{name} {told}, but {RETURN} is {paid:,.3g} for a whole episode: what is learned from is another "
        "reward than the one that returns are made of.",
        onset=series.first_step,
        onset_within=series.interval,
        confidence=HIGH,
        evidence=(Evidence(metric=name, value=value, limit=limit, step=series.last_step),),
    )
