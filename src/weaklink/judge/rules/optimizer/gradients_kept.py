from __future__ import annotations

import numpy as np

from weaklink.base.evidence.run import Run
from weaklink.base.stats import level
from weaklink.judge.rules._course import start_of
from weaklink.judge.rules._hyperparameters import read_positive
from weaklink.judge.rules._suspicions import BEARS_OUT
from weaklink.judge.rules.writing import MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule

LOSSES = ("value.loss", "value.q_loss", "optimizer.loss")

# points of the second half
FEWEST_POINTS = 20

# of the limit: a norm that is logged after clipping stands there
AT_LIMIT = 0.02


@rule(
    "OPT311",
    link=Link.OPTIMIZER,
    level=Level.WARN,
    needs=("optimizer.gradient_norm", LOSSES),
    leads_to=(*BEARS_OUT, "REW302"),
    checks={"gradients and numbers": "fails"},
)
def gradients_kept(run: Run, *, scatter: float = 0.025, grown: float = 2.0, fallen: float = 5.0) -> Answer:
    """The gradient norm stands still at a high level while the loss that it belongs to has fallen.

    ## What it sees
    In the second half of the log the gradient norm scatters by less than 2.5 percent around a level that is at least
    twice its first one, and the loss has fallen to a fifth of its start or less. The norm is not at the limit to which
    gradients are clipped.

    ## Why it is bad
    The gradient of a loss that gets small gets small, and differs from batch to batch. One that does neither is a sum
    over all updates so far: it is never set to zero. The optimizer follows the past, and no update does what its
    batch asks for.

    ## What to do
    1. Call `optimizer.zero_grad()` before every `backward()`.
    2. With accumulated gradients, set them to zero after each step of the optimizer.

    ## How to prove it
    Print the gradient norm after `backward()` twice on the same batch without a step: it must be the same.

    ## When it is wrong
    Norms that are logged after being clipped are all alike; where the limit is not configured, this looks the same
    and the level is that of the limit from the start.

    ## References
    PyTorch documentation, `torch.optim.Optimizer.zero_grad`.
    """
    norm, loss = run["optimizer.gradient_norm"], run.get(*LOSSES)
    assert loss is not None
    late = norm.values[len(norm) // 2 :]
    if len(late) < FEWEST_POINTS or len(loss) < FEWEST_POINTS:
        return CannotTell((norm.name,), f"fewer than {FEWEST_POINTS} points in the second half")
    height, limit = level(late), read_positive(run.config, "max_gradient_norm")
    clipped = limit is not None and abs(height - limit) <= AT_LIMIT * limit
    small = level(loss.values[-max(len(loss) // 5, 3) :]) * fallen < start_of(loss.values)
    if clipped or not small or height <= grown * float(norm.values[0]) or float(np.std(late)) > scatter * height:
        return None
    step = float(norm.steps[int(np.argmax(norm.values > height * (1 - 5 * scatter)))])
    return Finding(
        message=f"From step {step:,.0f} on the gradient norm stays at {height:,.4g} (+-{np.std(late) / height:.1%}, "
        f"{height / norm.values[0]:,.3g} times the first), while {loss.name} falls from {start_of(loss.values):.3g} to "
        f"{level(loss.values[-max(len(loss) // 5, 3) :]):.3g}: gradients are added up and never set to zero.",
        onset=step,
        onset_within=norm.interval,
        confidence=MEDIUM,
        evidence=(Evidence(metric=norm.name, value=height, limit=grown * float(norm.values[0]), step=step),),
    )
