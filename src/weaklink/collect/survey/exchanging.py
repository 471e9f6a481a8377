"""An attribute that a reset draws is given the value of another episode: who notices, the observation or the reward?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec
import numpy as np

from weaklink.base.evidence.held import ExchangedAttribute, Flags
from weaklink.base.evidence.protocols import Environment
from weaklink.base.evidence.series import Array
from weaklink.base.evidence.spaces import sample_space, unflatten_rows
from weaklink.collect.survey.attributes import HeldAttribute, describe_larger, find_attributes
from weaklink.collect.survey.comparisons import TOLERANCE, Trajectory, record_steps
from weaklink.collect.survey.session import OutOfMemory, SurveySession, SurveyStopped

EXCHANGING = "exchanged attributes"
"""The stage in which an environment is altered: what becomes of it then is not its fault."""

PAIRS = 8
STEPS = 150
FIRST_SEED = 3000
MOST_ATTRIBUTES = 8
LARGEST = 8
"""Numbers of an attribute: a goal, a command, a setting. What is larger is a course of events drawn in advance."""


def exchange_attributes(session: SurveySession) -> dict[str, Any]:
    """Exchanges every attribute that stays the same through an episode and is drawn anew by each reset.

    Asked of deterministic environments that can be made anew: the one that is changed is thrown away.
    """
    held = session.held
    if held is None or not session.deterministic or not session.fresh:
        return {}
    drawn = {name: held.drawn[columns] for name, columns in held.attributes.items() if held.drawn[columns].any()}
    one = session.make()
    found = []
    beside = _find_maps(one)
    chosen = [each for each in find_attributes(one.inner) if 0 < _count(drawn, each) <= LARGEST]
    for attribute in chosen[:MOST_ATTRIBUTES]:
        if session.over:
            break
        try:
            exchanged = _exchange(session, one, attribute, drawn[attribute.name])
            found.append(msgspec.structs.replace(exchanged, beside=beside))
        except (SurveyStopped, OutOfMemory):
            raise
        except Exception:  # an environment may raise where something was put into it that it never drew
            continue
    one.close()
    return {"exchanged": tuple(each for each in found if each.tried)}


def _find_maps(environment: Environment) -> str:
    """Something large that resets draw too: what is drawn may stand in it a second time, and be seen from there."""
    environment.reset(FIRST_SEED + 1)
    other = describe_larger(environment.inner, LARGEST)
    environment.reset(FIRST_SEED)
    own = describe_larger(environment.inner, LARGEST)
    return next((name for name, value in own.items() if other.get(name, value) != value), "")


def _count(drawn: dict[str, Flags], attribute: HeldAttribute) -> int:
    """How many numbers of an attribute can be exchanged: of an array some may be, of a tuple or a list all or none."""
    flags = drawn.get(attribute.name)
    if flags is None or len(flags) != attribute.size:
        return 0
    return int(flags.sum()) if attribute.is_array or flags.all() else 0


def _exchange(
    session: SurveySession, environment: Environment, attribute: HeldAttribute, drawn: Flags
) -> ExchangedAttribute:
    tried = shown = paid = reordered = 0
    for seed, actions in _list_courses(session, environment):
        if session.over:
            break
        environment.reset(seed + 1)
        other = attribute.take(environment.inner)
        environment.reset(seed)
        other = _mix(attribute.take(environment.inner), other, drawn)
        if np.array_equal(np.ravel(attribute.take(environment.inner)), np.ravel(other)):
            continue
        plain = record_steps(session, environment, seed, actions, [])
        alteration = _Alteration(environment, attribute, other)
        changed = record_steps(session, environment, seed, actions, [], between=alteration)
        if not alteration.put:
            continue
        tried += 1
        seen = _differ(plain.rows, changed.rows)
        shown += bool(seen.any())
        paid += _is_paid_otherwise(plain, changed)
        reordered += bool(seen.any()) and _is_reordered(plain, changed)
    return ExchangedAttribute(name=attribute.name, tried=tried, shown=shown, paid=paid, reordered=reordered)


def _list_courses(session: SurveySession, environment: Environment) -> Iterator[tuple[int, Sequence[Any]]]:
    """Starts and what is done from there: at random and, where it is known, what leads to a prize, by turns.

    Who never comes near a goal never notices where it is.
    """
    ways = list(session.ways.items())
    for pair in range(PAIRS):
        seed = FIRST_SEED + 2 * pair
        yield seed, unflatten_rows(environment.action, _draw_actions(session, environment, seed))
        yield from ways[pair : pair + 1]


def _draw_actions(session: SurveySession, environment: Environment, seed: int) -> Array:
    return sample_space(environment.action, STEPS, np.random.default_rng([session.plan.seed, seed]))


def _mix(own: Any, other: Any, drawn: Flags) -> Any:
    """What the attribute is given: the other value; of an array, the other numbers where a reset draws them."""
    if not isinstance(own, np.ndarray):
        return other
    mixed = own.copy()
    mixed.reshape(-1)[drawn] = np.reshape(other, -1)[drawn]
    return mixed


class _Alteration:
    """Gives an attribute another value when it is called for the first time, which is right after the reset."""

    def __init__(self, environment: Environment, attribute: HeldAttribute, value: Any) -> None:
        self._environment, self._attribute, self._value = environment, attribute, value
        self.put: bool | None = None

    def __call__(self) -> None:
        if self.put is None:
            self.put = self._attribute.put(self._environment.inner, self._value)


@np.errstate(invalid="ignore", over="ignore")
def _differ(first: Array, second: Array) -> Any:
    """Where two arrays of possibly different length are not the same, as far as both go."""
    steps = min(len(first), len(second))
    one, other = first[:steps], second[:steps]
    return ~((np.abs(one - other) <= TOLERANCE * (1.0 + np.abs(one))) | (np.isnan(one) & np.isnan(other)))


def _is_paid_otherwise(plain: Trajectory, changed: Trajectory) -> bool:
    """Whether a step before the last paid otherwise, by more than a constant, or one of the two terminated earlier."""
    steps = min(plain.steps, changed.steps)
    if _differ(plain.terminated, changed.terminated).any():
        return True
    ends = int(plain.ended or changed.ended)
    gaps = (plain.rewards[:steps] - changed.rewards[:steps])[: steps - ends]
    if not len(gaps) or not np.isfinite(gaps).all():
        return False
    return bool(_differ(plain.rewards[: len(gaps)], changed.rewards[: len(gaps)]).any() and np.ptp(gaps) > TOLERANCE)


def _is_reordered(plain: Trajectory, changed: Trajectory) -> bool:
    """Whether all observations have the same numbers in another order, and nothing else is changed."""
    if plain.steps != changed.steps or _differ(plain.rewards, changed.rewards).any():
        return False
    if _differ(plain.terminated, changed.terminated).any():
        return False
    return not _differ(np.sort(plain.rows, axis=1), np.sort(changed.rows, axis=1)).any()
