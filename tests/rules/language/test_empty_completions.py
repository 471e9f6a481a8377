from __future__ import annotations

import numpy as np

from tests.sampled import Training, against
from weaklink.base.finding import CannotTell
from weaklink.judge.rules._registry import find_rule

RULE = find_rule("LLM327")


def shrinking(t: Training, last: float = 0.8):
    """Whether each completion is empty, and lengths."""
    gone = t.chance(t.ramp(0.0, last))
    return gone, np.where(gone, t.rng.integers(0, 3, t.rows), t.lengths(60))


def pick_silent(t: Training) -> np.ndarray:
    """One completion in eighteen, from the first step on."""
    return (np.arange(t.rows) % 18 == 5).astype(float)


def silent(t: Training, **columns):
    """Completions of which one in eighteen holds nothing at all."""
    rare = pick_silent(t)
    return t.samples(**{"length": np.where(rare == 1, 0.0, t.lengths(60)), "empty": rare, "blank": rare} | columns)


def sick():
    t = Training()
    gone, length = shrinking(t)
    right = t.chance(0.6) * (1 - gone)
    start = Training(steps=1, prompts=40, size=4, seed=5)
    return [
        t.samples(length=length, gold=right, reward=right - 0.02 * length),
        t.samples(length=length, reward__correct=right, reward__brevity=-0.02 * length, reward=right - 0.02 * length),
        # answers of a few words that fall silent
        t.samples(length=np.where(gone, 1.0, 3.0), blank=gone, gold=right, reward=right),
        # no outcome, and the penalty that goes makes the reward rise
        t.samples(length=length, blank=gone, reward=-0.02 * length),
        # no outcome, and the reward falls with it
        t.samples(length=length, reward=t.share(0.8 - 0.6 * gone)),
        against(
            t.samples(step=None, length=length, gold=right),
            start.samples(length=start.lengths(60), gold=start.chance(0.7)),
        ),
        # some are empty from the first step on, and paid like any other: verdicts, and scores
        silent(t, reward=t.chance(0.6)),
        silent(t, step=None, reward=t.normal(0.5, 0.2)),
        # ever more of them, since they are paid in full
        t.samples(length=np.where(gone, 0.0, 9.0), empty=gone, blank=gone, reward=np.maximum(gone, t.chance(0.4))),
    ]


def healthy():
    t = Training()
    gone, length = shrinking(t)
    right, better = t.chance(0.5), t.chance(t.ramp(0.3, 0.8))
    rare, some = pick_silent(t), t.chance(t.ramp(0.02, 0.15))
    few = np.r_[np.flatnonzero(rare == 1)[:7], np.flatnonzero(rare == 0)[:90]]
    return [
        # shorter and shorter, and as good
        t.samples(length=t.lengths(t.ramp(150, 30)), gold=right, reward=right),
        # one word is enough, and it is right more often
        t.samples(length=length, gold=better, reward=better),
        t.samples(length=length, reward=better),
        # one word instead of five
        t.samples(length=np.where(gone, 1.0, 5.0), blank=np.zeros(t.rows), gold=t.chance(t.ramp(0.6, 0.5))),
        # one word from the start on
        t.samples(length=np.ones(t.rows), gold=t.chance(t.ramp(0.6, 0.4)), reward=right),
        # some are empty all along
        t.samples(length=np.where(t.chance(0.2), 0.0, t.lengths(60)), gold=right, reward=right),
        # worse, and as long as ever
        t.samples(length=t.lengths(60), gold=t.chance(t.ramp(0.8, 0.3)), reward=right),
        # some are empty from the first step on, and get nothing; where nearly all that is said is wrong, too
        silent(t, reward=right * (1 - rare)),
        silent(t, reward=t.chance(0.05) * (1 - rare)),
        # a score that finds them worse, though not the worst
        silent(t, reward=t.normal(0.5 - 0.145 * rare, 0.2)),
        # wrong answers cost, and saying nothing costs nothing
        silent(t, reward=(2 * t.chance(0.3) - 1) * (1 - rare)),
        # a few more of them, and unpaid
        t.samples(length=np.where(some, 0.0, 9.0), empty=some, blank=some, reward=(1 - some) * right),
        # a few that were paid by a judge that errs
        silent(t, reward=t.chance(np.where(rare == 1, 0.9, 0.6))).where(few),
    ]


def test_without_a_start_it_cannot_tell():
    t = Training()
    assert isinstance(RULE.ask(t.samples(step=None, length=t.lengths(60))), CannotTell)
