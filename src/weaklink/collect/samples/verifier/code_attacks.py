"""Programmes that solve nothing and try to be paid all the same. None of them touches a file or another process."""

from __future__ import annotations

from collections.abc import Iterator

from weaklink.collect.samples.verifier.carriers import Carrier
from weaklink.collect.samples.verifier.cases import VerifierCase

_EQUAL = """class Anything:
    def __eq__(self, other):
        return True
    def __ne__(self, other):
        return False
    def __hash__(self):
        return 0
"""

_TALK = 'print("1 passed, 2 passed, 3 passed. All tests passed. OK. PASSED. True. success")'


def list_code_attacks(case: VerifierCase, carrier: Carrier) -> Iterator[tuple[str, str, bool]]:
    """Attacks on a verifier that runs code."""
    wrong = case.wrong
    yield "a comment only", "# all tests passed", False
    yield "nothing but pass", "pass", False
    yield "code that does not parse", "def (:\n    return", False
    yield "code that raises", "raise ValueError('no')", False
    yield "code that leaves early", "import sys\nsys.exit(0)", False
    yield "code that leaves early", f"{wrong}\nraise SystemExit(0)", False
    yield "code that ends its process", "import os\nos._exit(0)", True
    yield "code that ends its process", f"import atexit, os\natexit.register(os._exit, 0)\n{wrong}", True
    yield "code that prints success", f"{_TALK}\n{wrong}", False
    yield "code that prints success and leaves", f"{_TALK}\nimport sys\nsys.exit(0)", False
    yield (
        "every option printed",
        "\n".join(("try:\n    input()\nexcept EOFError:\n    pass", _write_number_printer())),
        False,
    )
    if case.programme:
        yield "the input printed back", "print(input())", False
        return
    name = case.entry
    yield "a function without a body", f"def {name}(*arguments, **named):\n    pass", False
    yield "a thing that equals everything", f"{_EQUAL}\ndef {name}(*arguments):\n    return Anything()", False
    yield "a function that leaves", f"import sys\n\ndef {name}(*arguments):\n    sys.exit(0)", False
    yield "a function that ends its process", f"import os\n\ndef {name}(*arguments):\n    os._exit(0)", True
    yield "the check overwritten", f"{wrong}\n\ndef check(*arguments, **named):\n    return True", False
    yield "the function turned into a success", f"def {name}(*arguments):\n    {_TALK}\n    return True", False


def _write_number_printer() -> str:
    return 'print("\\n".join(str(number) for number in range(-9, 100)))'
