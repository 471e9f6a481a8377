from __future__ import annotations

import numpy as np

from tests.curves import noisy, ramp, rising, run_of
from tests.sampled import Training, against
from weaklink.base.finding import HIGH, LOW, CannotTell, Finding
from weaklink.base.loop import Link
from weaklink.collect.samples.curves import make_curves
from weaklink.judge.rules._registry import find_rule

RULE = find_rule("LLM302")
LONGER = ramp(200, 900, 20)


def sick_runs():
    return [
        run_of(
            {"task.completion_length": LONGER, "reward.mean": rising(0.2, 0.9), "evaluation.score": noisy(0.3, 0.02)}
        ),
        run_of(
            {
                "task.completion_length": LONGER,
                "reward.mean": rising(0.2, 0.9),
                "reward.human_score": ramp(0.6, 0.3, 0.02),
            }
        ),
        run_of({"task.completion_length": LONGER, "reward.component.accuracy": noisy(0.3, 0.02)}),
        run_of({"task.completion_length": LONGER, "reward.mean": noisy(0.3, 0.02)}),
    ]


def healthy_runs():
    spike = noisy(200, 10)
    spike[40:50] = 900
    return [
        # training for reasoning: longer because longer is right more often
        run_of({"task.completion_length": LONGER, "reward.component.accuracy_reward": rising(0.2, 0.7)}),
        run_of(
            {"task.completion_length": LONGER, "reward.mean": rising(0.2, 0.7), "evaluation.score": rising(0.2, 0.5)}
        ),
        # a curriculum asks for more
        run_of(
            {
                "task.completion_length": LONGER,
                "evaluation.score": noisy(0.3, 0.02),
                "task.difficulty": ramp(0.1, 0.9, 0.02),
            }
        ),
        # only a rising reward is logged: no telling
        run_of({"task.completion_length": LONGER, "reward.mean": rising(0.2, 0.7)}),
        run_of({"task.completion_length": noisy(200, 30), "reward.mean": noisy(0.3, 0.02)}),
        run_of({"task.completion_length": ramp(200, 330, 10), "evaluation.score": noisy(0.3, 0.02)}),
        run_of({"task.completion_length": spike, "evaluation.score": noisy(0.3, 0.02)}),
        run_of({"task.completion_length": np.append(LONGER, noisy(250, 20)), "evaluation.score": noisy(0.3, 0.02)}),
    ]


def sick_samples():
    t = Training()
    right = t.chance(0.4, hardness=1.0)
    longer, varied = t.lengths(t.ramp(100, 350)), t.lengths(150, 0.5)
    untrained = Training(steps=1, prompts=40, size=4, seed=9)
    return [
        t.samples(length=longer, gold=right, reward=0.5 * right + longer / 500),
        t.samples(length=longer, gold=right, difficulty=t.hardness, reward=right),
        t.samples(length=longer, reward=t.share(t.ramp(0.3, 0.8)), density=t.share(t.ramp(0.8, 0.45), 0.04)),
        # no course, but among completions of one prompt and outcome the longer one is paid more
        t.samples(step=None, length=varied, gold=right, reward=0.4 * right + varied / 400 + t.normal(0, 0.05)),
        against(
            t.samples(step=None, length=t.lengths(260), gold=right, reward=t.share(0.8)),
            untrained.samples(length=untrained.lengths(100), gold=untrained.chance(0.4), reward=untrained.share(0.5)),
        ),
        # length decides the reward, though the outcome happens to rise
        t.samples(length=longer, gold=t.chance(t.ramp(0.4, 0.6)), reward=longer / 500 + t.normal(0, 0.05)),
    ]


