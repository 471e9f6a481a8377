from __future__ import annotations

from tests.sampled import Training
from weaklink.collect.readers.samples import make_sample


def sick():
    t = Training()
    return [t.samples(trains_on_results=t.chance(0.999)), t.samples(trains_on_results=t.chance(t.ramp(0.0, 0.5)))]


def healthy():
    t = Training()
    return [t.samples(trains_on_results=t.chance(0.0)), t.samples(trains_on_results=t.chance(0.01))]


def read(name: str = "loss", **roles: float):
    messages = [{"role": role, "content": "It is 7.", name: roles[role]} for role in roles]
    return make_sample({"messages": messages, "reward": 1.0})


def test_the_loss_of_messages_is_read():
    assert read(user=0, assistant=1, tool=1).trains_on_results is True
    assert read(user=0, assistant=1, tool=0).trains_on_results is False
    assert read("trainable", user=False, assistant=True, tool=True).trains_on_results is True
    assert read(user=0, assistant=1).trains_on_results is None
    # a field that is the same for all and says nothing of training
    assert read("weight", user=1, assistant=1, tool=1).trains_on_results is None
    assert read(user=0, assistant=0, tool=0).trains_on_results is None


def test_the_loss_over_what_was_asked_is_read():
    assert read(user=1, assistant=1).trains_on_prompt is True
    assert read(system=0, user=0, assistant=1).trains_on_prompt is False
