from __future__ import annotations

import gymnasium
import numpy as np
import pytest

from weaklink.adapters.gymnasium import shaping
from weaklink.base.errors import UsageError
from weaklink.base.reference.shaping import POTENTIAL, examine_shaping

GAMMA, SIDE = 0.95, 4
GOAL = SIDE * SIDE - 1


def nearness(state: int) -> float:
    row, column = divmod(int(state), SIDE)
    return float(row + column - 2 * (SIDE - 1) + 3)  # not zero at the goal, so that the wrapper has to see to it


def lake(slippery: bool = False, **options):
    return gymnasium.make("FrozenLake-v1", is_slippery=slippery, **options)


def shaped(**options):
    return shaping.PotentialShaping(lake(**options), nearness, GAMMA)


def played(env, actions, seed=0):
    """One episode: the first state, then state, reward, flags and info of each step."""
    first, _ = env.reset(seed=seed)
    steps = []
    for action in actions:
        steps.append(env.step(action))
        if steps[-1][2] or steps[-1][3]:
            break
    return first, steps


def discounted(steps) -> float:
    return sum(GAMMA**time * step[4]["reward_shaping"] for time, step in enumerate(steps))


def best_actions(model, bonus) -> list[set[int]]:
    """The best actions in every state, by value iteration on the model with a bonus on each transition."""
    values = np.zeros(len(model))
    for _ in range(2000):
        worth = np.array(
            [
                [
                    sum(
                        chance * (reward + bonus(state, after, done) + GAMMA * values[after] * (not done))
                        for chance, after, reward, done in model[state][action]
                    )
                    for action in model[state]
                ]
                for state in model
            ]
        )
        values = worth.max(axis=1)
    return [set(np.flatnonzero(row > row.max() - 1e-9).tolist()) for row in worth]


def learnt_model(env, tries=300):
    """The transitions of the wrapped environment, as a learner meets them: mean reward of each step."""
    seen: dict[tuple[int, int], set[tuple[int, float, bool]]] = {}
    rng = np.random.default_rng(0)
    for episode in range(tries):
        state, _ = env.reset(seed=episode)
        ended = False
        while not ended:
            action = int(rng.integers(4))
            after, reward, terminated, truncated, _ = env.step(action)
            seen.setdefault((int(state), action), set()).add((int(after), round(reward, 9), terminated))
            state, ended = after, terminated or truncated
    return seen


@pytest.mark.parametrize("slippery", [False, True])
def test_the_best_policy_stays_the_same(slippery):
    model = lake(slippery).unwrapped.P
    before = best_actions(model, lambda state, after, done: 0.0)

    def bonus(state, after, done):
        return GAMMA * nearness(after) * (not done) - nearness(state)

    after = best_actions(model, bonus)
    reached = [state for state in model if not model[state][0][0][3] or model[state][0][0][1] != state]
    assert [before[state] for state in reached] == [after[state] for state in reached]


def test_without_the_zero_at_ends_the_best_policy_would_change():
    model = lake(True).unwrapped.P
    before = best_actions(model, lambda state, after, done: 0.0)
    wrong = best_actions(model, lambda state, after, done: GAMMA * 50 * nearness(after) - 50 * nearness(state))
    assert before != wrong


def test_the_wrapper_pays_what_the_model_above_says():
    for (state, _), outcomes in learnt_model(shaped(slippery=True)).items():
        for after, reward, terminated in outcomes:
            task = float(terminated and after == GOAL)
            term = GAMMA * nearness(after) * (not terminated) - nearness(state)
            assert reward == pytest.approx(task + term)


@pytest.mark.parametrize("seed", range(5))
def test_the_terms_of_a_terminated_episode_come_to_minus_the_first_potential(seed):
    actions = np.random.default_rng(seed).integers(0, 4, 100)
    first, steps = played(shaped(), actions, seed)
    assert steps[-1][2], "the episode ends in a hole or at the goal"
    assert discounted(steps) == pytest.approx(-nearness(first))


def test_a_time_limit_keeps_the_potential_of_the_last_state():
    first, steps = played(shaped(max_episode_steps=6), [2, 0, 2, 0, 2, 0])
    last, _, terminated, truncated, _ = steps[-1]
    assert truncated
    assert not terminated
    assert discounted(steps) == pytest.approx(GAMMA**6 * nearness(last) - nearness(first))


def test_info_tells_both_parts_and_keeps_what_was_there():
    _, steps = played(shaped(), [1, 1, 2, 2, 1, 2])
    for _, reward, _, _, info in steps:
        assert reward == pytest.approx(info["reward_task"] + info["reward_shaping"])
        assert "prob" in info
    assert steps[-1][4]["reward_task"] == 1.0


def test_scale_scales_the_term_alone():
    plain = shaping.PotentialShaping(lake(), nearness, GAMMA)
    large = shaping.PotentialShaping(lake(), nearness, GAMMA, scale=10.0)
    actions = [1, 1, 2, 2, 1, 2]
    for (_, _, _, _, one), (_, _, _, _, other) in zip(
        played(plain, actions)[1], played(large, actions)[1], strict=True
    ):
        assert other["reward_shaping"] == pytest.approx(10 * one["reward_shaping"])
        assert other["reward_task"] == one["reward_task"]


def test_the_audit_calls_it_a_potential():
    env = shaped(slippery=True)
    rng = np.random.default_rng(0)
    rows = []
    for episode in range(200):
        state, _ = env.reset(seed=episode)
        ended = False
        while not ended:
            after, _, terminated, truncated, info = env.step(int(rng.integers(4)))
            rows.append((state, after, info["reward_shaping"], episode, terminated))
            state, ended = after, terminated or truncated
    states, successors, terms, episodes, ends = (np.array(column) for column in zip(*rows, strict=True))
    told = examine_shaping(states[:, None], successors[:, None], terms, GAMMA, episodes, ends)
    assert told.verdict == POTENTIAL
    assert told.gamma == GAMMA
    assert told.terminal is None


def test_wrong_use_is_refused():
    with pytest.raises(UsageError, match="gamma"):
        shaping.PotentialShaping(lake(), nearness, 1.5)
    with pytest.raises(UsageError, match="scale"):
        shaping.PotentialShaping(lake(), nearness, GAMMA, scale=float("nan"))
    bare = shaping.PotentialShaping(lake().unwrapped, nearness, GAMMA)
    with pytest.raises(gymnasium.error.ResetNeeded):
        bare.step(0)


@pytest.mark.filterwarnings("ignore:.*different from the unwrapped version")
def test_gymnasium_accepts_it():
    from gymnasium.utils.env_checker import check_env

    env = shaped()
    check_env(env, skip_render_check=True)
    assert env.spec is not None
    assert env.spec.additional_wrappers[-1].name == "PotentialShaping"
