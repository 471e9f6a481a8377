"""skrl 2's PPO for discrete actions, ready to be probed: `weaklink probe examples/probe_skrl.py:train`."""

from __future__ import annotations

import torch
from gymnasium.spaces import flatdim, flatten
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from gymnasium.wrappers import FlattenObservation
from skrl.agents.torch.ppo import PPO, PPO_CFG
from skrl.envs.wrappers.torch import wrap_env
from skrl.memories.torch import RandomMemory
from skrl.models.torch import CategoricalMixin, DeterministicMixin, Model
from skrl.trainers.torch import SequentialTrainer, SequentialTrainerCfg
from torch import nn

MEMBERS, ROLLOUT = 16, 16


def layers(inputs, outputs):
    return nn.Sequential(nn.Linear(inputs, 32), nn.Tanh(), nn.Linear(32, 32), nn.Tanh(), nn.Linear(32, outputs))


class Policy(CategoricalMixin, Model):
    def __init__(self, observation_space, action_space):
        Model.__init__(self, observation_space=observation_space, action_space=action_space, device="cpu")
        CategoricalMixin.__init__(self)
        self.net = layers(flatdim(observation_space), int(action_space.n))

    def compute(self, inputs, role=""):
        return self.net(inputs["observations"]), {}


class Value(DeterministicMixin, Model):
    def __init__(self, observation_space, action_space):
        Model.__init__(self, observation_space=observation_space, action_space=action_space, device="cpu")
        DeterministicMixin.__init__(self)
        self.net = layers(flatdim(observation_space), 1)

    def compute(self, inputs, role=""):
        return self.net(inputs["observations"]), {}


class Agent:
    def __init__(self, models, observation_space, gamma):
        self.models, self.observation_space, self.gamma = models, observation_space, gamma

    def act(self, observation):
        return int(self.models["policy"].net(self.seen(observation)).argmax())

    def log_prob(self, observation, action):
        return self.models["policy"].net(self.seen(observation)).log_softmax(-1)[0, action].item()

    def value(self, observation):
        return self.models["value"].net(self.seen(observation)).item()

    def seen(self, observation):
        return torch.as_tensor(flatten(self.observation_space, observation), dtype=torch.float32).unsqueeze(0)


def train(make_env, steps, seed, gamma=0.9):
    torch.manual_seed(seed)
    space = make_env().observation_space
    several = SyncVectorEnv(
        [lambda: FlattenObservation(make_env()) for _ in range(MEMBERS)], autoreset_mode=AutoresetMode.SAME_STEP
    )
    several.reset(seed=seed)
    env = wrap_env(several, verbose=False)
    models = {
        role: kind(env.observation_space, env.action_space) for role, kind in (("policy", Policy), ("value", Value))
    }
    settings = PPO_CFG(rollouts=ROLLOUT, learning_epochs=6, mini_batches=4, discount_factor=gamma, learning_rate=5e-3)
    settings.value_clip, settings.entropy_loss_scale, settings.time_limit_bootstrap = 0.0, 0.01, True
    settings.experiment.write_interval = settings.experiment.checkpoint_interval = 0
    memory = RandomMemory(memory_size=ROLLOUT, num_envs=MEMBERS, device="cpu")
    spaces = {"observation_space": env.observation_space, "action_space": env.action_space}
    agent = PPO(models=models, memory=memory, cfg=settings, device="cpu", **spaces)
    quiet = SequentialTrainerCfg(timesteps=max(1, steps // MEMBERS), headless=True, disable_progressbar=True)
    SequentialTrainer(env=env, agents=agent, cfg=quiet).train()
    return Agent(models, space, gamma)
