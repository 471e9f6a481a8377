"""The objects of one kind that live in this process, whoever holds them."""

from __future__ import annotations

import gc
from itertools import compress
from typing import TypeVar

Kind = TypeVar("Kind")


def list_living(kind: type[Kind]) -> list[Kind]:
    """Every object of a class or of one derived from it; objects may be millions, so each is asked its class alone."""
    kinds, waiting = set[int](), [kind]
    while waiting:
        one = waiting.pop()
        if id(one) not in kinds:
            kinds.add(id(one))
            waiting += one.__subclasses__()
    objects = gc.get_objects()
    return list(compress(objects, map(kinds.__contains__, map(id, map(type, objects)))))
