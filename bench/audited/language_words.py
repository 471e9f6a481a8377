"""Words and sentences that completions are written from: sums, prose, code, verse and other scripts."""

from __future__ import annotations

from random import Random
from typing import NamedTuple

NAMES = (
    "Mara",
    "Tobias",
    "Ines",
    "Kwame",
    "Yuki",
    "Farid",
    "Lena",
    "Oskar",
    "Priya",
    "Mateo",
    "Sana",
    "Viktor",
    "Ada",
    "Noor",
)
THINGS = (
    "apples",
    "tickets",
    "marbles",
    "bricks",
    "stamps",
    "cookies",
    "bottles",
    "pencils",
    "tiles",
    "shells",
    "books",
    "coins",
)
PLACES = ("market", "harbour", "library", "station", "workshop", "garden", "bakery", "school", "museum", "warehouse")
SUBJECTS = (
    "the tide", "a glacier", "the printing press", "photosynthesis", "the bridge", "a sourdough starter",
    "the violin", "the ledger", "an octopus", "the monsoon", "a lighthouse", "the postal system", "steel",
    "the vaccine", "a compiler", "the census", "an old map", "the orchard", "a telescope", "the coral reef",
    "the canal", "a sonnet", "the battery",
)  # fmt: skip
VERBS = (
    "changed", "slowed", "depends on", "outlasted", "shaped", "protects", "explains", "follows", "disturbed",
    "carries", "replaced", "reveals", "needs", "resembles", "limits", "feeds", "absorbs", "reflects", "improves",
    "precedes",
)  # fmt: skip
OBJECTS = (
    "the flow of warm water", "local trade", "the price of grain", "how cells store energy",
    "the weight of traffic", "wild yeast", "the tension of its strings", "errors of the clerks",
    "three hearts and nine brains", "the harvest", "ships at night", "long distances", "carbon",
    "the immune system", "machine code", "the size of towns", "coastlines that have moved", "late frost",
    "distant light", "fish larvae", "lock gates", "fourteen lines", "lithium",
)  # fmt: skip
WHENS = (
    "in winter", "after the war", "within a few hours", "over a century", "near the equator", "at low pressure",
    "in most cities", "for reasons that were unclear then", "before anybody measured it", "since about 1850",
    "on small islands", "when the rain stops", "under a microscope", "in the second act", "at night", "by hand",
)  # fmt: skip
LINKS = (
    "As a result,", "By contrast,", "In practice,", "Earlier,", "For example,", "Still,", "Because of this,",
    "Later on,", "Surprisingly,", "On the other hand,", "To be precise,", "Historically,", "In short,",
    "Meanwhile,",
)  # fmt: skip
REASONS = (
    "because the pressure drops", "since nobody kept records", "as long as the temperature holds",
    "unless it is disturbed", "although exceptions are known", "so that less is lost",
    "which took engineers by surprise", "if the soil is deep enough", "while demand kept growing",
    "even though it costs more", "until a better method appeared", "provided that it stays dry",
)  # fmt: skip
ADJECTIVES = (
    "steady",
    "rare",
    "narrow",
    "cheap",
    "reliable",
    "uneven",
    "quiet",
    "visible",
    "fragile",
    "early",
    "common",
    "deep",
)


class Problem(NamedTuple):
    """A prompt with its answer, how hard it is from 0 to 1, and the sums on the way."""

    prompt: str
    answer: str
    difficulty: float
    sums: tuple[tuple[int, str, int, int], ...]
    kind: str = "maths"


def problem(rng: Random, difficulty: float | None = None) -> Problem:
    """A word problem of two to six sums."""
    hard = rng.random() if difficulty is None else difficulty
    count = 2 + round(3 * hard) + rng.randint(0, 1)
    name, thing, place = rng.choice(NAMES), rng.choice(THINGS), rng.choice(PLACES)
    value = rng.randint(11, 60)
    told = [f"{name} brings {value} {thing} to the {place}."]
    sums = []
    for _ in range(count):
        sign, number = rng.choice("++-*"), rng.randint(2, 29)
        if sign == "-":
            number = min(number, value - 1)
        if sign == "*":
            number = rng.randint(2, 4)
        after = {"+": value + number, "-": value - number, "*": value * number}[sign]
        other = rng.choice(NAMES)
        told.append(
            {
                "+": rng.choice(
                    (f"{other} adds {number} more.", f"Then {number} arrive by post.", f"{number} were found later.")
                ),
                "-": rng.choice(
                    (f"{number} are sold.", f"{other} takes {number} away.", f"{number} break on the way.")
                ),
                "*": rng.choice((f"A friend makes it {number} times as many.", f"The pile grows {number}-fold.")),
            }[sign]
        )
        sums.append((value, sign, number, after))
        value = after
    told.append(rng.choice((f"How many {thing} are there now?", f"What is the number of {thing} in the end?")))
    return Problem(" ".join(told), str(value), hard, tuple(sums))


