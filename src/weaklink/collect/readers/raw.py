"""What a format reader finds in a file, before anyone knows what its names mean."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import msgspec

from weaklink.adapters.dialects import load_dialect, recognise, translate_keys
from weaklink.base.evidence.config import Config
from weaklink.base.evidence.dialect import Alias, Dialect
from weaklink.base.evidence.run import Run
from weaklink.base.evidence.series import Provenance, Series, SeriesBuilder
from weaklink.base.limits import LARGEST_STEP, LONGEST_KEY, LONGEST_SETTING, MOST_KEYS, MOST_SETTINGS
from weaklink.collect.readers._context import settle_names

OF_EPISODES = frozenset(("reward.episode_return", "task.episode_length"))
SCARCE, DENSE = 20, 3
"""Points below which a curve is hardly one, and how many times as many another one must have to be taken instead."""


class RawLog(msgspec.Struct):
    """Numbers by native key, hyper-parameters and remarks, as one file or folder holds them.

    `framework` is set only where the format itself tells it (`trainer_state.json`, `result.json`); otherwise the
    names do. `axis` is set only where the format tells what its steps count.
    """

    name: str = ""
    source: str = ""
    columns: dict[str, SeriesBuilder] = {}
    config: dict[str, Any] = {}
    notes: list[str] = []
    framework: str = ""
    axis: str = ""

    def column(self, key: str) -> SeriesBuilder:
        """The builder of a key's series, made at its first use; of one key too many, a builder that nobody asks."""
        builder = self.columns.get(key)
        if builder is None:
            shown = make_key_printable(key)
            builder = self.columns.get(shown)
            if builder is None and len(self.columns) < MOST_KEYS:
                builder = self.columns[shown] = SeriesBuilder()
            elif builder is None:
                builder = SeriesBuilder()
                self.notes[:] = dict.fromkeys(
                    (*self.notes, f"more than {MOST_KEYS} keys: the later ones were left out")
                )
        return builder

    def absorb(self, other: RawLog) -> None:
        """Takes in what another file of the same run adds; keys that are here already keep their own points."""
        for key, builder in other.columns.items():
            self.columns.setdefault(key, builder)
        for name, value in other.config.items():
            self.config.setdefault(name, value)
        self.notes.extend(other.notes)
        self.framework = self.framework or other.framework
        self.axis = self.axis or other.axis


def make_key_printable(key: str) -> str:
    """A key that any view can show: control characters and half characters marked, of bounded length."""
    key = key.strip()
    if not key.isprintable():
        key = "".join(character if character.isprintable() else "\ufffd" for character in key)
    return key[:LONGEST_KEY]


def parse_number(value: object) -> float | None:
    """A logged value as a number: strings such as "NaN" and "1e-3" too; None for what is no number."""
    if not isinstance(value, bool | int | float | str):
        return None
    try:
        return float(value)
    except (ValueError, OverflowError):
        return None


def assemble(raw: RawLog) -> Run:
    """Turns what a reader found into a run: names translated, signs and scales settled, the rest kept as unknown."""
    speaks = load_dialect(raw.framework) if raw.framework else recognise(raw.columns)
    config = Config.of(raw.config, raw.source)
    columns = {key: builder for key, builder in raw.columns.items() if len(builder) and not speaks.ignores(key)}
    meanings = _prefer_dense(translate_keys(speaks, columns, config), columns, speaks)
    series: dict[str, Series] = {}
    unknown: dict[str, Series] = {}
    for key, builder in columns.items():
        alias = meanings.get(key)
        if alias is None:
            unknown[key] = builder.build(key, Provenance(key, raw.axis or speaks.axis, framework=speaks.framework))
        else:
            series[alias.metric] = _translate(key, builder, alias, speaks, raw)
    run = Run(
        name=raw.name,
        series=series,
        unknown=unknown,
        config=config,
        framework=speaks.framework if speaks.framework != "common" else "",
        source=raw.source,
        notes=tuple(dict.fromkeys((*raw.notes, *_tell_limits(raw, config), *_note_replaced(columns)))),
        unused=dict(_find_unused(speaks, unknown, series)),
        earlier={
            alias.metric: builder.earlier
            for key, alias in meanings.items()
            if (builder := columns[key]).earlier is not None
        },
    )
    return settle_names(run)


def _prefer_dense(
    meanings: Mapping[str, Alias], columns: Mapping[str, SeriesBuilder], speaks: Dialect
) -> dict[str, Alias]:
    """The meanings with the record of every episode in the place of a few averages, where a log has both."""
    chosen = dict(meanings)
    for key, alias in meanings.items():
        if alias.metric not in OF_EPISODES or len(columns[key]) >= SCARCE:
            continue
        rivals = {other: found for other in columns if other not in chosen and (found := speaks.alias(other))}
        same = [other for other, found in rivals.items() if found.metric == alias.metric]
        densest = max(same, key=lambda other: len(columns[other]), default=key)
        if len(columns[densest]) >= DENSE * len(columns[key]):
            del chosen[key]
            chosen[densest] = rivals[densest]
    return chosen


def _tell_limits(raw: RawLog, config: Config) -> Iterator[str]:
    """What was left out of a log since it went beyond what any log has."""
    unplaced = sum(builder.unplaced for builder in raw.columns.values())
    if unplaced:
        yield f"{unplaced} points left out: their step is no number, or beyond {LARGEST_STEP:.1e}"
    if len(config.raw) >= MOST_SETTINGS:
        yield f"more than {MOST_SETTINGS} hyper-parameters: the later ones were left out"
    if any(isinstance(value, str) and len(value) >= LONGEST_SETTING for value in config.raw.values()):
        yield f"hyper-parameters of more than {LONGEST_SETTING} characters were cut off"


def _note_replaced(columns: Mapping[str, SeriesBuilder]) -> Iterator[str]:
    """A note on the points that were logged again from an earlier step on, by a resumed or a second training."""
    key = max(columns, key=lambda key: columns[key].replaced, default="")
    if key and columns[key].replaced > 0:
        yield (
            f"steps go back in the log: of {key}, {columns[key].replaced} points were left out because a resumed or "
            "second training logged their steps again; to judge the first one, keep its part in a file of its own"
        )


def _find_unused(
    speaks: Dialect, unknown: Mapping[str, Series], series: Mapping[str, Series]
) -> Iterator[tuple[str, str]]:
    """The keys left over whose metric another key gave already, each with that key."""
    for key in unknown:
        alias = speaks.alias(key) or load_dialect("common").alias(key)
        if alias is not None and alias.metric in series:
            yield key, series[alias.metric].provenance.key


def _translate(key: str, builder: SeriesBuilder, alias: Alias, speaks: Dialect, raw: RawLog) -> Series:
    provenance = Provenance(key, alias.axis or raw.axis or speaks.axis, alias.aggregation, framework=speaks.framework)
    series = builder.build(alias.metric, provenance)
    scale = alias.factor(series.values.tolist())
    return replace(series, provenance=replace(provenance, scale=scale)).scaled(scale)
