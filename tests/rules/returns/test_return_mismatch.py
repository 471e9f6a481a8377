from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from tests.recoveries import atoms, online, q_loop, unrolled
from tests.rollouts import estimated, experience, look, naive_advantages
from weaklink.base.evidence.recovered import RecoveredUpdate
from weaklink.base.evidence.rollout import Estimates, Targets
from weaklink.base.finding import LOW, CannotTell, Level
from weaklink.base.loop import Link
from weaklink.judge.rules._registry import find_rule

RULE = find_rule("RET202")


def naive_returns(made: dict[str, Any]) -> np.ndarray:
    """Discounted sums by the loop that everyone writes, cut at ends, continued after the last step."""
    running = made["last_value"].astype(np.float32)
    returns = np.zeros_like(made["rewards"])
    for step in reversed(range(len(returns))):
        running = made["rewards"][step] + np.float32(made["gamma"]) * running * ~made["terminated"][step]
        returns[step] = running
    return returns


def batch(rows: int = 64, seed: int = 0) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    return {
        "rewards": rng.normal(0.0, 1.0, rows).astype(np.float32),
        "next_values": rng.normal(3.0, 1.0, rows).astype(np.float32),
        "own_values": rng.normal(3.0, 1.0, rows).astype(np.float32),
        "online_values": rng.normal(3.0, 1.0, rows).astype(np.float32),
        "terminated": rng.random(rows) < 0.2,
        "truncated": rng.random(rows) < 0.0,
        "gamma": 0.98,
    }


def replayed(compute, exact: bool = True, **given: Any):
    made = batch() | given
    r, n, d, g = made["rewards"], made["next_values"], made["terminated"].astype(np.float32), np.float32(made["gamma"])
    return look(targets=Targets(**made, targets=np.asarray(compute(r, n, d, g), np.float32), exact=exact))


def sick():
    made, cut = experience(200, 3), experience(200, 3, cuts=0.05)
    right = naive_advantages(made)
    rng = np.random.default_rng(5)
    cuts = rng.random(64) < 0.3
    own = batch()["own_values"]
    return [
        estimated(made, returns=right),
        estimated(made, returns=made["values"].copy()),
        estimated(made, advantages=None, returns=naive_returns(dict(made, gamma=1.0))),
        estimated(made, advantages=None, returns=naive_returns(dict(made, terminated=made["terminated"] & False))),
        estimated(
            cut,
            advantages=None,
            returns=naive_advantages(dict(cut, terminated=cut["terminated"] | cut["truncated"])) + cut["values"],
        ),
        replayed(lambda r, n, d, g: r + n * (1 - d)),
        replayed(lambda r, n, d, g: r + g * n),
        replayed(lambda r, n, d, g: r + g * n * d),
        replayed(lambda r, n, d, g: r - g * n * (1 - d)),
        replayed(lambda r, n, d, g: g * (r - n * (1 - d))),
        replayed(lambda r, n, d, g: g * n * (1 - d)),
        replayed(lambda r, n, d, g: r + g * own * (1 - d)),
        replayed(lambda r, n, d, g: r + np.float32(0.5) * n * (1 - d)),
        replayed(lambda r, n, d, g: r + g * n * (1 - d) * (1 - cuts), truncated=cuts),
        replayed(lambda r, n, d, g: r + g * n, exact=False),
        replayed(lambda r, n, d, g: r),
        online("ends ignored"),
        atoms(fault="softmax twice"),
        atoms(fault="rounded down"),
        atoms(fault="dropped on atoms"),
        replayed(lambda r, n, d, g: r + g * (n + own) * (1 - d), mistaken={"larger of the twin critics": OTHER}),
    ]


def test_a_critic_that_is_given_its_own_answers_is_no_matter_of_the_returns():
    made = experience(200, 3)
    own, other = (RULE.ask(estimated(made, returns=made["values"] * 1.0)), RULE.ask(sick()[0]))
    assert "target is the old value" in own.message
    assert own.link is Link.VALUE
    assert other.link is Link.RETURNS


OTHER = batch()["next_values"] + batch()["own_values"]


def test_a_mistake_that_the_adapter_works_out_is_named():
    assert "larger of the twin critics" in RULE.ask(sick()[-1]).message


def test_what_is_wrong_with_the_loss_of_a_distribution_is_named():
    twice, dropped = (RULE.ask(atoms(fault=fault)) for fault in ("softmax twice", "dropped on atoms"))
    assert "takes probabilities for logits" in twice.message
    assert "hold no probability there" in dropped.message
    assert twice.link is dropped.link is Link.VALUE


