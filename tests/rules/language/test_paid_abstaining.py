from __future__ import annotations

import numpy as np

from tests.sampled import Training
from weaklink.collect.samples.answers import abstains


def sick():
    t = Training()
    marked = t.chance(t.ramp(0.05, 0.9))
    return [t.samples(reference=t.group, abstains=marked, reward=np.maximum(marked, t.chance(0.4)))]


def healthy():
    t = Training()
    marked, right = t.chance(t.ramp(0.05, 0.6)), t.chance(0.4)
    return [
        # it has a price between right and wrong, or none
        t.samples(reference=t.group, abstains=marked, reward=np.where(marked == 1, 0.3, right)),
        t.samples(reference=t.group, abstains=marked, reward=np.where(marked == 1, 0.0, right)),
        t.samples(reference=t.group, abstains=t.chance(0.01), reward=t.chance(0.4)),
        # labels of prompts that are to be refused
        t.samples(reference=t.group % 2, abstains=marked, reward=np.maximum(marked, right)),
    ]


def test_texts_that_only_abstain():
    assert abstains("I do not know the answer to this question.", "Ottawa") is True
    assert abstains("There is not enough information for me to say.", "7") is True
    assert abstains("<think>Hm.</think> I\u2019d rather not guess. Sorry.", "7") is True
    assert abstains("It is Ottawa.", "Ottawa") is False
    assert abstains("I do not know much about it. " + "But the capital was moved in 1857. " * 12, "Ottawa") is False
    # nothing else would be right
    assert abstains("I do not know.", "unanswerable") is None
    assert abstains("I cannot answer that.", "refuse") is None
