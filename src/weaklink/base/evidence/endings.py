"""The end of an episode as evidence: what comes after it, and how a vector environment hands over to the next."""

from __future__ import annotations

import msgspec


class EpisodeEnding(msgspec.Struct, frozen=True, kw_only=True):
    """What stepping on after the end of an episode does, by how the episode ended.

    `raised` and `warned` say what came of the first step too many; `continued` how many more steps were accepted with
    both flags down; `restarted` whether the environment had begun a new episode by itself.
    """

    end: int
    raised: bool
    warned: bool
    continued: int
    restarted: bool


class VectorMembers(msgspec.Struct, frozen=True, kw_only=True):
    """A vector environment: how many members, and how it hands over from one episode to the next.

    `autoreset` is what it declares (`next_step`, `same_step`, `disabled` or empty), `autoreset_seen` what it does.
    `twins` lists pairs of members that gave identical trajectories although each has a seed of its own,
    `unseeded_twins` those of a new vector that was reset without one, as in most trainings. `ends` counts episodes that
    ended, `finals_missing` those without a final observation, `finals_wrong` those that were handed the first one of
    the next episode instead.
    """

    count: int
    framework: str
    autoreset: str = ""
    autoreset_seen: str = ""
    twins: tuple[tuple[int, int], ...] = ()
    unseeded_twins: tuple[tuple[int, int], ...] = ()
    ends: int = 0
    finals_missing: int = 0
    finals_wrong: int = 0
    truncations_unmarked: int = 0
