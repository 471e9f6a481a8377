from __future__ import annotations

import pytest

from weaklink.base.errors import UsageError
from weaklink.judge.diagnosis.symptoms import SYMPTOMS, symptom
from weaklink.judge.rules._registry import all_rules


@pytest.mark.parametrize("each", SYMPTOMS, ids=lambda each: each.name)
def test_every_symptom_is_known_by_its_name_and_has_rules(each):
    assert symptom(each.name.upper()) is each
    assert set(each.codes) <= set(all_rules())
    assert list(each.rule_names()) == list(each.codes)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("entropy collapse", "entropy collapsed"),
        ("policy collapse", "reward declines"),
        ("reward collapsed", "reward declines"),
        ("eval worse than train", "evaluation worse than training"),
        ("reward gets worse", "reward declines"),
        ("my agent does not learn", "reward flat"),
        ("does not learn", "reward flat"),
        ("it doesn\u2019t learn", "reward flat"),
        ("reward goes down", "reward declines"),
        ("the return is getting lower", "reward declines"),
        ("training is slower and slower", "too slow"),
    ],
)
def test_what_people_say(text, name):
    assert symptom(text).name == name


@pytest.mark.parametrize("text", ["", " ", "purple"])
def test_what_nobody_knows(text):
    with pytest.raises(UsageError, match="Known are: reward flat; "):
        symptom(text)
