from __future__ import annotations

import msgspec
import numpy as np
import pytest

from tests.rules.reward.likenesses import half_cheetah, humanoid_standup, made_of, swimmer
from tests.rules.task.tasks import cart_pole, survey_of
from tests.worlds import changed, play, with_play, world
from weaklink.base.evidence.survey import CUT, Play, Survey
from weaklink.base.finding import LOW, MEDIUM, CannotTell, Level
from weaklink.judge.rules.reward.dominating_component import dominating_component

SHAPE = (40, 50)


def noise(name: str, level: float = 0.0, spread: float = 1.0) -> np.ndarray:
    return np.random.default_rng([9, *name.encode()]).normal(level, spread, SHAPE)


def worked(policy: str, task: float, cost: float, *, weight: float = 1.0, **given) -> Play:
    """A task with small rewards, and a penalty for effort that is always one."""
    parts = {"task": noise(policy, task, 0.1), "effort": -np.abs(noise(policy + "!", cost, 0.3 * cost + 1e-3))}
    rewards = (parts["task"] + weight * parts["effort"]).ravel()
    return made_of(policy, parts, rewards=rewards, **given)


def drifting(policy: str, task: float, luck: float = 0.0, **given) -> Play:
    """A task with small rewards beside large ones of luck."""
    return made_of(policy, {"task": noise(policy, task, 0.1), "luck": noise(policy + "?", luck, 5.0)}, **given)


def measured(slope: float) -> Survey:
    """Whole episodes are better or worse in the part that rules, and the goal is met by that or against it."""
    rng = np.random.default_rng(20)
    level = rng.normal(0.0, 1.0, (40, 1)) * np.ones(SHAPE)
    parts = {"speed": level + 0.1 * noise("speed"), "rest": noise("rest", 0.0, 0.05)}
    metrics = {"height": (slope * level + 0.3 * noise("height")).ravel()}
    plays = [made_of(name, parts, metrics=metrics) for name in ("random", "search")]
    return survey_of(*plays, goal_metric="height")


def cancelling(size: float = 1.0, wobble: float = 0.0) -> Survey:
    part = noise("part")
    parts = {"there": part, "back": -size * part + noise("wobble", 0.0, 1.0) * wobble, "rest": noise("rest")}
    return survey_of(made_of("random", parts), made_of("search", parts))


def dodged() -> Survey:
    return survey_of(worked("random", 0.0, 10.0), worked("search", 0.0, 0.1))


def fined() -> Survey:
    """The search does the task far better and pays more of the penalty for it."""
    return survey_of(worked("random", 0.0, 2.0), worked("search", 5.0, 3.0))


def lucky() -> Survey:
    return survey_of(drifting("random", 0.0), drifting("search", 2.0))


def overruled() -> Survey:
    """Your own policy does the task, and is paid less of what rules."""
    return survey_of(drifting("random", 0.0), drifting("automaton", 2.0, -3.0))


def alarms() -> dict[str, Survey]:
    return {
        "dodged": dodged(),
        "fined": fined(),
        "luck": lucky(),
        "own policy": overruled(),
        "metric": measured(-1.0),
        "cancelling": cancelling(),
    }


def sick():
    # those after the alarms are worth knowing only
    return [*alarms().values(), half_cheetah(), swimmer(), humanoid_standup(), measured(1.0)]


def healthy():
    return [
        world(),
        cart_pole(),
        # parts of similar size
        survey_of(*(made_of(name, {"near": noise("a"), "far": noise("b")}) for name in ("random", "search"))),
        survey_of(*(made_of(name, {"near": noise("a", 0, 1.5), "far": noise("b")}) for name in ("random", "search"))),
        # one part alone; one part and a constant that never enters
        survey_of(made_of("random", {"run": noise("a")})),
        survey_of(made_of("random", {"run": noise("a"), "unused": np.zeros(SHAPE)})),
        # a bonus for each step has no variance, and nothing else is paid
        survey_of(made_of("random", {"alive": np.ones(SHAPE), "healthy": np.ones(SHAPE)})),
        # what is told has nothing to do with the reward
        survey_of(made_of("random", {"a": noise("a"), "b": noise("b", 0, 9)}, rewards=noise("c").ravel())),
    ]


