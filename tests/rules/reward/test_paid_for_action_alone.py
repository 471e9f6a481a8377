from __future__ import annotations

import numpy as np

from tests.worlds import box, changed, discrete, play, world
from weaklink.base.evidence.acting import ActionLatency
from weaklink.base.finding import CannotTell
from weaklink.judge.rules.reward.paid_for_action_alone import paid_for_action_alone

SEEN = ActionLatency(seen=np.ones(8), paid=np.ones(8), horizon=60)


def quoting(pay, *, choices=True, names=("random", "search"), latency=SEEN, lengths=None, steps=50):
    """A dealer who names one of five spreads, or a number, beside an inventory that wanders."""
    plays = {}
    for name in names:
        made = play(name, length=steps, lengths=lengths)
        rng = np.random.default_rng(len(name))
        taken = rng.integers(0, 5, (len(made.rewards), 1)) if choices else rng.uniform(-1, 1, (len(made.rewards), 2))
        paid = np.array(pay(taken.astype(float), made.observations[:, 0]), dtype=float)
        plays[name] = changed(made, actions=taken.astype(float), rewards=paid)
    return world(plays=plays, action=discrete(5) if choices else box(2, -1.0, 1.0), latency=latency)


def width(taken, state):
    return taken.sum(axis=1)


def sick():
    return [
        quoting(width),
        quoting(lambda taken, state: np.sin(taken[:, 0])),
        quoting(width, choices=False),
        quoting(lambda taken, state: 1.0 - np.abs(taken).sum(axis=1), choices=False),
    ]


def healthy():
    return [
        # the state has a part in it, now and then or always
        quoting(lambda taken, state: taken[:, 0] - 0.1 * np.abs(state)),
        quoting(lambda taken, state: taken[:, 0] * (state > np.quantile(state, 0.001))),
        quoting(lambda taken, state: (taken * state[:, None]).sum(axis=1), choices=False),
        # what acting costs before anything is found that pays
        quoting(lambda taken, state: -0.1 * np.square(taken).sum(axis=1), choices=False),
        # staying alive is paid, and the length of an episode says how well it went
        quoting(lambda taken, state: 1.0 - 0.01 * taken[:, 0], lengths=np.arange(20, 120)),
        # every step pays the same
        quoting(lambda taken, state: np.ones(len(taken))),
        # a bandit: no action shows in what is observed, or an episode is one step
        quoting(width, latency=ActionLatency(seen=np.full(8, np.nan), paid=np.ones(8), horizon=60)),
        quoting(width, steps=1, lengths=np.ones(600, dtype=int)),
    ]


def test_the_best_action_is_named():
    answer = paid_for_action_alone.rule.ask(quoting(width))
    assert "[4.] pays 4 wherever it is taken, and others down to 0" in answer.message


def test_it_takes_a_search():
    assert isinstance(paid_for_action_alone.rule.ask(quoting(width, names=("random",))), CannotTell)
