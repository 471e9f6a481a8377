from __future__ import annotations

import numpy as np

from weaklink.base.evidence.rollout import Array, Rollout
from weaklink.judge.rules.writing import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule

# with fewer rows or updates a sound critic may not have learned anything yet
FEWEST_ROWS, FEWEST_UPDATES = 64, 20

# rows that are compared with one another, each with each
MOST_ROWS = 512

# steps of one environment that are closer in time have similar returns whatever the critic sees
FAR_IN_TIME = 32

# A critic that leaves this much unexplained has learned next to nothing
NEARLY_ALL = 0.9


@rule(
    "VAL202",
    link=Link.VALUE,
    level=Level.ERROR,
    on=Rollout,
    needs=("fit",),
    leads_to=("VAL301", "VAL304", "VAL305", "VAL307", "RET301", "REW301", "REW302", "REW303", "REW304"),
    checks={"critic": "fails"},
    experiment="the critic alone",
)
def critic_cannot_fit(rollout: Rollout, *, left: float = 0.5, margin: float = 0.25) -> Answer:
    """With the policy frozen, the critic cannot fit the returns of one fixed rollout.

    ## What it sees
    A copy of the critic is trained on the returns of one fixed rollout. More than `left` of their variance, and more
    than half of what was unexplained before, stays unexplained, although a table of the observations, or the returns of
    the nearest observations, explain far more.

    ## Why it is bad
    This is the easiest problem that the critic ever gets. If it fails here, it fails in training, where targets move:
    the network, its input, its loss or its optimizer is broken.

    ## What to do
    1. Check the shapes of values and targets in the value loss, and that gradients reach the first layer.
    2. Check the input of the critic: a constant, unscaled or clipped observation, a mask, a `detach`.
    3. Check the scale of the returns against the learning rate: normalise the returns, or raise the rate for this test.
    4. Only then make the network wider.

    ## How to prove it
    Train the same critic to predict the first number of the observation: it must learn that as well.
    `weaklink confirm VAL202 my_project.py` repeats the fit with several seeds.

    ## When it is wrong
    No critic fits returns that are noise, or that depend on what it cannot observe. So the rule reports only where
    something else explains the returns.

    ## References
    Jones, Debugging reinforcement learning systems (2021); Schulman, The nuts and bolts of deep RL research (2016).
    """
    fit = rollout.fit
    if fit is None or fit.rows < FEWEST_ROWS or fit.updates < FEWEST_UPDATES:
        return CannotTell(("fit",), "too few rows or updates")
    after = fit.after if fit.best is None else min(fit.after, fit.best)
    if not np.isfinite(fit.before) or np.isnan(after):
        return CannotTell(("fit",), "the residual variance is not a number: the returns do not vary")
    if after <= max(left, 0.5 * fit.before):
        return None
    reachable = fit.table if fit.table is not None else _predict_by_neighbours(rollout)
    if reachable is None or not np.isfinite(reachable):
        return CannotTell(("fit",), "it is not known whether anything can explain these returns")
    if after <= reachable + margin:
        return None
    by = "a table of the observations" if fit.table is not None else "the nearest observations"
    return Finding(
        message=f"After {fit.updates} updates on one fixed rollout of {fit.rows:,} rows the critic leaves {after:.0%} "
        f"of the variance of its returns unexplained ({fit.before:.0%} before); {by} would leave {reachable:.0%}.",
        confidence=HIGH if fit.table is not None and after > NEARLY_ALL else MEDIUM,
        evidence=(
            Evidence(metric="value.residual_variance", value=after, limit=left),
            Evidence(metric="reachable", value=reachable),
        ),
    )


def _predict_by_neighbours(rollout: Rollout) -> float | None:
    """The share of the returns' variance that the nearest observation from another time leaves unexplained."""
    rows = _read_rows(rollout)
    if rows is None:
        return None
    seen, values, steps, members = rows
    near = (np.abs(steps[:, None] - steps[None, :]) < FAR_IN_TIME) & (members[:, None] == members[None, :])
    squares = (seen**2).sum(axis=1)
    distances = squares[:, None] + squares[None, :] - 2.0 * seen @ seen.T
    distances[near] = np.inf
    nearest = np.argmin(distances, axis=1)
    known = np.isfinite(distances[np.arange(len(values)), nearest])
    if known.sum() < FEWEST_ROWS:
        return None
    return float(np.mean((values - values[nearest])[known] ** 2) / (2.0 * values.var()))


def _read_rows(rollout: Rollout) -> tuple[Array, Array, Array, Array] | None:
    """Some rows of the rollout: scaled observations, returns, steps and environments; None where they do not vary."""
    pairing, estimates = rollout.pairing, rollout.estimates
    if pairing is None or estimates is None or pairing.observations is None or estimates.returns is None:
        return None
    returns, seen = np.asarray(estimates.returns, np.float64), np.asarray(pairing.observations, np.float64)
    if not returns.size or len(seen) != len(returns) or seen.size % returns.size:
        return None
    chosen = np.unique(np.linspace(0, returns.size - 1, MOST_ROWS).astype(int))
    rows, values = seen.reshape(returns.size, -1)[chosen], returns.ravel()[chosen]
    spread = rows.std(axis=0)
    if not np.isfinite(rows).all() or not np.isfinite(values).all() or values.std() == 0.0 or not spread.any():
        return None
    step, member = np.divmod(chosen, returns.size // len(returns))
    return rows[:, spread > 0] / spread[spread > 0], values, step, member
