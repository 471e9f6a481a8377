from __future__ import annotations

from weaklink.base.evidence.config import Config
from weaklink.base.finding import HIGH, Answer, CannotTell, Evidence, Finding, Level
from weaklink.base.loop import Link
from weaklink.judge.rules._hyperparameters import declared
from weaklink.judge.rules._registry import rule


@rule(
    "EVA101",
    link=Link.EVALUATION,
    level=Level.ERROR,
    on=Config,
    leads_to=("OBS201", "REW120", "EVA303", "VAL301", "REW302", "REW304"),
)
def shared_environment(config: Config) -> Answer:
    """The evaluation runs in the training's own environment.

    ## What it sees
    The environment that evaluations are run in is the object that the training collects in (`eval_env_shared`).

    ## Why it is bad
    An evaluation resets and steps the environment in the middle of an episode. The training goes on from the
    observation that it remembers, in an episode that is another one: the next transition never happened. Statistics of
    a normaliser and counters of episodes are mixed as well.

    ## What to do
    1. Make a second environment for evaluations, with seeds of its own.
    2. Give it the training's normaliser, frozen.

    ## How to prove it
    Print `id(env.unwrapped)` of both: they must differ.

    ## When it is wrong
    An evaluation after the last step of the training disturbs nothing.

    ## References
    Stable-Baselines3 documentation, callbacks: a separate environment for `EvalCallback`; practice.
    """
    shared = declared(config, "eval_env_shared")
    if shared is None:
        return CannotTell(("eval_env_shared",), "nothing says where evaluations are run")
    if not shared:
        return None
    return Finding(
        message="Evaluations run in the training's own environment: each one breaks the episode under way.",
        confidence=HIGH,
        evidence=(Evidence(metric="eval_env_shared", value=1.0, limit=0.0),),
    )