def test_another_next_value_that_is_right_is_no_mistake():
    own = batch()["own_values"]
    assert RULE.ask(replayed(lambda r, n, d, g: r + g * (n + own) * (1 - d), also_right=(OTHER,))) is None


def healthy():
    made, cut = experience(200, 3), experience(200, 3, cuts=0.05)
    right = naive_advantages(made)
    returns = right + made["values"]
    rng = np.random.default_rng(1)
    noise = rng.normal(0.0, 0.3, 64).astype(np.float32)
    return [
        online(),
        atoms(),
        unrolled(),  # only ends are paid for
        estimated(made),
        estimated(cut),
        estimated(made, advantages=None),
        estimated(made, advantages=None, returns=naive_returns(made)),
        estimated(made, advantages=(right - right.mean()) / right.std(), normalised=True),
        estimated(made, returns=(returns - returns.mean()) / returns.std()),
        estimated(made, gamma=None),
        estimated(made, lam=None, advantages=None),
        # wrong advantages are another rule's: the critic's targets follow from them
        estimated(made, advantages=-right, returns=made["values"] - right),
        replayed(lambda r, n, d, g: r + g * n * (1 - d)),
        replayed(lambda r, n, d, g: r + g**3 * n * (1 - d)),  # three steps ahead
        replayed(lambda r, n, d, g: (r + g * n * (1 - d)) / 7 - 2),  # normalised targets
        replayed(lambda r, n, d, g: r + g * (n + noise) * (1 - d), exact=False),
        replayed(lambda r, n, d, g: r, next_values=np.zeros(64, np.float32)),
    ]


@pytest.mark.parametrize(
    ("case", "words"),
    [
        (0, "value target = advantage"),
        (2, "gamma ignored"),
        (3, "done ignored"),
        (4, "truncation treated as termination"),
        (5, "gamma ignored"),
        (7, "mask inverted"),
        (11, "bootstrap from s"),
        (12, "gamma = 0.5 instead of 0.98"),
        (13, "truncation treated as termination"),
        (14, "done ignored"),
    ],
)
def test_names_the_mistake(case, words):
    finding = RULE.ask(sick()[case])
    assert words in finding.message
    assert finding.level is (Level.WARN if "truncation" in words else Level.ERROR)


def test_draws_that_cannot_be_repeated_prove_nothing():
    rng = np.random.default_rng(1)
    noisy = replayed(lambda r, n, d, g: r + g * (n + rng.normal(0, 0.3, 64)) * (1 - d), exact=False)
    assert isinstance(RULE.ask(noisy), CannotTell)


def test_the_online_network_is_a_warning():
    online = batch()["online_values"]
    finding = RULE.ask(replayed(lambda r, n, d, g: r + g * online * (1 - d)))
    assert finding.level is Level.WARN
    assert "online network" in finding.message


def test_what_is_not_known_is_a_suspicion():
    made = experience(200, 3)
    rng = np.random.default_rng(2)
    other = naive_advantages(made) + made["values"] + rng.normal(0, 3, (200, 3)).astype(np.float32)
    finding = RULE.ask(estimated(made, advantages=None, returns=other))
    assert (finding.level, finding.confidence) == (Level.WARN, LOW)


def test_needs():
    assert isinstance(RULE.ask(look()), CannotTell)
    assert isinstance(RULE.ask(look(estimates=Estimates(rewards=np.ones(8)))), CannotTell)
    few = replayed(lambda r, n, d, g: r)
    assert few.targets is not None
    short = Targets(rewards=np.ones(3), terminated=np.zeros(3), next_values=np.ones(3), targets=np.ones(3), gamma=0.9)
    assert isinstance(RULE.ask(look(targets=short)), CannotTell)


def test_a_few_rows_that_are_off_for_no_known_reason_are_information_where_they_were_read_off_gradients():
    def bend(rows: int):
        def compute(rewards, following, done, gamma):
            right = rewards + gamma * (1.0 - done) * following
            right[:rows] += np.linspace(0.3, 0.9, rows)
            return right

        return compute

    few, many = replayed(bend(3)), replayed(bend(20))
    assert RULE.ask(few).severity is Level.WARN, "what is handed over is what it is"
    assert RULE.ask(replace(few, recovered=RecoveredUpdate())).severity is Level.INFO
    assert RULE.ask(replace(many, recovered=RecoveredUpdate())).severity is Level.WARN


def test_swapped_roles_of_double_q_learning_are_named():
    assert (
        "(target network chooses the action, and the network that learns values it)"
        in RULE.ask(q_loop("roles swapped", number=3, steps=330, rate=0.03)).message
    )
