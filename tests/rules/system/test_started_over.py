from __future__ import annotations

from dataclasses import replace

import numpy as np

from tests.curves import noisy, rising, run_of
from weaklink.base.finding import Level
from weaklink.judge.rules.system.started_over import started_over


def learning(start: float, end: float, points: int = 50) -> np.ndarray:
    """A curve that goes from one level to another and settles there."""
    return end + (start - end) * np.exp(-np.linspace(0, 5, points))


def twice(start: float, end: float) -> np.ndarray:
    """The same way a second time, from its beginning."""
    return np.concatenate([learning(start, end), learning(start, end)])


def make(ways, wanted="reward.episode_return", **curves):
    """A run of these curves with a little noise; `ways` makes each of a start and an end."""
    levels = {
        "reward.episode_return": (20.0, 220.0), "exploration.entropy": (0.69, 0.4),
        "value.explained_variance": (0.0, 0.9), "value.loss": (40.0, 8.0),
    }  # fmt: skip
    made = {name: (curves.get(name) or ways)(*level) for name, level in levels.items()}
    return run_of({name: values + 0.01 * np.ptp(values) * (noisy(1, 1.0) - 1) for name, values in made.items()})


def once(start: float, end: float) -> np.ndarray:
    return learning(start, end, 100)


def follow(start: float, end: float) -> np.ndarray:
    """The same way a second time, and a few points for a mean of episodes to get to its beginning."""
    back = np.linspace(end, start, 6)[1:-1]
    return np.concatenate([learning(start, end), back, learning(start, end, 46)])


def forgotten(start: float, end: float) -> np.ndarray:
    """It falls in the middle, and stays there."""
    return np.concatenate([learning(start, end), np.full(50, start)])


def append(first, second, since=0):
    """A log in which a second training wrote the steps of the first again, from a point on."""
    earlier = run_of({"reward.episode_return": first}).series["reward.episode_return"]
    later = run_of({"reward.episode_return": second, "value.loss": noisy(3, 1, points=len(second))})
    gone = replace(earlier, steps=earlier.steps[since:], values=earlier.values[since:])
    return replace(later, earlier={"reward.episode_return": gone})


def sick():
    shorter = append(rising(20, 60, points=9), rising(20, 50, points=7))
    schedule = np.tile(np.maximum(np.linspace(1.0, -0.5, 50), 0.05), 2)
    again = run_of({"reward.episode_return": twice(-0.6, 0.9) + noisy(0, 0.05), "exploration.epsilon": schedule})
    return [
        again,
        shorter,
        make(twice),
        make(once, **{"reward.episode_return": twice, "exploration.entropy": twice}),
        make_lagging(leap=30.0),
        # the return follows within a few points, and the critic knows as little as at first
        make(twice, **{"reward.episode_return": follow}),
    ]


def make_lagging(leap: float, *, lost: bool = True, entropy=twice):
    """The policy begins anew at half of the run, and the return is a mean of many episodes, which follows slowly."""
    second = 220 - 150 * np.sin(np.linspace(0, np.pi, 50)) if lost else np.full(50, 220.0)
    spread = entropy(0.69, 0.4)
    kl = noisy(0.01, 0.001)
    kl[50] *= leap
    return run_of(
        {
            "reward.episode_return": np.append(learning(20.0, 220.0), second) + noisy(0, 1.0),
            "exploration.entropy": spread + noisy(0, 0.003),
            "policy.kl": kl,
        }
    )


DIPPED = np.interp(np.arange(60), [0, 3, 5, 18, 21, 24, 35, 59], [-0.4, -0.4, -0.96, -1, -0.9, -0.4, 0.85, 0.9])
LOOSENED = np.interp(np.arange(60), [0, 3, 15, 26, 40, 59], [1.386, 1.37, 0.78, 1.31, 0.55, 0.43])


def healthy():
    return [
        make(once),
        # a detour at the start: the policy loosens again, and the return comes back from below
        run_of({"reward.episode_return": DIPPED + 0.01 * noisy(0, 1, points=60), "exploration.entropy": LOOSENED}),
        # resumed from a checkpoint: the steps go back a little, the return does not
        append(rising(20, 400, points=60), rising(20, 420, points=80), since=50),
        # the second one goes on where the first ended
        append(rising(20, 60, points=9), rising(60, 90, points=7)),
        # an update ruins the policy: the return is gone, and nothing else is as it was at first
        make(once, **{"reward.episode_return": forgotten}),
        # a harder level: the critic is surprised for a while, the policy stays what it is
        make(once, **{"reward.episode_return": twice, "value.loss": twice}),
        # exploration is raised on purpose and costs return, and the critic knows what it knew
        make(once, **{"reward.episode_return": follow, "exploration.entropy": twice}),
        # exploration that begins again on purpose: what was learned is still there behind it
        run_of(
            {
                "reward.episode_return": np.append(learning(-0.6, 0.9), 0.9 - 1.5 * np.exp(-np.linspace(0, 40, 50)))
                + noisy(0, 0.05),
                "exploration.epsilon": np.tile(np.maximum(np.linspace(1.0, -0.5, 50), 0.05), 2),
            }
        ),
        # the entropy is raised again on purpose, and what was learned stays; or it is lost for no such reason
        make_lagging(leap=30.0, lost=False),
        make_lagging(leap=30.0, entropy=once),
        make_lagging(leap=1.0),
        # it swings
        make(once, **{"reward.episode_return": lambda start, end: np.where(np.arange(100) % 10 < 5, start, end)}),
    ]


def test_a_second_training_that_came_as_far_is_worth_knowing():
    run = append(rising(20, 60, points=9), rising(20, 60, points=9))
    assert started_over.rule.ask(run).level is Level.INFO
