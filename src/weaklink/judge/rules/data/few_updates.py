from __future__ import annotations

from weaklink.base.evidence.config import Config, infer_family
from weaklink.judge.rules._hyperparameters import read_positive
from weaklink.judge.rules._suspicions import BEARS_OUT, suspect
from weaklink.judge.rules.writing import Answer, CannotTell, Level, Link, rule

# steps between two trainings: no usual setting is above
SELDOM = 16


@rule(
    "DAT105",
    link=Link.DATA,
    level=Level.INFO,
    on=Config,
    leads_to=BEARS_OUT,
    marks=("suspect",),
)
def few_updates(config: Config, *, late: float = 0.5, drawn: float = 0.5) -> Answer:
    """Learning begins late, or learns from a small part of what was collected.

    ## What it sees
    For an algorithm with a replay buffer: learning starts after half of the training, or batches draw fewer than half
    as many samples as are collected (`batch_size x gradient_steps / train_freq`). It is information, and a warning
    where the curves show what it leads to.

    ## Why it is bad
    Usual settings learn from every transition eight times and more. With a fraction of that most of the experience is
    never used, and the budget ends before anything is learned.

    ## What to do
    1. Begin to learn after 1 to 5 % of the training.
    2. Train every 1 to 16 steps, with as many gradient steps.

    ## How to prove it
    Repeat a short run with `train_freq` 1 and nothing else changed: the return must rise earlier.

    ## When it is wrong
    With thousands of simulated environments a part of the data is enough; those collect millions of steps.

    ## References
    Fedus et al., Revisiting Fundamentals of Experience Replay, 2020 (replay ratio).
    """
    if infer_family(config, ()) != "off-policy":
        return CannotTell(("algorithm",), "only algorithms with a replay buffer are judged")
    starts, budget = read_positive(config, "learning_starts"), read_positive(config, "total_steps")
    if starts is not None and budget is not None and late * budget < starts < budget:
        why = f"of {budget:,.0f} steps most have passed before the first update"
        return suspect(config, "learning_starts", starts, late * budget, why)
    every, batch = read_positive(config, "train_frequency"), read_positive(config, "batch_size")
    steps = config.number("gradient_steps")
    if every is None or batch is None or (steps is not None and steps < 0):
        return CannotTell(("train_frequency", "batch_size"), "how often samples are drawn is not known")
    ratio = batch * (1.0 if steps is None else steps) / every
    if ratio >= drawn or every <= SELDOM:
        return None
    why = f"batches draw {ratio:.2g} samples for each that is collected"
    return suspect(config, "train_frequency", every, batch / drawn, why)
