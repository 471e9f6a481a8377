from __future__ import annotations

import gymnasium as gym
import numpy as np
import pytest

from tests.surveying import UNHURRIED, survey_before
from tests.worlds import EPISODES, LENGTH, box, changed, play, with_play, world
from weaklink.base.evidence.endings import EpisodeEnding, VectorMembers
from weaklink.base.evidence.survey import BOTH, CUT, LIMITED, TERMINATED, TRUNCATED
from weaklink.base.finding import CannotTell, Finding, Level
from weaklink.collect.survey.plan import SurveyPlan
from weaklink.collect.survey.surveyed import surveyed
from weaklink.judge.rules.environment.terminal_mishandled import terminal_mishandled


def limited(*, ends=TERMINATED, length=LENGTH, declared=None, **plays):
    """All episodes of all policies are of one length."""
    facts = {} if declared is None else {"max_episode_steps": declared}
    made = {
        "random": play(length=length, ends=ends),
        "zero": play("zero", length=length, ends=ends),
        "search": play("search", level=20.0, length=length, ends=ends),
    }
    return world(facts=facts, plays=made | plays)


def died(policy="random", *, longest=40, **fields):
    """Episodes of all sorts of lengths."""
    lengths = np.random.default_rng(len(policy)).integers(5, longest, EPISODES)
    return play(policy, lengths=lengths, **fields)


def gathered(**fields):
    counts = {"count": 4, "framework": "gymnasium", "ends": 40}
    return world(plays={"random": died()}, members=VectorMembers(**(counts | fields)))


def jumping():
    """Truncated episodes whose last observation is somewhere else altogether."""
    made = play(ends=TRUNCATED)
    after = made.successors.copy()
    after[LENGTH - 1 :: LENGTH] += 5.0
    return changed(made, successors=after)


def one_gets_there(length):
    """Random play dies; the search lives until some length, and no longer."""
    return world(facts={}, plays={"random": died(), "search": play("search", length=length, ends=TERMINATED)})


def crashed(*, ends=TRUNCATED, fine=-50.0):
    """Episodes of all sorts of lengths, the last step of each paid in another way."""
    made = died(ends=ends)
    rewards = made.rewards.copy()
    rewards[made.starts + made.lengths - 1] += fine
    return changed(made, rewards=rewards)


def outlasted(found, **given):
    """Random play is truncated at all sorts of steps; some courses of action come further and terminate."""
    return world(facts={}, plays={"random": died(ends=TRUNCATED, **given)}, outlasted=found)


def sick():
    restarted = EpisodeEnding(end=TERMINATED, raised=False, warned=False, continued=5, restarted=True)
    return [
        limited(declared=LENGTH),
        limited(),
        limited(ends=BOTH, declared=LENGTH),
        one_gets_there(200),
        world(plays={"random": died()}, endings=(restarted,)),
        world(plays={"random": jumping()}),
        world(plays={"random": died(ends=BOTH)}),
        gathered(autoreset="next_step", autoreset_seen="same_step"),
        gathered(autoreset_seen="same_step", finals_missing=40),
        gathered(autoreset_seen="same_step", finals_wrong=12),
        gathered(truncations_unmarked=3),
        world(plays={"random": crashed()}),
        outlasted(((200, TERMINATED), (200, TERMINATED))),
        # one was made to last, and a search came as far
        with_play(outlasted(((200, TERMINATED),)), search=play("search", episodes=1, length=200, ends=TERMINATED)),
    ]


def clock(counts):
    """Observations that tell the time: one column, or several together."""
    time = np.tile(np.arange(LENGTH), EPISODES)
    rng = np.random.default_rng(0)
    if counts == "series":  # prices of one and the same year, as in many trading environments
        return np.column_stack([rng.normal(size=len(time)), rng.normal(size=LENGTH)[time]])
    if counts == "one":
        return np.column_stack([rng.normal(size=len(time)), 1.0 - time / LENGTH])
    order = np.argsort(rng.random((EPISODES, LENGTH)), axis=1)  # the step at which each city is visited
    return (np.repeat(order, LENGTH, axis=0) < time[:, None]).astype(float)


