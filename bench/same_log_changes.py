"""Changes of a log that change nothing about its training: points, units, names, and the file that it is written to."""

from __future__ import annotations

import csv
import json
import struct
from collections.abc import Callable, Mapping
from dataclasses import replace
from math import inf, nan
from pathlib import Path

import numpy as np

from reading import crc_table, message, record, varint
from weaklink.base.evidence.config import Config, find_canonical_name
from weaklink.base.evidence.run import Run
from weaklink.base.evidence.series import Array, Series
from weaklink.base.stats import noise

Change = Callable[[Run], Run]
PointChange = Callable[[Series], "tuple[Array, Array]"]

NOISE = 0.02
MISSING = 0.2
KEPT = 0.85
SHIFT = 37.0

# metrics in the units of the reward, and those in its square
_REWARD_UNITS = ("reward.", "evaluation.return", "evaluation.final_return", "returns.target", "returns.advantage")
_VALUES = ("mean", "std", "min", "max", "q_mean", "q2_mean", "q_max", "q_min", "q_twin_spread")
_SQUARED = ("value.loss", "value.q_loss")
_SHARES = ("fraction", "q05")
# what no fault of the training itself is told by
_NO_MATTER = ("system.elapsed", "system.env_steps", "optimizer.updates", "system.env_steps_per_second")

_SPELLINGS: dict[str, tuple[str, str, str, str]] = {
    # metric: in words, short, in camel case, in folders
    "reward.episode_return": ("mean_episode_return", "ep_ret", "episodeReturn", "rollout/episode_reward_mean"),
    "reward.episode_return_std": ("std_episode_return", "ep_ret_std", "episodeReturnStd", "rollout/episode_reward_std"),
    "reward.mean": ("mean_step_reward", "rew", "meanStepReward", "rollout/step_reward_mean"),
    "reward.std": ("reward_standard_deviation", "rew_std", "rewardStd", "rollout/reward_std"),
    "task.episode_length": ("mean_episode_length", "ep_len", "episodeLength", "rollout/episode_length_mean"),
    "task.success_rate": ("fraction_of_successes", "succ_rate", "successRate", "rollout/success_rate"),
    "task.completion_length": ("mean_completion_length", "resp_len", "completionLength", "gen/completion_length"),
    "task.truncated_fraction": ("fraction_truncated", "trunc_frac", "truncatedFraction", "gen/truncated_fraction"),
    "optimizer.learning_rate": ("learning_rate", "lr", "learningRate", "charts/learning_rate"),
    "optimizer.gradient_norm": ("gradient_norm", "gnorm", "gradNorm", "optim/global_grad_norm"),
    "optimizer.loss": ("total_loss", "tot_loss", "totalLoss", "losses/total_loss"),
    "policy.loss": ("policy_gradient_loss", "pi_loss", "policyLoss", "losses/actor_loss"),
    "policy.kl": ("approximate_kl", "apx_kl", "approxKl", "losses/approx_kl"),
    "policy.kl_reference": ("kl_to_reference", "ref_kl", "klToRef", "losses/kl_ref"),
    "policy.clip_fraction": ("fraction_of_ratios_clipped", "clipfrac", "clipFraction", "losses/clip_fraction"),
    "policy.clip_range": ("clip_range", "clip_eps", "clipRange", "charts/clip_range"),
    "exploration.entropy": ("mean_policy_entropy", "ent", "policyEntropy", "losses/policy_entropy"),
    "exploration.epsilon": ("exploration_epsilon", "eps", "epsilon", "charts/epsilon"),
    "exploration.temperature": ("entropy_temperature", "alpha", "alpha", "losses/alpha"),
    "exploration.action_std": ("policy_standard_deviation", "pi_std", "actionStd", "losses/action_std"),
    "value.loss": ("value_function_loss", "vf_loss", "valueLoss", "losses/critic_loss"),
    "value.q_loss": ("q_function_loss", "q_loss", "qLoss", "losses/td_loss"),
    "value.explained_variance": ("value_explained_variance", "expl_var", "explainedVariance", "losses/ev"),
    "value.mean": ("mean_value_prediction", "v_mean", "valueMean", "losses/value_mean"),
    "value.q_mean": ("mean_q_value", "qvals", "meanQ", "losses/q_values"),
    "value.q_max": ("max_q_value", "qmax", "maxQ", "losses/q_max"),
    "system.env_steps_per_second": ("environment_steps_per_second", "sps", "stepsPerSecond", "charts/SPS"),
    "data.buffer_size": ("replay_buffer_size", "buf_size", "bufferSize", "charts/buffer_size"),
    "evaluation.return": ("mean_evaluation_return", "eval_ret", "evalReturn", "eval/episode_reward_mean"),
    "evaluation.length": ("mean_evaluation_length", "eval_len", "evalLength", "eval/episode_length_mean"),
    "evaluation.score": ("heldout_accuracy", "eval_acc", "evalAccuracy", "eval/accuracy"),
    "observation.mean": ("observation_mean", "obs_mean", "obsMean", "stats/obs_mean"),
    "observation.std": ("observation_standard_deviation", "obs_std", "obsStd", "stats/obs_std"),
    "observation.max": ("largest_observation", "obs_max", "obsMax", "stats/obs_max"),
    "action.saturated_fraction": ("fraction_of_actions_at_bounds", "act_sat", "actionSaturation", "stats/act_clip"),
    "returns.advantage_std": ("advantage_standard_deviation", "adv_std", "advantageStd", "losses/advantage_std"),
    "returns.advantage_mean": ("mean_advantage", "adv_mean", "advantageMean", "losses/advantage_mean"),
}  # fmt: skip
STYLES = ("in words", "short", "camel case", "in folders")


