"""Ways in which a completion carries its answer: bare, in a box, in tags, in a block of code."""

from __future__ import annotations

import msgspec

REASONING = "I read the question twice and worked it out step by step."


class Carrier(msgspec.Struct, frozen=True):
    """Text before and after an answer."""

    name: str
    before: str = ""
    after: str = ""

    def wrap(self, content: str) -> str:
        """A completion with this as its answer."""
        return f"{self.before}{content}{self.after}"


PLAIN = Carrier("plain")
OWN = "the completion given"
"""What the carrier is called that a case brought with it."""

FOR_ANSWERS = (
    PLAIN,
    Carrier("boxed", "\\boxed{", "}"),
    Carrier("boxed in a sentence", f"{REASONING} The answer is \\boxed{{", "}."),
    Carrier("answer tags", "<answer>", "</answer>"),
    Carrier("think and answer tags", f"<think>\n{REASONING}\n</think>\n<answer>\n", "\n</answer>"),
    Carrier("think and answer tags in one line", f"<think>{REASONING}</think><answer>", "</answer>"),
    Carrier("reasoning and answer tags", f"<reasoning>\n{REASONING}\n</reasoning>\n<answer>\n", "\n</answer>\n"),
    Carrier("think tags, then boxed", f"<think>\n{REASONING}\n</think>\n\\boxed{{", "}"),
    Carrier("think tags, then plain", f"<think>\n{REASONING}\n</think>\n"),
    Carrier("think and boxed answer tags", f"<think>\n{REASONING}\n</think>\n<answer>\\boxed{{", "}</answer>"),
    Carrier("after four hashes", f"{REASONING}\n#### "),
    Carrier("after Answer:", f"{REASONING}\nAnswer: "),
    Carrier("after Final answer:", f"{REASONING}\nFinal answer: "),
    Carrier("in a sentence", "The answer is ", "."),
    Carrier("in a sentence, in brackets", "The answer is (", ")."),
    Carrier("final answer sentence", "Final Answer: The final answer is $", "$. I hope it is correct."),
    Carrier("bold", "**", "**"),
    Carrier("JSON", '{"answer": "', '"}'),
    Carrier("solution tags", "<solution>", "</solution>"),
)

FOR_CODE = (
    Carrier("fenced code", "```python\n", "\n```"),
    PLAIN,
    Carrier("fenced code in a reply", "Here is a solution.\n\n```python\n", "\n```\n"),
    Carrier("think tags, then fenced code", f"<think>\n{REASONING}\n</think>\n```python\n", "\n```"),
    Carrier("answer tags", "<answer>\n", "\n</answer>"),
    Carrier("fenced code in answer tags", f"<think>\n{REASONING}\n</think>\n<answer>\n```python\n", "\n```\n</answer>"),
)


def find_carrier(completion: str, answer: str) -> Carrier | None:
    """The carrier that a whole completion is, where its answer stands in it; the last place counts."""
    before, found, after = completion.rpartition(answer)
    return Carrier(OWN, before, after) if found and answer else None
