from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from weaklink.base.evidence.config import Config, family_of
from weaklink.base.finding import MEDIUM, Answer, CannotTell, Evidence, Finding, Level
from weaklink.base.loop import Link
from weaklink.judge.rules._hyperparameters import positive
from weaklink.judge.rules._registry import rule

_LAYERS = re.compile(r"net_arch|hidden_sizes|fcnet_hiddens|hidden_dims|hidden_layers")
_WRITTEN = re.compile(r"(?:net_arch|pi|vf|qf|hidden_sizes)['\"]?\s*[=:]\s*\[([\d,\s]+)\]")
_SATURATING = ("sigmoid", "softmax", "hardsigmoid")
_SAME = ("zeros", "ones", "constant", "zero")


@rule(
    "OPT103",
    link=Link.OPTIMIZER,
    level=Level.INFO,
    on=Config,
    leads_to=("VAL304", "OPT302", "REW301", "EVA303"),
    experiment="the critic alone",
)
def network_size(
    config: Config,
    *,
    narrowest: float = 8,
    inputs_per_unit: float = 10,
    widest: float = 1024,
    deepest: float = 6,
) -> Answer:
    """The network is too small or too large for what goes in and out of it, or cannot carry a gradient.

    ## What it sees
    A hidden layer of fewer than 8 units, of fewer units than there are actions, or with more than 10 inputs
    to a unit; a layer of more than 1,024 units for a small flat observation; more than 6 hidden layers; a
    sigmoid between hidden layers; weights that all start at the same value.

    ## Why it is bad
    A narrow layer is a bottleneck that no training widens. A huge one is slow, and learns the few states it
    has seen by heart. Sigmoids flatten the gradient, and equal weights stay equal for ever.

    ## What to do
    1. Use two layers of 64 units (on-policy) or 256 units (off-policy) for flat observations of up to some
       hundred numbers.
    2. Use tanh or ReLU between layers, and orthogonal or the library's default initialisation.
    3. Make the network larger only after the critic has failed to fit a fixed batch.

    ## How to prove it
    Train the critic alone on the returns of one fixed rollout: a network that is large enough fits them.
    `weaklink confirm OPT103 my_project.py` does this.

    ## When it is wrong
    Wide critics are right for some off-policy methods, and feature extractors in front of these layers
    (convolutions, transformers) make the count of inputs meaningless.

    ## References
    Andrychowicz et al., What Matters In On-Policy Reinforcement Learning?, 2020.
    """
    if family_of(config, ()) == "language":
        return None
    layers = list(_layers(config))
    troubles = [*_initial(config), *_activation(config)]
    if not layers and not troubles:
        return CannotTell(("network",), "the hidden layers are not stated")
    inputs, actions = positive(config, "observation_size"), positive(config, "actions")
    for widths in layers:
        least, most = min(widths), max(widths)
        if least < max(narrowest, actions or 0):
            troubles.append((f"a hidden layer has only {least:g} units", least, max(narrowest, actions or 0)))
        elif inputs is not None and least * inputs_per_unit < inputs:
            troubles.append((f"{inputs:,.0f} inputs meet a layer of {least:g} units", least, inputs / inputs_per_unit))
        if most > widest and (inputs or 0) <= 100:
            troubles.append((f"a hidden layer has {most:,.0f} units", most, widest))
        if len(widths) > deepest:
            troubles.append((f"there are {len(widths)} hidden layers", float(len(widths)), deepest))
    if troubles:
        said = ", ".join(dict.fromkeys(text for text, _, _ in troubles))
        return Finding(
            message=f"The network fits its task badly: {said}.",
            confidence=MEDIUM,
            evidence=tuple(
                Evidence(metric="network", value=value, limit=limit) for _, value, limit in dict.fromkeys(troubles)
            ),
        )
    if inputs is None:
        return CannotTell(("observation_size",), "a network is large or small against its spaces")
    return None


def _layers(config: Config) -> Iterator[list[float]]:
    """The hidden widths of each network that the configuration states."""
    for key, value in {**config.raw, "network": config.values.get("network")}.items():
        if isinstance(value, str):
            written = value if "net_arch" in value else f"{key}={value}"
            for found in _WRITTEN.findall(written.replace("net_arch=[dict(", "(")):
                yield [float(width) for width in found.split(",") if width.strip()]
        elif key == "network" or _LAYERS.search(key.lower()):
            yield from _branches(value)


def _branches(value: Any) -> Iterator[list[float]]:
    if isinstance(value, Mapping):
        for part in value.values():
            yield from _branches(part)
    elif isinstance(value, list | tuple):
        widths = [float(one) for one in value if isinstance(one, int | float) and not isinstance(one, bool)]
        if widths:
            yield widths
        for part in value:
            if isinstance(part, Mapping | list | tuple):
                yield from _branches(part)


def _activation(config: Config) -> Iterator[tuple[str, float, float]]:
    word = str(config.values.get("activation", "")).lower().rstrip("'>\"").rpartition(".")[2]
    if word in _SATURATING:
        yield f"{word} activations flatten the gradient between layers", 0.0, 0.0


def _initial(config: Config) -> Iterator[tuple[str, float, float]]:
    for key, value in config.raw.items():
        if "init" in key.lower() and "weight" in key.lower() and str(value).lower() in _SAME:
            yield f"all weights start equal ({key} = {value})", 0.0, 0.0
