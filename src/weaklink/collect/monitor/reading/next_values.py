"""The next values that targets of replayed rows may be made of: what the networks were asked just before the loss."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from weaklink.base.evidence.rollout import Array
from weaklink.base.evidence.update import HeadAnswer, HeadCall, UpdateReading, is_part
from weaklink.base.reference.densities import gaussian_log_prob, squashed_log_prob
from weaklink.base.reference.divergences import log_softmax
from weaklink.collect.monitor.reading.policies import pull_logits
from weaklink.collect.monitor.reading.tape_rows import find_beside, find_following, find_unplaced

LARGEST, MEAN = "max", "mean over actions instead of the maximum"
OWN = "bootstrap from s instead of s'"
SWAPPED = "target network chooses the action, and the network that learns values it"
CHOSEN_AT_OWN = "next action chosen at s instead of s'"

UNCORRECTED = "uncorrected"
"""How readings of a log-probability begin that leave out what squashing does to it."""

ROUNDED = 1e-6
"""How far beyond -1 .. 1 an action may lie that was stretched to its bounds and back in single precision."""

AT_BOUND = 3e-5
"""How close to its bound a squashed action in single precision no longer tells what was drawn."""

EXPECTED = "expected under the policy"

SEVERAL = 0.9
"""The share of rows of which a policy's loss moves several entries: that of action values moves one."""

WEIGHED = " times parameter "
"""Stands in readings of a log-probability that are weighed with a temperature, before its number."""

SQUASHES: tuple[Callable[[Array], Array], ...] = (
    lambda raw: np.clip(raw, -20.0, 2.0),  # Stable-Baselines3, and most others
    lambda raw: np.asarray(-5.0 + 3.5 * (np.tanh(raw) + 1.0)),  # CleanRL
    lambda raw: np.asarray(np.log(np.maximum(np.logaddexp(0.0, raw), 1e-30))),  # a softplus, as minimalRL has it
)
"""How trainers make a log-std of what a network gives: within bounds, or of a spread above 0."""


@dataclass(slots=True, eq=False)
class NextValues:
    """Next values of the rows of one call, right ones and known wrong ones by name; log-probabilities by reading."""

    right: dict[str, Array] = field(default_factory=dict)
    wrong: dict[str, Array] = field(default_factory=dict)
    log_probs: dict[str, Array] = field(default_factory=dict)


def list_next_values(reading: UpdateReading, call: HeadCall, choices: int, dimensions: int) -> NextValues:
    """Everything that the networks answered for the same optimizer step, as next values.

    Args:
        reading: of the update.
        call: the pass that the loss was made of.
        choices: how many actions a head of action values has, 0 where actions are continuous.
        dimensions: of a continuous action, 0 for choices.
    """
    following = find_following(reading, call)
    found = NextValues()
    if choices:
        acting = find_policies(reading, choices)
        asked = _list_asked([each for each in following if each.head not in acting], choices)
        tables = [np.asarray(each.outputs, np.float64) for each in asked]
        # the network that learns is to choose, and a copy that does not learn to value
        _add_choices(
            found,
            tables,
            {
                (place, other)
                for place, one in enumerate(asked)
                if one.head == call.head
                for other, each in enumerate(asked)
                if each.head not in reading.heads
            },
        )
        own = _list_tables(find_beside(reading, call), choices)
        chosen = [_choose(one, other) for one in own for other in own if one is not other]
        for place, values in enumerate([*(table.max(axis=1) for table in own), *chosen]):
            found.wrong[number_name(OWN, place)] = values
        pairs = [(judging, choosing) for judging in tables for choosing in (*own, np.asarray(call.outputs, np.float64))]
        for place, (judging, choosing) in enumerate(pairs):
            found.wrong[number_name(CHOSEN_AT_OWN, place)] = _choose(judging, choosing)
        policies = _list_tables([each for each in following if each.head in acting], choices)
        for place, chance in enumerate(map(read_chances, policies)):
            _add_expected(found, tables, chance, place)
            logs = {str(place): np.sum(chance * np.log(np.maximum(chance, 1e-30)), axis=1)}
            found.log_probs |= _weigh(reading, call.step, logs)
        return found
    width = reading.tape.observations.shape[1] + dimensions
    critics = [each for each in following if each.inputs.shape[1] == width]
    _add_critics(found, [table[:, 0] for table in _list_tables(critics, 1)])
    beside = [each for each in find_beside(reading, call) if each.inputs.shape[1] == width]
    columns = [table[:, 0] for table in _list_tables(beside, 1)]
    if columns:
        found.wrong[OWN] = np.min(columns, axis=0)
    # the last layers of an actor may have been asked of features, which are on no tape
    actors = [each for each in following if each.inputs.shape[1] != width] + find_unplaced(reading, call)
    asked = critics or beside  # a next action may be judged at the observation before it, by mistake
    if asked and dimensions:
        drawn = asked[0].inputs[:, -dimensions:]
        unclear = np.any(np.abs(_squeeze(drawn, reading.tape.bounds)[0]) > 1.0 - AT_BOUND, axis=1)
        found_logs = list_log_probs(_outputs(actors), drawn, reading.tape.bounds)
        logs = {name: np.where(unclear, np.nan, each) for name, each in found_logs.items()}
        found.log_probs = _weigh(reading, call.step, logs)
    return found


