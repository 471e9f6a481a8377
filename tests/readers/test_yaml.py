"""The YAML in which hyper-parameters are written."""

from __future__ import annotations

import math
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from weaklink.collect.readers import _yaml


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("a: 1\nb: 2.5\n", {"a": 1, "b": 2.5}),
        ("a: 1e-3\nb: 3.0e-05\nc: 1_000\nd: 0x10\n", {"a": 1e-3, "b": 3e-5, "c": 1000, "d": 16}),
        ("a: true\nb: no\nc: ~\nd:\ne: .inf\n", {"a": True, "b": False, "c": None, "d": None, "e": math.inf}),
        ("a: 'it''s'\nb: \"x\\ty\"\nc: plain text\n", {"a": "it's", "b": "x\ty", "c": "plain text"}),
        ("a: 1 # one\n# two\nb: '#no comment'\nc: x#y\n", {"a": 1, "b": "#no comment", "c": "x#y"}),
        ("outer:\n  inner:\n    deep: 1\n  next: 2\n", {"outer": {"inner": {"deep": 1}, "next": 2}}),
        ("a:\n- 1\n- 2\nb: x\n", {"a": [1, 2], "b": "x"}),
        ("a:\n  - x: 1\n    y: 2\n  - z\n", {"a": [{"x": 1, "y": 2}, "z"]}),
        ("a: [1, two, [3, 4], {b: c}]\n", {"a": [1, "two", [3, 4], {"b": "c"}]}),
        ("a: {x: 1, y: [2], z: 'q, r'}\n", {"a": {"x": 1, "y": [2], "z": "q, r"}}),
        ("a: [1,\n    2,\n    3]\nb: 4\n", {"a": [1, 2, 3], "b": 4}),
        ("a: 'one\n  two'\nb: three\n  four\n", {"a": "one two", "b": "three four"}),
        ("a: |\n  one\n  # two\nb: >-\n  x\n  y\n", {"a": "one\n# two", "b": "x\ny"}),
        ("--- # head\na: 1\n...\nb: 2\n", {"a": 1}),
        ("%YAML 1.1\n---\na: 1\n", {"a": 1}),
        ("a: &anchor 1\nb: &map\n  c: 2\n", {"a": 1, "b": {"c": 2}}),
        ("url: http://x:80/y\ntime: 12:30\n", {"url": "http://x:80/y", "time": "12:30"}),
        ("a: !!python/tuple\n- 1\n- 2\n", {"a": [1, 2]}),
        ("a: !!python/name:torch.nn.ReLU ''\n", {"a": "torch.nn.ReLU"}),
        ("a: !!float 3\nb: !custom {x: 1}\n", {"a": 3, "b": {"x": 1}}),
        ("-1: a\n'quoted key': 2\n", {"-1": "a", "quoted key": 2}),
        ("a: -1\nb: -\n", {"a": -1, "b": "-"}),
        ("[1, 2]", [1, 2]),
        ("just text", "just text"),
        ("", None),
    ],
)
def test_values(text, value):
    assert _yaml.load(text) == value


def test_an_ordered_dictionary_of_python():
    text = """!!python/object/apply:collections.OrderedDict
- - - algo
    - ppo
  - - wrappers
    - - a.B
      - c.D
  - [seed, 3]
  - - kwargs
    - dict(x=1,
      y=2)
"""
    assert _yaml.load(text) == {"algo": "ppo", "wrappers": ["a.B", "c.D"], "seed": 3, "kwargs": "dict(x=1, y=2)"}


def test_an_ordered_dictionary_within():
    text = "a: !!python/object/apply:collections.OrderedDict\n- - - x\n    - 1\nb: 2\n"
    assert _yaml.load(text) == {"a": {"x": 1}, "b": 2}


def test_a_configuration_of_ml_agents():
    text = """behaviors:
  Walker:
    trainer_type: ppo
    hyperparameters:
      batch_size: 2048
      learning_rate: 0.0003
    network_settings:
      normalize: true
    reward_signals:
      extrinsic: {gamma: 0.995, strength: 1.0}
env_settings:
  env_path: null
"""
    value = _yaml.load(text)
    assert value["behaviors"]["Walker"]["hyperparameters"] == {"batch_size": 2048, "learning_rate": 0.0003}
    assert value["behaviors"]["Walker"]["reward_signals"]["extrinsic"]["gamma"] == 0.995


@pytest.mark.parametrize("text", ["a: [1, 2", "a: {b: 'c", "- " * 500, "[" * 500, "a: 1\nnothing"])
def test_what_is_beyond_it_is_refused(text):
    with pytest.raises(ValueError):
        _yaml.load(text)


@settings(max_examples=300, deadline=None)
@given(st.text(alphabet="ab1: -\n[]{}'\"#,&*!|>?.\t~%@`\\", max_size=80))
def test_any_text_gives_a_value_or_a_value_error(text):
    with suppress(ValueError):
        _yaml.load(text)


scalars = st.none() | st.booleans() | st.integers(-(10**9), 10**9) | st.sampled_from(["ppo", "a b", "x/y", "1e-3x"])
trees = st.recursive(
    scalars, lambda deeper: st.lists(deeper, max_size=3) | st.dictionaries(st.sampled_from("abcd"), deeper, max_size=3)
)


def block(value, indent=0):
    pad = " " * indent
    if isinstance(value, dict) and value:
        return "".join(f"{pad}{key}:{inline(part) or chr(10) + block(part, indent + 2)}" for key, part in value.items())
    if isinstance(value, list) and value:
        return "".join(f"{pad}-{inline(part) or chr(10) + block(part, indent + 2)}" for part in value)
    return f"{pad}{inline(value).strip()}\n"


def inline(value):
    if isinstance(value, dict | list) and value:
        return ""
    words = {None: "null", True: "true", False: "false"}
    if isinstance(value, bool) or value is None:
        return f" {words[value]}\n"
    return f" {'{}' if value == {} else value}\n"


@settings(max_examples=200, deadline=None)
@given(trees)
def test_what_is_written_is_read(tree):
    assert _yaml.load(block(tree)) == tree
