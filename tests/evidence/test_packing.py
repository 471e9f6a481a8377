from __future__ import annotations

from typing import Any

import msgspec
import numpy as np
import pytest

from tests.worlds import box, discrete, play, sweep, world
from weaklink.base.evidence.endings import VectorMembers
from weaklink.base.evidence.packing import pack_part, unpack_survey
from weaklink.base.evidence.spaces import Space
from weaklink.base.evidence.survey import (
    ActionMasks,
    CheckerComplaint,
    Play,
    Survey,
    SurveyFault,
    SwallowedError,
)

NOT_PACKED = ("config",)


def same(one: Any, other: Any) -> bool:
    """Equal all the way down; arrays in type and shape too. Lists stand for tuples where nothing says which."""
    if isinstance(one, np.ndarray):
        return (
            one.dtype == other.dtype
            and one.shape == other.shape
            and np.array_equal(one, other, equal_nan=one.dtype.kind == "f")
        )
    if isinstance(one, msgspec.Struct):
        names = [name for name in one.__struct_fields__ if name not in NOT_PACKED]
        return type(one) is type(other) and all(same(getattr(one, name), getattr(other, name)) for name in names)
    if isinstance(one, dict):
        return list(one) == list(other) and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list | tuple):
        return len(one) == len(other) and all(map(same, one, other))
    return bool(one == other) and type(one) is type(other)


def full() -> Survey:
    """A survey with something in every field."""
    rng, none = np.random.default_rng(0), np.empty(0, dtype=np.int64)
    odd = play("random", components={"reward_x": rng.normal(size=5000)}, metrics={"height": np.full(5000, np.nan)})
    odd = msgspec.structs.replace(
        odd, rewards=np.where(np.arange(5000) == 7, np.inf, odd.rewards), raw_rewards=odd.rewards
    )
    return world(
        observation=Space(kind="dict", parts={"x": box(2, -1, 1), "t": Space(kind="tuple", parts={"0": discrete(3)})}),
        seen_columns=(0, 2),
        complaints=(CheckerComplaint(source="us", level="warn", text="odd", about="out of bounds"),),
        faults=(SurveyFault(kind="hung", stage="play", call="step", step=4, message="late", where=("a:1 in f",)),),
        plays={"random": odd, "empty": Play(policy="empty", rewards=np.empty(0), lengths=none, ends=none)},
        sweeps=(sweep(), sweep(1, still=np.ones((6, 5), dtype=bool))),
        swallowed=(SwallowedError(kind="log", text="a", where="b", times=3, steps=5),),
        members=VectorMembers(count=4, framework="sb3", twins=((0, 1), (2, 3)), ends=5),
        masks=ActionMasks(source="info", invalid=0.5, invalid_taken=0.4, states=9),
        notes=("one", "two"),
        seconds=1.5,
        shaping="s",
        goal_metric="m",
    )


def fields_of(survey: Survey) -> dict[str, Any]:
    return {name: getattr(survey, name) for name in survey.__struct_fields__ if name not in NOT_PACKED}


def test_a_survey_taken_apart_and_put_together_is_the_same():
    whole = full()
    assert same(whole, unpack_survey([pack_part(fields_of(whole))]))
    one_by_one = [pack_part({name: value}) for name, value in fields_of(whole).items()]
    assert same(whole, unpack_survey(one_by_one))
    assert same(whole, unpack_survey([pack_part({"action": whole.action, **fields_of(whole)})], name="made"))


def test_what_is_the_same_can_differ():
    whole = full()
    moved = msgspec.structs.replace(whole.plays["random"], rewards=whole.plays["random"].rewards + 1e-9)
    assert not same(whole, msgspec.structs.replace(whole, plays={**whole.plays, "random": moved}))
    assert not same(whole, msgspec.structs.replace(whole, notes=("one",)))


def test_parts_add_up():
    first, second = play("random"), play("search", level=3.0)
    parts = [
        pack_part({"plays": {"random": first}, "complaints": (), "seconds": 1.0, "in_place": ""}),
        pack_part({"plays": {"search": second}, "seconds": 4.0}),
        pack_part({"notes": ("late",), "faults": (SurveyFault(kind="died", stage="play"),)}),
        pack_part({"faults": (SurveyFault(kind="raised", stage="play"),), "in_place": "observation[0]"}),
    ]
    survey = unpack_survey(parts, name="made", shaping="s")
    assert list(survey.plays) == ["random", "search"]
    assert same(survey.plays["search"], second)
    assert [fault.kind for fault in survey.faults] == ["died", "raised"]
    assert (survey.name, survey.shaping, survey.seconds, survey.notes) == ("made", "s", 4.0, ("late",))
    assert survey.in_place == "observation[0]"
    assert survey.complaints == ()


def test_what_was_not_reached_stays_unknown():
    survey = unpack_survey([], name="made")
    assert same(survey, Survey(name="made"))
    assert survey.complaints is None
    assert survey.swallowed is None
    assert "random" not in survey
    assert "resets" not in survey


def test_a_later_part_of_a_play_replaces_it():
    survey = unpack_survey(
        [pack_part({"plays": {"random": play(level=1.0)}}), pack_part({"plays": {"random": play(level=9.0)}})], name=""
    )
    assert same(survey.plays["random"], play(level=9.0))


def test_numpy_numbers_become_plain_and_other_things_are_refused():
    survey = unpack_survey(
        [pack_part({"facts": {"max_episode_steps": np.int64(5), "reward_threshold": np.float32(0.5)}})], name=""
    )
    assert survey.facts == {"max_episode_steps": 5, "reward_threshold": 0.5}
    assert type(survey.facts["max_episode_steps"]) is int
    with pytest.raises(NotImplementedError, match="object"):
        pack_part({"facts": {"thing": object()}})
