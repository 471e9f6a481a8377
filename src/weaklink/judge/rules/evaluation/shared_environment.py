from __future__ import annotations

from weaklink.base.evidence.config import Config
from weaklink.judge.rules._hyperparameters import read_flag
from weaklink.judge.rules.writing import HIGH, Answer, CannotTell, Evidence, Finding, Level, Link, rule


@rule(
    "EVA101",
    link=Link.EVALUATION,
    level=Level.ERROR,
    on=Config,
    leads_to=("OBS201", "REW120", "EVA303", "VAL301", "REW302", "REW304"),
)
def shared_environment(config: Config) -> Answer:
    """Evaluations run in the training environment.

    ## What it sees
    The environment of evaluations is the same object as the one that training collects in (`eval_env_shared`).

    ## Why it is bad
    An evaluation resets and steps the environment in the middle of an episode. Training continues from the observation
    that it remembers, but in another episode: the next transition never happened. The statistics of a normaliser and
    the episode counters are mixed as well.

    ## What to do
    1. Create a second environment for evaluations, with different seeds.
    2. Give it the normaliser of training, frozen.

    ## How to prove it
    Print `id(env.unwrapped)` of both: they must differ.

    ## When it is wrong
    An evaluation after the last training step disturbs nothing.

    ## References
    Stable-Baselines3 documentation, callbacks: a separate environment for `EvalCallback`; practice.
    """
    shared = read_flag(config, "eval_env_shared")
    if shared is None:
        return CannotTell(("eval_env_shared",), "it is not known where evaluations run")
    if not shared:
        return None
    return Finding(
        message="Evaluations run in the training environment: each one interrupts the current episode.",
        confidence=HIGH,
        evidence=(Evidence(metric="eval_env_shared", value=1.0, limit=0.0),),
    )
