"""A training run as evidence: named series, hyper-parameters, and how its own measure of success moved."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from weaklink.base.evidence.config import Config, infer_family
from weaklink.base.evidence.gaps import Gap, find_holes
from weaklink.base.evidence.performance import Performance, measure_performance
from weaklink.base.evidence.series import Series

if TYPE_CHECKING:  # of a recording alone
    from weaklink.base.evidence.ranks import Ranks
    from weaklink.base.evidence.snapshots import Snapshots
    from weaklink.base.evidence.surveyed import SurveyedEnvironment
    from weaklink.base.finding import Finding

CUT_OFF = "was cut off and left out"
"""What the note of a reader says of a last row that ends in its middle."""

ENDED_BY = "the printed output ends with the exception"
"""What the note of a reader says of a program that an exception ended, with its name."""

MOSTLY_READ = 0.5
"""The share of the updates that were read at all which must have been read whole."""


@dataclass(frozen=True, eq=False)
class Run:
    """All that is known of one training run.

    `series` holds the metrics of the vocabulary by canonical name, `unknown` every other logged number under its
    own key; of these, `unused` names the keys whose metric another key gave already, with that key. `notes` tells what
    the reader had to do to the log (a torn last line, steps that went back, ...). `proven` is what a monitor found by
    recomputing inside of the loop, `checked` the codes of the rules that it asked there and that found nothing; `gaps`
    are the stretches that it could not measure. A series with a wide hole for that counts as missing.
    `readings` has, for each update of a loop written by hand that was looked at, what could not be read of it.
    `context` is what a recording was begun with (versions, command line, machine), `snapshots` what it pictured,
    `damaged_lines` how many of its lines could not be read, by what is wrong with them. `ranks` are the processes that
    trained together, where each left a recording, `surveyed` what a survey found wrong with its environment. `earlier`
    has the points of each metric whose steps a second training in the same log wrote again.
    """

    name: str
    series: Mapping[str, Series] = field(default_factory=dict)
    unknown: Mapping[str, Series] = field(default_factory=dict)
    config: Config = field(default_factory=Config)
    framework: str = ""
    source: str = ""
    notes: tuple[str, ...] = ()
    unused: Mapping[str, str] = field(default_factory=dict)
    proven: tuple[Finding, ...] = ()
    checked: tuple[str, ...] = ()
    gaps: tuple[Gap, ...] = ()
    readings: tuple[tuple[str, ...], ...] = ()
    context: Mapping[str, Any] = field(default_factory=dict)
    snapshots: Snapshots | None = None
    damaged_lines: Mapping[str, int] = field(default_factory=dict)
    ranks: Ranks | None = None
    surveyed: SurveyedEnvironment | None = None
    earlier: Mapping[str, Series] = field(default_factory=dict)

    def __contains__(self, name: object) -> bool:
        return name in self.series and len(self.series[str(name)]) > 0 and name not in self.holes

    def __getitem__(self, name: str) -> Series:
        return self.series[name]

    def get(self, *names: str) -> Series | None:
        """The first of these metrics that the run holds finite values of."""
        return next((self.series[name] for name in names if name in self), None)

    def matching(self, prefix: str) -> Iterator[Series]:
        """The series whose name starts with the prefix and that hold values, such as `reward.component.`."""
        return (series for name, series in self.series.items() if name.startswith(prefix) and name in self)

    @cached_property
    def unread(self) -> tuple[str, ...]:
        """What could not be read of its updates, where that is so of more than half of them; the most common first."""
        lacking = [each for each in self.readings if each]
        if len(lacking) <= MOSTLY_READ * len(self.readings):
            return ()
        return tuple(name for name, _ in Counter(each for one in lacking for each in one).most_common())

    @cached_property
    def family(self) -> str:
        """`on-policy`, `off-policy`, `language` or empty: from the configuration, else from what is logged."""
        return infer_family(self.config, self.series)

    @cached_property
    def settings(self) -> Config:
        """The configuration with what the log itself says of it: its learning rate, and the family of its algorithm."""
        rate = self.get("optimizer.learning_rate")
        logged = {} if rate is None else {"learning_rate": float(rate.highs.max())}
        tabular = {"tabular": True} if self._keeps_table() else {}
        return replace(self.config, values={**logged, **tabular, **self.config.values}, family=self.family)

    def _keeps_table(self) -> bool:
        """Whether values are corrected one by one, by errors that are logged where a network would have a loss.

        A `step_size` is what each such error is multiplied by; the rate of an optimizer is not called so.
        """
        network = any(name.endswith("loss") or name.startswith("optimizer.gradient") for name in self.series)
        rate = self.get("optimizer.learning_rate")
        return ("value.td_error" in self or (rate is not None and rate.provenance.key == "step_size")) and not network

    @cached_property
    def performance(self) -> Performance | None:
        """How the run's own measure of success moved, or None where none is logged or it is too short."""
        return measure_performance({name: series for name, series in self.series.items() if name not in self.holes})

    @cached_property
    def holes(self) -> dict[str, Gap]:
        """The series that nothing is known of over a wide stretch because a monitor left it out, with that stretch."""
        return find_holes(self.series, self.gaps)

    @cached_property
    def last_step(self) -> float:
        """The last step at which anything was logged."""
        return max((series.last_step for series in self.series.values() if len(series)), default=0.0)

    def progress(self, metric: str, step: float) -> float:
        """The place of a step of this metric in the run, from 0 to 1, so that unlike step axes can be compared."""
        series = self.series.get(metric)
        first, last = self._reach.get(series.provenance.axis if series else "", (0.0, self.last_step))
        return (step - first) / max(last - first, 1e-12)

    @cached_property
    def _reach(self) -> dict[str, tuple[float, float]]:
        """The first and the last step of each step axis; a metric that ends early does not end the run."""
        reach: dict[str, tuple[float, float]] = {}
        for series in self.series.values():
            lost = series.nonfinite
            steps = [*series.steps[:1], *series.steps[-1:], *((lost.first_step, lost.last_step) if lost else ())]
            if steps:
                first, last = reach.get(series.provenance.axis, (0.0, 0.0))
                reach[series.provenance.axis] = min(first, *steps), max(last, *steps)
        return reach
