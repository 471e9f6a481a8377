"""What users say the keys of their logs mean, and which metric an unknown key is nearest to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from difflib import get_close_matches
from functools import cache

from weaklink.base.errors import UsageError
from weaklink.base.evidence.common_names import list_common_names
from weaklink.base.evidence.metrics import COLUMNS, METRICS
from weaklink.base.evidence.run import Run

CLOSE = 0.75
"""How alike two names must be, by difflib's ratio: `ep_returns` and `ep_return` are, `loss` and `cost` are not."""


def check_metric(metric: str) -> str:
    """The metric, which must be one of the vocabulary.

    Raises:
        UsageError: it is none.
    """
    if metric in METRICS or metric.startswith(COLUMNS):
        return metric
    nearest = find_nearest_metric(metric)
    meant = f" Do you mean {nearest}?" if nearest else ""
    raise UsageError(f"There is no metric '{metric}'.{meant} `weaklink explain metrics` lists them all.")


def name_series(run: Run, names: Mapping[str, str]) -> Run:
    """The run with some of its keys read as the metrics that the user says they are.

    Such a key comes before every other that means the same, which is then kept under its own name.
    """
    series, unknown = dict(run.series), dict(run.unknown)
    for key, metric in names.items():
        before = next((name for name, one in series.items() if one.provenance.key == key), None)
        found = unknown.pop(key, None) if before is None else series.pop(before)
        if found is None:
            continue
        if before != metric:  # another metric has not the sign and the scale of what the key was taken for
            scale = found.provenance.scale
            found = replace(found.scaled(1.0 / scale), provenance=replace(found.provenance, scale=1.0))
        replaced = series.get(metric)
        if replaced is not None:
            unknown[replaced.provenance.key] = replace(replaced, name=replaced.provenance.key)
        series[metric] = replace(found, name=metric)
    unused = {key: by for key, by in run.unused.items() if key in unknown}
    return replace(run, series=series, unknown=unknown, unused=unused)


def find_nearest_metric(key: str) -> str:
    """The metric whose name, or one of whose usual names, is nearest to a key; empty where none is near."""
    known = _list_known_names()
    for form in dict.fromkeys((_simplify(key), _simplify(key.replace("/", ".").rpartition(".")[2]))):
        close = get_close_matches(form, known, n=1, cutoff=CLOSE)
        if close:
            return known[close[0]]
    return ""


@cache
def _list_known_names() -> dict[str, str]:
    """Names in one form, and the metrics that they stand for; what the vocabulary itself says counts last."""
    usual = {_simplify(name): metric for name, metric in list_common_names()}
    tails = {_simplify(metric.rpartition(".")[2]): metric for metric in reversed(METRICS)}
    return {**tails, **usual, **{_simplify(metric): metric for metric in METRICS}}


def _simplify(name: str) -> str:
    return "".join(character if character.isalnum() else "_" for character in name.lower()).strip("_")
