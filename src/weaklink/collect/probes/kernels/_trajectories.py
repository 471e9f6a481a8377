"""Records of steps for kernels over time: how they are drawn, and the conventions in which functions want them.

A record has terminations, truncations, a start in the middle of an episode, single steps, and steps that all end.
Values at the observation after an end are those of the old episode where the function is told them, and those of the
next row otherwise.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from weaklink.collect.probes.kernels._kernel import Array, Facts, KernelArgument, KernelCall

REWARDS = KernelArgument("rewards", ("reward", "rews", "rew", "r", "rs", "token_level_rewards", "token_rewards"))
VALUES = KernelArgument(
    "values", ("value", "vals", "val", "v", "vs", "v_s", "state_values", "state_value", "value_preds", "baselines")
)
NEXT_VALUES = KernelArgument(
    "next_values", ("next_vals", "values_next", "v_next", "v_s_", "next_state_value", "next_state_values", "next_v")
)
LAST_VALUE = KernelArgument(
    "last_value",
    (
        "last_values",
        "next_value",
        "bootstrap_value",
        "bootstrap",
        "last_val",
        "last_v",
        "v_last",
        "final_value",
        "value_last",
        "last_state_value",
        "next_val",
        "bootstrap_values",
    ),
)
FINAL_VALUES = KernelArgument(
    "final_values", ("terminal_values", "truncated_values", "truncation_values", "timeout_values")
)
TERMINATED = KernelArgument(
    "terminated", ("terminations", "terminateds", "terminals", "terminal", "termination", "terms")
)
TRUNCATED = KernelArgument(
    "truncated", ("truncations", "truncateds", "timeouts", "time_outs", "truncation", "truncs", "timeout")
)
DONES = KernelArgument("dones", ("done", "d", "ds", "done_flags", "episode_ends", "next_dones", "dones_after"))
STARTS = KernelArgument("episode_starts", ("starts", "episode_start", "firsts", "is_first", "first", "is_start"))
LAST_DONE = KernelArgument("last_done", ("next_done", "last_dones", "final_done", "done_last"))
ENDS = KernelArgument("end_flags", ("end_flag", "ends", "boundaries", "resets"))
MASKS = KernelArgument(
    "masks", ("mask", "not_dones", "not_done", "nonterminals", "nonterminal", "continues", "non_terminal")
)
TOKENS = KernelArgument(
    "tokens", ("response_mask", "completion_mask", "action_mask", "loss_mask", "attention_mask", "eos_mask")
)
DISCOUNTS = KernelArgument("discounts", ("discount_t", "pcontinues"), implies=("gamma",))
GAMMA = KernelArgument("gamma", ("discount", "discount_factor", "gam", "discount_rate", "g"), number=True)
LAM = KernelArgument(
    "lam", ("gae_lambda", "lambda_", "lmbda", "gae_lam", "lamda", "lambd", "lamb", "tau", "l"), number=True
)

FLAGS = (TERMINATED, TRUNCATED, DONES, STARTS, LAST_DONE, ENDS, MASKS, TOKENS, DISCOUNTS)

NOWHERE, AT_THE_LAST, ANYWHERE = "nowhere", "at the last step", "anywhere"
"""Where a record may be truncated: it depends on whether a function can know the value that follows."""

SINGLE = 0.06
"""Up to this size a record has a single step."""

GAMMAS, LAMBDAS = (0.99, 0.9, 0.95, 0.97, 0.98, 0.995, 0.999, 1.0), (0.95, 0.9, 0.97, 0.98, 0.92, 1.0)
"""Usual discounts, for functions that have theirs built in."""


def draw_quarters(rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
    """Numbers between -2 and 2 that every precision holds exactly, none of them zero."""
    return np.asarray(rng.integers(1, 9, shape) / 4.0 * rng.choice([-1.0, 1.0], shape))


def draw_record(
    rng: np.random.Generator, size: float, layout: str, *, truncations: str, told: bool, ends_open: bool = False
) -> Facts:
    """A record of steps. `told` says whether the function is told the value after each step by itself."""
    steps = 1 + int(size * 10) + int(rng.integers(0, 2)) * (size > SINGLE)
    envs = 1 if layout == "T" else 1 + int(rng.integers(0, 2 + int(2 * size)))
    shape = (steps, envs)
    terminated = rng.random(shape) < rng.choice([0.0, 0.15, 0.3, 0.6, 0.95])
    truncated = np.zeros(shape, dtype=bool)
    if truncations == ANYWHERE:
        truncated = (rng.random(shape) < rng.choice([0.0, 0.2, 0.4])) & ~terminated
    elif truncations == AT_THE_LAST:
        truncated[-1] = (rng.random(envs) < 0.5) & ~terminated[-1]
    if ends_open:
        terminated[-1] = truncated[-1] = False
    values, last_value = draw_quarters(rng, shape), draw_quarters(rng, (envs,))
    following = np.concatenate([values[1:], last_value[None]])
    apart = terminated | truncated if told else truncated & (truncations == ANYWHERE)
    following = np.where(apart, draw_quarters(rng, shape), following)
    return {
        "rewards": draw_quarters(rng, shape),
        "values": values,
        "following": following,
        "last_value": last_value,
        "terminated": terminated,
        "truncated": truncated,
        "ended": terminated | truncated,
        "first": np.ones(envs, dtype=bool),
        "gamma": float(rng.choice([0.5, 0.75, 0.9])),
        "lam": float(rng.choice([0.25, 0.5, 0.75])),
    }


@dataclass(frozen=True)
class ParameterReading:
    """One meaning of the flags or of the values among the parameters."""

    told: str
    give: Callable[[Facts], Mapping[str, Any]]
    truncations: str = NOWHERE
    change: Callable[[Facts], Facts] = lambda facts: facts
    ends_open: bool = False


def find_starts(facts: Facts) -> Array:
    """Whether each step is the first of an episode."""
    return np.concatenate([facts["first"][None], facts["ended"][:-1]])


def _remove_ends(facts: Facts) -> Facts:
    nothing = np.zeros_like(facts["terminated"])
    following = np.concatenate([facts["values"][1:], facts["last_value"][None]])
    return facts | {"terminated": nothing, "truncated": nothing, "ended": nothing, "following": following}


def _read_one_flag(name: str) -> ParameterReading:
    return ParameterReading(f"{name} after the step", lambda facts: {name: facts["terminated"]})


def list_flag_readings(names: frozenset[str], told: bool) -> list[ParameterReading]:
    """What the flags among these arguments may mean; `told` says that the value after each step is given."""
    truncations = ANYWHERE if told else AT_THE_LAST
    if "episode_starts" in names:
        return _list_start_readings(names)
    if {"dones", "last_done"} <= names:
        return [
            ParameterReading(
                "dones before the step", lambda facts: {"dones": find_starts(facts), "last_done": facts["ended"][-1]}
            )
        ]
    if {"terminated", "truncated"} <= names:
        return [ParameterReading("terminated and truncated", _give_all_flags, truncations)]
    if {"dones", "terminated"} <= names:
        return [ParameterReading("dones at every end", _give_all_flags, truncations)]
    if {"dones", "truncated"} <= names:
        as_terminated = ParameterReading(
            "dones at terminations",
            lambda facts: {"dones": facts["terminated"], "truncated": facts["truncated"]},
            truncations,
        )
        return [ParameterReading("dones at every end", _give_all_flags, truncations), as_terminated]
    if "end_flags" in names:
        return [
            ParameterReading(
                "flags at every end, next values masked",
                _give_all_flags,
                truncations if told else NOWHERE,
                _mask_following,
            )
        ]
    for name in ("dones", "terminated"):
        if name in names:
            return [_read_one_flag(name)]
    return _list_rare_readings(names)


def _list_rare_readings(names: frozenset[str]) -> list[ParameterReading]:
    if "masks" in names:
        return [
            ParameterReading("masks after the step", lambda facts: {"masks": 1.0 - facts["terminated"]}),
            ParameterReading(
                "masks before each step and after the last",
                lambda facts: {"masks": 1.0 - np.concatenate([facts["first"][None], facts["ended"]])},
            ),
        ]
    if "discounts" in names:
        return [
            ParameterReading("discounts", lambda facts: {"discounts": facts["gamma"] * (1.0 - facts["terminated"])})
        ]
    return [ParameterReading("one unfinished episode", lambda facts: {}, NOWHERE, _remove_ends)]


def _list_start_readings(names: frozenset[str]) -> list[ParameterReading]:
    def with_last(facts: Facts) -> dict[str, Any]:
        last = facts["ended"][-1]
        return {"episode_starts": find_starts(facts), "last_done": last, "dones": last}

    if names & {"last_done", "dones"}:
        return [ParameterReading("episode starts", with_last)]
    longer = ParameterReading(
        "episode starts, one more at the end",
        lambda facts: {"episode_starts": np.concatenate([facts["first"][None], facts["ended"]])},
    )
    return [
        ParameterReading("episode starts", lambda facts: {"episode_starts": find_starts(facts)}, ends_open=True),
        longer,
    ]


def _give_all_flags(facts: Facts) -> dict[str, Any]:
    ended = facts["ended"]
    return {"terminated": facts["terminated"], "truncated": facts["truncated"], "dones": ended, "end_flags": ended}


def _mask_following(facts: Facts) -> Facts:
    return facts | {"following": np.where(facts["terminated"], 0.0, facts["following"])}


def list_value_readings(
    names: frozenset[str], *, needed: bool
) -> list[tuple[str, bool, Callable[[Facts], Facts], Any]]:
    """What the values among these arguments may mean: words, whether each successor is told, a change, the inputs."""
    same: Callable[[Facts], Facts] = lambda facts: facts  # noqa: E731
    plain = {"values": "values", "last_value": "last_value", "next_values": "following"}
    found: list[tuple[str, bool, Callable[[Facts], Facts], Any]] = []
    if "next_values" in names:
        found.append(("next values of each step", True, same, _make_giver(plain)))
    if "final_values" in names:
        found.append(
            ("final values at truncations", True, _give_final_values, _make_giver(plain | {"final_values": "finals"}))
        )
    if "next_values" in names and "last_value" not in names:
        found.append(
            ("next values after the last step", False, same, _make_giver(plain | {"next_values": "last_value"}))
        )
    elif "last_value" in names and "next_values" not in names:
        found.append(("", False, same, _make_giver(plain)))
    elif not names & {"next_values", "last_value"}:
        if needed:
            found.append(("values of one row more", False, same, _append_last_value))
        found.append(("nothing after the last step", False, _drop_last_value, _make_giver(plain)))
    return found


def _make_giver(fields: Mapping[str, str]) -> Callable[[Facts], dict[str, Any]]:
    return lambda facts: {name: facts[key] for name, key in fields.items()}


def _append_last_value(facts: Facts) -> dict[str, Any]:
    return {"values": np.concatenate([facts["values"], facts["last_value"][None]])}


def _drop_last_value(facts: Facts) -> Facts:
    nothing = np.zeros_like(facts["last_value"])
    following = facts["following"].copy()
    following[-1] = 0.0
    return facts | {"last_value": nothing, "following": following}


def _give_final_values(facts: Facts) -> Facts:
    following = np.concatenate([facts["values"][1:], facts["last_value"][None]])
    return facts | {
        "following": np.where(facts["truncated"], facts["following"], following),
        "finals": np.where(facts["truncated"], facts["following"], 0.0),
    }


def list_calls_over_time(
    names: frozenset[str], *, values: bool, more: Callable[[np.random.Generator, Facts], Facts] | None = None
) -> tuple[KernelCall, ...]:
    """Every reading of the parameters of a function over time; `more` adds what one kernel needs beyond a record."""
    return tuple(
        _make_call(told, knows, change, give, reading, more)
        for told, knows, change, give in list_value_readings(names, needed=values)
        for reading in list_flag_readings(names, knows)
    )


def _make_call(
    told: str,
    knows: bool,
    change: Callable[[Facts], Facts],
    give: Callable[[Facts], Mapping[str, Any]],
    reading: ParameterReading,
    more: Callable[[np.random.Generator, Facts], Facts] | None,
) -> KernelCall:
    def draw(rng: np.random.Generator, size: float, layout: str) -> Facts:
        facts = draw_record(rng, size, layout, truncations=reading.truncations, told=knows, ends_open=reading.ends_open)
        facts = reading.change(change(facts))
        return facts if more is None else more(rng, facts)

    def inputs(facts: Facts) -> dict[str, Any]:
        numbers = {name: facts[name] for name in ("gamma", "lam", *facts.get("also", ())) if name in facts}
        return {**numbers, "rewards": facts["rewards"], **give(facts), **reading.give(facts)}

    return KernelCall(", ".join(part for part in (reading.told, told) if part), draw, inputs)
