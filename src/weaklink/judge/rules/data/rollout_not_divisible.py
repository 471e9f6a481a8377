from __future__ import annotations

from weaklink.base.evidence.config import Config, family_of
from weaklink.base.finding import HIGH, Answer, CannotTell, Evidence, Finding, Level
from weaklink.base.loop import Link
from weaklink.judge.rules._hyperparameters import positive, rollout, stated
from weaklink.judge.rules._registry import rule

WHOLE_ROLLOUT = ("a2c", "a3c", "vpg", "reinforce")


@rule(
    "DAT102",
    link=Link.DATA,
    level=Level.INFO,
    on=Config,
    leads_to=("REW303",),
    checks={"updates happen": "decides"},
)
def rollout_not_divisible(config: Config) -> Answer:
    """The rollout does not divide into minibatches, so the last one is short or some samples are left out.

    ## What it sees
    `n_steps x n_envs` (or the train batch) leaves a rest when divided by the batch size, or by the number of
    minibatches.

    ## Why it is bad
    The short last minibatch gets the same step size as the others although it is noisier, and its normalised
    advantages are off; trainers that drop the rest throw data away.

    ## What to do
    1. Choose a batch size that divides `n_steps x n_envs`.

    ## How to prove it
    Work out the rest by hand, then compare the loss of the last minibatch of an epoch with the others.

    ## When it is wrong
    A rest of half a batch or more does little harm, which is why this is only worth knowing. A rest of one
    sample is another matter: see OPT102.

    ## References
    Stable-Baselines3 warns of the truncated minibatch when a model is made.
    """
    family = family_of(config, ())
    if not family:
        return CannotTell(("algorithm",), "only on-policy algorithms cut a rollout into minibatches")
    if family != "on-policy" or config.algorithm in WHOLE_ROLLOUT:
        return None
    batch = stated(config, "minibatch_size", "sgd_minibatch_size", "mini_batch_size", "ppo_mini_batch_size")
    batch = batch or positive(config, "minibatches") or positive(config, "batch_size")
    if batch is None or batch < 1:
        return CannotTell(("batch_size",), "neither the size nor the number of minibatches is stated")
    samples = rollout(config)
    if samples is None:
        steps = positive(config, "rollout_steps")
        if steps is not None and steps % batch == 0 and "environments" not in config:
            return None  # whatever the number of environments
        missing = "environments" if steps is not None and "environments" not in config else "rollout_steps"
        return CannotTell((missing,), "the size of a rollout is not stated")
    rest = samples % batch
    if rest == 0:
        return None
    counted = "pieces" if batch == positive(config, "minibatches") and batch != positive(config, "batch_size") else ""
    return Finding(
        message=f"A rollout of {samples:,.0f} samples does not divide into {batch:,.0f} {counted or 'at a time'}: "
        f"the rest is {rest:,.0f}.",
        confidence=HIGH,
        evidence=(Evidence(metric="rollout", value=samples), Evidence(metric="rest", value=rest, limit=0.0)),
    )
