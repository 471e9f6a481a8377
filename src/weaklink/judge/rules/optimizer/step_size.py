from __future__ import annotations

import numpy as np

from weaklink.base.evidence.run import Run
from weaklink.base.evidence.series import Series
from weaklink.base.stats import HeldStretch, find_lasting_above, find_lasting_below
from weaklink.judge.rules._course import FEWEST
from weaklink.judge.rules.writing import MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule

METRICS = ("optimizer.parameter_change", "optimizer.step_abs_max", "optimizer.step_mean_square")
WORDS = ("parameter change", "largest parameter change", "mean square parameter change")

# without a return to show harm a step must exceed the limit so many times
UNCHECKED = 5.0


@rule(
    "OPT303",
    link=Link.OPTIMIZER,
    level=Level.WARN,
    on=Run,
    needs=(METRICS,),
    leads_to=(
        "POL301",
        "POL302",
        "POL303",
        "POL307",
        "EXP301",
        "EXP303",
        "EXP304",
        "VAL301",
        "VAL304",
        "OPT300",
        "REW301",
        "REW303",
    ),
    checks={"gradients and numbers": "fails"},
)
def step_size(
    run: Run, *, largest: float = 0.1, smallest: float = 1e-8, largest_entry: float = 1.0, largest_square: float = 0.01
) -> Answer:
    """The parameters move far too much per update, or hardly at all.

    ## What it sees
    While the return does not improve, the step of an update stays above a tenth of the parameters' norm or below 1e-8
    of it. Where that is not logged, the largest change of a single parameter stays above 1 or below 1e-9, or the mean
    square change above 0.01 or below 1e-20. Without a logged return a step must be five times as large.

    ## Why it is bad
    A network that changes by a tenth of its size in one update forgets what it knew. One that does not change learns
    nothing, however well everything before the optimizer works.

    ## What to do
    1. If too large, lower the learning rate by a factor of 10, clip the gradient, and take fewer steps per batch.
    2. If too small, check that the optimizer holds the parameters of this network, that the learning rate is not 0, and
       that gradients arrive (no `detach`, no frozen layers, no mixed-precision steps skipped).
    3. Compare with the gradient norm: a normal gradient with an abnormal step points to the optimizer state.

    ## How to prove it
    Copy the parameters, run one update, and compare: with Adam the largest change should be some ten to a
    hundred times the learning rate, over all layers.

    ## When it is wrong
    Networks whose parameters are all near zero move much relative to their size at the start. At the end of a
    learning-rate schedule steps vanish; those points are left out.

    ## References
    Jones, Debugging RL, Without the Agonizing Pain, 2021.
    """
    series = next((run[name] for name in METRICS if name in run and len(run[name]) >= FEWEST), None)
    if series is None:
        return CannotTell(("optimizer.parameter_change",), f"fewer than {FEWEST} points")
    performance = run.performance
    if performance is not None and performance.improved:
        return None
    bounds = {
        METRICS[0]: (smallest, largest),
        METRICS[1]: (0.1 * smallest, largest_entry),
        METRICS[2]: (smallest**2 * 1e-4, largest_square),
    }
    least, most = bounds[series.name]
    most *= 1 if performance is not None else UNCHECKED
    held = find_lasting_above(series.values, most)
    if held is not None:
        return _describe(series, series.steps, held, most, "far too large", performance is not None)
    live = _find_not_annealed(run, series)
    held = find_lasting_below(series.values[live], least, window=0.3)
    if held is None:
        return None
    return _describe(series, series.steps[live], held, least, "far too small", performance is not None)


def _describe(series: Series, steps: np.ndarray, held: HeldStretch, limit: float, word: str, judged: bool) -> Finding:
    step = float(steps[held.start])
    name = WORDS[METRICS.index(series.name)]
    end = ", and the return does not improve." if judged else "."
    return Finding(
        message=f"The {name} of an update stays at {held.level:.2g} from step {step:,.0f} on (limit {limit:.2g}): "
        f"{word}{end}",
        onset=step,
        onset_within=series.interval,
        confidence=MEDIUM,
        evidence=(Evidence(metric=series.name, value=held.level, limit=limit, step=step),),
    )


def _find_not_annealed(run: Run, series: Series) -> np.ndarray:
    """The points at which the learning rate was above a tenth of its largest value."""
    rates = run.get("optimizer.learning_rate")
    if rates is None or rates.highs.max() <= 0:
        return np.ones(len(series), dtype=bool)
    return np.asarray(np.interp(series.steps, rates.steps, rates.values) > 0.1 * rates.highs.max())
