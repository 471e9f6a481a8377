from __future__ import annotations

import pytest

from tests.samples.verifier import rewards
from weaklink.base.errors import UsageError
from weaklink.testing import HoledVerifier, check_verifier


def pays_a_part(completion, answer):
    return 1.0 if answer in completion else 0.0


def test_a_sound_verifier_holds():
    assert check_verifier(rewards.plain).style == "plain"


def test_a_hole_is_an_assertion_with_the_exploit():
    with pytest.raises(HoledVerifier, match="LLM314 pays_a_part pays 1 for every option listed") as caught:
        check_verifier(pays_a_part)
    assert isinstance(caught.value, AssertionError)
    assert caught.value.check.attempts
    assert check_verifier(pays_a_part, ignore=["LLM314"])


def test_what_is_never_paid_cannot_be_judged():
    with pytest.raises(UsageError, match="could not be judged"):
        check_verifier(lambda completion, answer: 0.0)
