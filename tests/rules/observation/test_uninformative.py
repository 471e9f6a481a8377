from __future__ import annotations

import math

import gymnasium as gym
import msgspec
import numpy as np
import pytest

from tests.surveying import survey_before
from tests.worlds import box, changed, discrete, play, world
from weaklink.base.evidence.spaces import Space
from weaklink.base.evidence.survey import TRUNCATED
from weaklink.base.finding import CannotTell, Finding, Level
from weaklink.judge.rules.observation.uninformative import uninformative

EPISODES, LENGTH = 104, 25
STEPS = EPISODES * LENGTH


def slow(rng):
    """A walk in each episode: what happens in it goes on for a while."""
    return np.cumsum(rng.normal(0, 0.2, (EPISODES, LENGTH)), axis=1).reshape(-1)


def made(rows, rewards, policy="random", **given):
    rows = np.asarray(rows, dtype=float).reshape(STEPS, -1)
    fields = {"observations": rows, "successors": np.roll(rows, -1, axis=0), "rewards": rewards}
    return msgspec.structs.replace(play(policy, episodes=EPISODES, length=LENGTH, ends=TRUNCATED), **(fields | given))


def blind(seed=0):
    """A reward that follows something, and an observation that follows something else."""
    rng = np.random.default_rng(seed)
    rows = np.stack([slow(rng), slow(rng), rng.normal(size=STEPS)], axis=1)
    return {name: made(rows, slow(rng) + rng.normal(0, 0.1, STEPS), name) for name in ("random", "zero", "search")}


def seeing(tell, seed=0, columns=3, **fields):
    """An observation, and a reward that a function works out from it and from the actions."""
    rng = np.random.default_rng(seed)
    rows = np.stack([slow(rng) for _ in range(columns)], axis=1)
    actions = rng.uniform(-1, 1, (STEPS, 1))
    rewards = tell(rows, actions) + rng.normal(0, 0.1, STEPS)
    plays = {"random": made(rows, rewards, actions=actions), "search": made(rows, rewards, "search")}
    return changed(world(), **({"plays": plays, "observation": box(columns)} | fields))


def sick():
    return [
        changed(world(), plays=blind()),
        # a bandit whose context is not in the observation
        changed(world(), plays=bandit(told=False), observation=box(4, 0.0, 1.0), action=discrete(4)),
    ]


def bandit(told=True):
    rng = np.random.default_rng(0)
    context, action = rng.integers(0, 4, STEPS), rng.integers(0, 4, STEPS)
    shown = np.eye(4)[context if told else rng.integers(0, 4, STEPS)]
    fields = {
        "lengths": np.ones(STEPS, dtype=np.int64),
        "ends": np.ones(STEPS, dtype=np.int64),
        "observations": shown,
        "successors": shown,
        "actions": action[:, None].astype(float),
        "rewards": (context == action).astype(float),
    }
    return {name: msgspec.structs.replace(play(name), **fields) for name in ("random", "search")}


def healthy():
    constant = blind()
    constant = {name: made(each.observations, np.ones(STEPS), name) for name, each in constant.items()}
    rare = np.zeros(STEPS)
    rare[LENGTH - 1 :: 20 * LENGTH] = 1.0
    sparse = {name: made(each.observations, rare, name) for name, each in blind().items()}
    better = blind()
    better["search"] = made(better["search"].observations, better["search"].rewards + 1.0, "search")
    return [
        world(),
        seeing(lambda rows, actions: rows[:, 1]),
        # a valley: no line fits it
        seeing(lambda rows, actions: -np.abs(rows[:, 0])),
        # how far one column is from another: neither tells it alone
        seeing(lambda rows, actions: 0.3 * np.sign(rows[:, 0] * rows[:, 1])),
        # what is right to do depends on what is seen; under random play no state is better than another
        changed(world(), plays=bandit(), observation=box(4, 0.0, 1.0), action=discrete(4)),
        # a reward for every step that is over when time is up: nothing to tell
        changed(world(), plays=constant),
        # six rewarded episodes of 104
        changed(world(), plays=sparse),
        # a policy that acts on the observation and wins
        changed(world(), plays=better),
        changed(world(), plays=blind(), seen_columns=(0, 5, 9), observation=box(10)),
    ]


def test_says_what_was_looked_for():
    answer = uninformative.rule.ask(sick()[0])
    assert answer.severity is Level.WARN
    assert "the largest correlation is 0.0" in answer.message
    assert "no policy that uses the observation beats those that ignore it" in answer.message


def test_a_choice_tells_by_its_value_and_not_by_its_number():
    rng = np.random.default_rng(0)
    states = rng.integers(0, 9, STEPS)
    worth = np.array([1, -1, 1, -1, 0, -1, 1, -1, 1.0])
    space = Space(kind="discrete", dtype="int64", choices=(9,), first=(0,))
    rewards = worth[states] + rng.normal(0, 1.0, STEPS)
    plays = {"random": made(states, rewards), "search": made(states, rewards, "search")}
    assert uninformative.rule.ask(changed(world(), plays=plays, observation=space)) is None


