"""The PPO of probe_cleanrl_ppo.py with one mistake in it, which raises nothing and bends no curve that people watch.

    weaklink probe examples/broken_ppo.py:train

The value ahead is left out wherever an episode was cut off by its time limit, as if it had come to an end there.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import probe_cleanrl_ppo as ppo

right_gae = ppo.gae


def gae(rewards, values, following, terminated, ended, gamma):
    return right_gae(rewards, values, following, ended, ended, gamma)


ppo.gae = gae
train = ppo.train
