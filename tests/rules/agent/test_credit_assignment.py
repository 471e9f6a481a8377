from __future__ import annotations

from dataclasses import replace

import msgspec
import numpy as np

from tests.sampled import Training
from weaklink.base.evidence.samples import Samples, TrajectoryParting
from weaklink.base.finding import CannotTell, Level
from weaklink.judge.rules._registry import find_rule

RULE = find_rule("AGT304")
LONG = tuple(f"read({page})" for page in range(10))


def sick():
    return [
        credited("advantage", related=0.0),
        credited("reward", related=0.0),
        parted(agent(), *same_to_the_end()),
        parted(agent(calls=30), *early()),
        parted(agent(calls=30, success=(0.2, 0.8)), *early()),
    ]


def healthy():
    return [
        credited("advantage", related=1.0),
        credited("reward", related=0.4),
        # a reward for what is said: another illness
        credited("reward", related=0.0, claimed=True),
        agent(),
        # short trajectories, told apart by what was answered
        parted(agent(), *same_to_the_end(shared=3)),
        parted(agent(), *same_to_the_end(shared=10, word="search(...)")),
        answered(parted(agent(), *same_to_the_end())),
        parted(agent(calls=30), *early(place=20)),
        parted(agent(calls=6), *early()),
        parted(agent(calls=30), *early()[:3]),
        parted(agent(calls=30), *map(few, early())),
    ]


def agent(calls: int = 10, success=(0.4, 0.4)) -> Samples:
    training = Training()
    right = training.chance(training.ramp(*success))
    made = training.rng.poisson(calls, training.rows)
    return training.samples(tool_calls=made, success=right, reward=right, prompt=training.group % 12)


def credited(name: str, related: float, claimed: bool = False) -> Samples:
    training = Training()
    right, noise = training.chance(0.5), training.rng.normal(0, 0.5, training.rows)
    claims = training.chance(0.5) if claimed else right
    credit = related * right + noise + 3 * claims * claimed
    columns = {name: credit, "success": right, "claims_success": claims}
    return training.samples(tool_calls=training.lengths(6), **columns)


def parted(samples: Samples, *partings: TrajectoryParting) -> Samples:
    return replace(samples, partings=partings)


def same_to_the_end(shared: int = 10, word: str = "") -> list[TrajectoryParting]:
    calls = (word,) * shared if word else LONG[:shared]
    return [told(number, calls, "ends", "ends") for number in range(8)]


def early(place: int = 2) -> list[TrajectoryParting]:
    return [told(number, (LONG * 3)[:place], "open(map)", "open(door)") for number in range(8)]


def told(number: int, shared: tuple[str, ...], successful: str, failed: str) -> TrajectoryParting:
    return TrajectoryParting(
        task=f"t{number}", shared=shared, successful=successful, failed=failed, successes=6, failures=9
    )


def few(parting: TrajectoryParting) -> TrajectoryParting:
    return msgspec.structs.replace(parting, successes=2, failures=2)


def answered(samples: Samples) -> Samples:
    """Right answers are right and wrong ones are wrong: the answer accounts for the end."""
    codes = {"answer": samples["success"].astype(np.int64), "task": np.arange(len(samples), dtype=np.int64) % 12}
    return replace(samples, codes={**samples.codes, **codes})


def test_learning_all_the_same_is_no_alarm():
    assert RULE.ask(sick()[3]).level == Level.WARN
    assert RULE.ask(sick()[4]).level == Level.INFO


def test_it_says_where_they_part():
    message = RULE.ask(sick()[3]).message
    assert "8 of 8 tasks" in message
    assert "diverge at call 3 of 30" in message
    assert "open(map)" in message


def test_no_task_to_compare_cannot_tell():
    assert isinstance(RULE.ask(agent()), CannotTell)


def test_credit_is_named():
    assert "the advantage is unrelated to success" in RULE.ask(sick()[0]).message
