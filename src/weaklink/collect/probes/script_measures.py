"""What can be measured of a script from outside: what it did, and what it logged."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from weaklink.base.evidence.outcome import AgentBehaviour, Measure
from weaklink.base.evidence.series import Array, Series
from weaklink.collect.probes.probe import CONTINUOUS, Probe
from weaklink.collect.probes.questions import measure_behaviour, measure_forbidden, measure_luck
from weaklink.collect.probes.recording import LATE
from weaklink.collect.probes.script_logs import ScriptLogs
from weaklink.collect.probes.world import World

FEWEST_IN_STATE = 20
FEWEST_POINTS = 3
END = 0.25
"""The part of a log that counts as its end."""

LEANS = 0.6
"""How far the middle of continuous actions must lie towards the right end of their range, from 0 to 1."""

WITH_NOISE = 0.15
"""How much further from the target the middle of the actions may lie than a trained action: noise is in it."""

STILL_RANDOM = 0.3
"""Above this share of random actions what was done says little about what was learned."""

LEFT_OF_LOSS, LEFT_OF_START = 0.1, 0.25
"""How much of the loss of a value that knows nothing may be left, and how much of the loss that was logged first.

Frameworks differ in the loss by a factor of two or four, and a distributional one does not end at zero.
"""

EXPLAINED = 0.5
VARIES = 0.5
SLOW_GAMMA = 0.95
"""With a discount closer to 1 an endless task takes longer to learn than a rung lasts, so its loss is no proof."""

SETTLED = 0.8
"""A loss whose end is at least this part of what came before it no longer falls."""

LEFT_OF_CUTS = 0.15
"""How much may be left, in an endless task, of the loss that comes from taking time limits for ends."""

VALUE_LOSS, LOSSES = "value loss", ("value.loss", "value.q_loss")
"""What is measured at the end of a log, and the metrics of which the first that is there tells it."""

SHIFTED_PAIRING = "shifted-pairing"
"""The rung about rows that are no steps of an episode."""

TAKEN_FOR_ENDS = "time limit taken for a terminal"


def list_measures(
    probe: Probe, rows: Array, done: AgentBehaviour, logs: ScriptLogs, gamma: float, *, resets_stored: bool = False
) -> tuple[Measure, ...]:
    """Everything that rows and logs can be held against.

    Resets that are stored as transitions change the values of every problem, so these are measured where that is what
    the rung is about, and blamed on nothing else.
    """
    actions = tuple(_measure_actions(probe, rows, done, logs))
    if resets_stored and probe.name != SHIFTED_PAIRING:
        return actions
    return (*actions, *_measure_values(probe, rows, logs, gamma))


def wants_values(probe: Probe) -> bool:
    """Whether values can be judged from a log: where choices matter, trying wrong ones adds to every loss."""
    return "value" in probe.world.asked and probe.world.choices < 2


def _measure_actions(probe: Probe, rows: Array, done: AgentBehaviour, logs: ScriptLogs) -> Iterator[Measure]:
    asked = probe.world.asked
    if "allowed" in asked:
        yield measure_forbidden(done)
    if "distance" in asked:
        yield from _measure_distances(probe, rows)
    if "chance" in asked and done.late is not None:
        yield measure_luck(done)
    if "action" in asked and probe.acts == CONTINUOUS:
        yield from _measure_leanings(probe, rows)
    elif "action" in asked and done.late is not None and compute_random_share(logs) <= STILL_RANDOM:
        yield measure_behaviour(probe, done)


def compute_random_share(logs: ScriptLogs) -> float:
    """The share of random actions at the end, as far as it was logged."""
    epsilon = logs.get("exploration.epsilon")
    return 0.0 if epsilon is None or not len(epsilon) else _average_end(epsilon)


def _list_middles(probe: Probe, rows: Array) -> Iterator[tuple[int, float]]:
    """For each state the middle of the actions late in training."""
    late = rows[len(rows) - int(LATE * len(rows)) :]
    for state in probe.world.visited:
        taken = late[late[:, 0] == state, 2]
        if len(taken) >= FEWEST_IN_STATE:
            yield state, float(np.median(taken))


def _measure_distances(probe: Probe, rows: Array) -> Iterator[Measure]:
    for state, action in _list_middles(probe, rows):
        yield Measure(
            what="distance",
            where=f"{probe.world.labels[state]}, late in training",
            measured=probe.distance(state, action),
            right=0.0,
            low=0.0,
            high=probe.world.tolerance + WITH_NOISE,
        )


def _measure_leanings(probe: Probe, rows: Array) -> Iterator[Measure]:
    for state, action in _list_middles(probe, rows):
        options = probe.world.right(state)
        if not options:
            continue
        lean = probe.lean(action) if options[0] == 1 else 1.0 - probe.lean(action)
        yield Measure(
            what="behaviour",
            where=f"{probe.world.labels[state]}, late in training",
            measured=lean,
            right=1.0,
            low=LEANS,
            high=1.0,
            mistakes={"the opposite": 0.0, "chance": 0.5},
        )


def _measure_values(probe: Probe, rows: Array, logs: ScriptLogs, gamma: float) -> Iterator[Measure]:
    world = probe.world
    if not wants_values(probe) or not len(rows) or (logs.are_soft and world.goes_on):
        return
    visits = np.bincount(rows[:, 0].astype(int), minlength=world.states) / len(rows)
    values, wrong = world.values(gamma)
    loss = logs.get(*LOSSES)
    if not world.rows().truncated.any():
        yield from _measure_loss(loss, values, visits)
    elif gamma <= SLOW_GAMMA:
        yield from _measure_loss_at_cuts(world, loss, wrong[TAKEN_FOR_ENDS], gamma)
    yield from _measure_explained(logs.get("value.explained_variance"), values, visits)
    yield from _measure_mean(probe, logs.get("value.mean", "value.q_mean"), values, visits, wrong, gamma)


def _measure_loss(series: Series | None, values: Array, visits: Array) -> Iterator[Measure]:
    if series is None or not _enough(series):
        return
    unlearned = float(visits @ values**2)
    start = float(series.values[: max(1, len(series) // 4)].max()) if len(series) else 0.0
    spread = unlearned - float(visits @ values) ** 2
    yield Measure(
        what=VALUE_LOSS,
        where="end of the log",
        measured=_average_end(series),
        right=0.0,
        low=-1e-9,
        high=max(LEFT_OF_LOSS * unlearned, LEFT_OF_START * start),
        mistakes={
            "never learned": unlearned,
            **({"the same value everywhere": spread} if spread > VARIES * unlearned else {}),
        },
    )


def _measure_loss_at_cuts(world: World, series: Series | None, wrong: Array, gamma: float) -> Iterator[Measure]:
    """Where time limits are taken for ends, states that look the same have different targets, and a loss stays."""
    if series is None or not _enough(series):
        return
    rows, by_look = world.rows(), dict(zip(world.kinds.tolist(), wrong.tolist(), strict=True))
    values = np.array([by_look[look] for look in range(rows.looks)])
    targets = rows.reward + gamma * ~(rows.terminated | rows.truncated) * values[rows.following]
    left = float(rows.weight @ (targets - values[rows.seen]) ** 2)
    if _average_end(series) > LEFT_OF_CUTS * left and not _settled(series):
        return
    yield Measure(
        what=VALUE_LOSS,
        where="end of the log",
        measured=_average_end(series),
        right=0.0,
        low=-1e-9,
        high=LEFT_OF_CUTS * left,
        mistakes={TAKEN_FOR_ENDS: left},
    )


def still_falls(logs: ScriptLogs) -> bool:
    """Whether the loss of the values that was logged is still on its way down."""
    loss = logs.get(*LOSSES)
    return loss is not None and _enough(loss) and not _settled(loss)


def _settled(series: Series) -> bool:
    """Whether it no longer falls at its end."""
    if _lost(series):
        return True
    last = max(1, int(END * len(series)))
    return _average_end(series) >= SETTLED * float(np.median(series.values[-2 * last : -last]))


def _measure_explained(series: Series | None, values: Array, visits: Array) -> Iterator[Measure]:
    square = float(visits @ values**2)
    if series is None or not _enough(series) or square - float(visits @ values) ** 2 < VARIES * square:
        return
    yield Measure(
        what="explained variance",
        where="end of the log",
        measured=_average_end(series),
        right=1.0,
        low=EXPLAINED,
        high=1.0 + 1e-6,
        mistakes={"the same value everywhere": 0.0, "never learned": 0.0},
    )


def _measure_mean(
    probe: Probe, series: Series | None, values: Array, visits: Array, wrong: dict[str, Array], gamma: float
) -> Iterator[Measure]:
    if series is None or not _enough(series):
        return
    mean = float(visits @ values)
    bands = [probe.world.band(state, float(value), gamma) for state, value in enumerate(values)]
    low, high = (float(visits @ np.array(side)) for side in zip(*bands, strict=True))
    yield Measure(
        what="value",
        where="mean over what was seen, end of the log",
        measured=_average_end(series),
        right=mean,
        low=low - probe.world.tolerance,
        high=high + probe.world.tolerance,
        mistakes={name: float(visits @ each) for name, each in wrong.items()},
    )


def _enough(series: Series) -> bool:
    return len(series) >= FEWEST_POINTS or _lost(series)


def _lost(series: Series) -> bool:
    return series.nonfinite is not None and series.nonfinite.tail > 0


def _average_end(series: Series) -> float:
    """The usual value at the end; NaN where it ends in NaN."""
    if _lost(series) or not len(series):
        return float("nan")
    return float(np.median(series.values[-max(1, int(END * len(series))) :]))
