"""One input tried: read, or refused with a clear error; anything else is a failure."""

from __future__ import annotations

import hashlib
import traceback
import warnings
from pathlib import Path

from tests.fuzz.targets import TARGETS, FuzzTarget
from weaklink.base.errors import WeaklinkError

REGRESSIONS = Path(__file__).parent / "regressions"
OWN_FAULTS = (AssertionError, AttributeError, IndexError, KeyError, MemoryError, NameError, RecursionError, TypeError)
"""What damage alone does not raise: found behind an error of weaklink, it is a fault that was passed off as damage."""

EXPECTED = frozenset(("npz", "case", "case-survey", "case-outcome"))
"""Where whatever is raised while decoding is damage by design: archives of numpy, evidence packed by weaklink."""

LONGEST_MESSAGE = 1500


def try_input(target: FuzzTarget, content: bytes, folder: Path, *, shown: bool = False) -> str:
    """What is wrong with how an input was taken; nothing where it was read or refused as it should."""
    path = target.lay_out(folder, content)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            target.read(path, shown)
        except WeaklinkError as error:
            return _judge_refusal(error, target)
        except Exception as error:
            return "".join(traceback.format_exception(error))[-4000:]
    return ""


def _judge_refusal(error: WeaklinkError, target: FuzzTarget) -> str:
    """A refusal says which file, why and what to do, in a length that a person reads."""
    message = str(error)
    hidden = error.__cause__
    if isinstance(hidden, OWN_FAULTS) and target.name not in EXPECTED:
        return "passed off as damage: " + "".join(traceback.format_exception(error))[-4000:]
    if not message.endswith((".", ")", "`")) or not 20 < len(message) < LONGEST_MESSAGE:
        return f"a refusal that is not clear: {message[:500]!r}"
    return ""


def keep_regression(target: str, content: bytes, folder: Path = REGRESSIONS) -> Path:
    """Writes a failing input where the tests find it."""
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / f"{target}.{hashlib.sha256(content).hexdigest()[:10]}"
    file.write_bytes(content)
    return file


def read_regression(file: Path) -> tuple[FuzzTarget, bytes]:
    """The target and the content of an input that failed once."""
    return TARGETS[file.name.rpartition(".")[0]], file.read_bytes()
