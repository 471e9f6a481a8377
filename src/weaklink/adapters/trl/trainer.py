"""TRL's trainers on the stage for language models: `trl:GRPO`, `trl:RLOO`."""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from weaklink.base.errors import UsageError
from weaklink.base.evidence.tokens import TokenSettings
from weaklink.base.evidence.traits import Traits
from weaklink.base.outside.ownership import ScratchFolder

KNOWN = {"GRPO": ("GRPOTrainer", "GRPOConfig"), "RLOO": ("RLOOTrainer", "RLOOConfig")}
FEW_UPDATES = 24
CHECKPOINTING = ("activation_checkpointing", "gradient_checkpointing")
"""The two names of one setting: Transformers renamed it, and warns of the older one."""


def trainer(name: str, settings: Mapping[str, Any] | None = None) -> Callable[..., Any]:
    """A factory as the probes of language models call it.

    Args:
        name: `GRPO` or `RLOO`.
        settings: fields of the trainer's config that differ from TRL's defaults, such as `{"loss_type": "grpo"}`.
    """
    if name not in KNOWN:
        raise UsageError(f"trl:{name} is not known. Of TRL there are {', '.join('trl:' + known for known in KNOWN)}.")

    def factory(model: Any, tokenizer: Any, reward: Any, prompts: list[str], chosen: TokenSettings) -> _DeferredTrainer:
        return _DeferredTrainer(name, model, tokenizer, reward, prompts, chosen, dict(settings or {}))

    factory.__name__ = f"trl:{name}"
    factory.traits = Traits(steps=FEW_UPDATES, language=True, tools=name == "GRPO")  # type: ignore[attr-defined]
    return factory


class _DeferredTrainer:
    """A trainer that is made once its number of updates is known."""

    def __init__(
        self, name: str, model: Any, tokenizer: Any, reward: Any, prompts: list[str], chosen: TokenSettings,
        own: dict[str, Any],
    ) -> None:  # fmt: skip
        self._name, self._model, self._tokenizer = name, model, tokenizer
        self._reward, self._prompts, self._chosen, self._own = reward, prompts, chosen, own

    def train(self, steps: int) -> None:
        """Makes and runs it; nothing is kept of what it writes."""
        with ScratchFolder() as folder, _silence():
            self._made(str(folder.path), steps).train()

    def _made(self, folder: str, steps: int) -> Any:
        import trl
        from datasets import Dataset

        kind, config = (getattr(trl, word) for word in KNOWN[self._name])
        extra = {"rollout_func": self._rolled} if self._chosen.rollout is not None else {}
        return kind(
            model=self._model,
            reward_funcs=self._reward,
            args=config(**self._arguments(folder, steps), **_choose_checkpointing(config)),
            train_dataset=Dataset.from_dict({"prompt": self._prompts}),
            processing_class=self._tokenizer,
            **extra,
        )

    def _arguments(self, folder: str, steps: int) -> dict[str, Any]:
        """The user's own, and over them what a rung needs to be what it is."""
        chosen = self._chosen
        own = {"learning_rate": chosen.learning_rate, "lr_scheduler_type": "constant", **self._own}
        own = {name: value for name, value in own.items() if name not in CHECKPOINTING}
        return own | {
            "output_dir": folder,
            "per_device_train_batch_size": chosen.group * len(self._prompts),
            "gradient_accumulation_steps": 1,
            "num_generations": chosen.group,
            "num_iterations": 1,
            "max_completion_length": chosen.longest,
            "temperature": chosen.temperature,
            "beta": chosen.beta,
            "max_steps": steps,
            "seed": chosen.seed,
            "logging_strategy": "no",
            "save_strategy": "no",
            "report_to": [],
            "use_cpu": True,
            "bf16": False,
            "disable_tqdm": True,
        }

    def _rolled(self, prompts: list[str], made: Any) -> dict[str, Any]:
        """The completions in which tools speak, in the form that TRL takes."""
        ids = [self._tokenizer(prompt, add_special_tokens=False)["input_ids"] for prompt in prompts]
        said = self._chosen.rollout(self._model, ids)
        return {
            "prompt_ids": ids,
            "completion_ids": [tokens for tokens, _ in said],
            "logprobs": None,
            "env_mask": [own for _, own in said],
        }


def _choose_checkpointing(config: Any) -> dict[str, bool]:
    """No checkpointing, by the newest name that the installed Transformers know."""
    return {next(name for name in CHECKPOINTING if hasattr(config, name)): False}


@contextlib.contextmanager
def _silence() -> Iterator[None]:
    """Without the warnings of libraries about each other, and the summary that is printed at the end."""
    with warnings.catch_warnings(), contextlib.redirect_stdout(None):
        warnings.simplefilter("ignore")
        yield
