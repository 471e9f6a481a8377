"""What a policy earned at the end of its training, to stand among the returns of baselines."""

from __future__ import annotations

from weaklink.base.evidence.run import Run
from weaklink.show.document import Box
from weaklink.show.figures import summarise_returns
from weaklink.show.subjects.preflight import draw_returns
from weaklink.show.text import count_noun, format_step

RETURNS = ("evaluation.return", "reward.episode_return")
"""What is a return as the baselines have it, the more exact one first."""

LAST = 5
"""The last fifth of a log is its end: long enough for a mean, short enough not to hold the learning itself."""

FEWEST = 3


def draw_trained(run: Run) -> Box | None:
    """The returns at the end of a run; None where too few were logged."""
    series = next((run[name] for name in RETURNS if name in run), None)
    last = 0 if series is None else max(len(series) // LAST, FEWEST)
    if series is None or len(series) < last:
        return None
    values = series.values[-last:]
    rows = f"last {count_noun(last, 'row')} of {series.name}, from step {format_step(float(series.steps[-last]))}"
    return draw_returns(summarise_returns("trained policy", "", values), rows)