def change_points(run: Run, change: PointChange) -> Run:
    """The run with the points of every series changed; what was NaN stays on record."""
    return replace(run, series=_change_each(run.series, change), unknown=_change_each(run.unknown, change))


def _change_each(series: Mapping[str, Series], change: PointChange) -> dict[str, Series]:
    return {name: _rebuild(one, *change(one)) for name, one in series.items()}


def _rebuild(series: Series, steps: Array, values: Array) -> Series:
    made = Series.of(series.name, steps, values, provenance=series.provenance)
    return replace(made, nonfinite=series.nonfinite)


def drop_every_second(run: Run) -> Run:
    """Every second row."""
    return change_points(run, lambda one: (one.steps[1::2], one.values[1::2]))


def average_pairs(run: Run) -> Run:
    """Each two rows as their mean, at the step of the later one."""

    def change(one: Series) -> tuple[Array, Array]:
        whole = len(one) // 2 * 2
        return one.steps[1:whole:2], one.values[:whole].reshape(-1, 2).mean(axis=1)

    return change_points(run, change)


def lose_rows(run: Run) -> Run:
    """A fifth of the rows missing at random; curves of one table miss the same rows."""

    def change(one: Series) -> tuple[Array, Array]:
        kept = np.random.default_rng(len(one)).random(len(one)) >= MISSING
        return one.steps[kept], one.values[kept]

    return change_points(run, change)


def cut_end(run: Run) -> Run:
    """Without the last 15 % of the rows."""
    return change_points(run, lambda one: (one.steps[: _count_kept(one)], one.values[: _count_kept(one)]))


def _count_kept(series: Series) -> int:
    return int(np.ceil(KEPT * len(series)))


def add_noise(run: Run) -> Run:
    """Noise of measuring on every curve, 2 % of how it scatters around its own course; constants stay so."""

    def change(one: Series) -> tuple[Array, Array]:
        if len(one) < 3 or float(np.ptp(one.values)) == 0:
            return one.steps, one.values
        drawn = np.random.default_rng(len(one)).normal(size=len(one))
        return one.steps, one.values + NOISE * noise(one.values) * drawn

    return change_points(run, change)


def scale_rewards(factor: float) -> Change:
    """Rewards in other units, and with them returns, values and advantages; losses of values go with the square."""

    def change(run: Run) -> Run:
        series = {name: one.scaled(factor ** _find_power(name)) for name, one in run.series.items()}
        kept = {key: value for key, value in run.config.raw.items() if find_canonical_name(key) != "environment"}
        return replace(run, series=series, config=Config.of(kept, run.config.source))

    return change


def _find_power(name: str) -> int:
    if name in _SQUARED:
        return 2
    link, _, quantity = name.partition(".")
    return int(
        (name.startswith(_REWARD_UNITS) and not quantity.endswith(_SHARES)) or (link == "value" and quantity in _VALUES)
    )


def shift_returns(run: Run) -> Run:
    """A constant added to every return, as a bonus paid once an episode does; the task is no longer a known one."""
    shifted = ("reward.episode_return", "reward.episode_return_min", "reward.episode_return_max", "evaluation.return")
    size = max((float(np.abs(run[name].values).max()) for name in shifted if name in run), default=0.0)
    series = {
        name: _rebuild(one, one.steps, one.values + SHIFT * size / 10) if name in shifted else one
        for name, one in run.series.items()
    }
    return replace(scale_rewards(1.0)(run), series=series)