def healthy():
    goes_on = EpisodeEnding(end=TERMINATED, raised=False, warned=False, continued=5, restarted=False)
    return [
        world(),
        # made to last, they end at different steps, one of them only, or not further than random play came
        outlasted(((200, TERMINATED), (180, TERMINATED))),
        outlasted(((200, TERMINATED),)),
        outlasted(((20, TERMINATED), (20, TERMINATED))),
        limited(ends=TRUNCATED, declared=LENGTH),
        # dies at all lengths; a step after the end merely goes on, as in MuJoCo
        world(plays={"random": died(), "zero": died("zero")}, endings=(goes_on,)),
        # the horizon is part of the task: the observation tells how much of it is left
        *(
            changed(
                limited(random=play(observations=rows, successors=rows)),
                observation=box(rows.shape[1]),
            )
            for rows in (clock("one"), clock("many"), clock("series"))
        ),
        # a fine for the end of the task, and truncations at all sorts of steps without one, as of drawn horizons
        world(plays={"random": crashed(ends=TERMINATED)}),
        world(plays={"random": died(ends=TRUNCATED)}),
        # a goal that is reached in one way and at one place
        with_one_end(),
        # a fall takes nearly the same time whatever is done: lengths lie close together
        world(facts={}, plays={name: fallen(name) for name in ("random", "zero", "search")}),
        # the search happens to need 47 steps, which is no limit
        one_gets_there(47),
        # short by nature
        limited(length=9),
        # one truncated episode at the limit says that the limit is known
        limited(declared=LENGTH, search=play("search", ends=TRUNCATED)),
        # went on beyond the common length
        limited(zero=play("zero", lengths=[LENGTH] * 20 + [300], ends=[TERMINATED] * 20 + [LIMITED])),
        gathered(autoreset="same_step", autoreset_seen="same_step"),
        gathered(autoreset="next_step", autoreset_seen=""),
        gathered(autoreset="next_step", autoreset_seen="next_step", finals_missing=40),
    ]


def with_one_end():
    """Every policy ends at the same place after the same number of steps."""
    ones = np.ones((EPISODES * LENGTH, 3))
    return world(facts={}, plays={name: play(name, successors=ones) for name in ("random", "zero")}, observation=box(3))


def fallen(policy):
    lengths = np.random.default_rng(len(policy)).integers(20, 24, EPISODES)
    return play(policy, lengths=lengths)


@pytest.mark.parametrize(
    ("survey", "level"),
    [
        (limited(declared=LENGTH), Level.ERROR),
        (limited(), Level.WARN),
        (one_gets_there(200), Level.WARN),
        (world(plays={"random": died(ends=BOTH)}), Level.WARN),
        (world(plays={"random": died(ends=[BOTH] * 70 + [TERMINATED] * 30)}), Level.INFO),
        (gathered(finals_wrong=1), Level.ERROR),
    ],
)
def test_levels(survey, level):
    assert terminal_mishandled.rule.ask(survey).level is level


def test_says_how_many_of_whom_and_where():
    message = terminal_mishandled.rule.ask(limited(declared=LENGTH)).message
    assert f"{3 * EPISODES} episodes of 3 policies" in message
    assert f"exactly {LENGTH} steps, the declared limit" in message


def test_several_ways_are_several_findings():
    answer = terminal_mishandled.rule.ask(
        gathered(autoreset="next_step", autoreset_seen="same_step", finals_missing=3, finals_wrong=2)
    )
    assert len(answer) == 3


def test_an_image_may_show_the_time():
    pictures = changed(limited(), observation=box(3))
    assert isinstance(terminal_mishandled.rule.ask(pictures), Finding)
    space = changed(box(3), shape=(32, 32), low=None, high=None)
    seen = changed(pictures, observation=space, seen_columns=(0, 1, 2))
    assert terminal_mishandled.rule.ask(seen) is None
    declared = changed(seen, facts={"max_episode_steps": LENGTH})
    assert isinstance(terminal_mishandled.rule.ask(declared), Finding)


def test_cannot_tell_where_nothing_ended():
    survey = world(plays={"random": play(ends=CUT)}, endings=())
    assert isinstance(terminal_mishandled.rule.ask(survey), CannotTell)
    assert isinstance(terminal_mishandled.rule.ask(world(plays={}, endings=())), CannotTell)


def test_endless_episodes_are_no_time_limit():
    answer = terminal_mishandled.rule.ask(limited(ends=LIMITED, length=100))
    assert not isinstance(answer, Finding)


