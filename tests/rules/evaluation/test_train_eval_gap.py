from __future__ import annotations

from dataclasses import replace

import numpy as np

from tests.curves import noisy, ramp, rising, run_of
from weaklink.base.evidence.series import Series
from weaklink.base.finding import Level
from weaklink.base.loop import Link
from weaklink.judge.rules.evaluation.train_eval_gap import train_eval_gap

SLOW = np.append(ramp(-20, -17, 0.1, points=25), rising(-17, -2, 0.1, points=75))
STALE = {
    "reward.episode_return": np.append(rising(20, 420, 5, points=65), noisy(200, 10, points=35)),
    "evaluation.return": noisy(82, 9),
}


def sick():
    every_tenth = run_of({"reward.episode_return": rising(50, 1500)})
    tested = Series.of("evaluation.return", 10_000.0 * np.arange(1, 21), noisy(400, 40, points=20))
    return [
        run_of({"reward.episode_return": rising(50, 1500), "evaluation.return": noisy(300, 40)}),
        replace(every_tenth, series={**every_tenth.series, "evaluation.return": tested}),
        # evaluation falls off its peak, far below, while training rises on
        run_of(
            {
                "reward.episode_return": rising(100, 900, points=200),
                "evaluation.return": np.append(rising(100, 400, points=80), ramp(400, 40, 15, points=120)),
            }
        ),
        # it keeps up for three quarters of the run
        run_of(
            {
                "reward.episode_return": rising(10, 900, 20),
                "evaluation.return": np.append(rising(10, 880, 20, points=75), noisy(300, 20, points=25)),
            }
        ),
        # observations as they come: ahead while the normaliser knows little, and behind from then on
        evaluate_rarely(SLOW, [-27, -4.4, -7.1, -7.5, -7.7, -7.6, -7.4, -6.1, -5.6, -6.0, -6.2]),
        # another time limit: one and the same number
        run_of({"reward.episode_return": rising(20, 450), "evaluation.return": np.minimum(rising(20, 400), 100.0)}),
        # another normalisation, and few evaluations
        evaluate_rarely(rising(-76, -8, 1.0), [-45, -48, -147, -53, -52]),
        # the network of before the training, evaluated with some noise, while training rises and falls again
        run_of(STALE),
        # training is paid for what costs in the task
        run_of({"reward.episode_return": rising(1400, 1750, 20), "evaluation.return": -rising(1400, 1750, 20, seed=1)}),
        # fifteen times as little, but not by one factor
        run_of({"reward.episode_return": rising(1000, 9000), "evaluation.return": noisy(60, 10)}),
    ]


def evaluate_rarely(returns, tested):
    run = run_of({"reward.episode_return": returns})
    steps = np.linspace(0.2, 1.0, len(tested)) * run["reward.episode_return"].last_step
    return replace(run, series={**run.series, "evaluation.return": Series.of("evaluation.return", steps, tested)})


def healthy():
    return [
        # few evaluations that rise with training, and few that scatter
        evaluate_rarely(rising(-76, -8, 1.0), [-60, -44, -30, -22, -18]),
        evaluate_rarely(rising(20, 450), [100, 200, 450, 300, 500]),
        # a lucky early evaluation of few episodes; and one that keeps what it had while training comes near
        evaluate_rarely(SLOW, [-27, -4.4, -7.1, -5.5, -4.0, -3.0, -4.2, -2.1, -3.6, -2.0, -2.2]),
        evaluate_rarely(SLOW, [-27, -1.4, -1.6, -1.5, -1.7, -1.6, -1.8, -1.9, -1.6, -2.3, -2.2]),
        # every evaluation is at the limit
        run_of({"reward.episode_return": rising(20, 470), "evaluation.return": np.minimum(rising(20, 900), 500.0)}),
        run_of({"reward.episode_return": rising(50, 1500), "evaluation.return": rising(60, 1560, seed=1)}),
        # few episodes scatter
        run_of({"reward.episode_return": rising(20, 450), "evaluation.return": rising(20, 420, 130, seed=1)}),
        # a policy that is deterministic in evaluation and good from the start
        run_of({"reward.episode_return": rising(20, 420, 5), "evaluation.return": noisy(430, 9)}),
        # both know nothing, at slightly different levels
        run_of({"reward.episode_return": noisy(-1200, 40), "evaluation.return": noisy(-1300, 150, seed=1)}),
        # the mean of past episodes lags behind
        run_of({"reward.episode_return": ramp(0, 800, 10), "evaluation.return": ramp(100, 900, 40, seed=1)}),
    ]


def test_evaluation_that_is_better_is_worth_knowing():
    run = run_of({"reward.episode_return": rising(10, 60), "evaluation.return": rising(10, 400)})
    assert train_eval_gap.rule.ask(run).level is Level.INFO


def test_returns_that_are_each_the_other_with_the_opposite_sign_blame_the_reward():
    paid = run_of(
        {"reward.episode_return": rising(1400, 1750, 20), "evaluation.return": -rising(1400, 1750, 20, seed=1)}
    )
    apart = run_of({"reward.episode_return": rising(1400, 1750, 20), "evaluation.return": noisy(-400, 20)})
    lost = run_of({"reward.episode_return": np.clip(rising(-0.9, 1.4), -1, 1), "evaluation.return": noisy(-0.97, 0.01)})
    links = [train_eval_gap.rule.ask(run).link for run in (paid, apart, lost)]
    assert links == [Link.REWARD, Link.EVALUATION, Link.EVALUATION]


def test_other_units_are_worth_knowing():
    run = run_of({"reward.episode_return": noisy(-8, 0.3), "evaluation.return": noisy(-900, 20)})
    found = train_eval_gap.rule.ask(run)
    assert found.level is Level.INFO
    assert "units" in found.message


def test_a_gap_begins_where_it_opens():
    late, steps = sick()[3], 2048.0 * np.arange(1, 101)
    assert steps[70] <= train_eval_gap.rule.ask(late).onset <= steps[76]
    always = run_of({"reward.episode_return": noisy(1500, 40), "evaluation.return": noisy(300, 40)})
    assert train_eval_gap.rule.ask(always).onset == steps[0]


def test_an_evaluation_that_never_moves_is_not_the_policys_unless_training_comes_near_it():
    training = rising(-7, -1.6, 0.2)
    best = {"reward.episode_return": training, "evaluation.return": np.full(100, 9.45)}
    found = train_eval_gap.rule.ask(run_of(best))
    assert found.level is Level.WARN
    assert "before anything was learned" in found.message
    # the best policy was found before the first evaluation, and training nears it as it explores less
    for healthy in ({"evaluation.return": np.full(100, 1.0)}, {"evaluation.return": noisy(9.45, 0.1)}):
        answer = train_eval_gap.rule.ask(run_of({**best, **healthy}))
        assert answer is None or answer.level is Level.INFO
