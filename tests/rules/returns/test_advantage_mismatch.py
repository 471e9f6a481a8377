from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.counting import count_lines
from tests.rollouts import estimated, experience, look, naive_advantages
from weaklink.base.evidence.rollout import Estimates
from weaklink.base.finding import LOW, CannotTell, Finding, Level
from weaklink.base.reference.advantages import GAE_VARIANTS
from weaklink.judge.rules._registry import find_rule

RULE = find_rule("RET201")
INPUTS = ("rewards", "values", "terminated", "truncated", "last_value", "gamma", "lam", "final_values")


def of_variant(name: str, made: dict[str, Any], which: int = 0) -> np.ndarray:
    given = {key: np.asarray(made[key], np.float64) if key in INPUTS[:2] else made[key] for key in INPUTS}
    return GAE_VARIANTS[name][which](*given.values()).astype(np.float32)


def mistaken(name: str, which: int = 0, **shape: Any):
    made = experience(**shape)
    return estimated(made, advantages=of_variant(name, made, which))


def shifted_by_hand():
    """The flag of the step before, as a loop reads it that keeps the flags that came with each observation."""
    made = experience(256, 4, ends=0.03)
    wrong = dict(made, terminated=np.concatenate([made["terminated"][:1] & False, made["terminated"][:-1]]))
    return estimated(made, advantages=naive_advantages(wrong))


def sick():
    made = experience(200, 3)
    with_discount = naive_advantages(dict(made, gamma=0.5))
    with_lambda = naive_advantages(dict(made, lam=0.6))
    right = naive_advantages(made)
    flipped = -(right - right.mean()) / right.std()
    return [
        shifted_by_hand(),
        mistaken("done ignored"),
        mistaken("bootstrap through a terminal", steps=64, members=None),
        mistaken("advantage carried across an episode's end", steps=300, members=1),
        mistaken("no bootstrap at the last step"),
        mistaken("mask inverted"),
        mistaken("lambda ignored"),
        mistaken("bootstrap from s instead of s'"),
        mistaken("time not reversed", members=8),
        mistaken("sign flipped"),
        mistaken("value not subtracted"),
        mistaken("truncation treated as termination", cuts=0.05),
        estimated(made, advantages=with_discount),
        estimated(made, advantages=with_lambda),
        estimated(made, advantages=flipped, normalised=True),
    ]


def healthy():
    made, cut = experience(200, 3), experience(200, 3, cuts=0.05)
    right, right_cut = naive_advantages(made), naive_advantages(cut)
    alone = experience(512, None, ends=0.01)
    every_end = dict(cut, terminated=cut["terminated"] | cut["truncated"], truncated=cut["truncated"] & False)
    scaled = dict(made, values=made["values"] * 3 + 40, last_value=made["last_value"] * 3 + 40)
    large = {key: value * np.float32(1e4) if key.endswith(("s", "value")) else value for key, value in made.items()}
    large = dict(made, rewards=large["rewards"], values=large["values"], last_value=large["last_value"])
    return [
        estimated(made),
        estimated(cut),
        estimated(alone),
        estimated(experience(16, 1)),
        estimated(large),
        estimated(experience(2048, 1, ends=0.002, seed=4)),
        estimated(made, advantages=((right - right.mean()) / (right.std() + 1e-8))),
        estimated(made, advantages=((right - right.mean()) / (right.std(ddof=1) + 1e-5)), normalised=True),
        estimated(made, advantages=right - right.mean()),
        estimated(made, lam=None),
        estimated(made, lam=None, advantages=naive_advantages(dict(made, lam=0.87))),
        # ends are not told apart, and the value after them counts nothing
        estimated(cut, advantages=naive_advantages(every_end), terminated=every_end["terminated"], truncated=None),
        # time limits are known, what comes after them is not: nothing was added, or the bonus is in the reward
        estimated(cut, advantages=naive_advantages(every_end), final_values=None),
        # the critic speaks in units of its own
        estimated(made, advantages=naive_advantages(scaled)),
        estimated(made, lam=1.0, advantages=naive_advantages(dict(made, lam=1.0))),
        estimated(made, advantages=right.reshape(200, 3, 1)),
        estimated(cut, advantages=right_cut.astype(np.float64)),
    ]


@pytest.mark.parametrize("name", [name for name in GAE_VARIANTS if "axis" not in name and "truncation" not in name])
@pytest.mark.parametrize("members", [1, 6])
def test_names_the_mistake(name, members):
    made = experience(300, members, cuts=0.02, seed=members)
    for which in range(len(GAE_VARIANTS[name])):
        used = of_variant(name, made, which)
        used[~np.isfinite(used)] = 0.0
        finding = RULE.ask(estimated(made, advantages=used))
        assert isinstance(finding, Finding)
        assert name in finding.message
        assert finding.confidence == 0.9


def test_gives_a_step_that_can_be_checked_by_hand():
    message = RULE.ask(shifted_by_hand()).message
    assert "done mask shifted by one" in message
    assert "in all 1,024 rows" in message
    assert "the trainer used" in message