def question(rng: Random) -> Problem:
    """An open question, without sums."""
    subject, other = rng.sample(SUBJECTS, 2)
    ask = rng.choice(
        (
            f"Explain how {subject} {rng.choice(VERBS)} {rng.choice(OBJECTS)}.",
            f"What should a beginner know about {subject} and {other}?",
            f"Write a short note on {subject} {rng.choice(WHENS)}.",
            f"Compare {subject} with {other}.",
            f"Why is {subject} {rng.choice(ADJECTIVES)} {rng.choice(WHENS)}?",
        )
    )
    return Problem(ask, "", rng.random(), (), "open")


def wrong(rng: Random, answer: str) -> str:
    """Another number, not far off."""
    return str(max(0, int(answer) + rng.choice((-12, -10, -7, -4, -3, -2, -1, 1, 2, 3, 5, 8, 10, 11))))


_SUM = (
    "{a} {s} {b} makes {c}.", "Next comes {a} {s} {b}, which is {c}.", "We get {a} {s} {b} = {c}.",
    "From {a} we go to {c}.", "That leaves {c} ({a} {s} {b}).", "Computing {a} {s} {b} gives {c}.",
    "So {c} now, since {a} {s} {b} = {c}.", "The running total moves from {a} to {c}.", "{a} {s} {b} = {c}",
    "After this event there are {c}.", "Now {b} changes {a} into {c}.",
)  # fmt: skip
_START = (
    "Let me go through the story.", "We track the total.", "First, note what is given.",
    "Start with the first number.", "Reading it line by line:", "I will keep a running count.",
    "There are several changes here.", "Begin at the beginning.", "Okay.", "The plan: one event at a time.",
    "Write down each change.", "Take the events in order.",
)  # fmt: skip
_CHECK = (
    "Going backwards, {c} undone by {b} is {a}, as it should be.", "A rough estimate near {r} agrees with {c}.",
    "Parity holds for {c}.", "Does {c} make sense after {a}? Yes.", "I almost swapped {a} and {b}, but {c} stands.",
    "Reversing the step from {c} returns {a}.", "Since {b} is small against {a}, {c} is plausible.",
)  # fmt: skip
_END = (
    "The answer is {x}.",
    "Answer: {x}",
    "#### {x}",
    "So there are {x}.",
    "Final answer: {x}",
    "\\boxed{{{x}}}",
    "That makes {x} in all.",
)


def reasoning(rng: Random, given: Problem, answer: str, *, depth: float = 0.5, ending: str | None = None) -> str:
    """Sums in words; with more depth, more of them are shown and some are checked."""
    lines = [rng.choice(_START)] if rng.random() < 0.8 else []
    forms = list(_SUM)
    rng.shuffle(forms)
    for place, (a, sign, b, c) in enumerate(given.sums):
        shown = c if place < len(given.sums) - 1 or answer == given.answer else int(answer or 0)
        if rng.random() < 0.45 + 0.6 * depth:
            lines.append(forms[place % len(forms)].format(a=a, s={"*": "x"}.get(sign, sign), b=b, c=shown))
        if rng.random() < depth - 0.35:
            lines.append(rng.choice(_CHECK).format(a=a, b=b, c=shown, r=round(c, -1)))
        if rng.random() < depth - 0.6:
            lines.append(sentence(rng).replace("the", "that", 1))
    lines.append((ending or rng.choice(_END)).format(x=answer))
    return rng.choice((" ", " ", "\n")).join(lines)


def sentence(rng: Random) -> str:
    """One of some hundred thousand plain sentences."""
    subject, verb, thing = rng.choice(SUBJECTS), rng.choice(VERBS), rng.choice(OBJECTS)
    form = rng.randrange(8)
    if form == 0:
        text = f"{rng.choice(LINKS)} {subject} {verb} {thing} {rng.choice(REASONS)}."
    elif form == 1:
        text = f"{subject} {verb} {thing} {rng.choice(WHENS)}, {rng.choice(REASONS)}."
    elif form == 2:
        text = f"what makes {subject} {rng.choice(ADJECTIVES)} is {thing}."
    elif form == 3:
        text = f"{rng.choice(WHENS)}, {subject} was {rng.choice(ADJECTIVES)} and {verb} {thing}."
    elif form == 4:
        text = f"about {rng.randint(3, 97)} percent of it {verb} {thing}."
    elif form == 5:
        text = f"{rng.choice(NAMES)} wrote that {subject} {verb} {thing}."
    elif form == 6:
        text = f"a {rng.choice(ADJECTIVES)} case is {rng.choice(SUBJECTS)} {rng.choice(WHENS)}."
    else:
        text = f"without {thing}, {subject} would be {rng.choice(ADJECTIVES)}."
    return text[0].upper() + text[1:]


