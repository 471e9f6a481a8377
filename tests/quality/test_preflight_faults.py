"""Planted faults are found: a fast part of bench/preflight_faults.py, in this process."""

from __future__ import annotations

import pytest

from tests.quality.worlds import faults
from tests.quality.worlds.faults import FAULTS, HERE, attribute, pairs
from tests.sparing import spare
from tests.surveying import UNHURRIED

# a survey watches warnings itself; pytest must not turn them into exceptions inside of an environment
pytestmark = [pytest.mark.filterwarnings("default"), pytest.mark.slow]

STEPS, EPISODES = 1_000, 20
LEVELS = ("info", "warn", "error")

CHOSEN = [
    "old_step/CartPole-v1",
    "unseeded_sensor_noise/CartPole-v1",
    "swallowed_exception/CartPole-v1",
    "time_limit_is_termination/Pendulum-v1",
    "silent_autoreset/CartPole-v1",
    "wired_the_wrong_way/CartPole-v1",
    "constant_observation/Pendulum-v1",
    "dead_column/CartPole-v1",
    "nan_after_steps/MountainCar-v0",
    "same_buffer/CartPole-v1",
    "actions_ignored/CartPole-v1",
    "dead_actuator/Reacher-v5",
    "widened_space/FrozenLake-v1",
    "zero_reward/CartPole-v1",
    "always_one/Pendulum-v1",
    "goal_out_of_reach/MountainCar-v0",
]
"""Some of each family: `make bench-preflight` plants them all."""

QUICKEST = {
    "old_step", "time_limit_is_termination", "silent_autoreset", "dead_column", "same_buffer", "actions_ignored",
    "zero_reward", "goal_out_of_reach",
}  # fmt: skip


def surveyed(fault: str, base: str):
    from weaklink import preflight

    given = FAULTS[fault].given_with(base)
    for name in {"automaton", "policy"} & set(given):
        given[name] = f"{HERE}.automata:{given[name]}"
    return preflight(
        lambda: FAULTS[fault].made(base), seconds=UNHURRIED, steps=STEPS, episodes=EPISODES, seed=0, **given
    )


@pytest.mark.parametrize("pair", spare(CHOSEN, lambda pair: pair.split("/")[0] in QUICKEST))
def test_a_planted_fault_is_found_under_its_code(pair):
    fault, base = pair.split("/")
    findings = surveyed(fault, base).diagnosis.findings
    wanted = FAULTS[fault]
    seen = {(finding.code, finding.severity.word): finding.message for finding in findings}
    right = [code for code, level in seen if code in wanted.codes and LEVELS.index(level) >= LEVELS.index(wanted.level)]
    assert right, f"expected {' or '.join(wanted.codes)}, got {seen}"


def test_every_code_of_a_survey_has_a_fault_and_every_fault_two_bases():
    families = {"ENV": range(101, 111), "OBS": range(101, 111), "ACT": range(101, 107), "REW": range(101, 113)}
    wanted = {
        f"{family}{number}" for family, numbers in (families | {"TSK": range(101, 108)}).items() for number in numbers
    }
    assert wanted <= {fault.codes[0] for fault in FAULTS.values()}
    assert len(FAULTS) >= 45
    assert [fault.id for fault in FAULTS.values() if len(fault.bases) < 2] == []


def test_every_pair_has_a_name_that_another_process_can_import():
    names = [attribute(fault.id, base) for fault, base in pairs()]
    assert len(set(names)) == len(names)
    assert all(callable(getattr(faults, name)) for name in names)
    with pytest.raises(AttributeError):
        _ = faults.no_such_fault__CartPole_v1
