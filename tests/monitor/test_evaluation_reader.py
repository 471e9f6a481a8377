"""Which environments count as those of evaluations, heard from real steps and real optimizers."""

from __future__ import annotations

import torch

from tests.monitor.reading.evaluated_loop import Cart
from weaklink.adapters.gymnasium.listening import listen
from weaklink.adapters.gymnasium.tape import TapeRecorder
from weaklink.adapters.torch.capture import UpdateCapture
from weaklink.collect.monitor.evaluation_reader import EvaluationReader
from weaklink.collect.monitor.governor import Governor
from weaklink.collect.monitor.parts import PartRunner


def play_by_turns(turns: int, *, learns: bool) -> list[bool]:
    """Two carts stepped by turns, the first known to be trained in; which of them count as trained in afterwards."""
    recorder = TapeRecorder()
    forget = listen(recorder)
    capture = UpdateCapture(lambda: recorder.count)
    said: list[str] = []
    reader = EvaluationReader(recorder, PartRunner(said.append, lambda: 0.0), Governor())
    reader.capture = capture
    carts = [Cart(0.1), Cart(0.5)]
    weight = torch.nn.Parameter(torch.zeros(1))
    optimizer = torch.optim.SGD([weight], lr=0.1)
    try:
        for cart in carts:
            cart.reset(seed=0)
            cart.step([0.0])
        recorder.mark_training(recorder.read_stream(recorder._streams[id(carts[0])], 0))
        for _ in range(turns):
            for cart in carts:
                cart.step([0.0])
                if learns:
                    weight.sum().backward()
                    optimizer.step()
                    reader.turn()
        assert said == []
        return [recorder._streams[id(cart)].trains for cart in carts]
    finally:
        forget()
        capture.close()


def test_environments_that_are_trained_in_by_turns_are_no_evaluation_of_each_other() -> None:
    assert play_by_turns(3, learns=True) == [True, True]


def test_an_environment_beside_which_nothing_is_learned_is_one_of_evaluations() -> None:
    assert play_by_turns(3, learns=False) == [True, False]
