"""The stage on which a language trainer is probed: the tiny model, what the loss asks of it, and what it became."""

from __future__ import annotations

import contextlib
import copy
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import torch

from weaklink.adapters.torch.generators import keep_draws
from weaklink.adapters.trl import tiny
from weaklink.base.errors import WeaklinkError
from weaklink.base.evidence.series import Array
from weaklink.base.evidence.tokens import CompletionPayment, ModelPass, TokenSettings, TokenTraining
from weaklink.base.outside.ownership import ScratchFolder

MOST_PASSES = 400
DISTANCE = 0.25

Reward = Callable[[tuple[str, ...], tuple[str, ...]], float]
"""From the words of a prompt and of its completion to what is paid."""


def trained(
    factory: Callable[..., Any], reward: Reward, prompts: Sequence[str], settings: TokenSettings, steps: int,
    *, displaced: bool = False, tools: bool = False,
) -> TokenTraining:  # fmt: skip
    """Trains once on the tiny model and hands over all that was seen."""
    tiny.go_offline()
    with ScratchFolder() as folder, _leave_undisturbed(settings.seed):
        tiny.save(folder.path, settings.seed)
        model, tokenizer = tiny.load(folder.path), tiny.make_tokenizer()
        still = tiny.load(folder.path).eval()
        still.requires_grad_(requires_grad=False)
        if displaced:
            tiny.displace_model(model, settings.seed, DISTANCE)
        start = copy.deepcopy(model).eval()
        rows = [tokenizer(prompt, add_special_tokens=False)["input_ids"] for prompt in prompts]
        seen = TokenTraining(settings, tiny.make_vocabulary(), tiny.WORDS, tuple(map(tuple, rows)))
        seen.before = _measure_first_tokens(model, rows)
        given = _make_settings(settings, copy.deepcopy(still) if settings.beta else None, tools)
        _train(factory, model, tokenizer, _make_reward_function(reward, seen), list(prompts), given, steps, seen)
        seen.after = _measure_first_tokens(model, rows)
    seen.reference, seen.start = _judge(still), _judge(start)
    return seen


def _make_settings(settings: TokenSettings, reference: Any, tools: bool) -> TokenSettings:
    import msgspec

    rollout = ToolRollout(settings) if tools else None
    return msgspec.structs.replace(settings, reference=reference, rollout=rollout)


def _train(
    factory: Callable[..., Any], model: Any, tokenizer: Any, reward: Any, prompts: list[str], settings: TokenSettings,
    steps: int, seen: TokenTraining,
) -> None:  # fmt: skip
    watch = model.base_model.register_forward_hook(_LogitListener(model, seen.passes), with_kwargs=True)
    try:
        made = factory(model, tokenizer, reward, prompts, settings)
        train = getattr(made, "train", made)
        if callable(train):
            train(steps)
    except WeaklinkError:
        raise
    except (Exception, SystemExit) as error:
        seen.raised = error
    finally:
        watch.remove()


@contextlib.contextmanager
def _leave_undisturbed(seed: int) -> Iterator[None]:
    """Draws from the seed, and leaves the generators and what transformers says as they were."""
    from transformers.utils import logging as words

    level, bars = words.get_verbosity(), words.is_progress_bar_enabled()
    words.set_verbosity_error()
    words.disable_progress_bar()
    try:
        with keep_draws(seed):
            yield
    finally:
        words.set_verbosity(level)
        if bars:
            words.enable_progress_bar()


