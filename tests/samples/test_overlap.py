from __future__ import annotations

import json
import tracemalloc

import numpy as np
import pytest

from weaklink.base.errors import ReadError, UsageError
from weaklink.collect.readers.texts import TextItem, open_texts
from weaklink.collect.samples import ngrams
from weaklink.collect.samples.ngrams import split_words
from weaklink.collect.samples.overlap import measure_overlap

WORDS = [first + last for first in ("ba", "ko", "ri", "tu", "sel", "mon") for last in ("ne", "da", "lim", "po", "vex")]


def text(seed: int, words: int = 40) -> str:
    return " ".join(np.random.default_rng(seed).choice(WORDS, words))


def items(*texts: str) -> list[TextItem]:
    return [TextItem(f"q{place}", f"row {place}", (each,)) for place, each in enumerate(texts)]


def plainly(item: str, row: str, size: int = 13) -> float:
    """The share of an item's n-grams that a row holds, counted without any of the tricks."""
    mine, theirs = item.lower().split(), row.lower().split()
    grams = {tuple(mine[at : at + size]) for at in range(len(mine) - size + 1)}
    held = {tuple(theirs[at : at + size]) for at in range(len(theirs) - size + 1)}
    return len(grams & held) / len(grams)


def test_the_share_is_that_of_counting_by_hand():
    rng = np.random.default_rng(0)
    asked = [text(seed, int(rng.integers(13, 90))) for seed in range(30)]
    rows = []
    for place, one in enumerate(asked):
        words = one.split()
        cut = int(rng.integers(0, len(words)))
        rows.append(" ".join((text(1000 + place, 20), *words[:cut], text(2000 + place, 20))))
    found = measure_overlap(items(*rows), items(*asked))
    expected = [max(plainly(one, row) for row in rows) for one in asked]
    assert found.shares.tolist() == pytest.approx(expected)
    assert any(0 < share < 1 for share in expected)


def test_chunks_change_nothing(monkeypatch):
    asked = [text(seed) for seed in range(20)]
    rows = [f"{text(100 + place)} {asked[place % 20]} {text(200 + place)}" for place in range(60)]
    whole = measure_overlap(items(*rows), items(*asked))
    monkeypatch.setattr(ngrams, "CHUNK", 1500)
    assert measure_overlap(items(*rows), items(*asked)).shares.tolist() == whole.shares.tolist() == [1.0] * 20


def test_case_spacing_and_punctuation_do_not_matter():
    one = text(0)
    found = measure_overlap(items(one.upper().replace(" ", ",\n\t- ")), items(one, text(1)))
    assert found.seen[0].exact
    assert found.seen[0].place == "row 0"


def test_signs_of_arithmetic_do():
    assert split_words("If 3 + 4 > x, what is x?") == [b"if", b"3", b"+", b"4", b">", b"x", b"what", b"is", b"x"]
    rows = items("What is 3 + 4")
    assert measure_overlap(rows, items("What is 3 + 4?", "Say something else")).exact == 1
    assert measure_overlap(rows, items("What is 3 < 4?", "Say something else")).exact == 0


def test_a_gram_never_reaches_over_two_rows_or_two_texts():
    one = text(0, 14)
    words = one.split()
    halves = (" ".join(words[:7]), " ".join(words[7:]))
    assert measure_overlap(items(*halves), items(one, text(1))).shares[0] == 0
    assert measure_overlap([TextItem("r", "row 1", halves)], items(one, text(1))).shares[0] == 0


def test_a_short_item_must_be_there_as_a_whole():
    asked = items("Name the tallest tower in Lisbon today", "Who wrote it")
    assert measure_overlap(items("please: name the tallest tower in Lisbon today, quickly"), asked).shares[0] == 1
    assert measure_overlap(items("name the tallest tower in Lisbon"), asked).shares[0] == 0
    assert measure_overlap(items("I asked who wrote it and left"), asked).shares[1] == 0
    assert measure_overlap([TextItem("r", "row 1", ("Who wrote it?", "Nobody."))], asked).shares[1] == 1


def test_scripts_without_spaces_are_read_letter_by_letter():
    asked = "小明有十二个苹果他给了小红五个又买了三个请问他现在有几个苹果"
    other = "一辆汽车每小时行驶六十公里从甲地到乙地需要三小时求两地距离是多少"
    found = measure_overlap(items(f"题目:{asked}。答案是十。"), items(asked, other))
    assert found.shares.tolist() == [1.0, 0.0]


def test_equal_questions_count_once():
    found = measure_overlap(items(text(5)), items(*[text(0)] * 10, text(1)))
    assert found.items == 2


