from __future__ import annotations

from weaklink.base.evidence.config import Config, infer_family
from weaklink.judge.rules._hyperparameters import find_key, read_positive
from weaklink.judge.rules.writing import HIGH, Answer, CannotTell, Evidence, Finding, Level, Link, rule

# names for the environment steps of the whole training; `max_steps` is left out, as it may be an episode length
BUDGETS = ("total_timesteps", "n_timesteps", "total_steps", "total_frames", "timesteps")

# names for settings that delay gradient steps; `start_steps` often only makes the first actions random
WARM_UPS = ("learning_starts", "num_steps_sampled_before_learning_starts")


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
    """With these settings training ends before the first gradient step.

    ## What it sees
    Plain arithmetic on the configuration: the step budget is below `learning_starts`; the replay buffer holds less
    than one batch; the budget is below one interval between updates, or below one rollout; the number of gradient
    steps or epochs is zero.

    ## Why it is bad
    Nothing is learned and no error is raised: the run ends normally with a policy that never changed.

    ## What to do
    1. Set `learning_starts` to a few percent of the budget, or make the budget many times larger.
    2. Make the replay buffer at least a hundred batches large.
    3. Choose `train_freq`, or `num_steps x num_envs`, so that the budget covers many updates.

    ## How to prove it
    Compare the parameters before and after training: they are equal.

    ## When it is wrong
    A run that only fills a replay buffer, or only checks that a script does not crash, is meant to stop early.
    Stable-Baselines3 finishes the interval that it has begun and samples with replacement. There an interval that is
    too long gives a single update, and a buffer that is too small gives batches of repeats, which is no better.

    ## References
    Stable-Baselines3 issue #526: an example in the documentation did this.
    """
    family = infer_family(config, ())
    if family == "language":
        return None
    return _judge_rollouts(config) if family == "on-policy" else _judge_replay(config, family)


def _judge_replay(config: Config, family: str) -> Answer:
    """The answer for a trainer that learns from a replay buffer, or may do so."""
    budget, starts = _read(config, "total_steps", BUDGETS), _read(config, "learning_starts", WARM_UPS)
    replays = family == "off-policy" or "learning_starts" in config
    faults = [_find_unreached("learning_starts", starts, budget, "learning starts at step {:,.0f}")]
    if replays:
        interval = read_positive(config, "train_frequency")
        faults += [
            _find_small_buffer(config),
            _find_unreached("train_frequency", interval, budget, "updates come every {:,.0f} steps"),
            _find_zero(config, "gradient_steps", "gradient steps after each interval"),
        ]
    first = next((fault for fault in faults if fault is not None), None)
    if first is not None:
        return first
    if not family and not replays:
        return CannotTell(("algorithm",), "what an update waits for depends on the algorithm")
    if starts is None and config.number("learning_starts") == 0:
        return None
    return _name_missing(total_steps=budget, learning_starts=starts)


def _judge_rollouts(config: Config) -> Answer:
    """The answer for an on-policy trainer."""
    fault = _find_zero(config, "epochs", "epochs over each rollout")
    if fault is not None:
        return fault
    budget, steps = _read(config, "total_steps", BUDGETS), read_positive(config, "rollout_steps")
    if budget is None or steps is None:
        return _name_missing(total_steps=budget, rollout_steps=steps)
    # trainers that say num_steps count whole rollouts in the budget; the others always finish the first one
    if find_key(config, "rollout_steps") != "num_steps":
        return None
    collected = steps * (read_positive(config, "environments") or 1.0)
    return _find_unreached("rollout_steps", collected, budget, "one rollout takes {:,.0f} steps")


def _read(config: Config, name: str, known: tuple[str, ...]) -> float | None:
    """A hyper-parameter, where the trainer's own name for it is one whose meaning is known."""
    return read_positive(config, name) if find_key(config, name) in known else None


def _name_missing(**values: float | None) -> CannotTell | None:
    missing = tuple(name for name, value in values.items() if value is None)
    return CannotTell(missing, "the step of the first update cannot be worked out") if missing else None


def _find_unreached(name: str, needed: float | None, budget: float | None, why: str) -> Finding | None:
    if needed is None or budget is None or budget >= needed:
        return None
    return Finding(
        message=f"Training ends after {budget:,.0f} steps, but {why.format(needed)}: no gradient step is ever taken.",
        confidence=HIGH,
        evidence=(
            Evidence(metric=name, value=needed, limit=budget),
            Evidence(metric="total_steps", value=budget),
        ),
    )


def _find_small_buffer(config: Config) -> Finding | None:
    buffer, batch = read_positive(config, "buffer_size"), read_positive(config, "batch_size")
    if buffer is None or batch is None or buffer >= batch:
        return None
    return Finding(
        message=f"The replay buffer holds at most {buffer:,.0f} transitions, but a batch needs {batch:,.0f}.",
        confidence=HIGH,
        evidence=(Evidence(metric="buffer_size", value=buffer, limit=batch),),
    )


def _find_zero(config: Config, name: str, words: str) -> Finding | None:
    if config.number(name) != 0:
        return None
    return Finding(
        message=f"The configuration asks for 0 {words}: no gradient step is ever taken.",
        confidence=HIGH,
        evidence=(Evidence(metric=name, value=0.0, limit=1.0),),
    )
