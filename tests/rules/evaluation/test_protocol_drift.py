from __future__ import annotations

from tests.curves import noisy, rising, run_of
from weaklink.base.evidence.fleet import Fleet
from weaklink.base.finding import CannotTell
from weaklink.judge.rules.evaluation.protocol_drift import protocol_drift


def evaluated(**settings):
    config = {"algo": "ppo", "env": "Hopper-v5", **settings}
    return run_of({"reward.episode_return": rising(20, 400), "evaluation.return": rising(20, 400)}, config)


def sick():
    return [
        Fleet.of([evaluated(eval_deterministic=True), evaluated(eval_deterministic=False)]),
        Fleet.of([evaluated(n_eval_episodes=5), evaluated(n_eval_episodes=100)]),
        Fleet.of([evaluated(env="Hopper-v4"), evaluated(env="Hopper-v5")]),
        Fleet.of([evaluated(eval={"temperature": 0.0}), evaluated(eval={"temperature": 1.0})]),
        Fleet.of([evaluated(prompt_template="Q: {q}"), evaluated(prompt_template="Question: {q}")]),
    ]


def healthy():
    alike = {"n_eval_episodes": 10, "eval_deterministic": True}
    return [
        Fleet.of([evaluated(**alike, seed=1), evaluated(**alike, seed=2, learning_rate=1e-4)]),
        Fleet.of([evaluated(n_eval_episodes=10), evaluated(n_eval_episodes="10.0")]),
        Fleet.of([evaluated(n_eval_episodes=10), evaluated()]),  # one does not say
        Fleet.of([evaluated(eval_freq=1000, eval_log_path="a"), evaluated(eval_freq=5000, eval_log_path="b")]),
        # sampling while training is another matter
        Fleet.of([evaluated(temperature=0.7, **alike), evaluated(temperature=1.0, **alike)]),
        Fleet.of([evaluated(n_eval_episodes=10), evaluated(n_eval_episodes=20, env="Walker2d-v5")]),
    ]


def test_names_the_setting_and_both_values():
    found = protocol_drift.rule.ask(sick()[1])
    assert "n_eval_episodes is 5 (made) and 100 (made) among the runs of ppo on Hopper" in found.message


def test_cannot_tell_from_one_run_or_without_settings():
    assert isinstance(protocol_drift.rule.ask(Fleet.of([evaluated()])), CannotTell)
    unknown = run_of({"evaluation.return": noisy(0, 1)}, {"env": "Maze"})
    assert isinstance(protocol_drift.rule.ask(Fleet.of([unknown, unknown])), CannotTell)
