from __future__ import annotations

import numpy as np

from tests.sampled import Training
from weaklink.base.reference.groups import grpo


def deal(t: Training) -> np.ndarray:
    """The groups of a step dealt out anew, each of the old size."""
    width = t.prompts * t.size
    order = np.concatenate([t.rng.permutation(width) + start for start in range(0, t.rows, width)])
    return t.group[order]


def sick():
    t = Training()
    dealt, right = deal(t), t.chance(0.5, hardness=2.0)
    return [
        t.samples(group=dealt, prompt=t.group, reward=right, advantage=grpo(right, dealt)),
        t.samples(group=dealt, prompt=t.group, reward=right),
        t.samples(group=dealt, prompt=t.group, reward=right, step=None),
        # two groups a step, of three prompts each, and baselines over all three
        t.samples(group=t.group // 3, prompt=t.group, reward=right, advantage=grpo(right, t.group // 3)),
        # the same beside right answers
        t.samples(
            group=t.group // 3, prompt=t.group, reference=t.group, reward=right, advantage=grpo(right, t.group // 3)
        ),
    ]


def healthy():
    t = Training()
    right = t.chance(0.5, hardness=2.0)
    worded = 2 * t.group + t.chance(0.4)
    return [
        t.samples(prompt=t.group, reward=right, advantage=grpo(right, t.group)),
        # the batch is called a group, and holds whole draws
        t.samples(group=t.group // 3, prompt=t.group, reward=right),
        t.samples(group=t.group // 3, prompt=t.group, reward=right, advantage=grpo(right, t.group)),
        # one question with and without an instruction: its prompts have one right answer
        t.samples(group=t.group, prompt=worded, reference=t.group, reward=right, advantage=grpo(right, t.group)),
        # the whole batch is one group; advantages of a critic, normalised in each minibatch
        t.samples(group=t.group // 6, prompt=t.group, reward=right, advantage=grpo(right, t.group // 6)),
        t.samples(group=t.group // 3, prompt=t.group, reward=right, advantage=grpo(t.normal(right, 1.0), t.group // 3)),
        # the group is another one's word, such as a worker; advantages are those of the prompt
        t.samples(group=deal(t), prompt=t.group, reward=right, advantage=grpo(right, t.group)),
        # an agent's task, of which each row shows another turn
        t.samples(prompt=np.arange(t.rows), reward=right),
    ]
