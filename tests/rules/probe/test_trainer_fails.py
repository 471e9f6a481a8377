from __future__ import annotations

from pathlib import Path

import numpy as np

from tests.rules.probe.climbs import climb, every_other_failure, learned, lost, rung
from weaklink.base.finding import HIGH, MEDIUM, CannotTell
from weaklink.collect.probes.catalogue import find_probe
from weaklink.collect.probes.trial import trial
from weaklink.judge.rules._registry import find_rule

TRACEBACK = """Traceback (most recent call last):
  File "/home/me/train.py", line 80, in <module>
    main()
  File "/home/me/train.py", line 41, in update
    loss = torch.nn.functional.mse_loss(values, returns)
  File "/venv/lib/python3.12/site-packages/torch/nn/functional.py", line 3791, in mse_loss
    raise RuntimeError(message)
RuntimeError: The size of tensor a (64) must match the size of tensor b (2048)
"""
FATAL = """Fatal Python error: Segmentation fault

Current thread 0x00007f (most recent call first):
  File "/venv/lib/python3.12/site-packages/env/native.py", line 7 in step
  File "/home/me/collect.py", line 12 in rollout
  File "/home/me/train.py", line 80 in <module>
"""


def sick():
    return [
        climb(rung(lost("raised", "RuntimeError: sizes do not fit.", taken=64, printed=TRACEBACK))),
        climb(rung(lost("crashed", "ended with code 1: ValueError: bad"), learned(1), learned(2))),
        climb(rung(lost("died", "the whole process died: SIGSEGV", printed=FATAL))),
        climb(
            rung(learned()),
            rung(lost("raised", "KeyError: 'image'"), problem="MatchingActionDict", code="PRB119", name="spaces"),
        ),
    ]


def healthy():
    return every_other_failure("raised")


def test_says_what_was_raised_and_where_in_the_trainers_own_code():
    answer = find_rule("PRB120").ask(sick()[0])
    assert answer.message == (
        "The trainer fails on weaklink/ConstantReward-v0 after 64 steps: RuntimeError: sizes do not fit "
        "(/home/me/train.py:41 in update), in 1 of 1 training."
    )
    assert answer.verify == "weaklink probe train.py:train --only ConstantReward"


def test_a_fatal_error_is_told_the_other_way_round():
    assert "(/home/me/collect.py:12 in rollout)" in find_rule("PRB120").ask(sick()[2]).message


def test_compiled_code_of_a_library_is_not_the_trainers_own():
    """Cython says `numpy/random/_generator.pyx`: no folder tells that it is a library's."""

    def train(make_env, steps, seed):
        return np.random.default_rng(seed).choice(3, p=[0.5, 0.5])

    done = trial(train, find_probe("ConstantReward"), 100, 0)
    assert "_generator.pyx" in done.printed
    assert f"{Path(__file__).name}:{train.__code__.co_firstlineno + 1} in train)" in (
        find_rule("PRB120").ask(climb(rung(done))).message
    )


def test_what_fails_now_and_then_is_less_sure():
    now_and_then = find_rule("PRB120").ask(sick()[1])
    assert now_and_then.message.endswith("in 1 of 3 trainings.")
    assert (now_and_then.confidence, find_rule("PRB120").ask(sick()[0]).confidence) == (MEDIUM, HIGH)


def test_no_training_is_no_proof():
    assert isinstance(find_rule("PRB120").ask(climb()), CannotTell)
    assert isinstance(find_rule("PRB120").ask(climb(rung())), CannotTell)
