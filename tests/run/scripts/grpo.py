"""GRPO of TRL with a language model of a few thousand weights."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[3]))

from tests.tiny_language import language_trainer, offline, saved_model
from trl import GRPOTrainer

offline()
folder = Path(sys.argv[1])
trainer = language_trainer(GRPOTrainer, saved_model(folder / "model"), folder / "out", max_steps=3)
trainer.train()
print(sum(each.sum().item() for each in trainer.model.parameters()))
