from __future__ import annotations

import numpy as np

from weaklink.base.evidence.run import Run
from weaklink.base.stats import level
from weaklink.judge.rules._course import FEWEST
from weaklink.judge.rules._hyperparameters import read_minibatch_size, read_positive
from weaklink.judge.rules.writing import LOW, MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule


@rule("OPT304", link=Link.OPTIMIZER, level=Level.INFO, on=Run, needs=("optimizer.gradient_noise_scale",))
def gradient_noise(run: Run, *, apart: float = 30.0, agree: float = 0.7) -> Answer:
    """The batch size is far from the gradient noise scale.

    ## What it sees
    The gradient noise scale over the whole run is more than thirty times above or below the batch size, and seven
    points in ten agree.

    ## Why it is bad
    The noise scale is the batch size at which noise and signal of the gradient are equally strong. With a
    much smaller batch steps are mostly noise; with a much larger one additional samples hardly improve the step.

    ## What to do
    1. If the noise scale is far above the batch, enlarge the batch, accumulate gradients, or lower the learning rate.
    2. If it is far below, make the batch smaller and take more steps on the same data.
    3. Average the estimate over a whole run before acting on it: it is extremely noisy.

    ## How to prove it
    Run twice for the same number of samples, with the current batch and with one three times closer to the noise scale:
    the second must learn at least as much.

    ## When it is wrong
    The estimate changes by orders of magnitude during training, is negative at times, and differs between the losses
    of policy and critic. It is a hint, not an alarm.

    ## References
    McCandlish et al., An Empirical Model of Large-Batch Training, 2018.
    """
    series = run["optimizer.gradient_noise_scale"]
    batch = read_minibatch_size(run.config) or read_positive(run.config, "batch_size")
    if batch is None:
        return CannotTell(("batch_size",), "the noise scale is compared with the batch size")
    scales = series.values[series.values > 0]
    if len(scales) < FEWEST:
        return CannotTell(("optimizer.gradient_noise_scale",), f"fewer than {FEWEST} points")
    scale = level(scales)
    smaller = scale > batch
    ratio = scale / batch if smaller else batch / scale
    sided = float(np.mean(scales > batch * apart / 3 if smaller else scales < 3 * batch / apart))
    if ratio < apart or sided < agree:
        return None
    return Finding(
        message=f"The gradient noise scale is about {scale:,.3g} over the whole run, but the batch holds "
        f"{batch:,.0f} samples: {ratio:,.0f} times too {'few' if smaller else 'many'}.",
        onset=series.first_step,
        onset_within=series.interval,
        confidence=MEDIUM if len(scales) >= 100 else LOW,
        evidence=(Evidence(metric=series.name, value=scale, limit=batch, step=series.last_step),),
    )
