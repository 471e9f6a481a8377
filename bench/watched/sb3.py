"""Models of Stable-Baselines3 and sb3-contrib, whole and with one fault planted after they are made."""

from __future__ import annotations

import copy

from sb3_contrib import RecurrentPPO
from stable_baselines3 import A2C, DQN, PPO, SAC, TD3
from stable_baselines3.common.callbacks import EvalCallback
from stable_baselines3.common.monitor import Monitor as EpisodeMonitor
from stable_baselines3.common.vec_env import DummyVecEnv, VecNormalize

import weaklink

from . import Fault
from .estimates import NAMES
from .sb3_planting import altered, plant, resets_next_step
from .world import slope

ON_POLICY = ("PPO", "PPO-Box", "A2C", "RecurrentPPO")
REPLAY = ("DQN", "SAC", "TD3")
EVALUATED = ("PPO-evaluated",)
TRAINERS = (*ON_POLICY, *EVALUATED, *REPLAY, "DoubleDQN", "DQN-each", "SAC-each", "TD3-each")
DISCRETE = ("PPO", "A2C", "RecurrentPPO")
CONTINUOUS = ("SAC", "TD3")

FAULTS = (
    Fault("E01", (*ON_POLICY, *REPLAY), ("DAT201",), "never reach the learner", "done=0 is stored"),
    Fault("E01/recursion", ON_POLICY, ("RET201",), NAMES["E01/recursion"], "the recursion ignores done"),
    Fault("E01/target", REPLAY, ("RET202",), "done ignored", "the target ignores done"),
    Fault("E02", (*ON_POLICY, *REPLAY), ("DAT201",), "time limits are stored as", "a time limit is a terminal"),
    Fault("E04", ("PPO", "A2C", "DQN", "SAC"), ("DAT201",), "only resets", "the reset step is stored"),
    Fault("R02", (*ON_POLICY, *REPLAY), ("DAT201",), "nothing explains it", "noise on the reward"),
    Fault("R03", (*ON_POLICY, *REPLAY), ("DAT201",), "the step before", "the reward of the step before"),
    Fault("O01", (*ON_POLICY, *REPLAY), ("DAT202", "DAT201"), "", "stored observations are one array"),
    Fault("A03", ("PPO-Box",), ("POL202",), "clipped", "the clipped action is stored"),
    Fault("A03/log-prob", ("PPO-Box",), ("POL201",), "clipped", "the log-probability is that of the clipped action"),
    Fault("A04", ("SAC",), ("EXP201",), "correction for squashing", "no tanh term in log pi"),
    Fault("B05", ON_POLICY, ("DAT203",), "", "the buffer is not cleared"),
    Fault("B06", ON_POLICY, ("DAT201",), "other indices", "advantages of other rows"),
    *(Fault(name, ON_POLICY, ("RET201",), NAMES[name]) for name in ("G01", "G02", "G04", "G10", "V02", "V10")),
    Fault("G02", REPLAY, ("RET202",), "gamma ignored"),
    Fault("V02", REPLAY, ("RET202",), "bootstrap from s"),
    Fault("V04", REPLAY, ("RET202",), "gamma times reward less", "g (r - max Q)"),
    Fault("V04/mean", ("DQN",), ("RET202",), "mean over actions", "the mean and not the best action"),
    Fault("V09", CONTINUOUS, ("RET202",), "larger of the twin critics", "the larger of the twins"),
    Fault("V10", REPLAY, ("RET202",), "mask inverted"),
    Fault("L02", ("PPO", "PPO-Box", "RecurrentPPO"), ("POL203",), "recomputed in every epoch", "ratio always 1"),
    Fault("L04", ON_POLICY, unseen="the loss is one number: the sign of one of its parts does not show in it"),
    Fault("L04", ("SAC",), ("RET202",), "entropy", "the entropy in the target has its sign turned"),
    Fault("L04/coefficient", DISCRETE, ("EXP101",), "negative weight", "the entropy bonus is negative"),
    Fault("L07", ("SAC",), ("EXP201",), "the sign of its loss", "the sign of alpha's loss"),
    Fault("L07/target", ("SAC",), ("EXP201",), "largest", "a positive target entropy"),
    Fault("L10", CONTINUOUS, unseen="a second step of the critic may be meant; its gradient does not tell its loss"),
    Fault("T02", (*ON_POLICY, *REPLAY), ("OPT201",), "no optimizer holds them", "stale parameters in the optimizer"),
    Fault("T08", (*ON_POLICY, *REPLAY), ("OPT201",), "never get a gradient", "a network under no_grad"),
    Fault("N03", ("PPO", "A2C", "SAC", "DQN"), ("OPT201",), "never get a gradient", "detach behind the first layer"),
    Fault("K02", REPLAY, ("OPT202",), "has not moved", "the target network is never updated"),
    Fault("K03", REPLAY, ("OPT202",), "no copy", "the target network is the online one"),
    Fault("H01", ("RecurrentPPO",), ("DAT204",), "not reset", "hidden state not reset"),
    Fault("Z01", EVALUATED, ("OBS201",), "evaluation", "the evaluation has statistics of its own"),
    Fault("Z01/counting", EVALUATED, ("OBS201",), "during an evaluation", "the evaluation's normaliser counts"),
    Fault("Q01", EVALUATED, ("REW120",), "normalised rewards", "returns of normalised rewards"),
    Fault("Q05", EVALUATED, ("EVA101",), "training environment", "evaluation in the training environment"),
    Fault("D01", ON_POLICY, ("POL201",), "", "collected with old weights"),
    Fault("B02", REPLAY, unseen="one row of the buffer: whether it is drawn in three updates is chance"),
    Fault("T07", ("PPO",), unseen="SAC throws gradients away by right (those the actor's loss leaves in the critic)"),
)  # fmt: skip

