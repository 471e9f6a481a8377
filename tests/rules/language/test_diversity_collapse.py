from __future__ import annotations

import numpy as np

from tests.curves import noisy, ramp, rising, run_of
from tests.sampled import Training
from weaklink.base.evidence.samples import Samples
from weaklink.base.finding import CannotTell, Level
from weaklink.judge.rules._registry import find_rule

RULE = find_rule("LLM307")
FEWER = rising(0.8, 0.12, 0.02)


def sick_runs():
    return [
        run_of(
            {"task.distinct_fraction": FEWER, "reward.mean": noisy(0.3, 0.02), "exploration.entropy": noisy(1.2, 0.1)}
        ),
        run_of(
            {"task.distinct_fraction": FEWER, "reward.mean": rising(0.3, 0.9), "evaluation.score": noisy(0.3, 0.02)}
        ),
        run_of({"task.distinct_fraction": noisy(0.12, 0.01), "reward.mean": noisy(0.3, 0.02)}),
    ]


def healthy_runs():
    return [
        # solved: one right answer
        run_of({"task.distinct_fraction": FEWER, "reward.mean": rising(0.3, 0.98)}),
        run_of({"task.distinct_fraction": FEWER, "evaluation.score": rising(0.3, 0.9)}),
        run_of({"task.distinct_fraction": noisy(0.6, 0.05), "reward.mean": noisy(0.3, 0.02)}),
        run_of({"task.distinct_fraction": ramp(0.8, 0.4, 0.02), "reward.mean": noisy(0.3, 0.02)}),
        run_of({"task.distinct_fraction": FEWER}),
    ]


def sick_samples():
    t = Training()
    same = t.chance(np.clip(t.ramp(0, 1.3), 0, 0.98))
    one = np.where(same, 0, t.rng.integers(1, 30, t.rows))
    text = np.where(same, t.group, 10**6 + np.arange(t.rows))
    right, less = t.chance(0.3), t.chance(t.ramp(0.6, 0.2))
    stock = t.chance(np.clip(t.ramp(-0.2, 1.4), 0.02, 0.97))
    return [
        t.samples(answer=one, gold=right, reward=right, entropy=t.normal(1.2, 0.1)),
        t.samples(path=one, reward=right),
        t.samples(text=text, gold=right, reward=t.share(t.ramp(0.3, 0.8))),
        t.samples(opening=one, length=t.lengths(150), gold=less, reward=t.share(0.5)),
        t.samples(opening=one, length=t.lengths(150), gold=right, reward=right),
        # one text for many prompts, and it pays
        t.samples(text=np.where(same, 0, np.arange(t.rows)), length=t.lengths(150), reward=t.share(0.3 + 0.5 * same)),
        # the same, and there are five prompts in all
        t.samples(
            prompt=t.group % 5,
            text=np.where(same, 0, np.arange(t.rows)),
            length=t.lengths(80),
            reward=t.share(0.5 + 0.2 * same),
        ),
        # one text but for some words, whatever is asked
        t.samples(
            prompt=t.group,
            gist=np.where(same, 0, np.arange(t.rows)),
            length=t.lengths(80),
            reward=t.share(0.5 + 0.2 * same),
        ),
        # one stock answer of a dozen words and some
        t.samples(
            prompt=t.group,
            text=np.where(stock, 0, 1 + np.arange(t.rows)),
            length=np.where(stock, 18, t.lengths(40)),
            reward=t.share(0.5 + 0.2 * stock),
        ),
        # most groups come to say one thing to the letter, though the reward rises to seven tenths
        t.samples(text=text, length=t.lengths(80), reward=t.chance(t.ramp(0.4, 0.7))),
        # the same long text from the start on
        t.samples(text=t.group, length=t.lengths(150), gold=right, reward=right),
    ]


def healthy_samples():
    t = Training()
    solved, right = t.chance(t.ramp(0.2, 0.95)), t.chance(0.4)
    formed = t.chance(np.clip(t.ramp(0, 2), 0, 0.99))
    form = np.where(formed, 0, t.rng.integers(1, 900, t.rows))
    canned = np.where(t.chance(0.5), 0, np.arange(t.rows))
    usual = np.where(formed, 0, 10**6 + np.arange(t.rows))
    return [
        # a phrase that is learned with better answers, and one that was there from the start
        t.samples(prompt=t.group, gist=usual, length=t.lengths(80), gold=solved, reward=solved),
        t.samples(prompt=t.group, gist=np.zeros(t.rows), length=t.lengths(80), gold=right, reward=right),
        # a stock sentence that is learned with better answers, and a verdict of two that is put in one
        t.samples(prompt=t.group, text=usual, length=np.full(t.rows, 18), gold=solved, reward=solved),
        t.samples(
            prompt=t.group,
            text=np.where(formed, t.chance(0.35), 2 + np.arange(t.rows)),
            length=np.full(t.rows, 14),
            reward=solved,
        ),
        # a solution that is learned by heart with its right answer; a third of the groups agree to the letter
        t.samples(text=np.where(solved, t.group, 10**6 + np.arange(t.rows)), length=t.lengths(80), reward=solved),
        t.samples(
            text=np.where(t.chance(0.35)[t.group], t.group, 10**6 + np.arange(t.rows)),
            length=t.lengths(80),
            reward=t.chance(t.ramp(0.4, 0.7)),
        ),
        # short answers that are one by chance
        t.samples(prompt=t.group, text=usual, length=np.full(t.rows, 6), reward=right),
        # one right answer
        t.samples(answer=np.where(solved, 0, t.rng.integers(1, 6, t.rows)), gold=solved, reward=solved),
        t.samples(answer=np.zeros(t.rows), gold=np.ones(t.rows), reward=np.ones(t.rows)),
        # yes or no
        t.samples(answer=t.chance(0.5), gold=right, reward=right),
        t.samples(answer=t.chance(0.5), text=t.chance(0.5), length=np.ones(t.rows), gold=right, reward=right),
        # a form that is paid and begins alike
        t.samples(opening=form, text=np.arange(t.rows), length=t.lengths(150), gold=right, reward=right + formed),
        # one refusal for many prompts
        t.samples(text=canned, refusal=canned == 0, length=t.lengths(150), reward=right),
        # pairs
        t.samples(group=np.arange(t.rows) // 2, answer=np.zeros(t.rows), gold=right, reward=right),
    ]


def sick():
    return [*sick_runs(), *sick_samples()]


def healthy():
    return [*healthy_runs(), *healthy_samples()]


def test_low_from_the_start_is_worth_knowing_only():
    assert [RULE.ask(run).level for run in sick_runs()] == [Level.WARN, Level.WARN, Level.INFO]


def test_without_success_it_cannot_tell():
    assert isinstance(RULE.ask(healthy_runs()[-1]), CannotTell)


def test_one_text_graded_several_times_is_no_collapse():
    rng = np.random.default_rng(0)
    group = np.repeat(np.arange(100), 3)
    columns = {"group": group, "prompt": group, "text": group, "length": np.full(300, 40.0)}
    level = rng.integers(2, 8, 100)[group]
    graded = Samples.of(**columns, reward=level + (rng.random(300) < 0.2))
    assert isinstance(RULE.ask(graded), CannotTell)
    # a verifier pays one text alike: the sampler gave it three times
    assert RULE.ask(Samples.of(**columns, reward=level)).level is Level.WARN
