from __future__ import annotations

from weaklink.base.evidence.config import Config
from weaklink.judge.rules._hyperparameters import NATURAL_GRADIENT
from weaklink.judge.rules._suspicions import BEARS_OUT, find_outside
from weaklink.judge.rules.writing import Answer, Level, Link, rule


@rule(
    "OPT104",
    link=Link.OPTIMIZER,
    level=Level.INFO,
    on=Config,
    leads_to=BEARS_OUT,
    marks=("suspect",),
)
def gradient_limits(
    config: Config, *, smallest_norm: float = 1e-3, decay: float = 0.1, weight: float = 10.0, smallest_batch: float = 4
) -> Answer:
    """The gradient is clipped to almost nothing, the weights are pulled to 0, or a batch is a handful of samples.

    ## What it sees
    A gradient norm limited to less than 0.001, a weight decay above 0.1, a weight of the critic's loss above 10, or a
    batch of fewer than 4 samples. It is information, and a warning where the curves show what it leads to.

    ## Why it is bad
    A clipped gradient that is smaller than the epsilon of Adam moves nothing. A strong decay takes away what an update
    adds. A gradient of a few samples is noise.

    ## What to do
    1. Clip the norm to 0.5 for on-policy and to 10 for value-based learners.
    2. Leave the weight decay at 0, and take batches of 32 and more.

    ## How to prove it
    Repeat a short run with the usual value and nothing else changed: the size of the updates and the losses must react.

    ## When it is wrong
    Some trainers take 0 for no clipping; the norm is not judged where the policy steps by a natural gradient (TRPO).
    Batches of language models are counted in sequences and accumulate: those are not judged.

    ## References
    Practice; defaults of Stable-Baselines3, CleanRL and RLlib.
    """
    batch = None if config.family == "language" or "max_completion_length" in config else smallest_batch
    shortest = None if config.algorithm in NATURAL_GRADIENT else smallest_norm
    return find_outside(
        config,
        ("max_gradient_norm", shortest, None, "so little is left of a gradient that Adam hardly steps", ""),
        ("weight_decay", None, decay, "", "the weights are pulled to 0 more strongly than they learn"),
        ("value_coefficient", None, weight, "", "the loss of the critic drowns that of the policy"),
        ("batch_size", batch, None, "a gradient of so few samples is mostly noise", ""),
    )
