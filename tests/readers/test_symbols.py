"""Symbols in the place of names: taken for a metric where their numbers can be it, and left alone where not."""

from __future__ import annotations

import numpy as np
import pytest

import weaklink
from weaklink.base.evidence.naming import name_series

ROWS = 40
RISES = np.linspace(-50.0, -10.0, ROWS) + np.random.default_rng(0).normal(0.0, 1.0, ROWS)
SPREAD = np.linspace(1.0, 0.6, ROWS) + np.random.default_rng(1).normal(0.0, 0.01, ROWS)
ENTROPY = 2 * (0.5 * np.log(2 * np.pi * np.e) + np.log(SPREAD))
LEFT = np.linspace(0.5, 0.9, ROWS)


def read(tmp_path, **columns):
    """The run of a table with these columns; names that are no words stand in `named`."""
    named = {**columns.pop("named", {}), **columns}
    steps = np.arange(1, ROWS + 1) * 1000
    lines = [",".join(["steps", *named])]
    lines += [",".join(f"{each[row]:.6g}" for each in (steps, *named.values())) for row in range(ROWS)]
    (tmp_path / "log.csv").write_text("\n".join(lines) + "\n")
    return weaklink.read(tmp_path / "log.csv")


def test_symbols_are_read_by_their_numbers_and_that_is_said(tmp_path):
    losses = {"L_pi": -0.01 * SPREAD, "L_v": SPREAD**2, "|a|": SPREAD, "gn": 3 * SPREAD}
    run = read(tmp_path, R=RISES, H=ENTROPY, std=SPREAD, cf=0.2 * SPREAD, T=20 + 9 * np.sin(RISES), named=losses)
    assert {name: series.provenance.key for name, series in run.series.items() if name != "system.env_steps"} == {
        "reward.episode_return": "R",
        "exploration.entropy": "H",
        "exploration.action_std": "std",
        "policy.clip_fraction": "cf",
        "task.episode_length": "T",
        "policy.loss": "L_pi",
        "value.loss": "L_v",
        "action.size": "|a|",
        "optimizer.gradient_norm": "gn",
    }
    assert "R for reward.episode_return" in next(note for note in run.notes if note.startswith("taken by name"))


@pytest.mark.parametrize(
    ("columns", "left"),
    [
        ({"R": np.arange(ROWS) * 10.0}, "R"),  # a counter
        ({"R": RISES, "return": RISES + 1}, "R"),  # the log has the return under its name
        ({"R": RISES, "J": RISES}, "R"),  # which of the two?
        ({"H": np.full(ROWS, 128.0)}, "H"),  # a horizon
        ({"clip": 0.2 * SPREAD}, "clip"),  # of what? no policy loss is there
        ({"sat": 3 * SPREAD}, "sat"),  # no share
        ({"entropy": ENTROPY, "std": np.abs(RISES)}, "std"),  # not the spread of this policy
        ({"ctr": SPREAD / 2, "return": RISES}, "ctr"),  # beside a return it is anybody's guess
    ],
)
def test_numbers_that_cannot_be_the_metric_leave_a_symbol_unknown(tmp_path, columns, left):
    run = read(tmp_path, **columns)
    assert left in run.unknown
    assert not any(f"{left} for" in note for note in run.notes)


@pytest.mark.parametrize(("names", "whole"), [
    (("a_left", "a_right"), True), (("act/0", "act/1"), True), (("chosen_up", "chosen_down"), True),
    (("a_left", "p_right"), False), (("b_left", "b_right"), False),
])  # fmt: skip
def test_columns_that_add_up_to_one_are_shares_of_actions(tmp_path, names, whole):
    run = read(tmp_path, named=dict(zip(names, (LEFT, 1.0 - LEFT), strict=True)), reward=RISES)
    assert ({"action.share.0", "action.share.1"} <= set(run.series)) is whole
    apart = read(tmp_path, named=dict(zip(names, (LEFT, 0.5 - LEFT / 3), strict=True)), reward=RISES)
    assert names[0] == "act/0" or not {"action.share.0", "action.share.1"} & set(apart.series)  # numbered: by its name


def test_a_column_that_never_changes_is_the_hyper_parameter_of_its_name(tmp_path):
    run = read(tmp_path, named={"gamma": np.full(ROWS, 0.97), "target_entropy": np.full(ROWS, 4.0)}, reward=RISES)
    assert (run.config.number("gamma"), run.config.number("target_entropy")) == (0.97, 4.0)
    assert run.config.number("gae_lambda") is None
    moved = read(tmp_path, named={"gamma": LEFT}, reward=RISES)
    assert moved.config.number("gamma") is None


def test_what_the_user_says_comes_before_a_guess(tmp_path):
    said = name_series(read(tmp_path, R=RISES, H=ENTROPY), {"R": "reward.mean"})
    assert said.series["reward.mean"].provenance.key == "R"
    assert "reward.episode_return" not in said.series
    said = name_series(read(tmp_path, day_cost=-RISES), {"day_cost": "task.cost"})
    np.testing.assert_allclose(said.series["task.cost"].values, -RISES, rtol=1e-4)  # with its own sign again


@pytest.mark.parametrize(
    ("key", "metric"),
    [
        ("maze/return", "reward.episode_return"), ("agent/sigma", "exploration.action_std"),
        ("perf/rss_mb", "system.memory"), ("opt/vloss", "value.loss"),
        ("opponent/return", None), ("target/entropy", None), ("best/return", None),
    ],
)  # fmt: skip
def test_usual_names_are_known_below_a_folder_of_the_authors_own(tmp_path, key, metric):
    run = read(tmp_path, named={key: SPREAD * 9}, task_success_rate=LEFT)
    assert {name for name in run.series if run.series[name].provenance.key == key} == ({metric} if metric else set())


@pytest.mark.parametrize(
    ("key", "sign"),
    [
        ("profit_month", 1), ("balance_time", 1), ("fare", 1), ("day score", 1), ("avg_outcome", 1),
        ("day_cost", -1), ("mean delay per episode", -1),
        ("profit_sd", 0), ("score_max", 0), ("opponent_score", 0), ("elite_score", 0), ("cost_total", 0), ("queue", 0),
    ],
)  # fmt: skip
def test_what_goes_well_is_known_in_the_words_of_the_task(tmp_path, key, sign):
    run = read(tmp_path, named={key: RISES})
    if not sign:
        assert "reward.episode_return" not in run.series
        return
    np.testing.assert_allclose(run.series["reward.episode_return"].values, sign * RISES, rtol=1e-4)
    assert any(f"{key} for reward.episode_return" in note for note in run.notes)
    beside = read(tmp_path, named={key: RISES, "return": RISES + 1})
    assert beside.series["reward.episode_return"].provenance.key == "return"
    two = read(tmp_path, named={key: RISES, "profit_year": RISES})
    assert "reward.episode_return" not in two.series


@pytest.mark.parametrize(("key", "metric"), [
    ("train_reward", "reward.episode_return"), ("reward", "reward.episode_return"), ("step_reward", "reward.mean"),
])  # fmt: skip
def test_a_reward_beside_the_length_of_episodes_is_that_of_an_episode(tmp_path, key, metric):
    run = read(tmp_path, named={key: RISES, "train_len": 20 + 9 * np.sin(RISES)})
    assert run.series[metric].provenance.key == key
    alone = read(tmp_path, named={key: RISES})
    assert alone.series["reward.mean"].provenance.key == key
