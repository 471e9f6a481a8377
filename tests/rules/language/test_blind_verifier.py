from __future__ import annotations

from tests.rules.language.verifiers import attempt, checked, form
from weaklink.base.evidence.verifier import (
    AGAIN,
    BEHAVIOUR,
    COMPANY,
    NOTATION,
    RAISED,
    SPACING,
    VERBATIM,
    UnsteadyScore,
)
from weaklink.base.finding import Level
from weaklink.judge.rules._registry import find_rule

RULE = find_rule("LLM315")


def changed(how, first, second):
    return UnsteadyScore(how=how, kind="empty", prompt="?", text="42", first=first, second=second, span=1.0)


def sick():
    return [
        checked(form("a newline at the end", SPACING, "42\n", 0.0)),
        checked(form("a newline at the end", SPACING, "42\n", None, failed=RAISED, error="ValueError: no")),
        checked(form("other names", BEHAVIOUR, "def f(x): ...", 0.0)),
        checked(form("trailing zero", NOTATION, "42.0", 1.0), form("thousands separator", NOTATION, "1,860", 0.0)),
        checked(form("the answer as it stands", VERBATIM, "1,860", 0.0)),
        checked(unsteady=(changed(AGAIN, 0.0, 1.0),), repeated=80),
        checked(unsteady=(changed(COMPANY, 0.5, 0.0),)),
        checked(domains=(), given=True, levels={"right": 0.0, "wrong": 0.0, "lowest": 0.0, "highest": 0.0}),
    ]


def healthy():
    return [
        checked(form("a newline at the end", SPACING, "42\n", 1.0), attempt("empty", "", 0.0)),
        # to the letter by contract: no other notation at all
        checked(*(form(kind, NOTATION, kind, 0.0) for kind in ("trailing zero", "unit", "full stop"))),
        # a length penalty of little weight
        checked(form("comments and blank lines", BEHAVIOUR, "# ...", 0.9)),
        # forms of questions that it may not be made for
        checked(form("a newline at the end", SPACING, "42\n", 0.0, domain="text")),
        checked(unsteady=(changed(AGAIN, 1.0, 1.001),)),
        checked(form("a newline at the end", SPACING, "42\n", 0.0), unsteady=(changed(COMPANY, 1.0, 1.001),)),
        checked(domains=(), levels={"right": 0.0, "wrong": 0.0, "lowest": 0.0, "highest": 0.0}),
        checked(domains=(), given=True, levels={"right": 1.0, "wrong": 1.0, "lowest": 0.0, "highest": 1.0}),
        checked(
            domains=(), given=True, answerless=True, levels={"right": 0.0, "wrong": 0.0, "lowest": 0.0, "highest": 0.0}
        ),
    ]


def test_spacing_is_a_warning_and_notation_worth_knowing():
    levels = [RULE.ask(check)[0].level for check in sick()[:4]]
    assert levels == [Level.WARN, Level.WARN, Level.WARN, Level.INFO]


def test_the_refused_form_is_shown_with_what_it_got():
    (finding,) = RULE.ask(sick()[0])
    assert "a newline at the end: '42\\n' gets 0 where the plain '42' gets 1" in finding.message


def test_noise_that_is_accepted():
    check = checked(unsteady=(changed(AGAIN, 0.5, 0.55),))
    assert RULE.ask(check) is not None
    assert RULE.ask(check, {"steady": 0.1}) is None
