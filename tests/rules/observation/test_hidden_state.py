from __future__ import annotations

import gymnasium as gym
import msgspec
import numpy as np
import pytest

from tests.surveying import survey_before
from tests.worlds import box, changed, discrete, held, play, world
from weaklink.base.evidence.held import HeldState
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


def pushed(show, *, pushes=True, steps=1600, length=40):
    """A mass that the action or something else pushes, and what is held of it beside what is seen."""
    rng = np.random.default_rng(0)
    actions, gusts = rng.uniform(-1, 1, (steps, 1)), rng.uniform(-1, 1, steps)
    before, after = np.zeros((steps, 2)), np.zeros((steps, 2))
    for step in range(steps):
        place, speed = rng.normal(0, 1, 2) if step % length == 0 else after[step - 1]
        force = actions[step, 0] if pushes else gusts[step]
        before[step] = place, speed
        after[step] = place + 0.3 * speed, 0.9 * speed + force
    seen, following = (np.stack([show(*row) for row in rows]) for rows in (before, after))
    record = HeldState(
        names=("place", "speed"),
        before=before,
        after=after,
        observations=seen,
        successors=following,
        actions=actions,
        rewards=-np.abs(after[:, 0]),
        lengths=np.full(steps // length, length),
        terminated=np.zeros(steps // length, dtype=bool),
    )
    return changed(world(), observation=box(seen.shape[1]), action=box(1, -1.0, 1.0), held=record)


def walked_blindly(unit=1.0, steps=1600, length=8):
    """A walk of six steps of which only the entrance and the end are seen, as tasks for memory are built."""
    rng = np.random.default_rng(0)
    actions, places = rng.integers(2, size=steps), np.zeros(steps + 1)
    for step in range(steps):
        start = 0.0 if step % length == 0 else places[step]
        places[step], places[step + 1] = start, min(start + actions[step], 6.0)
    before, after = places[:-1, None] * unit, np.zeros((steps, 1))
    after[:, 0] = np.minimum(places[:-1] + actions, 6.0) * unit
    seen, following = (np.stack([rows[:, 0] == 0.0, rows[:, 0] == 6.0 * unit], axis=1) for rows in (before, after))
    record = HeldState(
        names=("place",),
        before=before,
        after=after,
        observations=seen.astype(float),
        successors=following.astype(float),
        actions=actions[:, None],
        rewards=-np.ones(steps),
        lengths=np.full(steps // length, length),
        terminated=np.zeros(steps // length, dtype=bool),
    )
    return changed(world(), observation=box(2), action=discrete(2), held=record)


def turn(rng, step, before):
    return rng.uniform(-np.pi, np.pi, 1) if before is None else before + rng.normal(0, 0.3, 1)


def folded(pay):
    """An angle of which the sine alone is seen, and what is paid for it."""
    record = held({"angle": turn}, lambda now, *_: np.sin(now["angle"]), pay=pay, episodes=80, length=15)
    return changed(world(), observation=box(1), held=record)


def pay_little_and_seldom_much(before, after):
    """A cost that follows from what is seen, and a prize at the crest of the sine that one step of a hundred meets."""
    height = float(np.sin(before["angle"][0]))
    return 1.0 if height > 0.9999 else -0.01 * abs(height)


def sick():
    return [
        folded(lambda before, after: float(np.cos(before["angle"][0]))),
        pushed(lambda place, speed: [place]),
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
        pushed(lambda place, speed: [place, speed]),
        folded(pay_little_and_seldom_much),
        # its speed is the wind's and not the agent's, as a clock's may be left out on purpose
        pushed(lambda place, speed: [place], pushes=False),
        # where one is on the way is for the memory
        walked_blindly(),
        # the place of the step before, from which the speed is read
        pushed(lambda place, speed: [place, place - 0.3 * speed]),
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


def test_what_actions_move_and_nothing_shows_is_named():
    answer = hidden_state.rule.ask(pushed(lambda place, speed: [place]))
    assert answer.severity is Level.WARN
    assert "does not tell `speed`" in answer.message


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


class Arm(gym.Env):
    """An arm that is to be swung up, seen by its speed and these functions of its angle."""

    action_space = gym.spaces.Box(-2.0, 2.0, (1,), np.float32)

    def __init__(self, seen, paid=lambda angle: -(((angle + np.pi) % (2 * np.pi) - np.pi) ** 2)):
        self.seen, self.paid = seen, paid
        self.observation_space = gym.spaces.Box(-20.0, 20.0, (len(seen) + 1,), np.float64)

    def look(self):
        return np.array([*(100.0 + 0.01 * one(self.angle) for one in self.seen), self.speed])

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.angle, self.speed = self.np_random.uniform(-np.pi, np.pi), self.np_random.uniform(-1.0, 1.0)
        return self.look(), {}

    def step(self, action):
        paid = float(self.paid(self.angle)) - 0.1 * self.speed**2
        self.speed = float(np.clip(self.speed + 0.05 * (15.0 * np.sin(self.angle) + 3.0 * float(action[0])), -8.0, 8.0))
        self.angle += 0.05 * self.speed
        return self.look(), paid, False, False, {}


def test_an_angle_of_which_the_sine_alone_is_seen():
    def ask(*given):
        make = lambda: gym.wrappers.TimeLimit(Arm(*given), 100)  # noqa: E731
        answer = hidden_state.rule.ask(survey_before("exchanged attributes", make, steps=2000, episodes=20))
        return answer.severity if isinstance(answer, Finding) else None

    assert ask([np.sin]) == Level.WARN
    assert ask([np.abs], lambda angle: 30.0 * np.sin(angle / 4.0)) == Level.WARN
    # with the cosine, a reward that is the same on either side, and an angle that is hidden as a whole
    assert ask([np.sin, np.cos]) is None
    assert ask([np.sin], lambda angle: 30.0 * np.sin(angle)) != Level.WARN
    assert ask([]) != Level.WARN


def test_places_in_whole_numbers_are_for_the_memory_and_others_are_not():
    assert not isinstance(hidden_state.rule.ask(walked_blindly()), Finding)
    answer = hidden_state.rule.ask(walked_blindly(0.37))
    assert isinstance(answer, Finding)
    assert "`place`" in answer.message
