"""A new rule is one file: whoever needs to know of it finds it by what its decorator declares."""

from __future__ import annotations

import pytest

from weaklink import check_alerts
from weaklink.base.evidence.run import Run
from weaklink.judge.diagnosis.about import is_settled_at_once
from weaklink.judge.diagnosis.checklists import list_codes
from weaklink.judge.diagnosis.symptoms import find_symptom
from weaklink.judge.rules import _registry, policy
from weaklink.verbs import alerts
from weaklink.verbs.confirm._registry import find_designs

FILE = '''from __future__ import annotations

from weaklink.base.evidence.run import Run
from weaklink.base.finding import Answer, Level
from weaklink.base.loop import Link
from weaklink.base.proving import FALLS, Change, Intervention, Promise
from weaklink.judge.rules._declarations import BareLimit
from weaklink.judge.rules._registry import rule


@rule(
    "POL399",
    link=Link.POLICY,
    level=Level.WARN,
    needs=("policy.kl",),
    symptoms={"reward declines": 3},
    checks={"clipping": "decides"},
    experiment=Intervention(
        change=Change(setting="n_epochs", to=1),
        promise=Promise(metrics=("policy.kl",), then=FALLS),
        if_confirmed="Keep one epoch.",
        if_refuted="Look elsewhere.",
    ),
    alert=BareLimit(side="above", limit=2.0, metrics=("restlessness",), meaning="the policy is restless"),
    marks=("settled at once",),
)
def restless(run: Run) -> Answer:
    """The policy is restless."""
    return None
'''


@pytest.fixture
def new_rule(tmp_path, monkeypatch):
    file = tmp_path / "policy" / "restless.py"
    file.parent.mkdir()
    file.write_text(FILE)
    places = {*_registry.list_places(), "policy.restless"}
    caches = (_registry.load_rules, _registry.load_rules_on, _registry.load_rules_declaring, alerts._collect_limits)
    monkeypatch.setattr(_registry, "list_places", lambda: places)
    monkeypatch.setattr(policy, "__path__", [*policy.__path__, str(file.parent)])
    for each in caches:
        each.cache_clear()
    yield _registry.find_rule("restless")
    for each in caches:
        each.cache_clear()


def test_a_rule_is_known_everywhere_by_its_file_alone(new_rule):
    assert _registry.load_rules_on(Run)["POL399"] is new_rule
    assert find_symptom("reward declines").codes[:4] == ("EXP301", "EXP302", "REW304", "POL399")
    assert list_codes("clipping", "decides") == ["POL301", "POL399"]
    assert find_designs(new_rule)[0][1].changed == "n_epochs = 1"
    assert [alert.message for alert in check_alerts({"restlessness": 3.0})] == [
        "restlessness is 3, above 2: the policy is restless."
    ]
    assert is_settled_at_once("POL399")
