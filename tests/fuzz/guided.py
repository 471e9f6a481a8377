"""Inputs chosen by the lines of weaklink that they reach, with atheris (pip install atheris)."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from random import Random

MODULES = ("weaklink.collect.readers", "weaklink.base.evidence", "weaklink.base.limits", "weaklink.verbs.debug.folder")
"""What is read line by line; numpy and the rules would only slow it down."""


def explore(names: list[str], inputs: int, seconds: float, corpus: Path) -> int:
    """Tries inputs until there are enough or one fails; those that reach new lines are kept in the corpus.

    The first byte of an input chooses the target, the rest is the file.
    """
    try:
        import atheris
    except ImportError:
        print("weaklink: --guided needs atheris: pip install atheris. Without it, leave --guided out.", file=sys.stderr)
        return 2
    with atheris.instrument_imports(include=list(MODULES)):
        from tests.fuzz import checking, targets, working
    chosen = names or list(targets.TARGETS)
    place = Path(tempfile.mkdtemp())

    def try_one(content: bytes) -> None:
        name = chosen[content[0] % len(chosen)] if content else chosen[0]
        told = checking.try_input(targets.TARGETS[name], content[1:], place)
        if told:
            file = checking.keep_regression(name, content[1:])
            print(f"FAILED {name}, kept as {file.name}\n{told}", flush=True)
            raise AssertionError(told)

    def mutate(content: bytes, longest: int, seed: int) -> bytes:
        draw = Random(seed)
        at = content[0] % len(chosen) if content else draw.randrange(len(chosen))
        target = targets.TARGETS[chosen[at]]
        known = draw.choice(target.known()) if len(content) < 2 or draw.random() < 0.1 else content[1:]
        return (bytes((at,)) + targets.mutate(known, target.mutators, draw))[:longest]

    corpus.mkdir(parents=True, exist_ok=True)
    for at, name in enumerate(chosen):
        for number, seed in enumerate(targets.TARGETS[name].known()):
            (corpus / f"{name}-{number}").write_bytes(bytes((at,)) + seed)
    limits = (
        f"-runs={inputs}",
        f"-max_total_time={seconds:.0f}",
        f"-timeout={working.SECONDS:.0f}",
        "-rss_limit_mb=2048",
    )
    atheris.Setup([sys.argv[0], *limits, "-max_len=200000", str(corpus)], try_one, custom_mutator=mutate)
    atheris.Fuzz()
    return 0