def test_another_discount_is_told():
    assert "gamma = 0.5 instead of 0.99" in RULE.ask(sick()[12]).message
    assert "lambda = 0.6 instead of 0.95" in RULE.ask(sick()[13]).message


def test_levels():
    assert RULE.ask(mistaken("truncation treated as termination", cuts=0.05)).level is Level.WARN
    assert RULE.ask(mistaken("mask inverted")).level is Level.ERROR


def test_a_normalised_mistake_is_named_too():
    made = experience(300, 4)
    wrong = of_variant("bootstrap through a terminal", made)
    scaled = (wrong - wrong.mean()) / (wrong.std() + 1e-8)
    assert "through a terminal" in RULE.ask(estimated(made, advantages=scaled, normalised=True)).message


def test_another_estimator_is_a_suspicion():
    made = experience(300, 2)
    rng = np.random.default_rng(3)
    other = naive_advantages(made) * rng.uniform(0.5, 1.0, (300, 2))
    finding = RULE.ask(estimated(made, advantages=other))
    assert (finding.level, finding.confidence) == (Level.WARN, LOW)


def test_a_scale_is_told_and_no_alarm():
    made = experience(300, 2)
    finding = RULE.ask(estimated(made, advantages=naive_advantages(made) * np.float32(0.5)))
    assert finding.level is Level.INFO
    assert "0.5 times" in finding.message


def test_an_unknown_mistake_at_ends_is_an_error():
    made = experience(300, 2)
    wrong = naive_advantages(dict(made, rewards=made["rewards"] + np.float32(7.0) * made["terminated"]))
    finding = RULE.ask(estimated(made, advantages=wrong))
    assert finding.level is Level.ERROR
    assert "only at episode ends" in finding.message


def test_a_mistake_too_small_to_matter_is_none():
    made = experience(300, 2)
    right = naive_advantages(made)
    spread = right.std()
    assert RULE.ask(estimated(made, advantages=right + np.float32(2e-4 * spread))) is None
    assert isinstance(RULE.ask(estimated(made, advantages=right + np.float32(0.3) * made["terminated"])), Finding)


def test_without_a_last_value_only_what_ended_is_judged():
    made = experience(300, 1, ends=0.0)
    assert isinstance(RULE.ask(estimated(made, last_value=None)), CannotTell)
    made["terminated"][200] = True
    assert RULE.ask(estimated(made, last_value=None)) is None
    finding = RULE.ask(estimated(made, last_value=None, advantages=-naive_advantages(made)))
    assert "sign flipped" in finding.message


@pytest.mark.parametrize("missing", ["values", "terminated", "gamma", "advantages"])
def test_what_is_missing_is_said(missing):
    made = experience()
    made["advantages"] = naive_advantages(made)
    made[missing] = None
    answer = RULE.ask(look(estimates=Estimates(**made)))
    assert isinstance(answer, CannotTell)
    assert missing in answer.missing


def test_many_environments_cost_a_moment():
    rollout = estimated(experience(64, 4096, ends=0.01))
    assert RULE.ask(rollout) is None
    assert count_lines(lambda: RULE.ask(rollout)) < 10_000


def test_the_next_episode_at_a_time_limit():
    made = experience(300, 2, cuts=0.05)
    following = np.concatenate([made["values"][1:], made["last_value"][None]])
    wrong = naive_advantages(dict(made, final_values=following))
    finding = RULE.ask(estimated(made, advantages=wrong))
    assert "from the next episode at a time limit" in finding.message
    assert "own final observation" in finding.fix[0]


@pytest.mark.parametrize("name", ["done mask shifted by one", "time not reversed", "lambda ignored"])
def test_long_rollouts_are_named_in_a_moment(name):
    made = experience(2048, 1, ends=0.01)
    rollout = estimated(made, advantages=of_variant(name, made))
    assert name in RULE.ask(rollout).message
    assert count_lines(lambda: RULE.ask(rollout)) < 1_000_000


def test_a_mistake_that_shows_in_the_first_steps_alone_is_named():
    made = experience(1500, 1, ends=0.0)
    made["terminated"][:300:20] = True
    finding = RULE.ask(estimated(made, advantages=of_variant("bootstrap through a terminal", made)))
    assert "bootstrap through a terminal" in finding.message


def test_another_discount_of_normalised_advantages():
    made = experience(300, 4)
    other = naive_advantages(dict(made, gamma=0.7))
    scaled = (other - other.mean()) / other.std()
    assert "gamma = 0.7" in RULE.ask(estimated(made, advantages=scaled, normalised=True)).message


def test_a_row_in_hundreds_that_was_taken_for_another_is_no_other_estimator():
    """Observations that are cut off may be the same bytes at two steps; another estimator differs nearly everywhere."""
    made = experience(512, 2)
    right = naive_advantages(made)
    told = {}
    for rows in (3, 300):
        places = np.random.default_rng(0).choice(right.size, rows, replace=False)
        used = right.copy()
        used.reshape(-1)[places] += np.random.default_rng(1).normal(0.0, 20.0, rows)
        told[rows] = RULE.ask(estimated(made, advantages=used))
    assert isinstance(told[3], CannotTell)
    assert isinstance(told[300], Finding)
