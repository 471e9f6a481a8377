from __future__ import annotations

import math

import numpy as np
import pytest

from weaklink.base.evidence.metrics import METRICS
from weaklink.base.finding import Level
from weaklink.judge.rules._registry import load_rules, load_rules_declaring
from weaklink.verbs.alerts import check_alerts

# metric, a value just within its limit, one just beyond it, the rule, the level
TABLE = [
    ("optimizer.gradient_norm", 1e4, 10_001.0, "OPT301", Level.ERROR),
    ("grad_norm", 9_999.0, math.inf, "OPT301", Level.ERROR),
    ("actor_grad_norm", 10.0, 2e4, "OPT301", Level.ERROR),
    ("exploration.entropy", 0.01, 0.0099, "EXP301", Level.WARN),
    ("entropy", 0.02, -3.0, "EXP301", Level.WARN),
    ("entropy_proxy", 1.0, 0.0, "EXP301", Level.WARN),
    ("exploration.action_std_min", 0.01, 0.009, "EXP302", Level.WARN),
    ("action_std_min", 0.2, 0.001, "EXP302", Level.WARN),
    ("value.q_mean", 1000.0, 1000.5, "VAL302", Level.WARN),
    ("value.q2_mean", -1000.0, -1001.0, "VAL302", Level.WARN),
    ("q_mean", -999.0, -1e9, "VAL302", Level.WARN),
    ("q1_mean", 0.0, 5000.0, "VAL302", Level.WARN),
    ("q2_mean", 0.0, -5000.0, "VAL302", Level.WARN),
    ("value.q_twin_spread", 100.0, 101.0, "VAL303", Level.WARN),
    ("q_value_spread", 1.0, 1e3, "VAL303", Level.WARN),
    ("value.explained_variance", -0.5, -0.51, "VAL301", Level.WARN),
    ("explained_variance", 0.9, -1.0, "VAL301", Level.WARN),
    ("policy.clip_fraction", 0.5, 0.51, "POL301", Level.WARN),
    ("clip_fraction", 0.1, 1.0, "POL301", Level.WARN),
    ("returns.advantage_abs_max", 100.0, 100.1, "RET301", Level.WARN),
    ("advantage_abs_max", 5.0, 1e5, "RET301", Level.WARN),
]


@pytest.mark.parametrize(("metric", "within", "beyond", "code", "level"), TABLE, ids=[row[0] for row in TABLE])
@pytest.mark.parametrize("prefix", ["", "diagnostics/", "gradients/", "run/train/"])
def test_the_table_to_the_letter(metric, within, beyond, code, level, prefix):
    assert check_alerts({f"{prefix}{metric}": within}) == []
    (alert,) = check_alerts({f"{prefix}{metric}": beyond})
    assert (alert.metric, alert.value, alert.code, alert.level) == (f"{prefix}{metric}", beyond, code, level)
    assert alert.metric in alert.message
    assert f"{alert.limit:g}" in alert.message


def test_every_limit_that_a_rule_declares_is_tried_and_no_metric_has_two():
    declared = [(metric, code) for code, rule in load_rules_declaring("alert").items() for metric in rule.alert.metrics]
    assert sorted(declared) == sorted((row[0], row[3]) for row in TABLE)
    assert all(metric in METRICS for metric, _ in declared if "." in metric)
    (alert,) = check_alerts({"anything": math.nan})
    assert load_rules()[alert.code].name == alert.name


def test_any_number_that_is_none_is_an_error():
    alerts = check_alerts({"my/own": math.nan, "clip_fraction": 0.9, "entropy": np.float32("nan")})
    assert [(alert.code, alert.metric) for alert in alerts] == [
        ("OPT300", "my/own"),
        ("OPT300", "entropy"),
        ("POL301", "clip_fraction"),
    ]
    assert alerts[0].limit is None


def test_names_that_only_look_alike_are_none_of_its_business():
    assert (
        check_alerts(
            {"train/entropy_loss": -5.0, "target_q_mean": 1e9, "entropy/limit": 0.0, "grad_norm_max": 1e9, "nan/": 1e9}
        )
        == []
    )


class Unruly:
    def __float__(self):
        raise RuntimeError("no")

    def __getattr__(self, name):
        raise RuntimeError("no")


def test_odd_things_are_passed_over_and_numbers_in_disguise_are_taken():
    odd = {
        "a": None,
        "b": "epoch",
        "c": [1e9],
        "d": {},
        "e": Unruly(),
        "f": 1j,
        "g": np.zeros(3),
        "h": 10**400,
        7: math.nan,
    }
    assert check_alerts(odd) == []
    assert check_alerts(None) == []
    assert check_alerts([("grad_norm", 1e9)]) == []
    for disguised in (np.array([2e4]), np.array(2e4), np.float16(np.inf), "2e4", 20_000):
        assert [alert.code for alert in check_alerts({"grad_norm": disguised})] == ["OPT301"]
