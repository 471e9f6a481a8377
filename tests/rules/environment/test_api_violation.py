from __future__ import annotations

import gymnasium as gym
import numpy as np
import pytest

from tests.surveying import UNHURRIED
from tests.worlds import box, changed, discrete, play, with_play, world
from weaklink.base.evidence.spaces import Space
from weaklink.base.evidence.survey import NOT_REPEATABLE, OUT_OF_BOUNDS, CheckerComplaint, Resets, SurveyFault
from weaklink.base.finding import CannotTell, Finding, Level
from weaklink.base.loop import Link
from weaklink.collect.survey.plan import SurveyPlan
from weaklink.collect.survey.surveyed import surveyed
from weaklink.judge.rules.environment.api_violation import api_violation

GYMNASIUM, SB3, OWN = "Gymnasium's checker", "Stable-Baselines3's checker", "weaklink"


def said(text, *, source=GYMNASIUM, level="error", about="", **fields):
    return world(complaints=(CheckerComplaint(source=source, level=level, text=text, about=about),), **fields)


def levels(survey):
    answer = api_violation.rule.ask(survey)
    found = answer if isinstance(answer, tuple) else (answer,)
    return [finding.level for finding in found if isinstance(finding, Finding)]


def sick():
    return [
        said("The `reset` method does not provide a `seed` or `**kwargs` keyword argument."),
        said("The `terminated` signal must be a boolean", source=OWN),
        said("terminated must be a bool; it is of type int, such as 0.", source=OWN),
        said("the reward must be one number; it is of type ndarray, such as array([1.])", source=OWN),
        said("something that nobody has ever said before", level="warn"),
        # a survey that could not even step
        world(
            complaints=(),
            plays={},
            faults=(
                SurveyFault(
                    kind="raised",
                    stage="the contract",
                    call="step",
                    message="TypeError: step must return observation, reward, terminated, truncated and info; "
                    "it returned 4 values",
                ),
            ),
        ),
    ]


def healthy():
    return [
        world(),
        # what the checkers say of CartPole, Pendulum and every MuJoCo environment
        said("A Box observation space minimum value is -infinity. This is probably too low.", level="warn"),
        said("For Box action spaces, we recommend using a symmetric and normalized space.", level="warn"),
        said("We recommend you to use a symmetric and normalized Box action space", source=SB3, level="warn"),
        said("The minimal resolution for an image is 36x36 for the default `CnnPolicy`.", source=SB3, level="warn"),
        # what Gymnasium's checker says of a wrapper of the user's, and of a numpy boolean
        said("Shift wrapper does not inherit from `gymnasium.utils.RecordConstructorArgs`, so it cannot be recreated"),
        said("Environment truncates after 1 step, something has gone very wrong."),
        # judged by another rule
        said("The obs returned by the `step()` method is not deterministic", about=NOT_REPEATABLE),
    ]


def test_an_observation_that_its_space_does_not_declare_is_blamed_on_the_observation():
    wrong = said("The observation does not match the data type (cannot cast) of its space. Expected: uint8", source=SB3)
    assert api_violation.rule.ask(wrong).link is Link.OBSERVATION
    assert api_violation.rule.ask(sick()[0]).link is Link.ENVIRONMENT


@pytest.mark.parametrize(
    ("text", "source"),
    [
        ("Your action space has dtype float64, we recommend using np.float32 to avoid cast errors.", SB3),
        ("The observation space is a Tuple, this is currently not supported by Stable Baselines3.", SB3),
        ("Discrete action space with a non-zero start (start=1) is not supported by Stable-Baselines3.", SB3),
        ("Continuous action space must have a finite lower and upper bound", SB3),
        (
            "Goal conditioned envs (previously gym.GoalEnv) require the observation space to be gymnasium.spaces.Dict.",
            SB3,
        ),
        ("Official support for the `seed` function is dropped.", GYMNASIUM),
        ("Your observation has an unconventional shape (neither an image, nor a 1D vector).", SB3),
        # numpy booleans and single-precision rewards, which only Stable-Baselines3 refuses
        ("The `terminated` signal must be a boolean", SB3),
        ("The reward returned by `step()` must be a float", SB3),
        ("We suggest you to think about it.", GYMNASIUM),
    ],
)
def test_advice_and_the_limits_of_one_library_are_only_worth_knowing(text, source):
    assert levels(said(text, source=source, level="error")) == [Level.INFO]


def test_a_complaint_keeps_its_own_level():
    text = "The default seed argument in reset should be `None`, otherwise the environment is always deterministic"
    assert levels(said(text, level="warn")) == [Level.WARN]
    assert levels(said(text, level="info")) == [Level.INFO]


