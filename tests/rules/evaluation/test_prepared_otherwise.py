from __future__ import annotations

from tests.curves import noisy, rising, run_of
from weaklink.base.finding import CannotTell, Level
from weaklink.judge.rules.evaluation.prepared_otherwise import prepared_otherwise

UNLIKE = {"normalize_obs": True, "eval_normalize_obs": False}


def made(config, tested=None):
    tested = rising(-30, -13, 0.8) if tested is None else tested
    return run_of({"reward.episode_return": rising(-90, -6, 0.5), "evaluation.return": tested}, config)


def sick():
    return [
        made(UNLIKE),
        made({"env.obs_norm": True, "env.eval.obs_norm": False}),
        made({"frame_stack": 4, "frame_stack_eval": 1}),
        # worth knowing, although it does no harm
        made(UNLIKE, rising(-90, -5, 0.5)),
    ]


def healthy():
    return [
        made({"normalize_obs": True, "eval_normalize_obs": True}),
        made({"normalize_obs": True}),
        # rewards are those of the task in evaluation, and seeds and episodes differ
        made({"norm_obs": True, "norm_reward": True, "eval_norm_reward": False, "seed": 1, "eval_seed": 2}),
        made({}),
    ]


def test_it_is_an_alarm_where_evaluation_stays_behind():
    behind, kept_up = prepared_otherwise.rule.ask(made(UNLIKE)), prepared_otherwise.rule.ask(sick()[-1])
    assert (behind.severity, kept_up.severity) == (Level.WARN, Level.INFO)
    assert "normalize_obs is True in training and False in evaluation" in behind.message


def test_few_evaluations_do_not_tell():
    assert isinstance(prepared_otherwise.rule.ask(made(UNLIKE, noisy(-20, 1, points=3))), CannotTell)
