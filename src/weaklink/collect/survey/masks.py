"""Which actions the environment itself calls valid: only those are played, and whether it calls the right ones so."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from weaklink.base.evidence.masking import MASK_KEYS, ActionMasks
from weaklink.base.evidence.protocols import Environment, Stepped
from weaklink.base.evidence.spaces import sample_space, unflatten_rows
from weaklink.base.evidence.survey import Flags
from weaklink.collect.survey.mask_timing import MaskTiming
from weaklink.collect.survey.session import SurveySession

STATES = 300

SHIFTS = (0, -1, 1, -2, 2)
"""Places by which a mask is tried: numbering from one, in one place or in two."""

ALWAYS = 0.98
"""The share of invalid actions that must come to one and the same for that to be a refusal."""

FEWEST_STILL = 20
"""Steps that leave the observation as it was, from which on they are what is refused."""

FOR_REFUSAL = 20
"""Steps to look for a state with an invalid action: an empty board has none."""


class LegalPlay:
    """Puts a valid action in the place of each invalid one, in an environment that tells which are valid.

    A policy that masks never takes the others, and some environments raise where one is taken. Which action takes the
    place follows from the state and the action alone, so that what is played twice stays the same. An environment
    whose first reset shows no mask gets its own `step` back.
    """

    def __init__(self, environment: Environment) -> None:
        self._environment = environment
        self._reset, self.step_as_told = environment.reset, environment.step
        self._actions = unflatten_rows(environment.action, _list_choices(environment))
        self._mask: Flags | None = None
        self._is_first = True
        vars(environment).update(reset=self.reset, step=self.step)

    def reset(self, seed: int | None = None) -> tuple[Any, Mapping[str, Any]]:
        """Begins an episode."""
        observation, info = self._reset(seed)
        self.look(observation, info)
        if self._is_first and self._mask is None:
            vars(self._environment).update(reset=self._reset, step=self.step_as_told)
        self._is_first = False
        return observation, info

    def step(self, action: Any) -> Stepped:
        """Makes a step with the action or with the valid one in its place."""
        result = self.step_as_told(self.choose(action))
        self.look(result[0], result[4])
        return result

    def look(self, observation: object, info: object) -> None:
        """Reads the mask of the present state."""
        self._mask = read_mask(self._environment, observation, info)[1]

    def choose(self, action: Any) -> Any:
        """The action where it is valid or none is, else a valid one."""
        place = int(action) - self._environment.action.first[0]
        if self._mask is None or self._mask[place] or not self._mask.any():
            return action
        valid = np.flatnonzero(self._mask)
        return self._actions[int(valid[place % len(valid)])]

    def refuses(self) -> bool:
        """Whether a step with an invalid action raises, in the first state that has one."""
        try:
            if not self._reach_invalid():
                return False
        except Exception:  # what raises with valid actions is found by those who play
            return False
        try:
            self.step_as_told(self._actions[int(np.flatnonzero(~self._valid)[0])])
        except Exception:
            return True
        return False

    @property
    def _valid(self) -> Flags:
        return np.ones(1, dtype=bool) if self._mask is None else self._mask

    def _reach_invalid(self) -> bool:
        """Whether a state was reached in which some actions are valid and others are not."""
        self._environment.reset(0)
        for _ in range(FOR_REFUSAL if self._mask is not None else 0):
            if self._valid.any() and not self._valid.all():
                return True
            _, _, terminated, truncated, _ = self.step(self._actions[0])
            if terminated or truncated:
                return False
        return False


def find_legal_play(environment: Environment) -> LegalPlay | None:
    """What chooses valid actions for an environment; None where it tells of none."""
    play = getattr(environment.reset, "__self__", None)
    return play if isinstance(play, LegalPlay) else None


def refuses_invalid(environment: Environment) -> bool:
    """Whether an environment raises where an action is taken that its own mask calls invalid."""
    play = find_legal_play(environment)
    return play is not None and play.refuses()


def obey_masks(environment: Environment) -> Environment:
    """The environment, which from now on is asked for valid actions only, where it tells which are."""
    if environment.action.kind == "discrete" and getattr(environment, "vector", None) is None:
        LegalPlay(environment)
    return environment


def examine_masks(session: SurveySession, environment: Environment) -> dict[str, Any]:
    """Looks at the mask of each state on a random walk, valid or not; nothing where there are none.

    An environment that refuses an invalid action does right: the walk ends there.
    """
    if environment.action.kind != "discrete":
        return {}
    play = find_legal_play(environment)
    step = play.step_as_told if play is not None else environment.step
    first = environment.action.first[0]
    rows = sample_space(environment.action, STATES, session.rng)
    shares: list[float] = []
    steps: list[MaskedStep] = []
    timing = MaskTiming(environment)
    empty, revived, was_empty, source, is_valid = 0, 0, False, "", True
    try:
        observation, info = environment.reset(session.plan.seed)
        for row, action in zip(rows, unflatten_rows(environment.action, rows), strict=True):
            source, mask = read_mask(environment, observation, info)
            if mask is None:
                return {}
            timing.look(observation, mask)
            shares.append(1.0 - float(mask.mean()))
            place = int(row[0]) - first
            is_valid = bool(mask[place])
            revived += was_empty and bool(mask.any())
            was_empty = not mask.any()
            empty += was_empty
            before = freeze(observation)
            observation, reward, terminated, truncated, info = step(action)
            over = bool(terminated or truncated)
            steps.append(MaskedStep(mask, place, freeze(observation) == before, float(reward), over))
            session.steps += 1
            session.tick()
            if terminated or truncated:
                observation, info = environment.reset(None)
                timing.begin()
                was_empty = False
            if session.over:
                break
    except Exception as error:
        if is_valid:
            session.blame(error, "step")
            return {}
    return {"masks": _summarise(source, shares, steps, (empty, revived), timing.compare())} if steps else {}


class MaskedStep(NamedTuple):
    """A step with the mask of its state, the place of its action, and what it did."""

    mask: Flags
    place: int
    still: bool
    paid: float
    over: bool = False

    @property
    def outcome(self) -> tuple[bool, float, bool]:
        """What it came to."""
        return self.still, self.paid, self.over

    @property
    def is_valid(self) -> bool:
        """Whether the mask calls the action valid."""
        return bool(self.mask[self.place])


def _summarise(
    source: str, shares: list[float], steps: list[MaskedStep], none_valid: tuple[int, int], timing: tuple[int, int]
) -> ActionMasks:
    idle = {kind: [one.still for one in steps if one.is_valid is kind] for kind in (True, False)}
    return ActionMasks(
        source=source,
        invalid=float(np.mean(shares)),
        invalid_taken=float(np.mean([not one.is_valid for one in steps])),
        states=len(steps),
        empty=none_valid[0],
        revived=none_valid[1],
        valid_idle=(sum(idle[True]), len(idle[True])),
        invalid_idle=(sum(idle[False]), len(idle[False])),
        refused={shift: _count_refused(steps, shift) for shift in SHIFTS},
        late=timing[0],
        told=timing[1],
        valid_refused=_count_valid_refused(steps),
    )


def _count_valid_refused(steps: list[MaskedStep]) -> tuple[int, int]:
    """The valid actions that came to what the invalid ones always came to, by actions that are valid elsewhere."""
    refused = Counter(one.outcome for one in steps if not one.is_valid)
    outcome, times = max(refused.items(), key=lambda item: item[1], default=((False, 0.0, False), 0))
    still, paid, _ = outcome
    if times < ALWAYS * sum(refused.values()) or not still or not min(0.0, *(one.paid for one in steps)) == paid < 0.0:
        return 0, 0
    valid = [one for one in steps if one.is_valid]
    taken = {one.place for one in valid if one.outcome != outcome}
    return sum(one.outcome == outcome and one.place in taken for one in valid), len(valid)


def _count_refused(steps: list[MaskedStep], shift: int) -> tuple[int, int, int]:
    """How often the mask, read so many places further on, forbids just what is refused, of how many steps.

    And how many of these steps it forbids, read there. Refused is what leaves the observation as it was and always
    pays the same then; where nothing is, what pays least.
    """
    still, least = [one.paid for one in steps if one.still], min(one.paid for one in steps)
    by_stillness = len(still) >= FEWEST_STILL and len(set(still)) == 1
    refused = [one.still if by_stillness else one.paid <= least for one in steps]
    read = [
        (bool(one.mask[one.place + shift]), refusal)
        for one, refusal in zip(steps, refused, strict=True)
        if 0 <= one.place + shift < len(one.mask)
    ]
    return sum(valid is not refusal for valid, refusal in read), len(read), sum(not valid for valid, _ in read)


def freeze(observation: object) -> bytes:
    """An observation as bytes, without the mask in it."""
    if isinstance(observation, Mapping):
        return b"".join(freeze(value) for key, value in observation.items() if not MASK_KEYS.search(str(key)))
    return np.asarray(observation).tobytes()


def read_mask(environment: Environment, observation: object, info: object) -> tuple[str, Flags | None]:
    """The mask of the present state and where it came from: the info, the observation, or a method."""
    source, told = _find_mask(environment, observation, info)
    return source, None if told is None else np.asarray(told).reshape(-1).astype(bool)


def _find_mask(environment: Environment, observation: object, info: object) -> tuple[str, Any]:
    for source, place in (("info", info), ("observation", observation)):
        for key, told in place.items() if isinstance(place, Mapping) else ():
            if MASK_KEYS.search(str(key)) and _is_mask(environment, told):
                return f"{source}['{key}']", told
    method = getattr(environment.inner, "action_masks", None)
    told = method() if callable(method) else None
    return ("action_masks()", told) if _is_mask(environment, told) else ("", None)


def _is_mask(environment: Environment, told: Any) -> bool:
    """Whether it says yes or no to every action."""
    numbers = np.asarray(told)
    tells = numbers.dtype.kind in "biuf" and numbers.size == environment.action.choices[0]
    return tells and bool(np.isin(numbers, (0, 1)).all())


def _list_choices(environment: Environment) -> Any:
    first, count = environment.action.first[0], environment.action.choices[0]
    return np.arange(first, first + count, dtype=float).reshape(-1, 1)
