"""AdamW with states of other types than torch gives it, for measuring memory alone."""

from __future__ import annotations

import torch


class OwnAdam:
    """AdamW one parameter at a time: states of 32 bits or of 8, with or without a copy of the weights in 32 bits."""

    def __init__(self, parameters: list[torch.Tensor], *, master: bool = False, bits: int = 32) -> None:
        self.parameters, self.bits, self.master = parameters, bits, master
        self.copies = [p.detach().float() for p in parameters] if master else None
        self.states: list[list[torch.Tensor]] = []
        for p in parameters:
            if bits == 8:
                blocks = -(-p.numel() // 256)
                made = [torch.zeros(p.numel(), dtype=torch.uint8, device=p.device) for _ in range(2)]
                made += [torch.zeros(blocks, dtype=torch.float32, device=p.device) for _ in range(2)]
            else:
                made = [torch.zeros_like(p, dtype=torch.float32) for _ in range(2)]
            self.states.append(made)

    @torch.no_grad()
    def step(self) -> None:
        for place, p in enumerate(self.parameters):
            if p.grad is None:
                continue
            if self.bits == 8:  # a real kernel works in place, block by block; here only the bytes matter
                p.add_(p.grad, alpha=-1e-4)
                continue
            mean, square = self.states[place]
            mean.mul_(0.9).add_(p.grad, alpha=0.1)
            square.mul_(0.999).addcmul_(p.grad, p.grad, value=0.001)
            root = (square.sqrt() / 0.03).add_(1e-8)
            if self.copies is not None:
                self.copies[place].addcdiv_(mean, root, value=-1e-4)
                p.copy_(self.copies[place])
            else:
                p.add_(torch.div(mean, root, out=root), alpha=-1e-4)

    def zero_grad(self) -> None:
        for p in self.parameters:
            if p.grad is not None:
                if self.master:
                    p.grad.zero_()
                else:
                    p.grad = None