def find_policies(reading: UpdateReading, choices: int) -> frozenset[str]:
    """Heads that hold the logits or the probabilities of so many choices, by what their losses ask of them."""
    found = set()
    for head in reading.heads:
        calls = [call for call in reading.of_head(head) if call.outputs.shape[1] == choices]
        asked = np.concatenate([call.gradients for call in calls]) if calls else np.zeros((0, choices))
        moved = np.count_nonzero(asked, axis=1)
        if np.any(moved) and np.mean(moved[moved > 0] > 1) > SEVERAL:
            found |= {head} if pull_logits(np.concatenate([call.outputs for call in calls]), asked) else set()
    return frozenset(found)


def read_chances(outputs: Array) -> Array:
    """(n, k) the probabilities of choices; a network may give their logits, or themselves."""
    plain = bool(np.all(outputs >= 0.0)) and np.allclose(outputs.sum(axis=1), 1.0, atol=1e-4)
    return np.asarray(outputs, np.float64) if plain else np.exp(log_softmax(np.asarray(outputs, np.float64)))


def _weigh(reading: UpdateReading, step: int, logs: dict[str, Array]) -> dict[str, Array]:
    """Log-probabilities weighed with each temperature that learns, which is another one at every step, and as they are.

    A temperature that is known makes the line exact.
    """
    rates = [np.exp(rate) for rate in read_rates(reading, step)]
    weighed = {
        f"{name}{WEIGHED}{place}": rate * each for name, each in logs.items() for place, rate in enumerate(rates)
    }
    return {**weighed, **logs}


def _add_expected(found: NextValues, tables: list[Array], chance: Array, place: int) -> None:
    """What the policy's next choice is worth on average, by the smaller of two networks or by one."""
    for number, table in enumerate(tables):
        found.right[f"{number_name(EXPECTED, place)} by {number + 1}"] = np.sum(chance * table, axis=1)
    pairs = [(one, other) for one in range(len(tables)) for other in range(one)]
    for one, other in pairs:
        smaller = np.minimum(tables[one], tables[other])
        found.right[f"{number_name(EXPECTED, place)} by {other + 1} and {one + 1}"] = np.sum(chance * smaller, axis=1)


def read_rates(reading: UpdateReading, step: int) -> list[float]:
    """Single numbers that no layer owns, such as the logarithm of a temperature, as a loss of that step saw them."""
    names = dict.fromkeys(each.name for each in reading.parameters if each.values.size == 1)
    later = ([each for each in reading.parameters if each.name == name and each.step >= step] for name in names)
    return [float(each[0].values.ravel()[0]) if each else np.nan for each in later]


def join_next_values(parts: Sequence[NextValues]) -> NextValues:
    """Those of several calls below each other; only what every call has."""

    def join(name: str) -> dict[str, Array]:
        tables: list[dict[str, Array]] = [getattr(part, name) for part in parts]
        shared = [key for key in tables[0] if all(key in table for table in tables)] if tables else []
        return {key: np.concatenate([table[key] for table in tables]) for key in shared}

    return NextValues(join("right"), join("wrong"), join("log_probs"))


def _outputs(answers: Sequence[HeadAnswer]) -> list[Array]:
    return [each.outputs for each in answers]


def number_name(name: str, place: int) -> str:
    """The name of a next value, with its number where it is not the first of its kind."""
    return name if place == 0 else f"{name} ({place + 1})"


def _list_tables(answers: Sequence[HeadAnswer], width: int) -> list[Array]:
    """The numbers of the answers of one width."""
    return [np.asarray(each.outputs, np.float64) for each in _list_asked(answers, width)]


def _list_asked(answers: Sequence[HeadAnswer], width: int) -> list[HeadAnswer]:
    """The answers of one width, each network's once: it answers the same as the layer inside it.

    Two networks may answer the same as well, right after one was copied into the other, and are two all the same.
    """
    found: list[HeadAnswer] = []
    for each in (answer for answer in answers if answer.outputs.shape[1] == width):
        nested = (other for other in found if is_part(each.head, other.head) or is_part(other.head, each.head))
        if not any(np.array_equal(each.outputs, other.outputs) for other in nested):
            found.append(each)
    return found


