"""The probes as Gymnasium environments, registered when this is imported.

Gymnasium imports it when it is asked for `gymnasium.make("weaklink.envs:weaklink/DelayedReward-v0")`.
"""

from __future__ import annotations

from weaklink.collect.probes.registration import register

register()