class _LogitListener:
    """A hook on the body of the model that keeps what the loss asks of each logit.

    Some trainers make log-probabilities in pieces and never have logits. What the loss asks of the body's last numbers
    tells the same: there are fewer words than numbers, so the head's weights can be undone.
    """

    def __init__(self, model: Any, passes: list[ModelPass]) -> None:
        self._weights = model.get_output_embeddings().weight
        self._passes = passes
        self._sum: float | None = None
        self._updates = 0

    def __deepcopy__(self, memo: dict[int, Any]) -> _SilentListener:
        """A copy of the model is another model: its passes are not listened to."""
        return _SilentListener()

    def __call__(self, body: Any, arguments: tuple[Any, ...], named: dict[str, Any], answer: Any) -> None:
        last = getattr(answer, "last_hidden_state", None)
        ids = named.get("input_ids", arguments[0] if arguments else None)
        if last is None or ids is None or not last.requires_grad or len(self._passes) >= MOST_PASSES:
            return
        weights = _to_numbers(self._weights)
        now = float(weights.sum())
        self._updates += self._sum is not None and now != self._sum
        self._sum = now
        logits = _to_numbers(last) @ weights.T
        kept = ModelPass(self._updates, _to_numbers(ids), logits, np.zeros_like(logits))
        self._passes.append(kept)
        undone = np.linalg.pinv(weights)
        last.register_hook(lambda gradient: _add(kept, _to_numbers(gradient) @ undone))


class _SilentListener:
    """Listens to nothing."""

    def __call__(self, *_: Any) -> None:
        """Takes no notice."""


def _add(kept: ModelPass, gradient: Array) -> None:
    kept.gradient = kept.gradient + gradient


def _to_numbers(tensor: Any) -> Array:
    kind = torch.float64 if tensor.is_floating_point() else torch.int64
    return np.array(tensor.detach().to("cpu", kind).numpy())


def _make_reward_function(reward: Reward, seen: TokenTraining) -> Callable[..., list[float]]:
    """The reward function that the trainer is given: lists of texts in, a number each out."""

    def paid(prompts: Sequence[Any], completions: Sequence[Any], **_: Any) -> list[float]:
        rewards = []
        for prompt, completion in zip(prompts, completions, strict=True):
            asked, said = _read_words(prompt), _read_words(completion)
            rewards.append(reward(asked, said))
            seen.payments.append(CompletionPayment(asked, said, rewards[-1]))
        return rewards

    return paid


def _read_words(text: Any) -> tuple[str, ...]:
    """The words of a text or of a list of tokens, without those that pad and end."""
    words = text.split() if isinstance(text, str) else [tiny.WORDS[int(number)] for number in text]
    return tuple(word for word in words if word not in ("<pad>", "<end>"))


def _measure_first_tokens(model: Any, rows: list[list[int]]) -> Array:
    """How likely each word is to come first after each prompt."""
    was = model.training
    model.eval()
    with torch.no_grad():
        answers = [model(input_ids=torch.tensor([row])).logits[0, -1] for row in rows]
    model.train(was)
    return _to_numbers(torch.softmax(torch.stack(answers).double(), dim=-1))


def _judge(model: Any) -> Callable[[Sequence[Sequence[int]]], list[Array]]:
    """Gives the logits that a model has for each token of whole rows, without padding."""

    def logits(rows: Sequence[Sequence[int]]) -> list[Array]:
        with torch.no_grad():
            return [_to_numbers(model(input_ids=torch.tensor([list(row)])).logits[0]) for row in rows]

    return logits


class ToolRollout:
    """Completions in which a tool speaks after the model's first two words."""

    def __init__(self, settings: TokenSettings) -> None:
        self._temperature = settings.temperature
        self._longest = settings.longest
        self._known = tiny.make_vocabulary()

    def __call__(self, model: Any, prompts: Sequence[Sequence[int]]) -> list[tuple[list[int], list[int]]]:
        """For each prompt the tokens of one completion, and which of them are the model's own."""
        return [self._one(model, list(prompt), number) for number, prompt in enumerate(prompts)]

    def _one(self, model: Any, prompt: list[int], number: int) -> tuple[list[int], list[int]]:
        said: list[int] = []
        own: list[int] = []
        while len(said) < self._longest and (not said or said[-1] != self._known.end):
            if len(said) == 2:
                said.append(self._known.tools[number % len(self._known.tools)])
                own.append(0)
                continue
            with torch.no_grad():
                logits = model(input_ids=torch.tensor([prompt + said])).logits[0, -1] / self._temperature
            said.append(int(torch.multinomial(torch.softmax(logits.float(), dim=-1), 1)))
            own.append(1)
        return said, own
