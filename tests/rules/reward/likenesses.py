"""Surveys in the likeness of well-known rewards: rare, tiny, huge, made of parts, clipped on purpose."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.rules.task.tasks import ending, lasting, paid, survey_of, zoo
from tests.worlds import box, changed, discrete, play
from weaklink.base.evidence.series import Array
from weaklink.base.evidence.survey import LIMITED, TERMINATED, TRUNCATED, Play, Survey


def made_of(policy: str, parts: dict[str, Array], ends: Any = TRUNCATED, **given: Any) -> Play:
    """A play whose reward is the sum of its parts, each an array of episodes by steps."""
    episodes, length = next(iter(parts.values())).shape
    columns = {key: values.ravel() for key, values in parts.items()}
    fields = {"rewards": np.sum([*columns.values()], axis=0), "components": columns}
    return play(policy, episodes=episodes, length=length, ends=ends, **(fields | given))


def half_cheetah() -> Survey:
    """Forward speed has nearly all of the variance, as it should; the search runs faster for a larger cost."""
    rng = np.random.default_rng(10)
    plays = []
    for name, speed, cost in (("random", -0.1, 0.2), ("zero", 0.0, 0.0), ("search", 1.2, 0.35)):
        scatter = 0.02 if name == "zero" else 0.5
        parts = {
            "reward_run": rng.normal(speed, scatter, (20, 500)),
            "reward_ctrl": -cost * rng.uniform(0.7, 1.3, (20, 500)),
        }
        plays.append(made_of(name, parts))
    return survey_of(*plays, action=box(6, -1.0, 1.0), facts={"reward_threshold": 4800.0})


def swimmer() -> Survey:
    """To and fro: the mean reward is a hundredth of its scatter, yet the baselines differ over a whole episode."""
    rng = np.random.default_rng(11)
    plays = []
    for name, speed in (("random", 0.004), ("zero", 0.0), ("search", 0.06)):
        forward = rng.normal(speed, 0.001 if name == "zero" else 0.4, (20, 1000))
        cost = np.zeros((20, 1000)) if name == "zero" else -1e-4 * rng.random((20, 1000))
        plays.append(made_of(name, {"reward_forward": forward, "reward_ctrl": cost}))
    return survey_of(*plays, action=box(2, -1.0, 1.0), facts={"reward_threshold": 360.0})


def humanoid_standup() -> Survey:
    """Rewards of about forty at every step of long episodes."""
    rng = np.random.default_rng(12)
    plays = []
    for name, height in (("random", 35.0), ("zero", 30.0), ("search", 70.0)):
        parts = {
            "reward_linup": rng.normal(height, 6.0, (20, 500)),
            "reward_quadctrl": -0.3 * rng.random((20, 500)),
            "reward_impact": -0.1 * rng.random((20, 500)),
        }
        plays.append(made_of(name, parts))
    return survey_of(*plays, action=box(17, -0.4, 0.4), facts={})


def mini_grid(*, chance: float = 0.04, search: float = 0.3, episodes: int = 200) -> Survey:
    """Nothing until the goal, which pays less the later it is reached; the clock ends the other episodes."""
    rng = np.random.default_rng(13)
    plays = []
    for name, rate in (("random", chance), ("search", search)):
        found = rng.random(episodes) < rate
        lengths = np.where(found, rng.integers(10, 90, episodes), 100)
        plays.append(ending(name, found * (1 - 0.9 * lengths / 100), lengths, np.where(found, TERMINATED, TRUNCATED)))
    return survey_of(*plays, action=discrete(7), facts={"wrappers": ("TimeLimit", "OrderEnforcing")})


def atari(*prizes: float, chance: float = 0.03) -> Survey:
    """A game that pays one of the prizes now and then, behind the usual clip to -1, 0 and 1."""
    rng = np.random.default_rng(14)
    plays = []
    for name, often in (("random", chance), ("search", 2 * chance)):
        raw = rng.choice([0.0, *prizes], 8000, p=[1 - often, *[often / len(prizes)] * len(prizes)])
        plays.append(play(name, episodes=20, length=400, rewards=np.sign(raw), raw_rewards=raw))
    facts = {"wrappers": ("TimeLimit", "AtariPreprocessing", "ClipReward")}
    return survey_of(*plays, name="ALE/Game-v5", action=discrete(4), facts=facts)


def costly_car(top: float = 100.0) -> Survey:
    """Thrust costs, standing still costs nothing, the top pays; random play never gets there."""
    rng = np.random.default_rng(15)
    return survey_of(
        paid("random", [-0.1 * rng.random(999) for _ in range(30)], TRUNCATED),
        lasting("zero", np.full(30, 999), 0.0, TRUNCATED),
        paid("search", [np.append(-0.1 * rng.random(300), top) for _ in range(20)]),
        facts={"reward_threshold": 90.0},
    )


def taxi() -> Survey:
    """A cost of each step, a fine of ten for a wrong call, twenty for the fare, which random play hardly ever gets."""
    rng = np.random.default_rng(16)
    random = [rng.choice([-1.0, -10.0], 200, p=[0.7, 0.3]) for _ in range(50)]
    return survey_of(
        paid("random", random, TRUNCATED),
        lasting("search", np.full(30, 200), -1.0, TRUNCATED),
        paid("tabular", [np.append(np.full(rng.integers(6, 17), -1.0), 20.0) for _ in range(50)]),
        facts={"reward_threshold": 8.0},
    )


def thresholds() -> dict[str, float]:
    """The return at which each task counts as solved, where it says so."""
    return {
        "cart pole": 475.0,
        "mountain car": -110.0,
        "acrobot": -100.0,
        "frozen lake": 0.70,
        "frozen lake 8x8": 0.85,
        "lunar lander": 200.0,
    }


def likenesses() -> dict[str, Survey]:
    """Every healthy task, those told by their reward and those told by how they go."""
    tasks = {
        name: changed(survey, facts=survey.facts | {"reward_threshold": thresholds().get(name)})
        for name, survey in zoo().items()
    }
    return tasks | {
        "half cheetah": half_cheetah(),
        "swimmer": swimmer(),
        "humanoid standup": humanoid_standup(),
        "mini grid": mini_grid(),
        "pong": atari(-1.0, 1.0),
        "atari": atari(1.0, 2.0, 5.0, 20.0, 200.0),
        "costly car": costly_car(),
        "taxi": taxi(),
        "cart that never falls": survey_of(
            lasting("random", np.arange(10, 110), 1.0), lasting("search", np.full(20, 1000), 1.0, LIMITED)
        ),
    }