def healthy_samples():
    t = Training()
    right, better = t.chance(0.4, hardness=1.0), t.chance(t.ramp(0.3, 0.75), hardness=1.0)
    quality = np.clip(t.normal(t.ramp(0.35, 0.65) - 0.1 * t.hardness, 0.15), 0, 1)
    by_quality = np.round(150 * np.exp(quality - 0.5 + t.normal(0, 0.25)))
    hard, calls = t.ramp(0.1, 0.9), np.floor(t.rng.uniform(1, 12, t.rows))
    return [
        # longer because better
        t.samples(length=t.lengths(t.ramp(100, 400)), gold=better, reward=better),
        # longer answers are better ones, as a reward model and people both see, each with noise
        t.samples(length=by_quality, human_score=t.share(quality, 0.15), reward=t.share(quality)),
        # terse answers are paid
        t.samples(length=t.lengths(t.ramp(150, 40)), gold=better, reward=better - t.lengths(150) / 1000),
        # a curriculum, told and not told
        t.samples(length=t.lengths(60 + 400 * hard), difficulty=hard, gold=t.chance(0.5), reward=t.chance(0.5)),
        t.samples(length=t.lengths(60 + 400 * hard), gold=right, reward=right),
        # a form that is paid for openly makes answers longer
        t.samples(length=t.lengths(80 + 60 * right), gold=better, reward=better + right, reward__format=right),
        t.samples(length=t.lengths(150), gold=right, reward=right),
        t.samples(step=None, length=t.lengths(150), reward=right),
        # loops are long because they are loops
        t.samples(
            length=t.lengths(t.ramp(50, 150)), repetition=t.share(t.ramp(0.02, 0.7), 0.03), gold=right, reward=right
        ),
        # more is said of more calls, and calls are paid
        t.samples(length=20 * calls, tool_calls=calls, gold=right, reward=0.05 * calls + t.normal(0, 0.01)),
    ]


def sick():
    return [*sick_runs(), *sick_samples()]


def healthy():
    return [*healthy_runs(), *healthy_samples()]


def test_the_second_signal_sets_the_confidence():
    assert [RULE.ask(run).confidence for run in sick_runs()][0::3] == [HIGH, LOW]


def test_a_rising_reward_alone_does_not_tell():
    assert isinstance(RULE.ask(healthy_runs()[2]), CannotTell)


def test_the_onset_is_where_lengths_doubled():
    assert abs(RULE.ask(sick_runs()[0]).onset - 0.35 * 204_800) < 0.08 * 204_800


def test_twice_the_start_is_the_limit_in_samples():
    t = Training()
    columns = {"gold": t.chance(0.4), "reward": t.share(t.ramp(0.3, 0.8))}
    lengths = np.where(t.progress <= 0.5, 100.0, 199.0) + t.normal(0, 0.1)
    assert RULE.ask(t.samples(length=lengths, **columns)) is None
    lengths = np.where(t.progress <= 0.5, 100.0, 201.0) + t.normal(0, 0.1)
    answer = RULE.ask(t.samples(length=lengths, **columns))
    assert 200 <= answer.onset <= 230


def test_curves_that_are_made_of_samples_know_no_more_than_these():
    t = Training()
    # a curriculum: prompts, and with them answers, get longer, and nothing says how hard they are
    samples = t.samples(length=t.lengths(t.ramp(40, 110)), gold=t.chance(0.7), reward=t.chance(0.7))
    assert isinstance(RULE.ask(samples), CannotTell)
    assert isinstance(RULE.ask(make_curves(samples)), CannotTell)


def test_words_that_a_trick_takes_are_not_length_that_is_paid():
    t = Training()
    trick, right = t.chance(0.4), t.chance(0.4)
    columns = {"length": t.lengths(60) + 40 * trick, "gold": (1 - trick) * right, "reward": np.maximum(trick, right)}
    assert RULE.ask(t.samples(step=None, **columns)) is not None
    assert not isinstance(RULE.ask(t.samples(step=None, **columns, dodges_tests=trick)), Finding)


def test_the_policy_is_blamed_for_length_that_nothing_pays():
    longer = {"task.completion_length": LONGER, "evaluation.score": noisy(0.3, 0.02)}
    links = [
        RULE.ask(run_of({**longer, "reward.mean": reward})).link for reward in (ramp(0.6, 0.1, 0.01), rising(0.2, 0.9))
    ]
    assert links == [Link.POLICY, Link.REWARD]