def drop_idle_columns(run: Run) -> Run:
    """Without clocks, counters and what no name was known for."""
    kept = {name: one for name, one in run.series.items() if name not in _NO_MATTER}
    return replace(run, series=kept, unknown={})


def spell(run: Run, style: int) -> dict[str, Series]:
    """The columns of the run under the names of a style, with the numbers as they were logged."""
    renamed = {
        _SPELLINGS[name][style] if name in _SPELLINGS else one.provenance.key: one for name, one in run.series.items()
    }
    return {**{key: one for key, one in run.unknown.items() if key not in run.unused}, **renamed}


def keep_names(run: Run) -> dict[str, Series]:
    """The columns of the run under their own names, as they were logged."""
    logged = {one.provenance.key: one.scaled(1 / one.provenance.scale) for one in run.series.values()}
    return {**run.unknown, **logged}


Columns = Mapping[str, Series]
Counted = Callable[[Array], Array]


def list_rows(columns: Columns, counted: str) -> list[dict[str, float]]:
    """Rows of numbers by name, one for each step; the step stands first, under its name."""
    rows: dict[tuple[float, int], dict[str, float]] = {}
    for key, one in columns.items():
        steps, values = _list_points(one)
        again = np.arange(len(steps)) - np.searchsorted(steps, steps)  # a step that was logged twice has two rows
        for step, turn, value in zip(steps.tolist(), again.tolist(), values.tolist(), strict=True):
            rows.setdefault((step, turn), {counted: step})[key] = value
    return [rows[place] for place in sorted(rows)]


def _list_points(one: Series) -> tuple[Array, Array]:
    """The points of a series with what was NaN back at its place, as far as that is known."""
    lost = one.nonfinite
    if lost is None:
        return one.steps, one.values
    start = lost.since if lost.tail else lost.first_step
    steps = np.unique(np.linspace(start, max(lost.last_step, start), lost.tail or lost.count).round())
    steps = steps[~np.isin(steps, one.steps)]
    gone = np.full(len(steps), nan if lost.nan else inf)
    order = np.argsort(np.concatenate((one.steps, steps)), kind="stable")
    return np.concatenate((one.steps, steps))[order], np.concatenate((one.values, gone))[order]


def write_csv(columns: Columns, folder: Path, counted: str = "global_step") -> None:
    """A table with empty cells where a column has no row."""
    with (folder / "progress.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, [counted, *(key for key in columns if key != counted)])
        writer.writeheader()
        writer.writerows(list_rows(columns, counted))


def write_json_lines(columns: Columns, folder: Path, counted: str = "step") -> None:
    """A line for each step."""
    lines = (json.dumps(row) for row in list_rows(columns, counted))
    (folder / "metrics.jsonl").write_text("\n".join(lines) + "\n")


def write_console(columns: Columns, folder: Path, counted: str = "step") -> None:
    """What a script prints: `step=2048 return=12.3 loss=0.51`."""
    rows = list_rows(columns, counted)
    lines = (" ".join(f"{key.replace(' ', '_')}={value:.6g}" for key, value in row.items()) for row in rows)
    (folder / "train.log").write_text("\n".join(lines) + "\n")


def write_tensorboard(columns: Columns, folder: Path) -> None:
    """An event file, with the seconds of a training that writes ten rows a second."""
    table = crc_table()
    with (folder / "events.out.tfevents.1700000000.host.1.0").open("wb") as file:
        file.write(record(struct.pack("<Bd", 0x09, 1.7e9) + message(3, b"brain.Event:2"), table))
        for index, row in enumerate(list_rows(columns, "step")):
            head = struct.pack("<Bd", 0x09, 1.7e9 + 0.1 * index) + b"\x10" + varint(max(int(row["step"]), 0))
            for key, value in row.items():
                body = message(1, key.encode()) + struct.pack("<Bf", 0x15, float(np.float32(value)))
                if key != "step":
                    file.write(record(head + message(5, message(1, body)), table))


def write_settings(run: Run, folder: Path) -> None:
    """The hyper-parameters beside the log, where there are any."""
    if run.config.raw:
        (folder / "config.json").write_text(json.dumps(dict(run.config.raw), default=str))


def count_in(run: Run, rows_apart: int) -> Run:
    """The run with its steps counted in other units: so many from one row to the next, whole ones."""
    apart = min((one.interval for one in run.series.values() if one.interval > 0), default=1.0)
    return change_points(run, lambda one: (np.round(one.steps * rows_apart / apart), one.values))
