from __future__ import annotations

from tests.recoveries import episodic_course
from weaklink.judge.rules._registry import find_rule

RULE = find_rule("EXP207")


def sick():
    return [episodic_course("seeded anew")]


def healthy():
    # one that seeds what it plays beside the training, and puts the generator back
    return [episodic_course(), episodic_course("repeatable aside")]


def test_says_which_generator_it_is():
    assert "the random generator `torch cpu` is in the very same states" in RULE.ask(sick()[0]).message
