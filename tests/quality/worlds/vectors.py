"""Faults of vector environments: members that are alike, ends that are lost."""

from __future__ import annotations

from gymnasium.vector import AutoresetMode, SyncVectorEnv

from tests.quality.worlds.planted import fault


@fault("ENV109", "FAULTS E09: one seed for every worker", "CartPole-v1 Pendulum-v1 Reacher-v5", members=4)
class SameSeedMembers(SyncVectorEnv):
    def reset(self, *, seed=None, options=None):
        alike = [seed] * self.num_envs if isinstance(seed, int) else [0] * self.num_envs
        return super().reset(seed=alike, options=options)


@fault("ENV109", "practice: one object in every slot of the list", "CartPole-v1 Pendulum-v1 FrozenLake-v1", members=4)
def one_instance_many_members(makers):
    env = makers[0]()
    return SyncVectorEnv([lambda: env for _ in makers])


@fault("ENV109", "practice: actions of the first worker sent to all", "CartPole-v1 Pendulum-v1 Acrobot-v1", members=4)
class OneWorkerDoesAll(SyncVectorEnv):
    """Every member gets the seed and the action of the first."""

    def reset(self, *, seed=None, options=None):
        first = seed if isinstance(seed, int) else 0 if seed is None else seed[0]
        return super().reset(seed=[first] * self.num_envs, options=options)

    def step(self, actions):
        copied = actions.copy()
        copied[:] = actions[0]
        return super().step(copied)


@fault("ENV107", "FAULTS E04; cleanrl #499", "CartPole-v1 FrozenLake-v1 Acrobot-v1", members=4)
class FinalObservationLost(SyncVectorEnv):
    """Resets in the same step, and the final observation is nowhere."""

    def __init__(self, makers):
        super().__init__(makers, autoreset_mode=AutoresetMode.SAME_STEP)

    def step(self, actions):
        observations, rewards, terminations, truncations, infos = super().step(actions)
        lost = ("final_obs", "_final_obs", "final_info", "_final_info")
        return observations, rewards, terminations, truncations, {k: v for k, v in infos.items() if k not in lost}


@fault(
    "ENV107",
    "FAULTS E04; envpool #194: the mode told is not the mode kept",
    "CartPole-v1 Pendulum-v1 Hopper-v5",
    members=4,
)
class AutoresetMislabelled(SyncVectorEnv):
    def __init__(self, makers):
        super().__init__(makers, autoreset_mode=AutoresetMode.SAME_STEP)
        self.metadata = {**self.metadata, "autoreset_mode": AutoresetMode.NEXT_STEP}


@fault(
    "ENV107",
    "FAULTS E04: the first of the next episode handed out as the last",
    "CartPole-v1 Acrobot-v1 Hopper-v5",
    members=4,
)
class FinalObservationWrong(SyncVectorEnv):
    def __init__(self, makers):
        super().__init__(makers, autoreset_mode=AutoresetMode.SAME_STEP)

    def step(self, actions):
        observations, rewards, terminations, truncations, infos = super().step(actions)
        if "final_obs" in infos:
            for member, ended in enumerate(terminations | truncations):
                if ended:
                    infos["final_obs"][member] = observations[member].copy()
        return observations, rewards, terminations, truncations, infos
