"""Which dimension a softmax runs over, read off what a loss asks of its inputs."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from weaklink.collect.monitor.reading.softmax_dimensions import takes_softmax_over_actions

ROWS, CHOICES, ATOMS = 32, 3, 11


def pull(form: str, choices: int = CHOICES, small: float = 1.0) -> tuple[np.ndarray, np.ndarray]:
    """Outputs and gradients of a loss on value distributions; the form says what its softmax runs over."""
    torch.manual_seed(0)
    outputs = (small * torch.randn(ROWS, choices * ATOMS)).requires_grad_()
    shape, actions, atoms = ((ROWS, choices, ATOMS), 1, 2)
    if form.endswith("atom by atom"):
        shape, actions, atoms = ((ROWS, ATOMS, choices), 2, 1)
    table = outputs.view(shape)
    targets, taken = torch.rand(ROWS, ATOMS).softmax(1), torch.randint(choices, (ROWS,))
    if form.startswith("streams"):  # quantiles less their mean over the actions
        values = (table - table.mean(actions, keepdim=True)).select(actions, 0)
        loss = (values - targets).abs().mean(0).sum()
    else:
        logs = table.log_softmax(actions if form.startswith("actions") else atoms).movedim(actions, 1)
        loss = -(targets * logs[torch.arange(ROWS), taken]).sum(1).mean()
    loss.backward()
    assert outputs.grad is not None
    return outputs.detach().numpy().astype(np.float64), outputs.grad.numpy().astype(np.float64)


@pytest.mark.parametrize("small", [1.0, 0.1])
@pytest.mark.parametrize("form", ["actions", "actions atom by atom"])
def test_one_over_the_actions_is_told(form: str, small: float) -> None:
    assert takes_softmax_over_actions(*pull(form, small=small), CHOICES)


@pytest.mark.parametrize("form", ["atoms", "atoms atom by atom", "streams", "streams atom by atom"])
def test_other_losses_are_not_taken_for_one(form: str) -> None:
    assert not takes_softmax_over_actions(*pull(form), CHOICES)


def test_of_two_actions_nobody_knows() -> None:
    assert not takes_softmax_over_actions(*pull("actions", choices=2), 2)
