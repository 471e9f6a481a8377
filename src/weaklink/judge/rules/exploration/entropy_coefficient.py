from __future__ import annotations

from weaklink.base.evidence.config import Config, infer_family
from weaklink.base.patterns import compile_late
from weaklink.base.proving import ENTROPY_RISES, RETURN_RISES, Change, Intervention
from weaklink.judge.rules._hyperparameters import read_positive
from weaklink.judge.rules.writing import HIGH, LOW, Answer, CannotTell, Evidence, Finding, Level, Link, rule

# algorithms that explore epsilon-greedily
BY_EPSILON = ("dqn", "ddqn", "qrdqn", "c51", "rainbow", "iqn", "r2d2")

_DISCRETE = compile_late(
    r"cartpole|acrobot|mountaincar-v|lunarlander-v|frozenlake|taxi|cliffwalking|blackjack|minigrid|noframeskip|^ale/|procgen"
)


@rule(
    "EXP101",
    link=Link.EXPLORATION,
    level=Level.INFO,
    on=Config,
    leads_to=("EXP301", "EXP302", "REW301", "REW302"),
    checks={"entropy coefficient": "decides"},
    experiment=Intervention(
        change=Change(setting="ent_coef", to=0.01),
        promise=ENTROPY_RISES,
        if_confirmed="The coefficient was too small to matter: keep 0.01.",
        if_refuted="The entropy does not follow the coefficient: leave it and look at the step size.",
        also=(RETURN_RISES,),
    ),
)
def entropy_coefficient(config: Config, *, least: float = 0.01, most: float = 1.0) -> Answer:
    """The policy may stop exploring early: no entropy bonus, or random actions that end before learning begins.

    ## What it sees
    An entropy coefficient below 0.01 for an on-policy algorithm with discrete actions; or, for epsilon-greedy
    algorithms, a schedule that ends before the first gradient step. A coefficient of 1 and more is a warning where
    advantages are normalised.

    ## Why it is bad
    Without a bonus a policy may settle on the first behaviour that pays. If the random phase ends before learning
    starts, an untrained network chooses nearly all the data that it later learns from.

    ## What to do
    1. If entropy collapses while the return is poor, set the coefficient to 0.01 to 0.03.
    2. For a schedule, let `exploration_fraction x total_timesteps` end well after `learning_starts`.

    ## How to prove it
    Repeat a short run with the coefficient at 0.01 and nothing else changed: entropy must fall more slowly and the
    return must not be worse. `weaklink confirm EXP101 my_project.py` does this.

    ## When it is wrong
    Zero is the default of Stable-Baselines3 and solves many tasks, so this is never an alarm. Continuous policies
    explore by their standard deviation, and intrinsic rewards replace the bonus.

    ## References
    The number comes from the common "why is my model not learning" checklist.
    """
    family = infer_family(config, ())
    if not family:
        return CannotTell(("algorithm",), "how an agent explores depends on the algorithm")
    if family == "language":
        return None
    if family == "off-policy":
        return _judge_schedule(config) if config.algorithm in BY_EPSILON else None
    return _judge_bonus(config, least, most)


def _judge_bonus(config: Config, least: float, most: float) -> Answer:
    discrete = _is_discrete(config)
    if discrete is False:
        return None
    coefficient = config.number("entropy_coefficient")
    if coefficient is None:
        return CannotTell(("entropy_coefficient",), "the coefficient is not known")
    if discrete is None and 0 <= coefficient < least:
        return CannotTell(("actions",), "only discrete actions need an entropy bonus")
    if coefficient >= most:
        return Finding(
            message=f"The entropy coefficient is {coefficient:g} (usually {least:g} to 0.1): the loss asks for random "
            "actions more strongly than for good ones.",
            level=Level.WARN if _normalises(config) else Level.INFO,
            confidence=HIGH,
            evidence=(Evidence(metric="entropy_coefficient", value=coefficient, limit=most),),
        )
    if coefficient >= least:
        return None
    effect = "a negative weight penalises exploration" if coefficient < 0 else "a discrete policy may stop exploring"
    return Finding(
        message=f"The entropy coefficient is {coefficient:g} (usually {least:g} or more): {effect}.",
        level=Level.INFO if coefficient >= 0 else Level.WARN,
        confidence=LOW if coefficient >= 0 else HIGH,
        evidence=(Evidence(metric="entropy_coefficient", value=coefficient, limit=least),),
    )


def _normalises(config: Config) -> bool:
    """Whether advantages have a spread of 1: as they are told to, or as PPO does by itself."""
    told = config.values.get("normalize_advantage")
    return bool(told) if isinstance(told, bool) else config.algorithm == "ppo"


def _judge_schedule(config: Config) -> Answer:
    names = ("exploration_fraction", "total_steps", "learning_starts")
    fraction, total, starts = (read_positive(config, name) for name in names)
    if fraction is None or total is None or starts is None:
        missing = tuple(name for name in names if read_positive(config, name) is None)
        return (
            None
            if config.number("learning_starts") == 0
            else CannotTell(missing, "the end of the schedule is not known")
        )
    ends = fraction * total
    if ends > starts:
        return None
    return Finding(
        message=f"Random exploration ends at step {ends:,.0f}, before learning starts at step {starts:,.0f}.",
        confidence=HIGH,
        evidence=(Evidence(metric="exploration_fraction", value=ends, limit=starts, step=ends),),
    )


def _is_discrete(config: Config) -> bool | None:
    space = " ".join(str(value) for key, value in config.raw.items() if key.lower().endswith("action_space"))
    if config.number("actions") is not None or "Discrete" in space:
        return True
    if config.number("action_dimensions") is not None or "Box" in space:
        return False
    named = str(config.values.get("environment", "")).lower()
    return True if _DISCRETE.search(named) else None
