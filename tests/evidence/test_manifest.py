from __future__ import annotations

import numpy as np
import pytest

from weaklink.base.errors import UsageError
from weaklink.base.evidence.manifest import Manifest, hash_template, make_document, normalise_split


def test_what_is_stated_is_the_protocol():
    made = Manifest.of(task="gsm8k", temperature=0, top_p=1, tools=["search", "python"], judge="v2", scores=[1, 0, 1])
    assert made.protocol == {
        "temperature": "0",
        "top_p": "1",
        "tools": "python, search",
        "judge": "v2",
    }
    assert made.scores == {"0": (1.0,), "1": (0.0,), "2": (1.0,)}
    assert made.per == "item"


def test_no_tools_is_a_statement_and_silence_is_none():
    assert Manifest.of(tools=[]).protocol == {"tools": "none"}
    assert Manifest.of().protocol == {}


def test_only_the_hash_of_a_template_is_kept():
    one, two = Manifest.of(prompt_template="Q: {q}"), Manifest.of(prompt_template="Question: {q}")
    assert one.prompt_template_hash == hash_template("Q: {q}") != two.prompt_template_hash
    assert "Q: {q}" not in repr(make_document(one))


@pytest.mark.parametrize(
    ("scores", "seeds", "per", "names"),
    [
        ([1.0, 2.0], [3, 4], "seed", ["3", "4"]),
        ({"3": 1.0, "4": 2.0}, [3, 4], "seed", ["3", "4"]),
        (0.5, [7], "seed", ["7"]),
        (0.5, [], "seed", ["0"]),
        (np.array([0.5, 1.0, 0.0]), [], "item", ["0", "1", "2"]),
        ({"q1": [1, 0], "q2": [1, 1]}, [], "item", ["q1", "q2"]),
        ([True, False], [], "item", ["0", "1"]),
    ],
)
def test_scores_are_by_seed_or_by_item(scores, seeds, per, names):
    made = Manifest.of(scores=scores, seeds=seeds)
    assert made.per == per
    assert list(made.scores) == names


def test_items_may_have_one_seed_where_it_is_said_that_they_are_items():
    made = Manifest.of(scores=[0.5, 1.0, 0.0], seeds=[1], per="item")
    assert (made.per, list(made.scores)) == ("item", ["0", "1", "2"])


@pytest.mark.parametrize(
    ("stated", "told"),
    [
        ({"temperature": "hot"}, "temperature of an evaluation must be a number of at least 0, not 'hot'"),
        ({"temperature": -1}, "at least 0, not -1"),
        ({"temperature": float("nan")}, "not nan"),
        ({"top_p": 1.5}, "from 0 to 1, not 1.5"),
        ({"max_tokens": 0.5}, "a whole number of at least 1, not 0.5"),
        ({"pass_at_k": True}, "not True"),
        ({"deterministic": "yes"}, "must be true or false, not 'yes'"),
        ({"per": "epoch"}, "must be 'item' or 'seed', not 'epoch'"),
        ({"seeds": {1: 2}}, "must be a list of names or numbers"),
        ({"settings": 3}, "must be a mapping, not 3"),
        ({"task": ["a"]}, "task of an evaluation must be a text"),
        ({"scores": {"q1": "x"}}, "The score of 'q1' must be a finite number or a list of them, not 'x'"),
        ({"scores": [1.0, None]}, "The score of '1' must be"),
        ({"scores": {"q1": []}}, "The score of 'q1' must be"),
        ({"scores": [float("inf")]}, "must be a finite number"),
        (
            {"scores": [1, 2], "seeds": [1]},
            "2 scores cannot belong to 1 seed of an evaluation: give a score for each seed",
        ),
        ({"scores": [1, 2], "seeds": [1], "per": "seed"}, "2 scores cannot belong to 1 seed"),
        ({"scores": np.ones(2), "seeds": [1, 2, 3]}, "2 scores cannot belong to 3 seeds"),
        ({"seeds": [1, "1"]}, "seeds of an evaluation must differ, but 1 is given twice"),
    ],
)
def test_what_cannot_be_is_told(stated, told):
    with pytest.raises(UsageError, match=r"evaluation|score") as error:
        Manifest.of(**stated)
    assert told in str(error.value)


@pytest.mark.parametrize(
    ("name", "known"),
    [("Private", "private"), ("hold-out", "hold-out"), ("held-out", "private"), ("val", "dev"), ("test", "public")],
)
def test_splits_have_usual_names(name, known):
    assert normalise_split(name) == known


def test_the_digest_is_that_of_what_is_seen():
    one = Manifest.of(task="a", model="m", split="dev", scores={"x": 1, "y": 0}, date="today")
    again = Manifest.of(task="a", model="m", split="dev", scores={"y": 0, "x": 1}, date="tomorrow")
    other = Manifest.of(task="a", model="m", split="dev", scores={"x": 1, "y": 1})
    assert one.digest == again.digest != other.digest
