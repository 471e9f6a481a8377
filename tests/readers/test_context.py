from __future__ import annotations

import pytest

from weaklink.collect import readers


def _write(path, header, rows):
    path.write_text("\n".join([header, *rows]) + "\n")
    return readers.read(path)


def test_eps_that_falls_within_0_and_1_is_the_share_of_random_actions(tmp_path):
    run = _write(tmp_path / "log.csv", "step,return,eps", [f"{s},{s},{max(1 - s / 20, 0.05)}" for s in range(1, 30)])
    assert run["exploration.epsilon"].provenance.key == "eps"


def test_eps_that_begins_again_is_still_the_share_of_random_actions(tmp_path):
    rows = [f"{s},{s},{max(1 - (s % 15) / 10, 0.05)}" for s in range(1, 30)]
    assert "exploration.epsilon" in _write(tmp_path / "log.csv", "step,return,eps", rows)


def test_eps_that_goes_up_and_down_is_none(tmp_path):
    run = _write(tmp_path / "log.csv", "step,return,eps", [f"{s},{s},{s % 7 / 7}" for s in range(1, 30)])
    assert "exploration.epsilon" not in run


def test_names_are_known_by_their_words(tmp_path):
    header = "step,return,perf/steps_per_sec,losses/value_mean,losses/value_loss,fully_async/staleness,staleness_limit"
    run = _write(tmp_path / "log.csv", header, [f"{s},{s},900,3,0.1,31,32" for s in range(1, 30)])
    keys = {name: run[name].provenance.key for name in ("system.env_steps_per_second", "value.mean", "data.staleness")}
    assert list(keys.values()) == ["perf/steps_per_sec", "losses/value_mean", "fully_async/staleness"]


def test_eps_that_counts_is_none(tmp_path):
    run = _write(tmp_path / "log.csv", "step,return,eps", [f"{s},{s},{10 * s}" for s in range(1, 30)])
    assert "exploration.epsilon" not in run


@pytest.mark.parametrize(("header", "metric"), [("step,reward,length", "episode_return"), ("step,reward,kl", "mean")])
def test_a_reward_beside_the_length_of_episodes_is_a_return(tmp_path, header, metric):
    run = _write(tmp_path / "log.csv", header, [f"{s},{s},{2 * s}" for s in range(1, 30)])
    assert run[f"reward.{metric}"].provenance.key == "reward"


@pytest.mark.parametrize(("every", "metric"), [(500, "evaluation.return"), (1, "evaluation.final_return")])
def test_evaluations_along_the_training_are_no_last_one(tmp_path, every, metric):
    rows = [f"{500 * s},{20 + s},{900},{'' if every == 1 else s}" for s in range(1, 30)]
    rows += [f"{s},,,{s}" for s in range(10)] if every == 1 else []
    run = _write(tmp_path / "log.csv", "step,charts/episodic_return,charts/SPS,eval/episodic_return", rows)
    assert metric in run.series


def test_columns_and_actions_are_told_by_their_number(tmp_path):
    header = "step,return,obs_std/0,obs_std/1,action_freq/0,action_freq/1,rollout/policy_lag,succ"
    run = _write(tmp_path / "log.csv", header, [f"{s},{s},1,0,0.9,0.1,2,0.5" for s in range(1, 30)])
    assert {"observation.std.1", "action.share.0", "data.staleness", "task.success_rate"} <= run.series.keys()
    assert "observation.std" not in run


def test_the_points_of_an_earlier_training_are_kept_apart(tmp_path):
    steps = [*range(1, 10), *range(1, 8)]
    run = _write(tmp_path / "log.csv", "step,return", [f"{s},{10 * s}" for s in steps])
    assert run.earlier["reward.episode_return"].values.tolist() == [10.0 * s for s in range(1, 10)]
    assert run["reward.episode_return"].last_step == 7


def test_the_last_row_that_wandb_keeps_of_a_history_is_no_run(tmp_path):
    rows = [f'{{"global_step": {step}, "return": {step}}}\n' for step in range(1, 30)]
    (tmp_path / "wandb-history.jsonl").write_text("".join(rows))
    (tmp_path / "wandb-summary.json").write_text(rows[-1])
    assert len(readers.read(tmp_path)["reward.episode_return"]) == 29
    (tmp_path / "wandb-history.jsonl").unlink()
    assert len(readers.read(tmp_path)["reward.episode_return"]) == 1
