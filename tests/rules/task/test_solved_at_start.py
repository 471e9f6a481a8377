from __future__ import annotations

import numpy as np

from tests.rules.task.tasks import paid, survey_of
from tests.worlds import changed, discrete, play
from weaklink.base.finding import CannotTell, Level
from weaklink.judge.rules.task.solved_at_start import solved_at_start

POLICIES = ("random", "zero", "search")


def short(success, length=1, key="is_success"):
    """Policies whose episodes are so long, and end with a success in the share of them that is given by name."""
    plays = []
    for name in POLICIES:
        made = play(name, length=length)
        flags = np.zeros(len(made.rewards))
        flags[length - 1 :: length] = np.arange(100) < 100 * success(name)
        plays.append(changed(made, metrics={key: flags}))
    return survey_of(*plays)


def unsaid(share, constant=None, prize=1.0, late=40, step=-0.01):
    """Episodes of which a share end well in the first step, the others after many; no info tells of it."""
    plays = []
    for name in ("random", "constant", "search"):
        won = np.arange(100) < 100 * (constant if name == "constant" and constant is not None else share)
        lengths = np.where(won, 1, late)
        plays.append(paid(name, [np.append(np.full(length - 1, step), prize) for length in lengths]))
    return survey_of(*plays)


def falling(crash=10.0, chance=0.2, found=10.0, luck=10.0, action=None):
    """A probe above ground: left alone it is down after 33 steps, with random thrusts it hovers until it falls."""
    rng = np.random.default_rng(0)
    down = lambda prize, length: np.append(np.full(length - 1, -0.02), prize)  # noqa: E731
    hovering = [down(luck if rng.random() < chance else -5.0, int(rng.integers(60, 200))) for _ in range(100)]
    return survey_of(
        paid("random", hovering),
        paid("zero", [down(crash, int(rng.integers(30, 36))) for _ in range(40)]),
        paid("search", [down(found, 34) for _ in range(40)]),
        **({} if action is None else {"action": action}),
    )


def sick():
    return [
        short(lambda name: 1.0),
        short(lambda name: 1.0, length=2, key="success"),
        unsaid(0.75),
        unsaid(0.3, constant=1.0),
        # it falls, and is paid for it
        falling(),
    ]


def healthy():
    return [
        # a crash that costs; one that pays less than a landing; a goal that random play comes to as well; one choice
        # of three that is numbered 0
        falling(crash=-8.0),
        falling(crash=2.0),
        falling(crash=9.5, found=30.0),
        falling(chance=0.9),
        falling(action=discrete(3)),
        # a bandit whose choice decides, and a game that a search wins
        short(lambda name: 0.3),
        short(lambda name: 1.0 if name == "search" else 0.5),
        # a walk that reaches the goal in the end, whatever is done
        short(lambda name: 1.0, length=30),
        # a goal that is near at times, a step that always costs, and a bandit
        unsaid(0.3),
        unsaid(0.75, prize=-1.0),
        unsaid(0.75, late=2),
        unsaid(0.1, constant=1.0),
        # where one may stop at any time, waiting earns more
        survey_of(
            *(paid(name, [[0.5]] * 40 + [[*np.zeros(30), 1.0]] * 60) for name in ("random", "search")),
            paid("constant", [[0.5]] * 100),
        ),
    ]


def test_is_told_with_the_policies():
    answer = solved_at_start.rule.ask(sick()[0])
    assert answer.severity is Level.WARN
    assert "100% of the episodes of random, zero and search end with a success within 2 steps" in answer.message


def test_without_success_nothing_is_known():
    assert isinstance(solved_at_start.rule.ask(short(lambda name: 1.0, key="score")), CannotTell)
    assert "one action throughout" in solved_at_start.rule.ask(unsaid(0.3, constant=1.0)).message
