from __future__ import annotations

import numpy as np

from tests.curves import noisy, ramp, rising, run_of
from weaklink.base.loop import Link
from weaklink.judge.diagnosis.engine import diagnose

HIGH = ramp(0.693, 0.62, 0.003)
CARTPOLE = {"env_id": "CartPole-v1", "algo": "ppo", "total_timesteps": 204_800}


def bonus(weight):
    """A short run with a logged weight of the entropy bonus."""
    returns = np.append(rising(0.7, 3.5, points=20), noisy(3.6, 0.3, points=40))
    curves = {"exploration.entropy": noisy(1.36, 0.003, points=60), "reward.episode_return": returns}
    return run_of({**curves, "exploration.entropy_coefficient": np.full(60, weight)})


def sick():
    return [
        run_of(
            {"exploration.entropy": noisy(1.384, 0.001), "reward.episode_return": noisy(20, 2)},
            {"total_timesteps": 204_800},
        ),
        # a bonus that outweighs all else: what was won at first is all that is won, in a short run too
        bonus(1.5),
        # it rises, and is far from what the task can pay: worth knowing
        run_of({"exploration.entropy": HIGH, "reward.episode_return": rising(23, 89)}, CARTPOLE),
    ]


def healthy():
    # Acrobot: near uniform for long, then it takes off; early in the budget; continuous actions
    slow = np.concatenate((noisy(-500, 0.1, points=40), rising(-500, -90, points=60)))
    return [
        run_of({"exploration.entropy": ramp(1.098, 1.07, 0.001), "reward.episode_return": slow}),
        run_of(
            {"exploration.entropy": noisy(1.098, 0.0005), "reward.episode_return": noisy(-500, 0.1)},
            {"total_timesteps": 2_000_000},
        ),
        run_of(
            {
                "exploration.entropy": noisy(1.42, 0.001),
                "exploration.action_std": noisy(1.0, 0.01),
                "reward.episode_return": noisy(-900, 20),
            }
        ),
        bonus(0.01),
        run_of({"exploration.entropy": ramp(0.69, 0.3, 0.01), "reward.episode_return": noisy(20, 2)}),
        # continuous actions by the name of the task
        run_of(
            {"exploration.entropy": noisy(8.4, 0.02), "reward.episode_return": rising(-290, -100)},
            {"env_id": "HalfCheetah-v4", "total_timesteps": 204_800},
        ),
        # as random, and the task is solved; what would solve another one nobody says
        run_of({"exploration.entropy": HIGH, "reward.episode_return": rising(23, 480)}, CARTPOLE),
        run_of({"exploration.entropy": HIGH, "reward.episode_return": rising(23, 89)}, {"total_timesteps": 204_800}),
    ]


def test_a_bonus_far_off_is_the_cause_of_entropy_that_stays_high():
    curves = {"exploration.entropy": HIGH, "reward.episode_return": rising(23, 89)}
    odd, usual = (diagnose(run_of(curves, {**CARTPOLE, "ent_coef": weight})) for weight in (0.5, 0.01))
    assert (odd.first_break.code, usual.first_break) == ("EXP103", None)


def test_an_entropy_that_is_one_number_although_gradients_flow_blames_the_optimizer():
    curves = {"reward.episode_return": noisy(20, 2), "optimizer.gradient_norm": noisy(0.2, 0.02)}
    spent = {"total_timesteps": 204_800}
    still = run_of({**curves, "exploration.entropy": np.full(100, 0.69315)}, spent)
    moved = run_of({**curves, "exploration.entropy": noisy(0.692, 0.0005)}, spent)
    assert [diagnose(run).first_break.link for run in (still, moved)] == [Link.OPTIMIZER, Link.EXPLORATION]