def test_both_checkers_saying_the_same_are_told_once_at_the_higher_level():
    survey = world(
        complaints=(
            CheckerComplaint(source=SB3, level="error", text="The `truncated` signal must be a boolean"),
            CheckerComplaint(source=OWN, level="error", text="truncated must be a bool; it is of type NoneType."),
            CheckerComplaint(
                source=GYMNASIUM, level="info", text="Expects `truncated` signal to be a boolean, actual: None"
            ),
        )
    )
    answer = api_violation.rule.ask(survey)
    assert isinstance(answer, Finding)
    assert answer.level is Level.ERROR
    assert "weaklink says" in answer.message
    assert answer.fix[0].startswith("Wrap both flags")


def test_a_reason_swallows_what_follows_from_it():
    survey = world(
        complaints=(
            CheckerComplaint(source=GYMNASIUM, level="error", text="The obs is not within the observation space."),
            CheckerComplaint(
                source=OWN, level="warn", text="reset must return an array as observation; it returned list."
            ),
        )
    )
    answer = api_violation.rule.ask(survey)
    assert isinstance(answer, Finding)
    assert answer.message.startswith("The type of the observation does not match")
    assert answer.level is Level.ERROR


def test_an_observation_outside_of_its_space_is_left_to_the_rule_on_bounds_unless_its_numbers_are_inside():
    text = "The first element returned by `env.reset()` is not within the observation space."
    inside = said(text, about=OUT_OF_BOUNDS)
    assert levels(inside) == [Level.ERROR]
    assert levels(changed(inside, observation=box(3, -0.1, 0.1))) == []


def test_text_in_an_observation_is_no_fault():
    parts = {"image": box(3), "mission": Space(kind="other")}
    text = "Error while checking key=mission: The observation returned by `reset()` method must be a numpy array"
    survey = said(text, source=SB3)
    assert levels(survey) == [Level.ERROR]
    assert levels(changed(survey, observation=Space(kind="dict", parts=parts))) == [Level.INFO]


def test_a_checker_that_met_the_same_crash_is_not_heard():
    fault = SurveyFault(
        kind="raised", stage="timing", call="step", message="KeyError: 'goal'", where=("env.py:3 in step",)
    )
    assert levels(said("'goal'", faults=(fault,))) == []
    assert levels(said("'goal'")) == [Level.ERROR]


class WithoutGoal(gym.Env):
    """Declares a key that its observation does not have."""

    observation_space = gym.spaces.Dict(position=gym.spaces.Box(-1, 1, (2,)), goal=gym.spaces.Box(-1, 1, (2,)))
    action_space = gym.spaces.Discrete(2)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        return {"position": np.zeros(2, np.float32)}, {}

    def step(self, action):
        return {"position": np.zeros(2, np.float32)}, 0.0, False, False, {}


@pytest.mark.filterwarnings("default")
def test_a_key_that_the_observation_lacks_is_told_although_the_survey_fails_by_it():
    seen = surveyed(WithoutGoal, SurveyPlan(seconds=UNHURRIED, steps=200, episodes=3))
    assert seen.faults
    first = api_violation.rule.ask(seen)
    first = first[0] if isinstance(first, tuple) else first
    assert first.severity is Level.ERROR
    assert "it returned ['position']" in first.message


def test_shared_objects_are_the_matter_of_another_rule_where_they_change():
    text = "The infos returned by `env.reset()` and `env.step()` share an object, therefore, modifying one will ..."
    assert levels(said(text, in_place="")) == [Level.INFO]
    assert levels(said(text, in_place="observation[0]")) == []
    assert levels(said(text, in_place=None)) == [Level.ERROR]


def test_a_frozen_generator_is_left_to_the_rule_on_frozen_resets():
    text = (
        "Most likely reset does not call `super().reset(seed=seed)` as the random number generators are not different"
    )
    assert levels(said(text)) == [Level.ERROR]
    alike = Resets(seeded=np.zeros((8, 3)), unseeded=np.zeros((8, 3)))
    assert levels(said(text, resets=alike)) == []


def test_at_most_eight_are_told_the_worst_first():
    many = tuple(CheckerComplaint(source=OWN, level="warn", text=f"complaint number {n}") for n in range(11))
    worst = CheckerComplaint(source=OWN, level="error", text="the worst of all")
    answer = api_violation.rule.ask(world(complaints=(*many, worst)))
    assert len(answer) == 8
    assert "the worst" in answer[0].message
    assert "4 more complaints" in answer[-1].message
    assert all(finding.message.endswith(".") for finding in answer)


def test_without_a_checker_it_cannot_tell():
    assert isinstance(api_violation.rule.ask(world(complaints=None)), CannotTell)


def test_wide_and_broken_observations_do_no_harm():
    text = "The obs returned by the `step()` method is not within the observation space."
    survey = said(text, about=OUT_OF_BOUNDS, observation=discrete(4))
    assert levels(with_play(survey, random=play(columns=5))) == []
    nan = play(observations=np.full((5000, 3), np.nan))
    assert levels(with_play(said(text, about=OUT_OF_BOUNDS), random=nan)) == []
