from __future__ import annotations

from dataclasses import replace

import numpy as np

from tests.sampled import Training
from weaklink.base.evidence.samples import Samples
from weaklink.base.finding import CannotTell, Level
from weaklink.judge.rules._registry import find_rule

RULE = find_rule("AGT302")


def sick():
    return [
        agent(lies=(0.05, 0.7)),
        agent(lies=(0.4, 0.4), step=None),
        agent(lies=(0.05, 0.7), counted=True),
        agent(lies=(0.1, 0.5), gold=True),
        unchanged(lies=0.4),
        # every failure claims success, and gets nearly a success' reward
        agent(lies=(1.0, 1.0), price=0.9),
        by_ends(failed=0.15),
    ]


def healthy():
    return [
        agent(lies=(0.0, 0.0)),
        # sure of itself and wrong, but unpaid
        agent(lies=(0.5, 0.5), paid=0.0),
        # a grader that errs now and then
        agent(lies=(0.5, 0.5), paid=0.04),
        # nearly done is paid in part
        agent(lies=(0.5, 0.5), paid=1.0, price=0.5),
        agent(lies=(1.0, 1.0), paid=1.0, price=0.6),
        # states that can never be equal, and a gold score that says that all is well
        never_equal(gold=True),
        never_equal(gold=False),
        # nothing to change: those who leave it alone are right
        unchanged(lies=1.0),
        agent(lies=(0.05, 0.7)).where(np.arange(30)),
        # the last call fails now and then, and is not paid; or hardly ever fails
        by_ends(failed=0.15, paid=0.0),
        by_ends(failed=0.03),
    ]


def agent(lies, paid=1.0, price=1.0, counted=False, gold=False, **columns) -> Samples:
    """Of those that fail, so many say that they are done; `paid` is how often that pays, `price` how much."""
    training = Training()
    reached = training.chance(0.4)
    claims = np.maximum(reached, training.chance(np.clip(training.ramp(*lies), 1e-9, 1)))
    reward = np.maximum(reached, price * claims * (training.rng.random(training.rows) < paid))
    columns |= {"success": reward} if counted else {"reward": reward}
    if gold:
        columns |= {"gold": reached}
    return training.samples(claims_success=claims, state_reached=reached, **columns)


def unchanged(lies: float) -> Samples:
    """Nothing says which state is expected: so many trajectories of each task change nothing, and all are paid."""
    training = Training()
    idle = training.chance(lies)
    task = training.group % 12
    columns = {"claims_success": np.ones(training.rows), "reward": training.chance(1 - 0.3 * (1 - idle))}
    return training.samples(step=None, task=task, state_changed=1 - idle, **columns)


def by_ends(failed: float, paid: float = 1.0, honest: float = 1.0) -> Samples:
    """Nothing but the last call says who failed; all claim success, and so many of these claims pay, by their ends."""
    training = Training()
    ended = training.chance(failed)
    reward = (training.rng.random(training.rows) < np.where(ended == 1, paid, honest)).astype(float)
    return training.samples(claims_success=np.ones(training.rows), ended_failed=ended, reward=reward)


def never_equal(gold: bool) -> Samples:
    training = Training()
    right = training.chance(0.5)
    columns = {"claims_success": right, "state_reached": 0 * right, "state_changed": 0 * right + 1, "success": right}
    return training.samples(**columns, **({"gold": right} if gold else {}))


def test_it_says_since_when():
    finding = RULE.ask(agent(lies=(0.05, 0.7)))
    assert "at the start" in finding.message
    assert 50 < finding.onset < 350


def test_claims_after_a_failed_call_are_an_alarm_where_only_the_claim_pays():
    levels = {
        by_ends(failed=0.15): Level.WARN,
        by_ends(failed=0.4): Level.WARN,
        by_ends(failed=0.08): Level.INFO,
        # a reward that looks at what was reached, and last calls that do not matter, such as a search without a hit
        by_ends(failed=0.2, paid=0.7, honest=0.7): Level.INFO,
    }
    assert [RULE.ask(samples).level for samples in levels] == [*levels.values()]


def test_without_a_state_that_tells_it_cannot_tell():
    assert isinstance(RULE.ask(never_equal(gold=False)), CannotTell)
    assert RULE.ask(never_equal(gold=True)) is None


def test_a_task_in_which_nobody_changes_anything_is_one_of_reading():
    assert isinstance(RULE.ask(unchanged(lies=1.0)), CannotTell)


def test_a_score_under_another_name_is_told_by_it():
    told = replace(agent(lies=(0.1, 0.5), gold=True), named={"gold": "policy_followed"})
    assert "failed by the gold score (policy_followed)" in RULE.ask(told).message
