from __future__ import annotations

import numpy as np

from weaklink.base.evidence.run import Run
from weaklink.base.finding import LOW, MEDIUM, Answer, CannotTell, Evidence, Finding, Level
from weaklink.base.loop import Link
from weaklink.base.stats import level
from weaklink.judge.rules._course import FEWEST
from weaklink.judge.rules._hyperparameters import minibatch, positive
from weaklink.judge.rules._registry import rule


@rule("OPT304", link=Link.OPTIMIZER, level=Level.INFO, on=Run, needs=("optimizer.gradient_noise_scale",))
def gradient_noise(run: Run, *, apart: float = 30.0, agree: float = 0.7) -> Answer:
    """The batch is far from the size that the gradient's own noise asks for.

    ## What it sees
    The gradient noise scale, taken over the whole run, lies more than thirty times above or below the batch size, and
    seven points in ten agree.

    ## Why it is bad
    The noise scale is the batch size at which noise and signal of the gradient are equally strong. A much smaller
    batch makes steps that are mostly noise; a much larger one pays for samples that no longer make the step better.

    ## What to do
    1. Noise scale far above the batch: enlarge the batch, accumulate gradients, or lower the learning rate.
    2. Noise scale far below it: make the batch smaller and take more steps from the same data.
    3. Average the estimate over a whole run before acting on it: it is extremely noisy.

    ## How to prove it
    Run twice for the same number of samples, with the batch as it is and three times nearer to the noise scale: the
    second must learn at least as much.

    ## When it is wrong
    The estimate changes by orders of magnitude during training, is negative at times, and differs between the losses
    of policy and critic. It is a hint and no alarm.

    ## References
    McCandlish et al., An Empirical Model of Large-Batch Training, 2018.
    """
    series = run["optimizer.gradient_noise_scale"]
    batch = minibatch(run.config) or positive(run.config, "batch_size")
    if batch is None:
        return CannotTell(("batch_size",), "the noise scale is compared with it")
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
        message=f"The gradient noise scale is about {scale:,.3g} over the whole run and the batch holds "
        f"{batch:,.0f} samples: "
        f"{ratio:,.0f} times too {'few' if smaller else 'many'}.",
        onset=series.first_step,
        onset_within=series.interval,
        confidence=MEDIUM if len(scales) >= 100 else LOW,
        evidence=(Evidence(metric=series.name, value=scale, limit=batch, step=series.last_step),),
    )
