"""Names too short to say what they mean: symbols, known by the numbers that stand under them.

`R`, `H` and `L_v` are what papers write. Such a key is taken for a metric that the log has under no other name, and
only where its numbers can be that metric. Columns that never change and have the name of a hyper-parameter are one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from weaklink.base.evidence.config import Config, find_canonical_name
from weaklink.base.evidence.metrics import ACTION_SHARE
from weaklink.base.evidence.run import Run
from weaklink.base.evidence.series import Array, Series

FEWEST_ROWS = 5
"""Rows below which numbers tell too little of what they are."""

SUMS_TO_ONE, ALMOST_ALL = 0.02, 0.95
"""How far shares that were rounded may miss 1 together, and in which part of the rows they must not."""

Fits = Callable[[Array], bool]


class Symbol(NamedTuple):
    """Names for a metric, the numbers that it can have, and the metrics one of which must be missing or be there.

    `unless` are metrics that say the same; where one of them is known the symbol is another quantity. `beside` are
    metrics of which one must be known, for names that mean something only there.
    """

    metric: str
    names: str
    fits: Fits
    unless: tuple[str, ...] = ()
    beside: tuple[str, ...] = ()


def _varies(values: Array) -> bool:
    return bool(values.min() < values.max())


def _counts_on(values: Array) -> bool:
    """Whether these are a clock or a counter: whole numbers that never fall."""
    return bool(np.all(np.diff(values) >= 0) and np.all(values == np.round(values)))


def _is_positive(values: Array) -> bool:
    return _varies(values) and bool(values.min() >= 0.0)


def _is_share(values: Array) -> bool:
    return _is_positive(values) and bool(values.max() <= 1.0)


def _is_length(values: Array) -> bool:
    return _is_positive(values) and not _counts_on(values) and bool(values.min() >= 1.0)


def _is_paid(values: Array) -> bool:
    return _varies(values) and not _counts_on(values)


RETURNS = ("reward.episode_return", "reward.mean", "evaluation.return", "evaluation.score")
SUCCESSES = ("task.success_rate", "evaluation.success_rate", "evaluation.win_rate")

SYMBOLS: tuple[Symbol, ...] = (
    Symbol("reward.episode_return", "R G J r_ep R_ep pop_mean profit points coins coins_per_ep", _is_paid, RETURNS),
    Symbol("exploration.entropy", "H Hpi H_pi S_pi", _is_paid),
    Symbol("policy.loss", "L_pi Lpi L_p l_pi pl L_clip L_actor J_pi", _varies),
    Symbol("value.loss", "L_v L_V Lv l_v vl L_vf L_critic", _is_positive, ("value.q_loss",)),
    Symbol("value.q_loss", "L_q L_Q Lq l_q ql", _is_positive, ("value.loss",)),
    Symbol("optimizer.loss", "L", _varies, ("policy.loss", "value.loss", "value.q_loss")),
    Symbol("optimizer.gradient_norm", "gn |g| g_norm", _is_positive),
    Symbol("value.td_error", "td td_abs abs_td mean_abs_td |td| |delta|", _is_positive),
    Symbol("task.episode_length", "T ep_T T_ep", _is_length, ("exploration.temperature",)),
    Symbol("policy.clip_fraction", "clip clipped cf clipped_ratio", _is_share, beside=("policy.loss", "policy.kl")),
    Symbol("action.size", "|u| |a| u_abs abs_u a_abs abs_a", _is_positive),
    Symbol("action.saturated_fraction", "sat a_sat", _is_share),
    Symbol("value.mean", "V value vbar v_bar Vbar", _varies, beside=("value.loss",)),
    Symbol(
        "task.success_rate",
        "ctr click_rate hit_rate catch_rate caught solve landing_rate docking_rate delivery_rate arrival_rate",
        _is_share,
        (*RETURNS, *SUCCESSES),
    ),
)

SPREADS, ON_ONE_LINE = ("std", "sd", "sigma", "stds", "s"), 0.99
_GROUP = re.compile(r"(?:.*/)?(?:a|act|action|actions|arm|move|p|pi|chosen)[_/.]?([a-z0-9]+)", re.IGNORECASE)


def settle_symbols(run: Run) -> Run:
    """The run with such names settled, and a note on what was taken for what."""
    run = _settle_constants(run)
    told: dict[str, str] = {}
    for symbol in SYMBOLS:
        key = _find_key(run, symbol)
        if key is not None:
            told[key] = symbol.metric
            run = _rename(run, {key: symbol.metric})
    columns = {**_find_spread(run), **_find_shares(run)}
    told |= columns
    if not told:
        return run
    taken = ", ".join(f"{key} for {metric}" for key, metric in told.items())
    return replace(
        _rename(run, columns),
        notes=(*run.notes, f"taken by name and numbers: {taken}; --map KEY=METRIC says otherwise"),
    )


def _find_key(run: Run, symbol: Symbol) -> str | None:
    """The key that is this symbol, if there is just one."""
    if any(name in run.series for name in (symbol.metric, *symbol.unless)):
        return None
    if symbol.beside and not any(name in run.series for name in symbol.beside):
        return None
    names = symbol.names.split()
    found = [key for key, series in run.unknown.items() if _get_last(key) in names and _can_be(series, symbol.fits)]
    return found[0] if len(found) == 1 else None


def _get_last(key: str) -> str:
    return key.rpartition("/")[2]


def _can_be(series: Series, fits: Fits) -> bool:
    return len(series) >= FEWEST_ROWS and bool(np.all(np.isfinite(series.values))) and fits(series.values)


def _settle_constants(run: Run) -> Run:
    """Columns that never change, by the name of a hyper-parameter that is not known otherwise, are its value."""
    values = {
        key: float(series.values[0])
        for key, series in run.unknown.items()
        if len(series) >= FEWEST_ROWS and find_canonical_name(key) is not None and not _varies(series.values)
    }
    known = Config.of({**values, **run.config.raw}, run.config.source)
    return replace(run, config=replace(known, family=run.config.family)) if values else run


def _find_spread(run: Run) -> dict[str, str]:
    """The column of which the entropy of a Gaussian policy is the logarithm, but for a factor and an offset."""
    entropy = run.series.get("exploration.entropy")
    if entropy is None or "exploration.action_std" in run.series or not _can_be(entropy, _varies):
        return {}
    found = [
        key
        for key, series in run.unknown.items()
        if _get_last(key) in SPREADS
        and np.array_equal(series.steps, entropy.steps)
        and _can_be(series, lambda values: _varies(values) and bool(values.min() > 0.0))
        and float(np.corrcoef(np.log(series.values), entropy.values)[0, 1]) > ON_ONE_LINE
    ]
    return {found[0]: "exploration.action_std"} if len(found) == 1 else {}


def _find_shares(run: Run) -> dict[str, str]:
    """The columns of one family that add up to 1 in each row: how often each action was taken."""
    families: dict[str, list[str]] = {}
    for key, series in run.unknown.items():
        named = _GROUP.fullmatch(key)
        if named is not None and len(series) >= FEWEST_ROWS and series.values.min() >= 0.0:
            families.setdefault(key[: named.start(1)], []).append(key)
    whole = [keys for keys in families.values() if _add_up(run.unknown, keys)]
    if len(whole) != 1 or any(name.startswith(ACTION_SHARE) for name in run.series):
        return {}
    return {key: f"{ACTION_SHARE}{place}" for place, key in enumerate(whole[0])}


def _add_up(unknown: Mapping[str, Series], keys: list[str]) -> bool:
    columns = [unknown[key] for key in keys]
    if len(keys) < 2 or any(not np.array_equal(one.steps, columns[0].steps) for one in columns):
        return False
    total = np.sum([one.values for one in columns], axis=0)
    return bool(np.mean(np.abs(total - 1.0) <= SUMS_TO_ONE) >= ALMOST_ALL)


def _rename(run: Run, names: Mapping[str, str]) -> Run:
    renamed = {metric: replace(run.unknown[key], name=metric) for key, metric in names.items()}
    unknown = {key: series for key, series in run.unknown.items() if key not in names}
    return replace(run, series={**run.series, **renamed}, unknown=unknown)
