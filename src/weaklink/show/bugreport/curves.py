"""Curves in text: a sparkline and what the metric was early, in the middle and late."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from weaklink.base.evidence.performance import MEASURES
from weaklink.base.evidence.run import Run
from weaklink.base.evidence.series import Series
from weaklink.judge.diagnosis.diagnosis import Diagnosis
from weaklink.show.allowing import is_allowed_name
from weaklink.show.bugreport.pen import MarkdownPen
from weaklink.show.sparkline import draw_sparkline
from weaklink.show.text import count_noun, format_number, format_step
from weaklink.show.wording import find_own_key
from weaklink.verbs.bugreport import Judgement

WIDTH = 24
SHARE = 0.1
"""Of the points, for each of the three values."""
MOST_KEYS = 12

MATTER = (
    "task.episode_length", "task.success_rate", "policy.kl", "policy.clip_fraction", "policy.loss",
    "exploration.entropy", "exploration.relative_entropy", "exploration.temperature", "exploration.epsilon",
    "value.explained_variance", "value.loss", "value.q_mean", "optimizer.gradient_norm", "optimizer.learning_rate",
    "reward.std", "reward.group_std", "reward.zero_spread_fraction", "task.completion_length",
    "task.truncated_fraction", "system.env_steps_per_second",
)  # fmt: skip
"""What maintainers look at first, after the return."""


def write_lines(judgement: Judgement, pen: MarkdownPen) -> Iterator[str]:
    """A table of the metrics that matter and of those that findings name."""
    run = judgement.run
    drawn = [] if run is None else choose_series(run, judgement.diagnosis)
    if run is None or not drawn:
        return
    rows = [_make_row(series, run, pen) for series in drawn]
    head = ("metric", "curve", "early", "middle", "late", "from step", "to step")
    yield from pen.table(head, rows, right=range(2, 7))
    unknown = [key for key in run.unknown if key not in run.unused]
    shown = [key for key in unknown if is_allowed_name(key)]
    if shown:
        named = ", ".join(pen.code(key) for key in shown[: min(pen.most, MOST_KEYS)])
        yield from ("", f"Logged as well, under names that weaklink does not know: {named}.")
    if len(unknown) > len(shown):
        yield from ("", f"{count_noun(len(unknown) - len(shown), 'key')} of the log under names of one's own left out.")


def choose_series(run: Run, diagnosis: Diagnosis) -> list[Series]:
    """The return first, then what the findings name, then what matters otherwise."""
    named = [one.metric for finding in diagnosis.findings for one in finding.evidence]
    wanted = dict.fromkeys((*MEASURES[:3], *named, *MEASURES[3:], *MATTER))
    return [series for name in wanted if (series := run.get(name)) is not None]


def _make_row(series: Series, run: Run, pen: MarkdownPen) -> tuple[str, ...]:
    curve = draw_sparkline(series, WIDTH)
    key = find_own_key(series.name, run)
    early, middle, late = average_parts(series)
    return (
        pen.name(series.name) + (f" ({pen.name(key)})" if key else ""),
        "" if curve is None else f"`{curve.drawn}`",
        format_number(early),
        format_number(middle),
        format_number(late),
        format_step(float(series.steps[0])),
        format_step(series.last_step),
    )


def average_parts(series: Series) -> tuple[float, float, float]:
    """The mean of the first, the middle and the last tenth of the points."""
    values = series.values
    few = max(1, round(SHARE * len(values)))
    centre = (len(values) - few) // 2
    return (
        float(np.mean(values[:few])),
        float(np.mean(values[centre : centre + few])),
        float(np.mean(values[-few:])),
    )
