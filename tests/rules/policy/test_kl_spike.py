from __future__ import annotations

import numpy as np

from tests.curves import noisy, ramp, rising, run_of
from weaklink.base.finding import Level
from weaklink.judge.diagnosis.engine import diagnose

OFTEN = np.where(np.arange(100) % 6, np.abs(noisy(0.02, 0.004)), 1.5)


def sick():
    return [
        run_of({"policy.kl": noisy(20, 2), "reward.episode_return": rising(20, 80)}),
        # few updates, all beyond what any policy stands
        run_of({"policy.kl": [3.8, 2.3, 2.8, 2.6, 1.9, 4.1, 0.8], "reward.episode_return": rising(20, 73, points=8)}),
        run_of({"policy.kl": noisy(0.12, 0.01), "reward.episode_return": noisy(20, 2)}),
        run_of({"policy.kl": noisy(0.04, 0.003), "reward.episode_return": noisy(20, 2)}, {"target_kl": 0.01}),
        run_of(
            {
                "policy.kl": np.append([44.0, 54.0, 0.02], np.zeros(97)),
                "exploration.entropy": np.append([0.03, 0.01], np.zeros(98)),
                "reward.episode_return": np.full(100, -500.0),
            }
        ),
        # a jump that leaves one action, a little better than chance, and nothing to learn with
        run_of(
            {
                "policy.kl": np.concatenate((noisy(0.01, 0.001, points=8), [3.2], np.full(91, 1e-7))),
                "exploration.entropy": np.append(noisy(0.68, 0.005, points=9), np.full(91, 1e-5)),
                "reward.episode_return": np.append(noisy(20, 1, points=10), noisy(60, 2, points=90)),
            }
        ),
        # far again and again, and each time it comes back: worth knowing
        run_of({"policy.kl": OFTEN, "reward.episode_return": rising(20, 300)}),
    ]


def healthy():
    # single spikes; a locomotion run that sits at 0.03 to 0.1 and learns; a KL below twice its target
    spikes = np.abs(noisy(0.01, 0.002))
    spikes[[10, 50]] = 0.9
    return [
        run_of({"policy.kl": spikes, "reward.episode_return": noisy(20, 2)}),
        run_of({"policy.kl": noisy(0.07, 0.015), "reward.episode_return": rising(-128, 2360)}),
        run_of({"policy.kl": noisy(0.05, 0.003), "reward.episode_return": noisy(20, 2)}, {"target_kl": 0.04}),
        # solved, and then certain of what to do
        run_of(
            {
                "policy.kl": np.concatenate((np.abs(noisy(0.01, 0.002, points=60)), [1.5], np.full(39, 1e-7))),
                "exploration.entropy": np.append(ramp(0.69, 0.1, points=60), np.full(40, 1e-4)),
                "reward.episode_return": np.append(rising(20, 500, 5, points=50), noisy(500, 1, points=50)),
            }
        ),
    ]


def test_entropy_collapse_is_folded_under_it():
    run = run_of(
        {"policy.kl": noisy(20, 2), "exploration.entropy": np.full(100, 0.002), "reward.episode_return": noisy(20, 2)}
    )
    found = {finding.code: finding for finding in diagnose(run).findings}
    assert diagnose(run).first_break.code == "POL303"
    assert found["EXP301"].consequence_of == "POL303"


def test_what_a_setting_far_off_drives_bears_it_out_although_the_return_rises():
    curves = {"policy.kl": OFTEN, "reward.episode_return": rising(20, 300)}
    usual, odd = (diagnose(run_of(curves, {"learning_rate": rate, "algorithm": "PPO"})) for rate in (3e-4, 0.03))
    assert usual.first_break is None
    assert odd.first_break.code == "OPT101"
    assert [finding.code for finding in odd.under("OPT101")] == ["POL303"]


def test_a_setting_a_little_off_is_not_borne_out_by_what_is_no_alarm():
    curves = {"policy.kl": OFTEN, "reward.episode_return": rising(20, 300)}
    assert diagnose(run_of(curves, {"learning_rate": 0.015, "algorithm": "PPO"})).first_break is None


def test_a_learning_rate_that_is_odd_on_paper_is_the_cause_of_the_kl_that_it_leads_to():
    curves = {"policy.kl": noisy(2, 0.2), "reward.episode_return": noisy(20, 2)}
    diagnosis = diagnose(run_of(curves, {"learning_rate": 0.1, "algorithm": "PPO"}))
    found = {finding.code: finding for finding in diagnosis.findings}
    assert diagnosis.first_break.code == "OPT101"
    assert found["POL303"].consequence_of == "OPT101"
    learning = {"policy.kl": noisy(0.01, 0.001), "reward.episode_return": rising(20, 400)}
    calm = diagnose(run_of(learning, {"learning_rate": 0.1, "algorithm": "PPO"}))
    assert "OPT101" not in {finding.code for finding in calm.findings if finding.severity >= Level.WARN}


def test_a_setting_that_does_not_drive_the_updates_is_not_borne_out_by_them():
    curves = {"policy.kl": OFTEN, "reward.episode_return": rising(20, 300)}
    assert diagnose(run_of(curves, {"reward_scale": 1e-5, "gae_lambda": 0.1, "algorithm": "PPO"})).first_break is None
