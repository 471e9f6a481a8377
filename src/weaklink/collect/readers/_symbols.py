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

from weaklink.adapters.dialects import load_dialect
from weaklink.base.evidence.config import Config, find_canonical_name
from weaklink.base.evidence.metrics import ACTION_SHARE
from weaklink.base.evidence.name_words import write_out
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


TRAINED = ("reward.episode_return", "reward.mean", "task.success_rate")
RETURNS = ("reward.episode_return", "reward.mean", "evaluation.return", "evaluation.score")
SUCCESSES = ("task.success_rate", "evaluation.success_rate", "evaluation.win_rate")

SYMBOLS: tuple[Symbol, ...] = (
    Symbol("reward.episode_return", "R G J r_ep R_ep pop_mean coins coins_per_ep", _is_paid, RETURNS),
    Symbol("exploration.entropy", "H Hpi H_pi H(pi) S_pi", _is_paid),
    Symbol("policy.loss", "L_pi Lpi L_p l_pi pl pg L_clip L_actor J_pi", _varies),
    Symbol("value.loss", "L_v L_V Lv l_v vl vf L_vf L_critic", _is_positive, ("value.q_loss",)),
    Symbol("value.q_loss", "L_q L_Q Lq l_q ql", _is_positive, ("value.loss",)),
    Symbol("optimizer.loss", "L", _varies, ("policy.loss", "value.loss", "value.q_loss")),
    Symbol("optimizer.gradient_norm", "gn |g| g_norm grad", _is_positive),
    Symbol("value.td_error", "td td_abs abs_td mean_abs_td |td| |delta|", _is_positive),
    Symbol("task.episode_length", "T ep_T T_ep", _is_length, ("exploration.temperature",)),
    Symbol("policy.clip_fraction", "clip clipped cf clipped_ratio", _is_share, beside=("policy.loss", "policy.kl")),
    Symbol("action.size", "|u| |a| u_abs abs_u a_abs abs_a", _is_positive),
    Symbol("action.saturated_fraction", "sat a_sat", _is_share),
    Symbol("value.mean", "V value vbar v_bar Vbar", _varies, beside=("value.loss",)),
    Symbol(
        "task.success_rate",
        "ctr click_rate hit_rate hits catch_rate caught solve solved reached docked win summit_rate landing_rate "
        "docking_rate delivery_rate arrival_rate",
        _is_share,
        (*RETURNS, *SUCCESSES),
    ),
)


def _split_words(words: str) -> frozenset[str]:
    return frozenset(words.split())


GAINS = _split_words("return reward profit outcome fare payoff income utility earnings winnings points fitness")
COSTS = _split_words("cost costs delay delays")
LASTING = _split_words("balance balanced balancing survival survived alive upright standing")
"""Words of how well an episode went: what is gained, what it costs, and what shall last."""

OTHERS = _split_words(
    "evaluation valid validation target reference ref old teacher opponent tournament judge rm random best worst elite "
    "replay discounted normalized normalised clipped advantage loss"
)
STATISTICS = _split_words("std min max share ratio total cumulative value baseline scale weight episodes")
PARTS = OTHERS | {"reward"}
"""Words by which a name is another's, or no mean of an episode; and of folders in which names mean something else."""

SPREADS, ON_ONE_LINE = ("std", "sd", "sigma", "stds", "s"), 0.99
_GROUP = re.compile(r"(?:.*/)?(?:a|act|action|actions|arm|move|p|pi|chosen)[_/.]?([a-z0-9]+)", re.IGNORECASE)


def settle_symbols(run: Run) -> Run:
    """The run with such names settled, and a note on what was taken for what."""
    run, told = _settle_performance(_settle_folders(_settle_constants(run)))
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


def _settle_folders(run: Run) -> Run:
    """Usual names below a folder of the task's or the author's own: `maze/return`, `agent/sigma`, `perf/rss_mb`."""
    common = load_dialect("common")
    for key, series in () if run.framework else list(run.unknown.items()):
        folder, _, name = key.rpartition("/")
        alias = None if not folder or PARTS & set(write_out(folder)) else common.alias(name)
        if alias is not None and alias.metric not in run.series and len(series):
            run = _rename(run, {key: alias.metric}, alias.factor(series.values.tolist()))
    return run


def _settle_performance(run: Run) -> tuple[Run, dict[str, str]]:
    """The one key that says how well it goes in the words of the task, where nothing else does; costs count below 0."""
    if run.framework or run.family == "language" or any(name in run.series for name in TRAINED):
        return run, {}
    signs = {key: _find_sign(set(write_out(key))) for key, series in run.unknown.items() if _can_be(series, _is_paid)}
    found = {key: sign for key, sign in signs.items() if sign}
    if len(found) != 1:
        return run, {}
    ((key, sign),) = found.items()
    said = RETURNS[0] if sign > 0 else f"{RETURNS[0]} below 0"
    return _rename(run, {key: RETURNS[0]}, sign), {key: said}


def _find_sign(words: set[str]) -> float:
    """Whether more of what these words say is better, 1, or worse, -1; 0 where they do not say how well it goes."""
    if words & (OTHERS | STATISTICS):
        return 0.0
    lasting = words & LASTING and words & {"time", "step", "steps", "seconds", "length"}
    return 1.0 if words & GAINS or lasting else -1.0 if words & COSTS else 0.0


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


def _rename(run: Run, names: Mapping[str, str], scale: float = 1.0) -> Run:
    renamed = {}
    for key, metric in names.items():
        series = run.unknown[key].scaled(scale)
        renamed[metric] = replace(series, name=metric, provenance=replace(series.provenance, scale=scale))
    unknown = {key: series for key, series in run.unknown.items() if key not in names}
    return replace(run, series={**run.series, **renamed}, unknown=unknown)
