from __future__ import annotations

from weaklink.base.evidence.config import Config, infer_family
from weaklink.judge.rules._hyperparameters import (
    MINIBATCH,
    WHOLE_ROLLOUT,
    read_number,
    read_positive,
    read_rollout_size,
)
from weaklink.judge.rules.writing import HIGH, Answer, CannotTell, Evidence, Finding, Level, Link, rule


@rule(
    "DAT102",
    link=Link.DATA,
    level=Level.INFO,
    on=Config,
    leads_to=("REW303",),
    checks={"updates happen": "decides"},
)
def rollout_not_divisible(config: Config) -> Answer:
    """The rollout does not divide into minibatches, so the last one is short or samples are dropped.

    ## What it sees
    `n_steps x n_envs` (or the train batch size) leaves a remainder when divided by the minibatch size, or by the
    number of minibatches.

    ## Why it is bad
    The short last minibatch is noisier but gets the same step size as the others, and its advantages are normalised
    over too few samples. Trainers that drop the remainder throw data away.

    ## What to do
    1. Choose a minibatch size that divides `n_steps x n_envs`.

    ## How to prove it
    Work out the remainder by hand, then compare the loss of the last minibatch of an epoch with the others.

    ## When it is wrong
    A remainder of half a minibatch or more does little harm, so this is only information. A remainder of one sample is
    serious: see OPT102.

    ## References
    Stable-Baselines3 warns about the truncated minibatch when a model is created.
    """
    family = infer_family(config, ())
    if not family:
        return CannotTell(("algorithm",), "only on-policy algorithms cut a rollout into minibatches")
    if family != "on-policy" or config.algorithm in WHOLE_ROLLOUT:
        return None
    batch, pieces = _read_divisor(config)
    if batch < 1:
        return CannotTell(("batch_size",), "neither the size nor the number of minibatches is known")
    samples = read_rollout_size(config)
    if samples is None:
        return _judge_unknown_rollout(config, batch)
    rest = samples % batch
    if rest == 0:
        return None
    return Finding(
        message=f"A rollout of {samples:,.0f} samples does not divide into {pieces.format(batch)}: the remainder is "
        f"{rest:,.0f}.",
        confidence=HIGH,
        evidence=(Evidence(metric="rollout", value=samples), Evidence(metric="rest", value=rest, limit=0.0)),
    )


def _read_divisor(config: Config) -> tuple[float, str]:
    """What a rollout is divided by, the most definite name first, and what that gives."""
    known = (
        (read_number(config, *MINIBATCH), "minibatches of {:,.0f}"),
        (read_positive(config, "minibatches"), "{:,.0f} minibatches"),
        (read_positive(config, "batch_size"), "minibatches of {:,.0f}"),
    )
    return next(((value, pieces) for value, pieces in known if value), (0.0, ""))


def _judge_unknown_rollout(config: Config, batch: float) -> CannotTell | None:
    """The answer where the rollout size is not known; clean where it divides for any number of environments."""
    steps = read_positive(config, "rollout_steps")
    unknown = steps is not None and "environments" not in config
    if unknown and steps is not None and steps % batch == 0:
        return None
    return CannotTell(("environments" if unknown else "rollout_steps",), "the rollout size is not known")
