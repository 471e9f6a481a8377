"""Autograd's graph, walked from one output back to those that it was made of."""

from __future__ import annotations

from typing import Any

MOST_NODES = 2000
"""Nodes between two outputs; a module without modules inside has as many as its forward has operations."""

PLAIN = frozenset((
    "AddBackward0", "SubBackward0", "RsubBackward1", "MeanBackward0", "MeanBackward1", "ExpandBackward0",
    "UnsafeViewBackward0", "ViewBackward0", "ReshapeAliasBackward0", "UnsqueezeBackward0", "SqueezeBackward0",
    "SqueezeBackward1", "SumBackward0", "SumBackward1", "TransposeBackward0", "PermuteBackward0", "CloneBackward0",
))  # fmt: skip
"""Operations that only add and arrange: a duelling network's answer is made of its two streams by these."""


def find_producers(node: Any, records: dict[int, Any]) -> tuple[list[Any], bool]:
    """The nearest known outputs that a node of the graph is made of, and whether by adding and arranging alone.

    Args:
        node: of an output; it is not known itself.
        records: by the identity of their nodes, each with its `node`.
    """
    found: dict[int, Any] = {}
    waiting, seen, plain = [node], {id(node)}, True
    kept = [node]  # their identities must not be given to others meanwhile
    while waiting and len(seen) < MOST_NODES:
        current = waiting.pop()
        record = records.get(id(current))
        if record is not None and record.node is current:
            found[id(record)] = record
            continue
        plain &= current.name() in PLAIN
        for following, _ in current.next_functions:
            if following is not None and id(following) not in seen:
                seen.add(id(following))
                kept.append(following)
                waiting.append(following)
    return list(found.values()), plain
