"""What can be reached from one start of a small world, by any course of actions."""

from __future__ import annotations

import msgspec


class ReachedStates(msgspec.Struct, frozen=True, kw_only=True):
    """The states of one start, told apart by what is seen, in a world where that and the action decide what follows.

    `whole` says that every action was tried in each of them that the time limit leaves a step for. `nearest` counts the
    steps of the shortest way to a success, or to an end that pays more than any other step, None where there is none;
    `prize` is the most that such an end pays. `loop` is what a step pays on average where going round in circles pays
    most, 0 where no circle pays. `course` stands for all that is seen and paid on the way: two starts with the same
    course look the same whatever is done. `ends` has what each action pays that ends the episode, by the state and the
    action. Both are empty where the map is not whole.
    """

    seed: int
    states: int
    whole: bool
    nearest: int | None = None
    prize: float = 0.0
    loop: float = 0.0
    course: str = ""
    ends: dict[tuple[str, int], float] = {}