@pytest.mark.parametrize(
    ("which", "words"),
    [
        ("dodged", "search play, the best policy found, avoids it and does hardly better in anything else"),
        ("fined", "search play, the best policy found, pays more of it at every step"),
        ("luck", "no policy does better in it than another, while search play does better in the rest"),
        ("own policy", "automaton play, which does better in the rest, earns less of it than random play"),
        ("metric", "it falls as 'height' rises (correlation -"),
        ("cancelling", "Components 'there' and 'back' cancel out: their correlation is -1.000"),
    ],
)
def test_each_alarm_says_why(which, words):
    answer = dominating_component.rule.ask(alarms()[which])
    assert (answer.level, answer.confidence) == (Level.WARN, MEDIUM)
    assert words in answer.message


@pytest.mark.parametrize(
    "survey",
    [half_cheetah(), swimmer(), humanoid_standup(), measured(1.0)],
    ids=["half cheetah", "swimmer", "humanoid standup", "agrees with the metric"],
)
def test_the_task_itself_may_rule(survey):
    answer = dominating_component(survey)
    assert answer.level == Level.INFO
    assert answer.evidence[0].limit == 0.8


def reached(policy: str, away: float, *, heavy: float = 0.0) -> Play:
    """A distance to a goal beside a cost of acting, or a heavy cost of acting beside the distance."""
    steps = SHAPE[0] * SHAPE[1]
    actions = np.random.default_rng([3, *policy.encode()]).uniform(-1, 1, (steps, 1)) * (
        1.0 if policy == "random" else 0.1
    )
    parts = {
        "distance": -np.abs(noise(policy, away, 0.5)),
        "effort": -((heavy or 0.01) * actions**2).reshape(SHAPE),
    }
    return msgspec.structs.replace(made_of(policy, parts), actions=actions)


def test_what_dominates_nothing_but_a_cost_of_acting_is_the_task():
    near = dominating_component(survey_of(reached("random", 4.0), reached("search", 1.0)))
    assert near.level == Level.INFO
    heavy = dominating_component(survey_of(reached("random", 4.0, heavy=90.0), reached("search", 4.0, heavy=90.0)))
    assert heavy.level == Level.WARN
    assert "'effort' has" in heavy.message


def test_a_share_of_the_variance():
    def shared(share):
        parts = {"big": noise("a"), "small": noise("b") * np.sqrt((1 - share) / share)}
        return survey_of(made_of("random", parts))

    assert dominating_component(shared(0.77)) is None
    answer = dominating_component(shared(0.85))
    assert answer.evidence[0].value == pytest.approx(0.85, abs=0.02)
    assert "Component 'big' has 8" in answer.message
    assert "beside 'small'" in answer.message
    assert dominating_component(shared(0.85), notable=0.9) is None


class TestDodging:
    def test_a_search_that_does_the_task_as_well_is_no_alarm(self):
        survey = survey_of(worked("random", 0.0, 10.0), worked("search", 3.0, 0.1))
        assert dominating_component(survey).level == Level.INFO

    def test_a_little_more_of_the_task_changes_nothing(self):
        survey = survey_of(worked("random", 0.0, 10.0), worked("search", 0.15, 0.1))
        assert dominating_component(survey).level == Level.WARN

    def test_a_prize_is_nothing_to_dodge(self):
        plays = [
            made_of(name, {"prize": np.abs(noise(name + "!", level)), "rest": noise(name, 0.0, 0.05)})
            for name, level in (("random", 1.0), ("search", 4.0))
        ]
        assert dominating_component(survey_of(*plays)).level == Level.INFO

    def test_it_must_be_crushing(self):
        assert dominating_component(dodged(), crushing=0.9999).level == Level.INFO

    def test_nobody_found_better(self):
        survey = survey_of(worked("random", 0.0, 10.0), worked("search", 0.0, 10.0))
        assert dominating_component(survey).level == Level.INFO

    def test_a_cost_told_as_a_positive_number_is_a_penalty_all_the_same(self):
        def told(play_):
            parts = {key: -values if key == "effort" else values for key, values in play_.components.items()}
            return play(play_.policy, episodes=40, rewards=play_.rewards, components=parts)

        survey = survey_of(*map(told, dodged().plays.values()))
        answer = dominating_component(survey)
        assert answer.level == Level.WARN
        assert "avoids it" in answer.message

    def test_long_episodes_that_were_cut_short_are_judged_by_their_steps(self):
        plays = [worked(name, 0.0, cost, ends=CUT) for name, cost in (("random", 10.0), ("search", 0.1))]
        assert dominating_component(survey_of(*plays)).level == Level.WARN