def test_without_observations_only_counts_are_left():
    bare = limited(declared=LENGTH)
    plays = {name: changed(one, observations=None, successors=None, actions=None) for name, one in bare.plays.items()}
    assert terminal_mishandled.rule.ask(changed(bare, plays=plays)) is None


def test_what_grows_is_largest_at_the_end_and_does_not_jump():
    growth = np.tile(1.2 ** np.arange(LENGTH + 1), (EPISODES, 1))
    rows = np.repeat(growth[:, :-1].reshape(-1, 1), 3, axis=1)
    after = np.repeat(growth[:, 1:].reshape(-1, 1), 3, axis=1)
    survey = with_play(world(), random=play(ends=TRUNCATED, observations=rows, successors=after))
    assert terminal_mishandled.rule.ask(survey) is None


def test_a_few_jumps_among_many_ends_are_no_illness():
    made = play(ends=TRUNCATED)
    after = made.successors.copy()
    after[LENGTH - 1 :: 4 * LENGTH] += 5.0
    survey = with_play(world(), random=changed(made, successors=after))
    assert terminal_mishandled.rule.ask(survey) is None


class Visitors(gym.Env):
    """A hundred visitors one after the other; with `remember`, what one was shown changes who comes next."""

    observation_space = gym.spaces.Box(-9.0, 9.0, (3,))
    action_space = gym.spaces.Discrete(3)

    def __init__(self, remember=0.0):
        self._remember = remember

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self._shown, self._mood = 0, 0.0
        return self._visit(), {}

    def _visit(self):
        self._visitor = np.clip(self.np_random.normal(self._mood, 1.0, 3), -9, 9).astype(np.float32)
        return self._visitor

    def step(self, action):
        paid = float(self._visitor[action] > 0)
        self._shown += 1
        self._mood += self._remember * (float(action) - 1.0)
        return self._visit(), paid, self._shown == 100, False, {}


def test_a_bandit_has_no_future_that_a_limit_could_cut_off():
    bandit, task = (
        survey_before("sweeping actions", lambda remember=remember: Visitors(remember), steps=3000, episodes=30)
        for remember in (0.0, 0.1)
    )
    assert terminal_mishandled.rule.ask(bandit) is None
    assert isinstance(terminal_mishandled.rule.ask(task), Finding)


class Swapped(gym.Wrapper):
    def step(self, action):
        observation, reward, terminated, truncated, info = self.env.step(action)
        return observation, reward, truncated, terminated, info


def short_pole():
    return gym.make("CartPole-v1", max_episode_steps=30)


def test_flags_that_are_swapped_are_named():
    class SwappedPole(gym.Env):
        """The flags are swapped in the environment itself, where no wrapper shows it."""

        def __init__(self):
            self.inside = Swapped(short_pole())
            self.action_space, self.observation_space = self.inside.action_space, self.inside.observation_space

        def reset(self, *, seed=None, options=None):
            return self.inside.reset(seed=seed)

        def step(self, action):
            return self.inside.step(action)

    plan = SurveyPlan(seconds=UNHURRIED, steps=3000, episodes=60)
    answer = terminal_mishandled.rule.ask(surveyed(SwappedPole, plan))
    answer = answer[0] if isinstance(answer, tuple) else answer
    assert isinstance(answer, Finding)
    assert "at exactly 30 steps" in answer.message
    assert "the two flags are swapped" in answer.message
    assert terminal_mishandled.rule.ask(surveyed(short_pole, plan)) is None


class Forever(gym.Wrapper):
    """Begins the next episode by itself, and tells nobody."""

    def step(self, action):
        observation, reward, terminated, truncated, info = self.env.step(action)
        if terminated or truncated:
            observation, info = self.env.reset()
        return observation, reward, False, False, info


def test_a_wrapper_that_keeps_every_end_to_itself():
    survey = survey_before("members", lambda: Forever(gym.make("CartPole-v1")), steps=400, episodes=3)
    answer = terminal_mishandled.rule.ask(survey)
    assert isinstance(answer, Finding)
    assert "The wrapper `Forever` keeps `terminated` to itself" in answer.message
    assert "and keeps `truncated` to itself" in answer.message  # at a limit that no pole lives to see
