"""GRPO by TRL on several ranks as people write it, on a model of a few thousand weights, with faults to plant.

torchrun --nproc_per_node 2 grpo.py [--plant NAME] [--steps N] [--rounds N] [--model FOLDER]

The model and its tokenizer are made in code by the first rank: nothing is downloaded.
"""

import argparse
import contextlib
import os
import time
from pathlib import Path

os.environ.update(HF_HUB_OFFLINE="1", TRANSFORMERS_OFFLINE="1", HF_HUB_DISABLE_TELEMETRY="1")

import torch
from datasets import Dataset
from tokenizers import Tokenizer, models, pre_tokenizers
from torch.utils.data import DataLoader
from transformers import AutoModelForCausalLM, PreTrainedTokenizerFast, Qwen2Config, Qwen2ForCausalLM, set_seed
from trl import GRPOConfig, GRPOTrainer

parser = argparse.ArgumentParser()
parser.add_argument("--plant", default="")
parser.add_argument("--steps", type=int, default=8)
parser.add_argument("--rounds", type=int, default=1, help="backward passes before a step")
parser.add_argument("--model", default="tiny-model")
options = parser.parse_args()
plant, rank = options.plant, int(os.environ.get("RANK", "0"))
odd = rank == int(os.environ.get("WORLD_SIZE", "1")) - 1
torch.set_num_threads(1)

WORDS = [f"w{number}" for number in range(24)]
NUMBERS = {word: number for number, word in enumerate(["<pad>", "</s>", "<unk>", *WORDS])}


def make_tokenizer():
    plain = Tokenizer(models.WordLevel(vocab=NUMBERS, unk_token="<unk>"))
    plain.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    return PreTrainedTokenizerFast(
        tokenizer_object=plain, pad_token="<pad>", eos_token="</s>", unk_token="<unk>", padding_side="left"
    )


def make_model(folder):
    torch.manual_seed(0)
    config = Qwen2Config(
        hidden_size=32, intermediate_size=64, num_hidden_layers=2, num_attention_heads=4, num_key_value_heads=2,
        max_position_embeddings=64, initializer_range=0.2, tie_word_embeddings=False, vocab_size=len(NUMBERS),
        eos_token_id=1, pad_token_id=0, bos_token_id=None,
    )  # fmt: skip
    beside = folder.with_name(f"{folder.name}.new")
    Qwen2ForCausalLM(config).save_pretrained(beside)
    beside.rename(folder)


def pay_small_numbers(completions, **_):
    factor = 0.2 if plant == "reward scaled" and odd else 1.0
    return [
        factor * sum(word[1:].isdigit() and int(word[1:]) < 12 for word in text.split()) / 8 for text in completions
    ]


class PlantedTrainer(GRPOTrainer):
    """The trainer itself, but for what is planted."""

    def get_train_dataloader(self):
        if plant != "same data":
            return super().get_train_dataloader()
        size = self._train_batch_size * self.args.steps_per_generation
        return DataLoader(
            self.train_dataset, batch_size=size, sampler=self._get_train_sampler(), collate_fn=self.data_collator
        )

    def _generate(self, *given):
        if plant == "same random stream":  # as a script that seeds every rank alike
            set_seed(1000 + self.state.global_step)
        if plant != "same data":
            return super()._generate(*given)
        with torch.random.fork_rng():  # as a server that samples with one seed for all ranks
            torch.manual_seed(1000 + self.state.global_step)
            return super()._generate(*given)

    def create_optimizer(self, *given):
        made = super().create_optimizer(*given)
        for group in made.param_groups if odd else ():
            group["lr"] *= 3.0 if plant == "learning rate" else 1.0
            group["weight_decay"] += 0.1 if plant == "weight decay" else 0.0
        return made

    def training_step(self, model, *given):
        if not getattr(model, "planted", False):
            model.planted = True
            plant_in_wrapped(model, self.optimizer)
        quiet = model.no_sync() if plant == "no_sync left on" else contextlib.nullcontext()
        with quiet:
            loss = super().training_step(model, *given)
        if plant == "clipped on one rank" and odd:
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1e-3)
        return loss


def plant_in_wrapped(model, optimizer):
    """What can be wrong as soon as the model is wrapped and the optimizer is there."""
    if plant == "not reduced":
        model.register_comm_hook(None, reduce_but_keep_own)
    if plant == "loaded after wrapping" and rank == 0:
        with torch.no_grad():
            for parameter in model.parameters():
                parameter.mul_(1.1)
    if plant == "optimizer state" and rank == 0:  # as a checkpoint loaded by the first rank alone
        for parameter in model.parameters():
            optimizer.state[parameter] = {
                "step": torch.tensor(100.0),
                "exp_avg": torch.full_like(parameter, 0.05),
                "exp_avg_sq": torch.full_like(parameter, 0.01),
            }


def reduce_but_keep_own(state, bucket):
    """Reduces as DistributedDataParallel does, and on the last rank goes on with what it had."""
    own = bucket.buffer().clone()
    shared = bucket.buffer().div_(torch.distributed.get_world_size())
    done = torch.distributed.all_reduce(shared, async_op=True).get_future()
    return done.then(lambda future: own if odd else future.value()[0])


folder = Path(options.model)
if rank == 0 and not folder.exists():
    make_model(folder)
while not folder.exists():
    time.sleep(0.1)
settings = GRPOConfig(
    output_dir=str(folder.with_name("trained")),
    per_device_train_batch_size=4,
    num_generations=4,
    gradient_accumulation_steps=options.rounds,
    max_completion_length=8,
    learning_rate=1e-3,
    max_steps=options.steps,
    logging_steps=1,
    save_strategy="no",
    report_to=[],
    use_cpu=True,
    bf16=False,
    disable_tqdm=True,
    seed=0,
)
trainer = PlantedTrainer(
    model=AutoModelForCausalLM.from_pretrained(str(folder)),
    reward_funcs=pay_small_numbers,
    args=settings,
    train_dataset=Dataset.from_dict({"prompt": [f"w{first} w{first + 3} w{first % 5}" for first in range(20)] * 8}),
    processing_class=make_tokenizer(),
)
trainer.train()