def test_the_most_overlapping_come_first_and_few_are_kept():
    asked = [text(seed) for seed in range(50)]
    found = measure_overlap(items(*asked), items(*asked))
    assert found.exact == 50
    assert len(found.seen) == 20


@pytest.mark.whole
def test_memory_stays_bounded():
    asked = items(*(text(seed) for seed in range(100)))
    block = [text(1000 + seed, 150) for seed in range(50)]

    def rows(count):
        return (TextItem("", "row", (block[place % 50],)) for place in range(count))

    peaks = []
    for count in (6_000, 24_000):
        tracemalloc.start()
        measure_overlap(rows(count), asked)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 1.3 * peaks[0]


def test_rows_of_any_shape_are_read(tmp_path):
    one, two, three = text(1), text(2), text(3)
    lines = tmp_path / "train.jsonl"
    lines.write_text(
        json.dumps({"messages": [{"role": "user", "content": one}, {"role": "assistant", "content": "yes"}]})
        + "\n{broken\n"
        + json.dumps({"prompt": "go", "extra": {"deep": [two]}})
        + "\n"
    )
    asked = tmp_path / "eval.json"
    asked.write_text(json.dumps([{"id": 7, "question": one}, {"task_id": "b", "problem": two}, {"prompt": three}]))
    found = measure_overlap(lines, asked)
    assert [(seen.item, seen.place) for seen in found.seen] == [("7", "row 1"), ("b", "row 3")]
    assert found.shares.tolist() == [1.0, 1.0, 0.0]
    assert "1 row of" in found.notes[0]
    assert "row 2" in found.notes[0]


def test_of_a_conversation_the_user_asks(tmp_path):
    file = tmp_path / "eval.jsonl"
    file.write_text(
        json.dumps({"prompt": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": text(1)}]})
        + "\n"
    )
    (item,) = open_texts(file).questions()
    assert item.texts == (text(1),)


def test_plain_text_and_folders(tmp_path):
    folder = tmp_path / "data"
    folder.mkdir()
    (folder / "a.txt").write_text(f"{text(1)}\n\n{text(2)}\n")
    (folder / "b.jsonl").write_text(json.dumps({"text": text(3)}) + "\n")
    (folder / "model.bin").write_bytes(b"\x00")
    found = measure_overlap(folder, items(text(2), text(3), text(9)))
    assert [seen.place for seen in found.seen] == ["a.txt row 3", "b.jsonl row 1"]


def test_parquet(tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    file = tmp_path / "train.parquet"
    parquet.write_table(pyarrow.table({"anything": [text(5), text(1)], "n": [1, 2]}), file)
    assert measure_overlap(file, items(text(1), text(2))).seen[0].place == "row 2"


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("missing.jsonl", None, "is no file and no folder"),
        ("empty.jsonl", "", "holds no rows"),
        ("bad.jsonl", "nonsense\n", "holds no rows: row 1"),
        ("model.bin", "x", "No texts in"),
        ("numbers.jsonl", '{"a": 1}\n', "holds no question"),
    ],
)
def test_what_holds_no_items_is_told(tmp_path, name, content, told):
    file = tmp_path / name
    if content is not None:
        file.write_text(content)
    with pytest.raises(ReadError, match=told):
        measure_overlap(items(text(0)), file)


def test_an_n_gram_of_few_words_means_nothing():
    with pytest.raises(UsageError, match="at least 5 words"):
        measure_overlap(items(text(0)), items(text(1)), words=3)


def test_one_file_is_parted_by_its_splits(tmp_path):
    rows = [{"split": "train", "prompt": text(seed)} for seed in range(50)]
    rows += [{"split": "validation", "prompt": text(seed)} for seed in range(45, 65)]
    file = tmp_path / "data.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    found = measure_overlap(file, str(file))
    assert (found.items, found.exact, found.rows) == (20, 5, 50)


def test_one_file_without_splits_is_no_two(tmp_path):
    file = tmp_path / "data.jsonl"
    file.write_text("".join(json.dumps({"prompt": text(seed)}) + "\n" for seed in range(5)))
    with pytest.raises(ReadError, match="split"):
        measure_overlap(file, file)


def test_one_pattern_with_other_figures_is_another_problem():
    asked = [
        f"A recipe for {guests} people needs {flour} grams of flour. How many grams are needed for {more} people?"
        for guests, flour, more in ((2, 18, 20), (3, 9, 24), (4, 44, 20), (5, 35, 24))
    ]
    other = "A recipe for 2 people needs 18 grams of flour. How many grams are needed for 25 people?"
    others = [text(place) for place in range(6)]
    assert measure_overlap(items(other), items(*asked, *others)).exact == 0
    assert measure_overlap(items(other, asked[0]), items(*asked, *others)).exact == 1