def prose(rng: Random, sentences: int) -> str:
    """Sentences in paragraphs of two to five."""
    parts: list[str] = []
    while sentences > 0:
        size = min(sentences, rng.randint(2, 5))
        parts.append(" ".join(sentence(rng) for _ in range(size)))
        sentences -= size
    return "\n\n".join(parts)


def function(rng: Random) -> str:
    """A small program with the repeated lines that programs have."""
    name, item = rng.choice(("total", "merge", "count", "clean", "rank", "split")), rng.choice(THINGS)
    lines = [
        "import math",
        "import re",
        "",
        f"def {name}_{item}(values, limit={rng.randint(2, 99)}):",
        "    result = []",
    ]
    for _ in range(rng.randint(2, 5)):
        test, act = (
            rng.choice(("value > limit", "value is None", "not value", "value % 2 == 0")),
            rng.choice(("append", "insert")),
        )
        lines += ["    for value in values:", f"        if {test}:", "            continue"]
        lines.append(f"        result.{act}({'0, ' if act == 'insert' else ''}value * {rng.randint(2, 40)})")
    lines += ["    return result", ""]
    lines += [
        f"assert {name}_{item}([{rng.randint(1, 50)}, {rng.randint(1, 50)}]) is not None"
        for _ in range(rng.randint(1, 4))
    ]
    return "```python\n" + "\n".join(lines) + "\n```"


def table(rng: Random) -> str:
    """A table in Markdown."""
    rows = [
        f"| {thing} | {rng.randint(1, 900)} | {rng.uniform(0, 9):.2f} |"
        for thing in rng.sample(THINGS, rng.randint(4, 9))
    ]
    return "\n".join([rng.choice(LINKS) + " " + sentence(rng), "", "| item | count | price |", "|---|---|---|", *rows])


def poem(rng: Random) -> str:
    """Three to five verses, each closing on the same line."""
    refrain = f"And {rng.choice(SUBJECTS)} sings {rng.choice(WHENS)}."
    verses = [
        "\n".join([*(sentence(rng).rstrip(".") + "," for _ in range(3)), refrain]) for _ in range(rng.randint(3, 5))
    ]
    return "\n\n".join(verses)


_SCRIPTS = {
    "chinese": (
        "水在低温下结冰所以河面很安静我们先计算第一步然后比较两种方法因此结果更可靠但是成本也会上升"
        "山城的老桥连接着市场与学校"
    ),
    "japanese": (
        "まず最初の数を確かめます次に足し算を行い結果を比べると答えがわかります春の市場では新しい本"
        "と古い地図が並んでいました"
    ),
}
_SPACED = {
    "russian": (
        "сначала посчитаем сумму затем вычтем остаток потому что цена растёт зимой мост держит вес "
        "города и река течёт медленно ответ получается большим если проверить каждый шаг отдельно "
        "книга лежит на столе рядом с картой"
    ),
    "arabic": (
        "أولا نجمع العددين ثم نطرح الباقي لأن السعر يرتفع في الشتاء والجسر يحمل وزن المدينة والنهر "
        "يجري ببطء الجواب كبير إذا راجعنا كل خطوة الكتاب على الطاولة قرب الخريطة"
    ),
    "german": (
        "zuerst zählen wir die Summe dann ziehen wir den Rest ab weil der Preis im Winter steigt "
        "die Brücke trägt das Gewicht der Stadt und der Fluss fliesst langsam das Buch liegt neben "
        "der Karte auf dem Tisch deshalb prüfen wir jeden Schritt einzeln"
    ),
    "spanish": (
        "primero sumamos los números luego restamos lo que sobra porque el precio sube en invierno "
        "el puente sostiene la ciudad y el río corre despacio la respuesta es grande si revisamos "
        "cada paso el libro está cerca del mapa"
    ),
}
TONGUES = (*_SCRIPTS, *_SPACED)


def foreign(rng: Random, tongue: str, length: int) -> str:
    """Text of some length in another language or script, in an order of its own."""
    if tongue in _SCRIPTS:
        letters = _SCRIPTS[tongue]
        return "".join(
            "".join(rng.choice(letters) for _ in range(rng.randint(6, 16))) + "。" for _ in range(length // 8)
        )
    words = _SPACED[tongue].split()
    return (
        ". ".join(" ".join(rng.choice(words) for _ in range(rng.randint(5, 11))) for _ in range(max(1, length // 8)))
        + "."
    )
