"""Settings that go with breaks are named, alone and together; chance, seeds and names of runs are not."""

from __future__ import annotations

import numpy as np
import pytest

from weaklink.base.evidence.sweep import Sweep, SweptRun, is_setting
from weaklink.judge.diagnosis.patterns import find_patterns


def draw_settings(draw) -> dict[str, object]:
    return {
        "learning_rate": float(10 ** draw.uniform(-5, -2)),
        "batch_size": int(draw.choice([32, 64, 128, 256])),
        "activation": str(draw.choice(["tanh", "relu"])),
        "normalize": bool(draw.random() < 0.5),
        "gae_lambda": float(draw.uniform(0.8, 1)),
        "run_name": f"run-{draw.integers(1 << 30)}",
    }


def sweep(breaks, *, runs: int = 300, seed: int = 0, seeds: int = 1, chance: float = 0.9, base: float = 0.05) -> Sweep:
    draw = np.random.default_rng(seed)
    made = []
    for _ in range(runs // seeds):
        settings = draw_settings(draw)
        for number in range(seeds):
            broke = draw.random() < (chance if breaks(settings) else base)
            made.append(SweptRun({**settings, "seed": number}, str(number), *(("policy", "POL301") * broke)))
    return Sweep.of(made)


def named(found) -> list[set[str]]:
    return [{condition.setting for condition in pattern.conditions} for pattern in found.found]


@pytest.mark.parametrize(
    ("breaks", "settings"),
    [
        (lambda s: s["learning_rate"] > 1e-3, {"learning_rate"}),
        (lambda s: s["activation"] == "relu", {"activation"}),
        (lambda s: s["normalize"] is False, {"normalize"}),
        (lambda s: s["learning_rate"] > 1e-3 and s["batch_size"] <= 64, {"learning_rate", "batch_size"}),
        (
            lambda s: s["learning_rate"] > 1e-4 and s["batch_size"] <= 64 and s["activation"] == "relu",
            {"learning_rate", "batch_size", "activation"},
        ),
    ],
    ids=["number", "word", "switch", "two", "three"],
)
def test_a_planted_cause_is_named_and_nothing_beside_it(breaks, settings):
    assert named(find_patterns(sweep(breaks))) == [settings]


def test_the_counts_are_those_of_the_runs():
    made = sweep(lambda s: s["learning_rate"] > 1e-3)
    (pattern,) = find_patterns(made).found
    (condition,) = pattern.conditions
    runs = [run for members in made.members for run in members]
    met = [run for run in runs if run.settings["learning_rate"] > condition.value]
    assert (pattern.hits, pattern.size) == (sum(bool(run.link) for run in met), len(met))
    assert pattern.other_size == len(runs) - len(met)
    assert pattern.other_hits == sum(bool(run.link) for run in runs) - pattern.hits
    assert condition.text == f"learning_rate over {condition.value:g}"
    assert condition.value == pytest.approx(1e-3, rel=0.3)
    assert pattern.chance < 1e-12


def test_two_causes_of_one_break_are_two_paths():
    found = find_patterns(sweep(lambda s: s["learning_rate"] > 3e-3 or s["batch_size"] == 32, runs=500))
    assert {"learning_rate"} in named(found)
    assert {"batch_size"} in named(found)


@pytest.mark.parametrize("seeds", [1, 5])
def test_without_a_cause_nothing_is_named(seeds):
    for seed in range(12):
        assert find_patterns(sweep(lambda s: False, seed=seed, base=0.3, seeds=seeds)).found == ()


def test_seeds_of_one_configuration_are_one_witness():
    """Two configurations of many, each with twenty seeds, break for a reason that no setting states."""
    for seed in range(12):
        draw = np.random.default_rng(seed)
        configurations = [draw_settings(draw) for _ in range(20)]
        made = [
            SweptRun({**settings, "seed": number}, str(number), *(("policy", "POL301") * (place in (3, 11, 15))))
            for place, settings in enumerate(configurations)
            for number in range(20)
        ]
        assert find_patterns(Sweep.of(made)).found == ()


def test_the_seed_itself_is_never_a_setting():
    made = [
        SweptRun({"learning_rate": 1e-3, "env_seed": n % 10, "seed": n % 10, "run_id": n}, str(n % 10), *pair)
        for n in range(200)
        for pair in [("policy", "POL301") if n % 10 > 6 else ("", "")]
    ]
    found = find_patterns(Sweep.of(made))
    assert found.found == ()
    assert (found.repeated, found.split) == (1, 1)


def test_a_small_grid_with_seeds_tells():
    """Four learning rates, ten seeds each: all else is equal, so the runs themselves are compared."""
    rates = (1e-4, 3e-4, 1e-3, 1e-2)
    made = [
        SweptRun({"learning_rate": rate, "seed": seed}, str(seed), *(("policy", "POL303") * (rate > 1e-3)))
        for rate in rates
        for seed in range(10)
    ]
    (pattern,) = find_patterns(Sweep.of(made)).found
    assert [condition.text for condition in pattern.conditions] == ["learning_rate over 0.001"]
    assert (pattern.hits, pattern.size, pattern.other_hits, pattern.other_size) == (10, 10, 0, 30)
    assert pattern.configurations == (1, 1, 0, 3)


def test_a_small_grid_without_a_cause_does_not():
    for trial in range(20):
        draw = np.random.default_rng(trial)
        made = [
            SweptRun(
                {"lr": rate, "batch": batch, "seed": seed}, str(seed), *(("policy", "POL303") * (draw.random() < 0.4))
            )
            for rate in (1e-4, 1e-3, 1e-2)
            for batch in (32, 64)
            for seed in range(10)
        ]
        assert find_patterns(Sweep.of(made)).found == ()


def test_settings_that_go_together_are_not_told_apart():
    runs = [one for members in sweep(lambda s: s["learning_rate"] > 1e-3).members for one in members]
    made = [
        SweptRun({**run.settings, "critic_rate": 3 * run.settings["learning_rate"]}, "", run.link, run.code)
        for run in runs
    ]
    (pattern,) = find_patterns(Sweep.of(made)).found
    both = {condition.setting for condition in (*pattern.conditions, *pattern.alike)}
    assert both == {"learning_rate", "critic_rate"}


def test_rules_of_one_link_are_told_apart():
    draw = np.random.default_rng(3)
    made = []
    for _ in range(400):
        settings = draw_settings(draw)
        code = "POL301" if settings["learning_rate"] > 1e-3 else "POL304" if settings["activation"] == "relu" else ""
        made.append(SweptRun(settings, "", "policy" if code else "", code))
    found = find_patterns(Sweep.of(made)).found
    (path,) = [pattern.conditions for pattern in found if pattern.code == "POL304"]
    assert {one.setting for one in path} == {"activation", "learning_rate"}  # larger rates break by the other rule


@pytest.mark.parametrize(
    ("name", "counts"),
    [
        ("learning_rate", True), ("seed", False), ("env.seed", False), ("run_id", False), ("log_dir", False),
        ("lora_rank", True), ("environment", True), ("start_time", False), ("time_limit", True), ("42", False),
    ],
)  # fmt: skip
def test_what_is_a_setting(name, counts):
    assert is_setting(name) is counts


@pytest.mark.parametrize("runs", [0, 1, 3])
def test_few_runs_say_nothing(runs):
    assert find_patterns(Sweep.of([SweptRun({"a": 1.0 * n}, "", "policy", "X") for n in range(runs)])).found == ()
