from __future__ import annotations

from tests.models import checked, sensitivity
from weaklink.base.evidence.model import ModelCheck
from weaklink.base.finding import CannotTell, Level
from weaklink.judge.rules._registry import find_rule

NONE = (0.0, 0.0, 0.0)


def sick():
    return [
        checked(sensitivity=sensitivity(policy=NONE, policy_overall=0.0, policy_far=0.0)),
        # the same to within the rounding of 32-bit numbers
        checked(sensitivity=sensitivity(policy=(0.0, 3e-8, 0.0), policy_overall=6e-8, policy_far=5e-8)),
        checked(sensitivity=sensitivity(value=NONE, value_overall=0.0, value_far=0.0)),
        checked(sensitivity=sensitivity(policy=(0.1, 0.0, 0.1), value=(0.1, 0.0, 0.1))),
        # an image: no column was moved alone
        checked(sensitivity=sensitivity(labels=(), spread=(), policy=(), value=(), policy_overall=0.0, policy_far=0.0)),
    ]


def healthy():
    return [
        checked(),
        # a fresh PPO head is all but flat
        checked(sensitivity=sensitivity(policy=(5e-6, 4e-5, 2e-5), policy_overall=3e-4)),
        # observations of tiny size move it too little to see, larger ones do
        checked(sensitivity=sensitivity(policy=(4e-8, 4e-8, 2e-8), policy_overall=6e-8, policy_far=1e-3)),
        # far out, where no observation ever was, its logarithm ends
        checked(sensitivity=sensitivity(policy=NONE, policy_overall=0.0, policy_far=float("nan"))),
        # a column that never varied was not moved
        checked(sensitivity=sensitivity(spread=(1.0, 0.0, 2.0), policy=(0.1, 0.0, 0.1), value=(0.1, 0.0, 0.1))),
        # the critic sees the column that the actor does not need
        checked(sensitivity=sensitivity(policy=(0.1, 0.0, 0.1))),
        # Q-learning has no critic beside its policy
        checked(sensitivity=sensitivity(value=None, value_overall=None, value_far=None)),
        checked(sensitivity=sensitivity(policy=NONE, policy_overall=0.0, policy_far=0.0, varied=False)),
        checked(sensitivity=sensitivity(policy=(float("nan"),) * 3, policy_overall=float("nan"))),
        checked(sensitivity=None),
        ModelCheck(),
    ]


def test_levels():
    levels = [find_rule("OBS120").ask(check).level for check in sick()]
    assert levels == [Level.ERROR, Level.ERROR, Level.WARN, Level.INFO, Level.ERROR]


def test_a_bandit_that_always_sees_the_same_cannot_be_judged():
    check = checked(sensitivity=sensitivity(policy=NONE, policy_overall=0.0, policy_far=0.0, varied=False))
    assert isinstance(find_rule("OBS120").ask(check), CannotTell)


def test_names_the_columns_that_change_nothing():
    assert "1 of 3 observation columns" in find_rule("OBS120").ask(sick()[3]).message
    assert "observation[1]" in find_rule("OBS120").ask(sick()[3]).message