def _list_distinct(outputs: Sequence[Array], width: int) -> list[Array]:
    """The outputs of one width, each once."""
    found: list[Array] = []
    for each in outputs:
        table = np.asarray(each, np.float64)
        if table.shape[1] == width and not any(np.array_equal(table, other) for other in found):
            found.append(table)
    return found


def _add_choices(found: NextValues, tables: list[Array], swapped: set[tuple[int, int]]) -> None:
    """Plain and double Q-learning with every network in either part, and the known mistakes of the choice.

    Args:
        found: to which they are added.
        tables: (n, k) what each network answered.
        swapped: the pairs, by their places, of which the first must not value what the second chooses.
    """
    for place, table in enumerate(tables):
        found.right[number_name(LARGEST, place)] = table.max(axis=1)
        found.wrong[number_name(MEAN, place)] = table.mean(axis=1)
        found.wrong[number_name("minimum over actions instead of the maximum", place)] = table.min(axis=1)
        found.wrong[number_name("one maximum for the whole batch", place)] = np.full(len(table), table.max())
    pairs = [(one, other) for one in range(len(tables)) for other in range(len(tables)) if one != other]
    for place, (judging, choosing) in enumerate(pairs):
        values = _choose(tables[judging], tables[choosing])
        if (judging, choosing) in swapped:
            found.wrong.setdefault(SWAPPED, values)
        else:
            found.right[number_name("double", place)] = values


def _choose(judging: Array, choosing: Array) -> Array:
    return np.asarray(np.take_along_axis(judging, choosing.argmax(axis=1)[:, None], axis=1)[:, 0])


def _add_critics(found: NextValues, columns: list[Array]) -> None:
    if not columns:
        return
    if len(columns) > 1:
        found.right["min"] = np.min(columns, axis=0)
    for place, column in enumerate(columns):
        found.right[number_name("single", place)] = column
    if len(columns) > 1:
        found.right["mean"] = np.mean(columns, axis=0)
        found.wrong["maximum of the twins instead of the minimum"] = np.max(columns, axis=0)


def _squeeze(drawn: Array, bounds: Array | None) -> tuple[Array, float]:
    """Actions between -1 and 1, and the logarithm of what they were stretched by, added up over their dimensions."""
    drawn = np.asarray(drawn, np.float64)
    if bounds is None or bounds.shape[1] != drawn.shape[1] or not np.isfinite(bounds).all():
        return drawn, 0.0
    half = np.ptp(bounds, axis=0) / 2.0
    if float(np.abs(drawn).max(initial=0.0)) <= 1.0 and not np.all(half < 1.0):
        return drawn, 0.0
    return (drawn - bounds.mean(axis=0)) / np.maximum(half, 1e-30), float(np.sum(np.log(np.maximum(half, 1e-30))))


def undo_squashing(drawn: Array, bounds: Array | None) -> tuple[Array | None, float]:
    """Actions before tanh, and the logarithm of what they were stretched by; None where no tanh made them."""
    squeezed, stretch = _squeeze(drawn, bounds)
    if float(np.abs(squeezed).max(initial=0.0)) > 1.0 + ROUNDED:
        return None, stretch
    return np.arctanh(np.clip(squeezed, -1.0 + 1e-7, 1.0 - 1e-7)), stretch


def list_log_probs(outputs: Sequence[Array], drawn: Array, bounds: Array | None) -> dict[str, Array]:
    """Log-probabilities of drawn actions, for every reading of mean and log-std among what actors put out.

    Args:
        outputs: of actors.
        drawn: (n, d) actions, squashed into -1 .. 1 or stretched to the bounds of their space.
        bounds: (2, d) of the space; None where it has none.
    """
    dimensions = drawn.shape[1]
    before, stretch = undo_squashing(drawn, bounds)
    if before is None:
        return {}
    halves = _list_distinct(outputs, dimensions)
    pairs = [(one, other) for one in halves for other in halves if one is not other]
    pairs += [(each[:, :dimensions], each[:, dimensions:]) for each in _list_distinct(outputs, 2 * dimensions)]
    found, plain = {}, {}
    for place, (mean, raw) in enumerate(pairs):
        for kind, bound in enumerate(SQUASHES):
            std = np.exp(bound(raw))
            found[f"{place}.{kind}"] = squashed_log_prob(before, mean, std)
            if stretch:  # the density of the stretched action, where a trainer computes that
                found[f"{place}.{kind} stretched"] = found[f"{place}.{kind}"] - stretch
            plain[f"{UNCORRECTED} {place}.{kind}"] = gaussian_log_prob(before, mean, std)
    return {**found, **plain}
