from __future__ import annotations

import msgspec
import numpy as np
import pytest

from tests.worlds import box, changed, discrete, play, world
from weaklink.base.evidence.survey import TRUNCATED, Play, Survey
from weaklink.base.finding import CannotTell, Finding, Level
from weaklink.judge.rules.observation.hidden_state import hidden_state

EPISODES, LENGTH = 40, 50


def walked(step, start, seen, choices=2):
    """Episodes of random actions in a small world: `step` moves its state, `seen` shows it."""
    rng = np.random.default_rng(0)
    before, after, actions, rewards = [], [], [], []
    for _ in range(EPISODES):
        state = start(rng)
        for _ in range(LENGTH):
            action = int(rng.integers(choices))
            following, reward = step(state, action, rng)
            before.append(np.atleast_1d(seen(state)))
            after.append(np.atleast_1d(seen(following)))
            actions.append([float(action)])
            rewards.append(reward)
            state = following
    return Play(
        policy="random",
        rewards=np.array(rewards, dtype=float),
        lengths=np.full(EPISODES, LENGTH),
        ends=np.full(EPISODES, TRUNCATED),
        observations=np.array(before, dtype=float),
        successors=np.array(after, dtype=float),
        actions=np.array(actions),
    )


def swing(seen, width):
    """A pendulum without friction: angle and speed."""

    def step(state, action, rng):
        angle, speed = state
        speed = speed + 0.1 * (2 * action - 1) - 0.3 * np.sin(angle)
        return (angle + 0.3 * speed, speed), -angle * angle

    made = walked(step, lambda rng: (rng.uniform(-1, 1), rng.uniform(-1, 1)), seen)
    return changed(world(), observation=box(width), action=discrete(2), plays={"random": made})


def corridor(seen, count, slips=0.0, goal=False):
    """Eight cells in a row; with a goal, the end that pays is drawn at the start."""

    def step(state, action, rng):
        cell, paying = state
        way = 2 * action - 1 if rng.random() >= slips else int(rng.integers(-1, 2))
        cell = min(max(cell + way, 0), 7)
        return (cell, paying), float(cell == (7 * paying if goal else 7))

    made = walked(step, lambda rng: (int(rng.integers(8)), int(rng.integers(2))), seen)
    return changed(world(), observation=discrete(count), action=discrete(2), plays={"random": made})


def sick():
    return [
        # the speed is not shown
        swing(lambda state: state[0], 1),
        swing(lambda state: (np.cos(state[0]), np.sin(state[0])), 2),
        # pairs of cells look alike
        corridor(lambda state: state[0] // 2, 4),
        # which end pays is not shown
        corridor(lambda state: state[0], 8, goal=True),
    ]


def healthy():
    return [
        world(),
        swing(lambda state: state, 2),
        swing(lambda state: (np.cos(state[0]), np.sin(state[0]), state[1]), 3),
        corridor(lambda state: state[0], 8),
        # slippery ground is chance and nothing hidden
        corridor(lambda state: state[0], 8, slips=0.6),
        corridor(lambda state: 8 * state[1] + state[0], 16, goal=True),
        changed(world(), observation=box(100), plays={"random": play("random", columns=100)}),
    ]


def test_is_worth_knowing_and_names_the_column():
    answer = hidden_state.rule.ask(swing(lambda state: state[0], 1))
    assert answer.severity is Level.INFO
    assert "of the change of observation[0] unexplained" in answer.message


def test_what_repeats_exactly_is_compared():
    answer = hidden_state.rule.ask(corridor(lambda state: state[0] // 2, 4))
    assert "The same observation and action are followed by different outcomes" in answer.message


def test_pure_noise_is_no_hidden_state():
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(EPISODES * LENGTH, 3))
    noisy = play("random", episodes=EPISODES, length=LENGTH, observations=rows, successors=np.roll(rows, -1, axis=0))
    assert hidden_state.rule.ask(changed(world(), plays={"random": noisy})) is None


@pytest.mark.parametrize(
    "made",
    [
        pytest.param(play("random", columns=30), id="too wide to fit"),
        pytest.param(play("random", episodes=5, length=40), id="too short"),
        pytest.param(play("random", lengths=np.ones(3000, dtype=int)), id="no step before"),
        pytest.param(play("random", episodes=1, length=3000), id="one episode leaves nothing to check a fit on"),
    ],
)
def test_could_not_tell(made):
    columns = made.observations.shape[1]
    assert isinstance(
        hidden_state.rule.ask(changed(world(), observation=box(columns), plays={"random": made})), CannotTell
    )


def goal_shown(episodes: int, length: int = 200) -> Survey:
    """A drive along a line towards a goal that is set anew with each episode and shown; the reward is its distance."""
    rng = np.random.default_rng(3)
    moves = rng.uniform(-1, 1, (episodes, length, 2))
    start, goal = rng.uniform(-5, 5, (2, episodes, 1, 2))
    drive = np.cumsum(0.1 * moves * [1.0, 0.0], axis=1) + start
    before = np.concatenate([start, drive[:, :-1]], axis=1)
    held = np.repeat(goal, length, axis=1)
    seen = play(
        lengths=np.full(episodes, length),
        columns=4,
        actions=2,
        observations=np.concatenate([before, held], axis=2).reshape(-1, 4),
        successors=np.concatenate([drive, held], axis=2).reshape(-1, 4),
        rewards=-np.linalg.norm(drive - held, axis=2).reshape(-1),
    )
    acted = msgspec.structs.replace(seen, actions=moves.reshape(-1, 2))
    return world(observation=box(4), action=box(2, -1.0, 1.0), plays={"random": acted})


def test_a_goal_that_is_shown_in_few_settings_is_not_hidden():
    assert not isinstance(hidden_state.rule.ask(goal_shown(20)), Finding)
