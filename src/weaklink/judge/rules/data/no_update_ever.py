from __future__ import annotations

from weaklink.base.evidence.config import Config, family_of
from weaklink.base.finding import HIGH, Answer, CannotTell, Evidence, Finding, Level
from weaklink.base.loop import Link
from weaklink.judge.rules._hyperparameters import key_of, positive
from weaklink.judge.rules._registry import rule

BUDGETS = ("total_timesteps", "n_timesteps", "total_steps", "total_frames", "timesteps")
"""Words that mean environment steps of the whole training; `max_steps` may as well be the length of an episode."""
WARM_UPS = ("learning_starts", "num_steps_sampled_before_learning_starts")
"""Words that hold gradient steps back; `start_steps` often only makes the first actions random."""


@rule(
    "DAT101",
    link=Link.DATA,
    level=Level.ERROR,
    on=Config,
    leads_to=("OPT302", "POL302", "REW301", "VAL304", "EXP303"),
    symptoms={"reward flat": 3, "about as good as random": 2},
    checks={"updates happen": "decides"},
)
def no_update_ever(config: Config) -> Answer:
    """By its own numbers this training ends before the first gradient step.

    ## What it sees
    Plain arithmetic on the configuration: the budget is below `learning_starts`; the replay buffer holds less
    than one batch; the budget is below one interval between updates, or below one rollout; zero gradient
    steps or epochs.

    ## Why it is bad
    Nothing is learned and nothing complains: the run ends normally with a policy that has never changed.

    ## What to do
    1. Set `learning_starts` to a few percent of the budget, or raise the budget above it many times.
    2. Make the buffer at least a hundred batches large.
    3. Let `train_freq`, or `num_steps x num_envs`, fit into the budget many times over.

    ## How to prove it
    Compare the parameters before and after the training: they are equal.

    ## When it is wrong
    A run that only fills a replay buffer or checks a script for crashes is meant to stop early.
    Stable-Baselines3 finishes the interval that it has begun and samples with replacement, so there a too
    long interval gives a single update and a too small buffer gives batches of repeats: no better.

    ## References
    Stable-Baselines3 issue #526, where an example of the documentation did this.
    """
    family = family_of(config, ())
    if family == "language":
        return None
    if family == "on-policy":
        return _on_policy(config)
    budget = positive(config, "total_steps") if key_of(config, "total_steps") in BUDGETS else None
    starts = positive(config, "learning_starts") if key_of(config, "learning_starts") in WARM_UPS else None
    buffer, batch = positive(config, "buffer_size"), positive(config, "batch_size")
    interval = positive(config, "train_frequency")
    replays = family == "off-policy" or "learning_starts" in config
    if budget is not None and starts is not None and budget < starts:
        return _never("learning_starts", starts, budget, f"learning starts at step {starts:,.0f}")
    if replays and buffer is not None and batch is not None and buffer < batch:
        return Finding(
            message=f"The replay buffer holds at most {buffer:,.0f} transitions and a batch needs {batch:,.0f}.",
            confidence=HIGH,
            evidence=(Evidence(metric="buffer_size", value=buffer, limit=batch),),
        )
    if replays and budget is not None and interval is not None and budget < interval:
        return _never("train_frequency", interval, budget, f"updates come every {interval:,.0f} steps")
    if replays and config.number("gradient_steps") == 0:
        return _zero("gradient_steps", "gradient steps after each interval")
    if not family and not replays:
        return CannotTell(("algorithm",), "what an update waits for depends on the algorithm")
    if starts is None and config.number("learning_starts") == 0:
        return None
    missing = tuple(name for name, value in (("total_steps", budget), ("learning_starts", starts)) if value is None)
    return CannotTell(missing, "the first update cannot be dated") if missing else None


def _on_policy(config: Config) -> Answer:
    if config.number("epochs") == 0:
        return _zero("epochs", "epochs over each rollout")
    budget = positive(config, "total_steps") if key_of(config, "total_steps") in BUDGETS else None
    steps = positive(config, "rollout_steps")
    if budget is None or steps is None:
        missing = tuple(name for name, value in (("total_steps", budget), ("rollout_steps", steps)) if value is None)
        return CannotTell(missing, "the first update cannot be dated")
    collected = steps * (positive(config, "environments") or 1.0)
    # trainers that say num_steps count whole rollouts in the budget; the others finish the first one in any case
    if key_of(config, "rollout_steps") == "num_steps" and budget < collected:
        return _never("rollout_steps", collected, budget, f"one rollout takes {collected:,.0f} steps")
    return None


def _never(name: str, needed: float, budget: float, why: str) -> Finding:
    return Finding(
        message=f"The training ends after {budget:,.0f} steps but {why}: no gradient step is ever done.",
        confidence=HIGH,
        evidence=(
            Evidence(metric=name, value=needed, limit=budget),
            Evidence(metric="total_steps", value=budget),
        ),
    )


def _zero(name: str, word: str) -> Finding:
    return Finding(
        message=f"The configuration asks for 0 {word}: no gradient step is ever done.",
        confidence=HIGH,
        evidence=(Evidence(metric=name, value=0.0, limit=1.0),),
    )
