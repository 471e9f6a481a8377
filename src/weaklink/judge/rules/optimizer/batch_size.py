from __future__ import annotations

from weaklink.base.evidence.config import Config, infer_family
from weaklink.judge.rules._hyperparameters import WHOLE_ROLLOUT, find_key, read_minibatch_size, read_rollout_size
from weaklink.judge.rules.writing import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule

# names for rollout steps in trainers that keep a short last minibatch; others drop or refill it
CUT_INTO_PIECES = ("n_steps", "num_steps", "rollout_steps")


@rule(
    "OPT102",
    link=Link.OPTIMIZER,
    level=Level.INFO,
    on=Config,
    leads_to=("OPT300", "OPT304", "REW303", "VAL304"),
    checks={"updates happen": "fails"},
)
def batch_size(config: Config, *, smallest: float = 256, largest: float = 2048) -> Answer:
    """The minibatch is very small, very large, or holds a single sample.

    ## What it sees
    For on-policy algorithms, minibatches of fewer than 256 or more than 2,048 samples (information only). A last
    minibatch of exactly one sample, `n_steps x n_envs % batch_size == 1`, is an error where advantages are normalised.

    ## Why it is bad
    Small batches give noisy updates, large ones give few of them. The standard deviation of a single sample is
    undefined: normalising by it gives NaN, sometimes only after hours. Trainers that leave the single sample
    unnormalised make one update per epoch with an advantage on another scale.

    ## What to do
    1. For a single last sample, choose a batch size that divides `n_steps x n_envs`.
    2. Otherwise try a batch of 256 to 2,048, and change nothing else.
    3. With a large batch, raise the number of epochs or the learning rate a little.

    ## How to prove it
    Work out `n_steps x n_envs % batch_size`. Then run two updates with and without the remainder, and compare the last
    loss of each epoch.

    ## When it is wrong
    Small batches are defaults of well-tuned libraries (64 in Stable-Baselines3), and large ones are usual with
    thousands of simulated environments, so size alone is never an alarm. Newer Stable-Baselines3 versions skip the
    normalisation of a single sample instead of producing NaN.

    ## References
    Stable-Baselines3 issues #325 and #1028 (the single sample).
    """
    family = infer_family(config, ())
    if not family:
        return CannotTell(("algorithm",), "only on-policy algorithms cut a rollout into minibatches")
    if family != "on-policy":
        return None
    samples = read_rollout_size(config)
    batch = samples if config.algorithm in WHOLE_ROLLOUT else read_minibatch_size(config)
    if batch is None:
        missing = ("rollout_steps", "environments") if config.algorithm in WHOLE_ROLLOUT else ("batch_size",)
        return CannotTell(missing, "the minibatch size is not known without them")
    alone = _find_single_sample(config, samples, batch)
    if alone is not None:
        return alone
    if smallest <= batch <= largest:
        return None
    limit = smallest if batch < smallest else largest
    word = "fewer" if batch < smallest else "more"
    return Finding(
        message=f"A minibatch holds {batch:,.0f} samples, {word} than the usual {limit:,.0f} of on-policy updates.",
        confidence=MEDIUM,
        evidence=(Evidence(metric="batch_size", value=batch, limit=limit),),
    )


def _find_single_sample(config: Config, samples: float | None, batch: float) -> Finding | None:
    normalised = config.flag("normalize_advantage")
    if normalised is None:
        normalised = "ppo" in config.algorithm  # on by default there, off in A2C
    if not normalised:
        return None
    cut = samples is not None and find_key(config, "rollout_steps") in CUT_INTO_PIECES
    if batch != 1 and not (cut and samples is not None and samples > batch and samples % batch == 1):
        return None
    where = (
        "Every minibatch"
        if batch == 1
        else f"The last minibatch of {samples or 0:,.0f} samples in minibatches of {batch:,.0f}"
    )
    return Finding(
        message=f"{where} holds 1 sample, whose advantage cannot be normalised: its standard deviation is undefined.",
        level=Level.ERROR,
        link=Link.RETURNS if batch == 1 else None,  # then no advantage of any sample is left
        confidence=HIGH,
        evidence=(
            Evidence(metric="last_minibatch", value=1.0, limit=2.0),
            Evidence(metric="batch_size", value=batch),
        ),
    )