def test_no_policy_that_looks_was_played():
    plays = blind()
    del plays["search"]
    answer = uninformative.rule.ask(changed(world(), plays=plays))
    assert isinstance(answer, CannotTell)
    assert answer.missing == ("search",)


def test_a_cheating_policy_proves_nothing():
    plays = blind()
    plays["cheat"] = made(plays["search"].observations, plays["search"].rewards + 1.0, "cheat")
    assert uninformative.rule.ask(changed(world(), plays=plays)).code == "OBS108"


def test_a_better_constant_action_proves_nothing():
    plays = blind()
    for name in ("constant", "search"):
        plays[name] = made(plays["random"].observations, plays["search"].rewards + 1.0, name)
    assert uninformative.rule.ask(changed(world(), plays=plays)).code == "OBS108"


def cut(plays, episodes):
    """The same steps as fewer and longer episodes."""
    lengths = np.full(episodes, STEPS // episodes)
    return {
        name: msgspec.structs.replace(each, lengths=lengths, ends=np.full(episodes, TRUNCATED))
        for name, each in plays.items()
    }


def test_a_few_long_episodes_will_do_where_every_step_is_paid():
    assert uninformative.rule.ask(changed(world(), plays=cut(blind(), 10))).code == "OBS108"
    assert isinstance(uninformative.rule.ask(changed(world(), plays=cut(blind(), 4))), CannotTell)


def test_a_cost_of_the_action_alone_is_not_the_task():
    plays = cut(blind(), 10)
    costs = {
        name: msgspec.structs.replace(each, rewards=-0.1 * each.actions[:, 0] ** 2) for name, each in plays.items()
    }
    assert isinstance(uninformative.rule.ask(changed(world(), plays=costs)), CannotTell)


def test_a_faint_signal_in_what_is_done_where():
    """A trader: the reward is the position times the next price, of which the last one tells a little."""
    rng = np.random.default_rng(0)
    prices = rng.normal(size=(STEPS + 1, 20))
    positions = rng.uniform(-1, 1, (STEPS, 1))
    rewards = positions[:, 0] * (0.4 * prices[:-1, 13] + rng.normal(size=STEPS))
    plays = {name: made(prices[:-1], rewards, name, actions=positions) for name in ("random", "search")}
    survey = changed(world(), plays=plays, observation=box(20))
    assert uninformative.rule.ask(survey) is None
    shuffled = {name: made(rng.permutation(prices[:-1]), rewards, name, actions=positions) for name in plays}
    assert uninformative.rule.ask(changed(survey, plays=shuffled)).code == "OBS108"


def test_a_pattern_of_columns_beside_an_action_of_many_choices():
    """A position times the drift of a price is paid, whatever is done; a position has neither sign more often."""
    rng = np.random.default_rng(5)
    rows = np.stack([slow(rng), slow(rng), slow(rng)], axis=1)
    actions = rng.integers(0, 10, (STEPS, 2)).astype(float)
    rewards = rows[:, 0] * rows[:, 1] * 0.6 + rng.normal(size=STEPS)
    choices = Space(kind="multi_discrete", dtype="int64", shape=(2,), choices=(10, 10), first=(0, 0))
    plays = {name: made(rows, rewards, name, actions=actions) for name in ("random", "search")}
    survey = changed(world(), plays=plays, observation=box(3), action=choices)
    assert not isinstance(uninformative.rule.ask(survey), Finding)
    other = {name: made(np.roll(rows, 7 * LENGTH, axis=0), rewards, name, actions=actions) for name in plays}
    assert uninformative.rule.ask(changed(survey, plays=other)).code == "OBS108"


class Cue(gym.Env):
    """Of two doors the one is right that the first observation tells of, or that nothing does."""

    observation_space = gym.spaces.Box(-1, 1, (2,), np.float32)
    action_space = gym.spaces.Discrete(3)

    def __init__(self, told=True):
        self.told = told

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.right, self.time = int(self.np_random.integers(1, 3)), 0
        cue = 2 * self.right - 3 if self.told else self.np_random.choice((-1, 1))
        return np.array([cue, -1], np.float32), {}

    def step(self, action):
        self.time += 1
        is_door = action > 0 and self.time > 2
        paid = (1.0 if action == self.right else -1.0) if is_door else -0.01
        shown = np.array([0, self.np_random.uniform(-1, 1)], np.float32)
        return shown, paid, bool(is_door), self.time == 20, {}


class Pits(gym.Env):
    """A field of pits; an opened cell tells how many touch it, or how many touch another one."""

    observation_space = gym.spaces.Box(-1, 8, (5, 5), np.int8)
    action_space = gym.spaces.Discrete(25)

    def __init__(self, told=True):
        self.told = told

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.pits = self.np_random.permutation(np.arange(25) < 4).reshape(5, 5)
        around = np.pad(self.pits.astype(int), 1)
        counts = sum(around[i : i + 5, j : j + 5] for i in range(3) for j in range(3)) - self.pits
        self.counts = counts if self.told else self.np_random.permutation(counts.reshape(-1)).reshape(5, 5)
        self.shown, self.left = np.full((5, 5), -1, dtype=np.int8), 20
        return self.shown.copy(), self.tell()

    def tell(self):
        return {"action_mask": (self.shown < 0).reshape(-1).astype(np.int8)}

    def step(self, action):
        cell = divmod(int(action), 5)
        self.shown[cell] = self.counts[cell]
        self.left -= 1
        fell = bool(self.pits[cell])
        return self.shown.copy(), -1.0 if fell else 0.1, fell, self.left == 0, self.tell()


def roll(env, seed, steps=5_000):
    """Random play of valid actions, as two policies that fare alike."""
    rng, (seen, info), rows, lengths = np.random.default_rng(0), env.reset(seed=seed), [], [0]
    for _ in range(steps):
        action = rng.choice(np.flatnonzero(info.get("action_mask", np.ones(env.action_space.n))))
        after, paid, terminated, truncated, info = env.step(action)
        rows.append((seen.reshape(-1), after.reshape(-1), [float(action)], paid))
        lengths[-1] += 1
        seen = after
        if terminated or truncated:
            (seen, info), _ = env.reset(), lengths.append(0)
    seen, after, actions, rewards = (np.array(column, dtype=float) for column in zip(*rows, strict=True))
    fields = {"observations": seen, "successors": after, "actions": actions, "rewards": rewards}
    fields |= {"lengths": np.array(lengths), "ends": np.array([1] * (len(lengths) - 1) + [0])}
    return {name: msgspec.structs.replace(play(name), **fields) for name in ("random", "search")}


@pytest.mark.parametrize("make", [Cue, Pits])
def test_what_a_cue_or_a_named_place_tells(make):
    """No policy of a table or a linear search learns it, and yet a person would know what to do."""
    shape = make.observation_space.shape
    space, action = msgspec.structs.replace(box(math.prod(shape)), shape=shape), discrete(int(make.action_space.n))
    fields = {"observation": space, "action": action}
    # seeds at which no other sign, each of which chance gives once in thirty times, is clear
    told, blank = (changed(world(), plays=roll(make(told), seed), **fields) for told, seed in ((True, 2), (False, 0)))
    assert not isinstance(uninformative.rule.ask(told), Finding)
    assert isinstance(uninformative.rule.ask(blank), Finding)


def test_sparse_rewards_are_not_judged():
    answer = uninformative.rule.ask(healthy()[6])
    assert isinstance(answer, CannotTell)
    assert "another return than the most common one" in answer.why


def test_rewards_that_time_alone_decides_are_not_judged():
    answer = uninformative.rule.ask(healthy()[5])
    assert isinstance(answer, CannotTell)


def test_rare_arrivals_in_a_hundred_episodes_prove_nothing():
    """As in a maze: a small cost for each step, and what is paid at the end decides the return."""
    rng = np.random.default_rng(3)
    rewards = np.full(STEPS, -0.01)
    rewards[LENGTH - 1 :: LENGTH] = rng.random(EPISODES) < 0.4
    plays = {name: made(each.observations, rewards, name) for name, each in blind().items()}
    answer = uninformative(changed(world(), plays=plays))
    assert isinstance(answer, CannotTell)
    assert "rare" in answer.why


class Switches(gym.Env):
    """Eight switches to be brought into a given position, which neither they nor the goal alone say anything about."""

    spot = gym.spaces.Box(0, 1, (8,), np.int8)
    observation_space = gym.spaces.Dict(achieved_goal=spot, desired_goal=spot)
    action_space = gym.spaces.Discrete(8)

    def __init__(self, told=True):
        self.told = told

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.state, self.goal = self.np_random.integers(0, 2, (2, 8)).astype(np.int8)
        self.left = 16
        return self.observed(), {}

    def observed(self):
        goal = self.goal if self.told else self.np_random.integers(0, 2, 8).astype(np.int8)
        return {"achieved_goal": self.state.copy(), "desired_goal": goal.copy()}

    def step(self, action):
        self.state[action] ^= 1
        self.left -= 1
        done = bool((self.state == self.goal).all())
        return self.observed(), float(done) - 1.0, done, self.left == 0, {}


@pytest.mark.parametrize("told", [True, False])
def test_a_goal_that_only_its_distance_tells_of(told):
    """No search does better than random play here, so that its episodes stand for those of one."""
    seen = survey_before("the same seed twice", lambda: Switches(told), steps=9000, episodes=300)
    random = seen.plays["random"]
    seen = changed(seen, plays={"random": random, "search": msgspec.structs.replace(random, policy="search")})
    assert isinstance(uninformative.rule.ask(seen), Finding) is not told


def test_small_pictures_are_not_judged_place_by_place():
    def picture(dtype):
        space = Space(kind="box", dtype=dtype, shape=(8, 8), low=np.zeros(64), high=np.full(64, 255.0))
        rng = np.random.default_rng(3)
        rows = rng.integers(0, 2, (STEPS, 64)) * 255.0
        plays = {name: made(rows, slow(rng), name) for name in ("random", "search")}
        return uninformative.rule.ask(changed(world(), plays=plays, observation=space))

    assert isinstance(picture("uint8"), CannotTell)
    assert isinstance(picture("float32"), Finding)
