from __future__ import annotations

from typing import get_args

import pytest

from weaklink.base.errors import UsageError
from weaklink.judge.diagnosis.symptoms import SYMPTOMS, find_symptom
from weaklink.judge.rules._declarations import SymptomName
from weaklink.judge.rules._registry import load_rules

ORDERS = {
    "reward flat": "REW307 REW301 DAT101 VAL103 POL102 OPT308 RET102 POL302 "
    "OPT307 POL303 EXP309 OPT306 EXP301 VAL304 EXP303 OPT302 OBS302 ACT301 "
    "ACT302 ENV301 ENV302 VAL309 EXP310 REW308 DAT303 OBS301 REW309 REW310",
    "reward plateaus": "REW302 REW306 EXP301 POL306 POL308 VAL310",
    "reward oscillates": "REW303 REW307 EXP304 POL301 POL303 VAL301",
    "high reward, bad behaviour": "REW305 LLM311 LLM304 LLM302 REW306 EVA305 ENV302",
    "about as good as random": "REW301 DAT101 POL102 EXP309 RET102 OPT302 POL302 OPT306 EXP303 VAL304 "
    "OBS301 OBS302 ACT301 ACT304",
    "reward declines": "EXP301 EXP302 REW304 REW305 POL307 POL303 VAL302 POL309 OPT309 POL310",
    "evaluation worse than training": "EVA303 REW305 EVA306 LLM362 EVA307",
    "nan": "OPT300 OPT301 OPT305 VAL302 RET301 RET101",
    "entropy collapsed": "EXP301 EXP302 VAL307 POL301 POL303 REW307",
    "q-values diverge": "VAL302 VAL303 VAL304 VAL301 VAL305 REW307 RET101",
    "too slow": "SYS301 SYS302 SYS401 SYS306",
}


def test_rules_are_looked_at_in_the_order_that_they_declare():
    assert {each.name: " ".join(each.codes) for each in SYMPTOMS} == ORDERS
    assert [each.name for each in SYMPTOMS] == list(get_args(SymptomName))


@pytest.mark.parametrize("each", SYMPTOMS, ids=lambda each: each.name)
def test_every_symptom_is_known_by_its_name_and_has_rules(each):
    assert find_symptom(each.name.upper()) is each
    assert set(each.codes) <= set(load_rules())
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
    assert find_symptom(text).name == name


@pytest.mark.parametrize("text", ["", " ", "purple"])
def test_what_nobody_knows(text):
    with pytest.raises(UsageError, match="Known are: reward flat; "):
        find_symptom(text)
