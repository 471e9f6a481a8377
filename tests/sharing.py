"""What takes long to make is made once for all processes of the tests, not once in each."""

from __future__ import annotations

import fcntl
import hashlib
import pickle
from collections.abc import Callable
from functools import cache, wraps
from pathlib import Path
from typing import ParamSpec, TypeVar

Parameters = ParamSpec("Parameters")
Made = TypeVar("Made")

FOLDER: list[Path] = []
"""The folder of this run of the tests, once it is known; none where there is one process."""


def share(make: Callable[Parameters, Made]) -> Callable[Parameters, Made]:
    """Like `functools.cache`, for the other processes too."""

    @cache
    @wraps(make)
    def find(*words: Parameters.args, **options: Parameters.kwargs) -> Made:
        if not FOLDER:
            return make(*words, **options)
        asked = repr((make.__module__, make.__qualname__, words, sorted(options.items())))
        file = FOLDER[0] / hashlib.blake2b(asked.encode(), digest_size=16).hexdigest()
        with file.with_suffix(".lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not file.exists():
                made = pickle.dumps(make(*words, **options))
                file.write_bytes(made)
        found: Made = pickle.loads(file.read_bytes())
        return found

    return find
