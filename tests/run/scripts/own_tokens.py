"""A GRPO over tokens by hand that steps no environment and logs nothing: own_tokens.py FAULT"""

import sys
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).parents[3]))
from tests.monitor.reading.token_loop import train

torch.set_num_threads(1)
train(sys.argv[1], updates=70)
print("written")