def test_luck_that_the_best_policy_has_more_of_is_no_luck():
    survey = survey_of(drifting("random", 0.0), drifting("search", 2.0, 2.0))
    assert dominating_component(survey).level == Level.INFO


def test_your_own_policy_must_do_better_in_the_rest():
    survey = survey_of(drifting("random", 0.0), drifting("automaton", 0.0, -3.0))
    assert dominating_component(survey).level == Level.INFO


def test_a_metric_over_few_episodes_says_nothing():
    survey = measured(-1.0)
    few = {
        name: play(
            name,
            episodes=19,
            rewards=one.rewards[:950],
            components={key: values[:950] for key, values in one.components.items()},
            metrics={key: values[:950] for key, values in one.metrics.items()},
        )
        for name, one in survey.plays.items()
    }
    assert dominating_component(changed(survey, plays=few)).level == Level.INFO


class TestCancelling:
    def test_parts_of_the_same_size_only(self):
        assert dominating_component.rule.ask(cancelling(size=0.6)).level == Level.WARN
        assert dominating_component(cancelling(size=0.4)) is None

    def test_nearly_opposed_is_enough_and_half_opposed_is_not(self):
        assert dominating_component.rule.ask(cancelling(wobble=0.2)).level == Level.WARN
        assert dominating_component(cancelling(wobble=0.6)) is None
        assert dominating_component(cancelling(wobble=0.2), opposed=0.99) is None

    def test_parts_that_do_not_add_up_to_the_reward_do_not_cancel(self):
        # a cost told as a positive number beside the same as a negative one
        part = noise("part")
        told = {"cost": part, "reward": -part, "rest": noise("rest")}
        survey = survey_of(made_of("random", told, rewards=(noise("rest") - part).ravel()))
        answer = dominating_component(survey)
        assert answer is None or isinstance(answer, CannotTell) or "cancel" not in answer.message

    def test_parts_too_small_to_matter(self):
        part = noise("part", 0.0, 0.05)
        survey = survey_of(made_of("random", {"there": part, "back": -part, "rest": noise("rest")}))
        assert dominating_component(survey).level == Level.INFO


def test_parts_that_do_not_quite_add_up_are_told_with_less_confidence():
    parts = {"run": noise("a"), "cost": noise("b", 0.0, 0.1)}
    blurred = (parts["run"] + parts["cost"] + noise("c", 0.0, 0.3)).ravel()
    answer = dominating_component(survey_of(made_of("random", parts, rewards=blurred)))
    assert (answer.level, answer.confidence) == (Level.INFO, LOW)


def test_cannot_tell_without_two_parts():
    assert isinstance(dominating_component(world()), CannotTell)
    assert isinstance(dominating_component(with_play(dodged(), random=play())), CannotTell)
    broken = with_play(dodged(), random=play(rewards=np.full(5000, np.nan)))
    assert isinstance(dominating_component(broken), CannotTell)


def shaped(policy: str, task: float) -> Play:
    """A task with small rewards beside the large differences of a potential of what is seen."""
    rng = np.random.default_rng([11, *policy.encode()])
    places = rng.normal(0.0, 1.0, (SHAPE[0], SHAPE[1] + 1))
    height = 5.0 * np.sin(places)
    parts = {"task": noise(policy, task, 0.1), "shaping": 0.99 * height[:, 1:] - height[:, :-1]}
    seen, following = (np.ascontiguousarray(each).reshape(-1, 1) for each in (places[:, :-1], places[:, 1:]))
    return msgspec.structs.replace(made_of(policy, parts), observations=seen, successors=following)


def test_the_difference_of_a_potential_takes_nothing_from_the_task():
    finding = dominating_component(survey_of(shaped("random", 0.0), shaped("search", 2.0)))
    assert finding.level is Level.INFO
    assert "no policy does better in it" not in finding.message
