"""Surveys in the likeness of well-known tasks: how long episodes last, how they end and what they pay."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.worlds import box, discrete, play, world
from weaklink.base.evidence.spaces import Space
from weaklink.base.evidence.survey import LIMITED, TERMINATED, TRUNCATED, Play, Survey


def paid(policy: str, episodes: list[Any], ends: Any = TERMINATED, **given: Any) -> Play:
    """A play of exactly these episodes, each the rewards of its steps."""
    lengths = [len(rewards) for rewards in episodes]
    rewards = np.concatenate([np.asarray(each, dtype=float) for each in episodes])
    return play(policy, lengths=lengths, ends=ends, rewards=rewards, **given)


def survey_of(*plays: Play, **given: Any) -> Survey:
    fields: dict[str, Any] = {"plays": {each.policy: each for each in plays}, "endings": ()}
    return world(**(fields | given))


def recorded(returns: Any) -> Play:
    """A trained policy that is known by its returns alone, as from a log of evaluations."""
    values = np.asarray(returns, dtype=float)
    ones = np.ones(len(values), dtype=np.int64)
    return Play(policy="policy", rewards=values, lengths=ones, ends=np.full(len(values), TERMINATED))


def lasting(policy: str, lengths: Any, pay: float, ends: Any = TERMINATED) -> Play:
    """Every step pays the same."""
    return paid(policy, [np.full(length, pay) for length in lengths], ends)


def ending(policy: str, outcomes: Any, lengths: Any, ends: Any = TERMINATED) -> Play:
    """Only the last step pays."""
    episodes = [np.append(np.zeros(length - 1), last) for last, length in zip(outcomes, lengths, strict=True)]
    return paid(policy, episodes, ends)


def cart_pole() -> Survey:
    rng = np.random.default_rng(0)
    return survey_of(
        lasting("random", rng.integers(10, 40, 100), 1.0),
        lasting("search", np.full(30, 500), 1.0, TRUNCATED),
    )


def mountain_car(*found: str) -> Survey:
    """Nothing but the clock, unless one of the plays named gets up the hill."""
    plays = [lasting(name, np.full(50, 200), -1.0, TRUNCATED) for name in ("random", "zero", "search")]
    plays += [lasting(name, np.arange(90, 130), -1.0) for name in found]
    return survey_of(*plays)


def acrobot() -> Survey:
    lengths = np.full(60, 500)
    lengths[[3, 30]] = 480, 430
    ends = np.where(lengths < 500, TERMINATED, TRUNCATED)
    return survey_of(lasting("random", lengths, -1.0, ends), lasting("search", np.full(30, 500), -1.0, TRUNCATED))


def pendulum() -> Survey:
    return survey_of(
        *(play(name, level=level, spread=5.0, length=200, ends=TRUNCATED, episodes=40)
          for name, level in (("random", -1200.0), ("zero", -1300.0), ("search", -900.0)))
    )  # fmt: skip


def frozen_lake(*, chance: float = 0.02, search: float = 0.3) -> Survey:
    rng = np.random.default_rng(1)
    lengths = rng.integers(2, 12, 300)
    return survey_of(
        ending("random", rng.random(300) < chance, lengths),
        ending("search", rng.random(50) < search, rng.integers(5, 40, 50)),
        ending("tabular", rng.random(100) < 0.75, rng.integers(6, 100, 100)),
        observation=discrete(16),
        action=discrete(4),
    )


def cliff_walking() -> Survey:
    rng = np.random.default_rng(2)
    wandering = [rng.choice([-1.0, -100.0], 1000, p=[0.93, 0.07]) for _ in range(20)]
    return survey_of(
        paid("random", wandering, LIMITED),
        lasting("search", np.full(30, 1000), -1.0, LIMITED),
        lasting("tabular", np.full(30, 13), -1.0),
    )


def blackjack(seed: int = 3, episodes: int = 100) -> Survey:
    rng = np.random.default_rng(seed)
    chances = {"random": (0.28, 0.04), "search": (0.40, 0.06), "tabular": (0.43, 0.09)}
    plays = []
    for name, (win, draw) in chances.items():
        outcomes = rng.choice([1.0, 0.0, -1.0], 10 * episodes, p=[win, draw, 1 - win - draw])
        plays.append(ending(name, outcomes, rng.integers(1, 4, 10 * episodes)))
    return survey_of(*plays, facts={})


def bandit() -> Survey:
    """One step and luck; no arm is better than another by much."""
    rng = np.random.default_rng(4)
    plays = [paid(name, list(rng.normal(0, 1, (100, 1)))) for name in ("random", "search")]
    return survey_of(*plays, facts={})


def go_to_door() -> Survey:
    """Random play soon picks the action that ends the episode, now and then in the right place."""
    rng = np.random.default_rng(5)
    return survey_of(
        ending("random", 0.97 * (rng.random(200) < 0.05), rng.geometric(2 / 7, 200)),
        ending("search", 0.97 * (rng.random(40) < 0.05), rng.geometric(2 / 7, 40)),
    )


def lunar_lander(*known: str) -> Survey:
    """A shaped reward, and a landing that only those who know the way achieve."""
    plays = [
        play("random", level=-180.0, spread=2.0, length=90),
        play("zero", level=-150.0, spread=2.0, length=80),
        play("search", level=60.0, spread=2.0, length=150, episodes=30),
    ]
    rng = np.random.default_rng(6)
    landings = [np.append(rng.normal(0.5, 2.0, 200), 100.0) for _ in range(30)]
    plays += [paid(name, landings) for name in known]
    return survey_of(*plays)


def fetch(rates: dict[str, float], *, key: str = "is_success", hold: bool = True, climb: bool = False) -> Survey:
    """A goal task of 50 steps that never terminates; each play reaches the goal in a share of its episodes."""
    part = box(3)
    goal = Space(kind="dict", parts={"observation": part, "achieved_goal": part, "desired_goal": part})
    plays = []
    for name, rate in rates.items():
        reached = np.zeros((40, 50))
        reached[: round(40 * rate), 20 : (50 if hold else 30)] = 1.0
        level = {"search": 25.0, "policy": 30.0}.get(name, 0.0) if climb else 0.0
        rewards = reached.ravel() - 1.0 if not climb else play(name, level=level, episodes=40).rewards
        plays.append(
            play(name, episodes=40, ends=TRUNCATED, columns=9, rewards=rewards, metrics={key: reached.ravel()})
        )
    return survey_of(*plays, observation=goal)


def zoo() -> dict[str, Survey]:
    """Every task, each as a healthy survey of it would be."""
    return {
        "cart pole": cart_pole(),
        "mountain car": mountain_car("tabular"),
        "acrobot": acrobot(),
        "pendulum": pendulum(),
        "frozen lake": frozen_lake(),
        "frozen lake 8x8": frozen_lake(chance=0.0, search=0.0),
        "cliff walking": cliff_walking(),
        "blackjack": blackjack(),
        "bandit": bandit(),
        "go to door": go_to_door(),
        "lunar lander": lunar_lander("automaton"),
        "fetch reach": fetch({"random": 0.05, "search": 0.1}),
    }
