from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from weaklink.base.evidence.config import Config, infer_family
from weaklink.base.patterns import compile_late
from weaklink.judge.rules._hyperparameters import read_positive
from weaklink.judge.rules.writing import MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule

_LAYERS = compile_late(r"net_arch|hidden_sizes|fcnet_hiddens|hidden_dims|hidden_layers")
_WRITTEN = compile_late(r"(?:net_arch|pi|vf|qf|hidden_sizes)['\"]?\s*[=:]\s*\[([\d,\s]+)\]")
_SATURATING = ("sigmoid", "softmax", "hardsigmoid")
_SAME = ("zeros", "ones", "constant", "zero")

# numbers of a flat observation for which a layer of over 1,024 units is out of proportion
SMALL_INPUT = 100


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
    """The network is too small or too large for its spaces, or badly set up.

    ## What it sees
    A hidden layer with fewer than 8 units, with fewer units than there are actions, or with more than 10 inputs per
    unit; a layer of more than 1,024 units for a small flat observation; more than 6 hidden layers; a sigmoid between
    hidden layers; weights that all start at the same value.

    ## Why it is bad
    A narrow layer is a bottleneck. A huge one is slow and memorises the few states that it has seen. Sigmoids make
    gradients vanish, and weights that start equal stay equal.

    ## What to do
    1. Use two layers of 64 units (on-policy) or 256 units (off-policy) for flat observations of up to a few hundred
       numbers.
    2. Use tanh or ReLU between layers, and orthogonal or the library's default initialisation.
    3. Make the network larger only after the critic has failed to fit a fixed batch.

    ## How to prove it
    Train only the critic on the returns of one fixed rollout: a network that is large enough fits them.
    `weaklink confirm OPT103 my_project.py` does this.

    ## When it is wrong
    Wide critics are right for some off-policy methods. With feature extractors in front of these layers (convolutions,
    transformers) the number of inputs means nothing.

    ## References
    Andrychowicz et al., What Matters In On-Policy Reinforcement Learning?, 2020.
    """
    if infer_family(config, ()) == "language":
        return None
    layers = list(_read_layers(config))
    problems = [*_judge_initialisation(config), *_judge_activation(config)]
    if not layers and not problems:
        return CannotTell(("network",), "the hidden layers are not known")
    inputs, actions = read_positive(config, "observation_size"), read_positive(config, "actions")
    least = max(narrowest, actions or 0)
    for widths in layers:
        problems += _judge_widths(widths, inputs, least, inputs_per_unit, widest)
        if len(widths) > deepest:
            problems.append((f"there are {len(widths)} hidden layers", float(len(widths)), deepest))
    if not problems:
        missing = CannotTell(("observation_size",), "the size of a network is judged by its inputs")
        return missing if inputs is None else None
    named = ", ".join(dict.fromkeys(text for text, _, _ in problems))
    return Finding(
        message=f"The network does not suit its task: {named}.",
        confidence=MEDIUM,
        evidence=tuple(
            Evidence(metric="network", value=value, limit=limit) for _, value, limit in dict.fromkeys(problems)
        ),
    )


def _judge_widths(
    widths: list[float], inputs: float | None, narrowest: float, inputs_per_unit: float, widest: float
) -> Iterator[tuple[str, float, float]]:
    """Hidden layers that are too narrow or too wide, each with its width and the limit."""
    least, most = min(widths), max(widths)
    if least < narrowest:
        yield f"a hidden layer has only {least:g} units", least, narrowest
    elif inputs is not None and least * inputs_per_unit < inputs:
        yield f"a layer of {least:g} units takes {inputs:,.0f} inputs", least, inputs / inputs_per_unit
    if most > widest and (inputs or 0) <= SMALL_INPUT:
        yield f"a hidden layer has {most:,.0f} units", most, widest


def _read_layers(config: Config) -> Iterator[list[float]]:
    """The hidden widths of each network in the configuration."""
    for key, value in {**config.raw, "network": config.values.get("network")}.items():
        if isinstance(value, str):
            written = value if "net_arch" in value else f"{key}={value}"
            for found in _WRITTEN.findall(written.replace("net_arch=[dict(", "(")):
                yield [float(width) for width in found.split(",") if width.strip()]
        elif key == "network" or _LAYERS.search(key.lower()):
            yield from _read_branches(value)


def _read_branches(value: Any) -> Iterator[list[float]]:
    if isinstance(value, Mapping):
        for part in value.values():
            yield from _read_branches(part)
    elif isinstance(value, list | tuple):
        widths = [float(one) for one in value if isinstance(one, int | float) and not isinstance(one, bool)]
        if widths:
            yield widths
        for part in value:
            if isinstance(part, Mapping | list | tuple):
                yield from _read_branches(part)


def _judge_activation(config: Config) -> Iterator[tuple[str, float, float]]:
    word = str(config.values.get("activation", "")).lower().rstrip("'>\"").rpartition(".")[2]
    if word in _SATURATING:
        yield f"{word} activations make gradients vanish between layers", 0.0, 0.0


def _judge_initialisation(config: Config) -> Iterator[tuple[str, float, float]]:
    for key, value in config.raw.items():
        if "init" in key.lower() and "weight" in key.lower() and str(value).lower() in _SAME:
            yield f"all weights start equal ({key} = {value})", 0.0, 0.0
