"""What the outputs of a policy network mean: a distribution over actions, as few functions of a batch."""

import math

import torch
import torch.nn.functional as functional
from torch import nn

HALF_LOG_TWO_PI = 0.5 * math.log(2 * math.pi)


class Categorical(nn.Module):
    """One choice, or several independent ones side by side; logits of masked choices are pushed to the bottom."""

    def __init__(self, choices: list[int], fault: str = "") -> None:
        super().__init__()
        self.choices, self.outputs, self.fault = choices, sum(choices), fault

    def _log_probabilities(self, out: torch.Tensor, mask: torch.Tensor | None = None) -> list[torch.Tensor]:
        if mask is not None:
            out = out.masked_fill(~mask, -1e8)
        if self.fault == "A02":  # a softmax before the distribution that makes one itself
            out = torch.softmax(out, dim=-1)
        parts = out.split(self.choices, dim=-1) if len(self.choices) > 1 else [out]
        return [functional.log_softmax(part, dim=-1) for part in parts]

    def sample(self, out: torch.Tensor, mask: torch.Tensor | None = None) -> torch.Tensor:
        logs = self._log_probabilities(out, mask)
        return torch.stack([(log - torch.empty_like(log).exponential_().log()).argmax(-1) for log in logs], dim=-1)

    def mode(self, out: torch.Tensor, mask: torch.Tensor | None = None) -> torch.Tensor:
        return torch.stack([log.argmax(-1) for log in self._log_probabilities(out, mask)], dim=-1)

    def log_prob(self, out: torch.Tensor, action: torch.Tensor, mask: torch.Tensor | None = None) -> torch.Tensor:
        logs = self._log_probabilities(out, mask)
        chosen = [log.gather(-1, action[..., i : i + 1])[..., 0] for i, log in enumerate(logs)]
        return chosen[0] if len(chosen) == 1 else torch.stack(chosen).sum(0)

    def entropy(self, out: torch.Tensor, mask: torch.Tensor | None = None) -> torch.Tensor:
        return torch.stack([-(log.exp() * log).sum(-1) for log in self._log_probabilities(out, mask)]).sum(0)


class Gaussian(nn.Module):
    """A mean for each dimension from the network, and one spread for all states."""

    def __init__(self, size: int, fault: str = "") -> None:
        super().__init__()
        self.outputs, self.fault = size, fault
        self.log_spread = nn.Parameter(torch.full((size,), -0.5))
        if fault == "W17":  # nearly no spread, and never any more
            self.log_spread = nn.Parameter(torch.full((size,), -6.0), requires_grad=False)

    def sample(self, mean: torch.Tensor, mask: None = None) -> torch.Tensor:
        return mean + self.log_spread.exp() * torch.randn_like(mean)

    def mode(self, mean: torch.Tensor, mask: None = None) -> torch.Tensor:
        return mean

    def log_prob(self, mean: torch.Tensor, action: torch.Tensor, mask: None = None) -> torch.Tensor:
        if self.fault == "W18":  # the spread is taken for a variance
            deviation = (action - mean) * (-0.5 * self.log_spread).exp()
        else:
            deviation = (action - mean) * (-self.log_spread).exp()
        return (-0.5 * deviation**2 - self.log_spread - HALF_LOG_TWO_PI).sum(-1)

    def entropy(self, mean: torch.Tensor, mask: None = None) -> torch.Tensor:
        return (self.log_spread + 0.5 + HALF_LOG_TWO_PI).sum().expand(mean.shape[0])


class SquashedGaussian:
    """A Gaussian put through tanh; the network gives mean and log spread."""

    def __init__(self, size: int, fault: str = "") -> None:
        self.size, self.outputs, self.fault = size, 2 * size, fault

    def _moments(self, out: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        mean, raw = out.split(self.size, dim=-1)
        return mean, -5.0 + 3.5 * (torch.tanh(raw) + 1.0)

    def sample(self, out: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """A draw that gradients flow through, and its log density."""
        mean, log_spread = self._moments(out)
        before = mean + log_spread.exp() * torch.randn_like(mean)
        if self.fault == "W19":  # the draw is cut off from the policy
            before = before.detach()
        return torch.tanh(before), self._log_density(mean, log_spread, before)

    def mode(self, out: torch.Tensor) -> torch.Tensor:
        return torch.tanh(self._moments(out)[0])

    def log_prob(self, out: torch.Tensor, action: torch.Tensor) -> torch.Tensor:
        return self._log_density(*self._moments(out), torch.atanh(action.clamp(-0.999999, 0.999999)))

    def _log_density(self, mean: torch.Tensor, log_spread: torch.Tensor, before: torch.Tensor) -> torch.Tensor:
        normal = -0.5 * ((before - mean) * (-log_spread).exp()) ** 2 - log_spread - HALF_LOG_TWO_PI
        if self.fault == "A04":  # tanh squeezes the density too, and that is left out
            return normal.sum(-1)
        return (normal - 2.0 * (math.log(2.0) - before - functional.softplus(-2.0 * before))).sum(-1)