SMALL = dict(net_arch=[16])


def environments(discrete, members=2, seed=0, monitored=True):
    def make():
        return EpisodeMonitor(slope(discrete)) if monitored else slope(discrete)

    several = DummyVecEnv([make] * members)
    several.seed(seed)
    return several


def made(trainer, seed, env):
    options = dict(seed=seed, device="cpu", gamma=0.95)
    if trainer in ("PPO", "PPO-Box", "PPO-evaluated"):
        return PPO("MlpPolicy", env, n_steps=64, batch_size=64, n_epochs=4, policy_kwargs=dict(SMALL), ent_coef=0.01,
                   learning_rate=1e-3, **options)  # fmt: skip
    if trainer == "A2C":
        return A2C("MlpPolicy", env, n_steps=64, policy_kwargs=dict(SMALL), ent_coef=0.01, gae_lambda=0.9, **options)
    if trainer == "RecurrentPPO":
        small = SMALL | dict(lstm_hidden_size=8)
        return RecurrentPPO("MlpLstmPolicy", env, n_steps=64, batch_size=64, n_epochs=4, policy_kwargs=small,
                            ent_coef=0.01, learning_rate=1e-3, **options)  # fmt: skip
    each = trainer.endswith("-each")
    trainer = trainer.removesuffix("-each")
    options |= dict(learning_starts=128, train_freq=16, gradient_steps=16, batch_size=64, policy_kwargs=dict(SMALL))
    options |= dict(train_freq=1, gradient_steps=1) if each else {}
    if trainer in ("DQN", "DoubleDQN"):
        return DQN("MlpPolicy", env, target_update_interval=32, learning_rate=1e-3, **options)
    return {"SAC": SAC, "TD3": TD3}[trainer]("MlpPolicy", env, learning_rate=1e-3, **options)


def train(trainer, fault, folder, seed):
    discrete = not trainer.startswith(("PPO-Box", "SAC", "TD3"))
    env = environments(discrete, seed=seed)
    if fault == "E04":
        resets_next_step(env)
    if trainer in EVALUATED:
        return evaluated(fault, folder, seed, env)
    model = made(trainer, seed, env)
    plant(model, trainer, fault)
    monitor = weaklink.attach(model, folder, sinks=(), tracker="none")
    model.learn(384 if trainer in ON_POLICY else 128 + 3 * 32)
    monitor.close()
    return monitor


def evaluated(fault, folder, seed, env):
    env = VecNormalize(env, norm_reward=True, gamma=0.95)
    apart = VecNormalize(environments(True, 1, seed + 1, monitored=fault != "Q01"), norm_reward=fault == "Q01")
    apart.training = fault == "Z01/counting"
    callback = EvalCallback(env if fault == "Q05" else apart, eval_freq=32, n_eval_episodes=2, verbose=0, warn=False)
    if fault == "Z01":
        altered(apart, obs_rms=property(lambda self: self.own, lambda self, value: None))
        apart.own = copy.deepcopy(vars(apart).pop("obs_rms"))
    model = made("PPO-evaluated", seed, env)
    monitor = weaklink.attach(model, folder, sinks=(), tracker="none")
    model.learn(384, callback=callback)
    monitor.close()
    return monitor
