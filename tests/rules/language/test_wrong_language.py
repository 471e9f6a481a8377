from __future__ import annotations

import json

import numpy as np

from tests.sampled import Training
from weaklink import audit
from weaklink.base.finding import Level
from weaklink.collect.samples.languages import UNKNOWN, find_language, mixes_scripts, names_language
from weaklink.judge.rules._registry import find_rule

RULE = find_rule("LLM319")

TEXTS = {
    "English": ("How many of the boxes are left in the shop, and what is it that we know?", "The answer is that of it"),
    "German": (
        "Wie viele der Kisten sind noch im Laden und was ist es?",
        "Es ist nicht der Rest, wir sind mit ihm.",
    ),
    "French": ("Combien de boîtes sont dans le magasin et que reste-t-il pour nous ?", "Le reste est dans une boîte."),
    "Spanish": ("Cuántas cajas quedan en el almacén y es una más para los niños?", "Es una caja para el niño."),
    "Chinese": ("商店里还剩下多少个箱子？请一步一步地计算。", "最后进行减法运算。由此可以得到结果。 The answer is 3."),
    "Japanese": ("お店には箱がいくつ残っていますか。", "最初に引き算をします。答えは三つです。"),
    "Russian": ("Сколько коробок осталось в магазине?", "Осталось три коробки."),
}
UNTOLD = ("x = 3 + 4", "42", "", "SELECT name FROM shop WHERE price > 3", "\\frac{1}{2}")


def sick():
    t = Training()
    return [
        t.samples(other_language=t.chance(t.ramp(0.02, 0.7)), gold=t.chance(0.4)),
        t.samples(other_language=t.chance(t.ramp(0.0, 0.4))),
    ]


def healthy():
    t = Training()
    return [
        t.samples(other_language=np.zeros(t.rows)),
        # two languages are mixed from the start
        t.samples(other_language=t.chance(0.4)),
        t.samples(other_language=t.chance(t.ramp(0.5, 0.0))),
        t.samples(other_language=t.chance(0.02)),
        t.samples(step=None, other_language=t.chance(0.5)),
    ]


def test_languages_are_told_apart_and_code_is_none():
    told = {name: {find_language(text) for text in texts} for name, texts in TEXTS.items()}
    assert all(len(found) == 1 and UNKNOWN not in found for found in told.values()), told
    assert len(set.union(*told.values())) == len(TEXTS)
    assert {find_language(text) for text in UNTOLD} == {UNKNOWN}


def test_prompts_that_ask_for_a_language():
    assert names_language("Translate this to Japanese: good morning")
    assert names_language("Antworte auf Englisch.")
    assert not names_language("How many boxes are left in the shop?")


def test_rising_success_does_not_excuse_it():
    t = Training()
    better = t.samples(other_language=t.chance(t.ramp(0.0, 0.6)), gold=t.chance(t.ramp(0.2, 0.8)))
    assert RULE.ask(better).level is Level.WARN


def test_words_of_another_script_are_mixed_in():
    asked = "How many of the boxes are left in the shop?"
    assert mixes_scripts("We take 3 from 7. Проверим остаток. The rest is 4.", asked)
    assert mixes_scripts("We take 3 from 7. 因此剩下四个. The rest is 4.", asked)
    assert not mixes_scripts("The angle is θ + π and the price is 4 €, says Дмитрий.", asked)
    assert not mixes_scripts("The sign 山 means mountain.", asked)
    assert not mixes_scripts("Осталось три коробки.", "Сколько коробок осталось?")
    assert not mixes_scripts("", asked)


def write_rows(folder, mixed):
    """Questions in English, answers in English, and late ones as told."""
    rows = [
        {
            "step": number // 6,
            "prompt": f"How many of the {number} lamps are left, and what is it that we know?",
            "completion": f"The first is out. {mixed if number > 60 and number % 3 else ''} The rest is {number}.",
            "reward": float(number % 2),
        }
        for number in range(120)
    ]
    file = folder / "rows.jsonl"
    file.write_text("\n".join(json.dumps(row) for row in rows))
    return audit(str(file)).diagnosis


def test_mixed_scripts_are_found_in_a_file(tmp_path):
    assert write_rows(tmp_path, "Остальные лампы горят.").first_break.code == "LLM319"
    assert write_rows(tmp_path, "The others are on, with an angle of α.").first_break is None
