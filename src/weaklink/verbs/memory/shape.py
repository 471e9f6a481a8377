"""The shape of a decoder: its matrices, and how many parameters they hold."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from weaklink.base.errors import UsageError

TYPICAL_VOCABULARY = 32_000
TYPICAL_WIDTH_PER_LAYER = 128
TYPICAL_HEAD = 128
PARAMETERS_PER_SQUARE = 12
"""A layer of width h holds about 12 h² parameters: four h² in attention, eight in the rest (Kaplan et al. 2020)."""


class LayerMatrix(msgspec.Struct, frozen=True):
    """One kind of weight matrix of a layer: rows in, columns out, and how many of it a layer has."""

    name: str
    inputs: int
    outputs: int
    copies: int = 1

    @property
    def parameters(self) -> int:
        """All copies of it."""
        return self.inputs * self.outputs * self.copies


class ModelShape(msgspec.Struct, frozen=True, kw_only=True):
    """A decoder-only transformer. `parameters` overrides the number that the shape gives."""

    hidden: int
    layers: int
    heads: int
    kv_heads: int
    head_size: int
    intermediate: int
    vocabulary: int
    gated: bool = True
    tied: bool = False
    biased: bool = False
    fused_norm: bool = False
    positions: int = 0
    experts: int = 0
    active_experts: int = 0
    shared_intermediate: int = 0
    parameters_stated: float | None = None
    name: str = ""

    @property
    def attention_width(self) -> int:
        """All query heads side by side."""
        return self.heads * self.head_size

    @property
    def kv_width(self) -> int:
        """All key heads side by side."""
        return self.kv_heads * self.head_size

    @property
    def active_intermediate(self) -> int:
        """How wide the inner layer is for one token, all experts that it visits taken together."""
        return self.intermediate * max(1, self.active_experts) + self.shared_intermediate

    def matrices(self) -> Iterator[LayerMatrix]:
        """The weight matrices of one layer."""
        yield LayerMatrix("q", self.hidden, self.attention_width)
        yield LayerMatrix("k", self.hidden, self.kv_width)
        yield LayerMatrix("v", self.hidden, self.kv_width)
        yield LayerMatrix("o", self.attention_width, self.hidden)
        for wide, copies in ((self.intermediate, max(1, self.experts)), (self.shared_intermediate, 1)):
            if not wide:
                continue
            if self.gated:
                yield LayerMatrix("gate", self.hidden, wide, copies)
            yield LayerMatrix("up", self.hidden, wide, copies)
            yield LayerMatrix("down", wide, self.hidden, copies)
        if self.experts:
            yield LayerMatrix("router", self.hidden, self.experts)

    @property
    def layer_linear(self) -> float:
        """Parameters in the matrices of one layer."""
        return sum(matrix.parameters for matrix in self.matrices()) * self._scale

    @property
    def linear(self) -> float:
        """Parameters in the matrices of all layers: what is quantised, and what autocast copies."""
        return self.layers * self.layer_linear

    @property
    def layer(self) -> float:
        """Parameters of one layer."""
        return self.layer_linear + self._scale * (2 * self.hidden + self._layer_biases)

    @property
    def table(self) -> int:
        """Parameters of the embedding, the largest single one."""
        return self.vocabulary * self.hidden

    @property
    def tables(self) -> int:
        """Parameters of everything beside the layers."""
        return self.table * (1 if self.tied else 2) + self.positions * self.hidden + self.hidden

    @property
    def parameters(self) -> float:
        """All of them."""
        return self.layers * self.layer + self.tables

    @property
    def _layer_biases(self) -> int:
        return (2 * self.hidden + sum(matrix.outputs for matrix in self.matrices())) if self.biased else 0

    @property
    def _scale(self) -> float:
        """What the layers are stretched by so that the whole has the parameters that were stated."""
        if self.parameters_stated is None:
            return 1.0
        matrices = sum(matrix.parameters for matrix in self.matrices())
        own = self.layers * (matrices + 2 * self.hidden + self._layer_biases)
        return max(0.0, self.parameters_stated - self.tables) / own


def make_shape(
    *,
    parameters: float | None = None,
    hidden: int | None = None,
    layers: int | None = None,
    heads: int | None = None,
    kv_heads: int | None = None,
    intermediate: int | None = None,
    vocabulary: int | None = None,
    tied: bool = False,
) -> tuple[ModelShape, tuple[str, ...]]:
    """A shape from what is known of it, and notes on what had to be assumed."""
    if parameters is None and (hidden is None or layers is None):
        raise UsageError(
            "The model is not known: give --config with its config.json, or --parameters, or --hidden and --layers."
        )
    notes: list[str] = []
    if vocabulary is None:
        vocabulary = TYPICAL_VOCABULARY
        notes.append(f"a vocabulary of {vocabulary:,} is assumed: the logits grow with it")
    if layers is None:
        assert parameters is not None
        layers = _guess_layers(parameters, hidden)
        notes.append(f"{layers} layers are assumed")
    if hidden is None:
        assert parameters is not None
        exact = (parameters / (PARAMETERS_PER_SQUARE * layers)) ** 0.5
        hidden = max(TYPICAL_HEAD, round(exact / TYPICAL_HEAD) * TYPICAL_HEAD)
        notes.append(f"a width of {hidden:,} is assumed")
    heads = heads or max(1, hidden // TYPICAL_HEAD)
    if intermediate is None:
        intermediate = round(8 * hidden / 3)
        notes.append(f"an inner width of {intermediate:,} is assumed")
    shape = ModelShape(
        hidden=hidden,
        layers=layers,
        heads=heads,
        kv_heads=kv_heads or heads,
        head_size=max(1, hidden // heads),
        intermediate=intermediate,
        vocabulary=vocabulary,
        tied=tied,
        parameters_stated=parameters,
    )
    return check_shape(shape), tuple(notes)


def _guess_layers(parameters: float, hidden: int | None) -> int:
    if hidden is None:
        cubed: float = (parameters / (PARAMETERS_PER_SQUARE * TYPICAL_WIDTH_PER_LAYER**2)) ** (1 / 3)
        return max(1, round(cubed))
    return max(1, round(parameters / (PARAMETERS_PER_SQUARE * hidden**2)))


def check_shape(shape: ModelShape) -> ModelShape:
    """The shape, unless its numbers cannot be those of a model."""
    for name in ("hidden", "layers", "heads", "kv_heads", "head_size", "intermediate", "vocabulary"):
        if getattr(shape, name) <= 0:
            raise UsageError(f"{name} of the model must be more than 0, not {getattr(shape, name)}.")
    if shape.heads % shape.kv_heads:
        raise UsageError(
            f"The heads must be a multiple of the key and value heads: {shape.heads} is none of {shape.kv_heads}."
        )
    if shape.parameters_stated is not None and shape.parameters_stated <= shape.tables:
        raise UsageError(
            f"{shape.parameters_stated:,.0f} parameters are too few: the tables of {shape.vocabulary:,} words alone "
            f"hold {shape.tables:,}. Give --vocabulary, or --tied where one table serves for both ends."
        )
    return shape
