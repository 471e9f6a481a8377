from __future__ import annotations

from math import isfinite

from weaklink.base.evidence.config import Config, infer_family
from weaklink.judge.rules.writing import HIGH, Answer, CannotTell, Evidence, Finding, Level, Link, rule

# names that can mean nothing else in a trainer's own settings; a bare `lambda` may weigh a penalty
NAMES = {"gamma", "discount", "discount_factor", "gae_lambda"}

# sections under which trainers file their own settings; a `gamma` of a scheduler or of a loss is no discount
SECTIONS = {
    "agent", "algo", "algorithm", "args", "config", "hyperparameters", "hyperparams", "params", "train", "training",
}  # fmt: skip

# a discount of 1 that was worked out may end a rounding error above it
ROUNDING = 1e-9


@rule(
    "RET101",
    link=Link.RETURNS,
    level=Level.ERROR,
    on=Config,
    leads_to=(
        "RET301", "RET302", "VAL301", "VAL302", "VAL303", "VAL304", "VAL305", "OPT300", "OPT301", "REW301", "REW303",
        "REW304",
    ),
    symptoms={"q-values diverge": 7, "nan": 6},
)  # fmt: skip
def discount_out_of_range(config: Config, *, lowest: float = 0.0, highest: float = 1.0) -> Answer:
    """The discount factor or the lambda of GAE lies outside 0 to 1.

    ## What it sees
    The configuration sets the discount factor (`gamma`, `discount`, `discount_factor`) or `gae_lambda` to less than 0
    or more than 1. The algorithm must be known and must not train a language model, where `gamma` can be a margin.

    ## Why it is bad
    A step that lies k steps ahead counts gamma^k. With a gamma above 1 the distant future outweighs the present, and
    bootstrapped targets grow with every update, because the Bellman operator no longer contracts. With a gamma below 0
    every second reward counts with the wrong sign. With a lambda outside the range the weights of the n-step
    advantages are no average: some of them are negative.

    ## What to do
    1. Write the discount as a share: 0.99, not 99 and not 1.01.
    2. Choose gamma from the horizon that matters: 1 / (1 - gamma) steps, so 100 steps for 0.99.
    3. Set `gae_lambda` to 0.95 unless there is a reason for another value from 0 to 1.

    ## How to prove it
    Train twice for a short time, as configured and with gamma = 0.99 and lambda = 0.95. The value targets keep growing
    or change their sign from step to step in the first run, and level out in the second.

    ## When it is wrong
    A loop that gives the name `gamma` to something else has no such fault. Keys in sections that a trainer does not
    use for its own settings, such as `scheduler.gamma`, are not read. A gamma of 0, for bandits, and a gamma of 1, for
    tasks that always end, are not reported.

    ## References
    Sutton and Barto, Reinforcement Learning: An Introduction, 2018, section 3.3; Schulman et al., High-Dimensional
    Continuous Control Using Generalized Advantage Estimation, 2016.
    """
    family = infer_family(config, ())
    if not family:
        return CannotTell(("algorithm",), "what gamma means depends on the algorithm")
    if family == "language":
        return None
    own = Config.of({key: value for key, value in config.raw.items() if _is_own(key)})
    numbers = {name: number for name in ("gamma", "gae_lambda") if (number := own.number(name)) is not None}
    if not numbers:
        return CannotTell(("gamma",), "neither a discount factor nor gae_lambda is configured")
    outside = {name: number for name, number in numbers.items() if _is_outside(number, lowest, highest)}
    if not outside:
        return None
    named = " and ".join(f"{name} is {number:g}" for name, number in outside.items())
    return Finding(
        message=f"In the configuration {named}, and must lie between {lowest:g} and {highest:g}.",
        confidence=HIGH,
        evidence=tuple(
            Evidence(metric=name, value=number, limit=lowest if number < lowest else highest)
            for name, number in outside.items()
        ),
    )


def _is_own(key: str) -> bool:
    """Whether a key stands at the top of the configuration, or in a section of the trainer's own settings."""
    *sections, name = key.strip().lower().replace("/", ".").split(".")
    return name in NAMES and SECTIONS.issuperset(sections)


def _is_outside(number: float, lowest: float, highest: float) -> bool:
    return isfinite(number) and not lowest - ROUNDING <= number <= highest + ROUNDING
