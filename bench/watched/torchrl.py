"""Trainers of TorchRL: PPO with its own collector, estimator and buffer, and SAC, each with one fault planted."""

from __future__ import annotations

import contextlib
import copy
import functools

import numpy as np
import torch
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from tensordict.nn import TensorDictModule
from torch import nn
from torchrl.collectors import Collector
from torchrl.data import LazyTensorStorage, SamplerWithoutReplacement, TensorDictReplayBuffer
from torchrl.envs import GymWrapper
from torchrl.modules import NormalParamExtractor, OneHotCategorical, ProbabilisticActor, TanhNormal, ValueOperator
from torchrl.objectives import ClipPPOLoss, HardUpdate, SACLoss, SoftUpdate
from torchrl.objectives.value import GAE
from torchrl.trainers import ReplayBufferTrainer, TargetNetUpdaterHook, Trainer
from torchrl.trainers.algorithms import PPOTrainer

import weaklink

from . import Fault
from .estimates import NAMES, advantages
from .world import slope

BOTH = ("PPO", "SAC")
TRAINERS = (*BOTH, "SAC-hard")
GAMMA, LAMBDA, MEMBERS, FRAMES = 0.95, 0.9, 2, 128
TARGETS_INSIDE = "TorchRL makes the targets inside of its loss, which the adapter does not look into"

FAULTS = (
    Fault("E01/recursion", ("PPO",), ("RET201",), NAMES["E01/recursion"], "the recursion ignores done"),
    Fault("E02", ("PPO",), ("RET201",), "truncation treated as termination", "a time limit is a terminal"),
    *(Fault(name, ("PPO",), ("RET201",), NAMES[name]) for name in ("G01", "G02", "G04", "G10", "V02", "V10")),
    Fault("B05", ("PPO",), ("POL201",), "", "rows of the rollout before are learned from"),
    Fault("T02", BOTH, ("OPT201",), "no optimizer holds them", "stale parameters in the optimizer"),
    Fault("T08", BOTH, ("OPT201",), "never get a gradient", "a network under no_grad"),
    Fault("N03", BOTH, ("OPT201",), "never get a gradient", "detach behind the first layer"),
    Fault("K02", ("SAC",), ("OPT202",), "has not moved", "the target network is never updated"),
    Fault(
        "K02/none", ("SAC",), unseen="without an updater nothing says when the copy should move; TorchRL itself warns"
    ),
    Fault("K03", ("SAC",), ("OPT202",), "equals the online network", "the target network follows at once"),
    Fault("D01", ("PPO",), ("POL201",), "", "collected with old weights"),
    *(Fault(name, ("SAC",), unseen=TARGETS_INSIDE) for name in ("E01/target", "E02", "G02", "V02", "V09", "V10")),
    Fault("L02", ("PPO",), unseen="the ratios stay inside of the loss, and its KL is that of the minibatch"),
    Fault("L04", ("PPO",), unseen="the loss is one number: the sign of one of its parts does not show in it"),
    Fault("R02", BOTH, unseen="the batch holds the rewards that were stored: those given are not seen"),
    Fault("R03", BOTH, unseen="the batch holds the rewards that were stored: those given are not seen"),
)


class Network(nn.Module):
    """Two layers and a head."""

    def __init__(self, inputs, outputs, fault=""):
        super().__init__()
        self.first, self.second, self.head = nn.Linear(inputs, 16), nn.Linear(16, 16), nn.Linear(16, outputs)
        self.fault = fault

    def forward(self, *given):
        with torch.set_grad_enabled(torch.is_grad_enabled() and self.fault != "T08"):
            inner = torch.tanh(self.first(torch.cat(given, -1)))
            inner = inner.detach() if self.fault == "N03" else inner
            inner = torch.tanh(self.second(inner))
        return self.head(inner)


def environment(discrete, seed):
    make = functools.partial(slope, discrete)
    env = GymWrapper(SyncVectorEnv([make] * MEMBERS, autoreset_mode=AutoresetMode.DISABLED))
    env.set_seed(seed)
    return env


def collector(env, actor, fault):
    made = Collector(env, copy.deepcopy(actor) if fault == "D01" else actor, frames_per_batch=FRAMES,
                     total_frames=3 * FRAMES)  # fmt: skip
    if fault == "D01":
        made.update_policy_weights_ = lambda *args, **options: None
    return made


def optimizer(loss, fault):
    weights = [each for each in loss.parameters() if each.requires_grad]
    if fault == "T02":
        inner = [each for name, each in loss.named_parameters() if "actor" in name and "head" not in name]
        stale = {id(each): nn.Parameter(each.detach().clone()) for each in inner}
        weights = [stale.get(id(each), each) for each in weights]
    return torch.optim.Adam(weights, lr=1e-3)


def ppo(seed, fault):
    head = TensorDictModule(Network(2, 2, fault), in_keys=["observation"], out_keys=["logits"])
    actor = ProbabilisticActor(head, in_keys=["logits"], distribution_class=OneHotCategorical, return_log_prob=True)
    loss = ClipPPOLoss(actor, ValueOperator(Network(2, 1), in_keys=["observation"]))
    buffer = TensorDictReplayBuffer(
        storage=LazyTensorStorage(FRAMES), sampler=SamplerWithoutReplacement(), batch_size=64
    )
    return PPOTrainer(
        collector=collector(environment(True, seed), actor, fault), total_frames=3 * FRAMES, frame_skip=1,
        optim_steps_per_batch=None, loss_module=loss, optimizer=optimizer(loss, fault), num_epochs=4,
        progress_bar=False, replay_buffer=buffer, enable_logging=False, gamma=GAMMA, lmbda=LAMBDA,
    )  # fmt: skip


def sac(seed, fault):
    env = environment(False, seed)
    head = TensorDictModule(
        nn.Sequential(Network(2, 2, fault), NormalParamExtractor()), in_keys=["observation"], out_keys=["loc", "scale"]
    )
    actor = ProbabilisticActor(head, in_keys=["loc", "scale"], distribution_class=TanhNormal, return_log_prob=True)
    critic = ValueOperator(Network(3, 1), in_keys=["observation", "action"])
    loss = SACLoss(actor, critic, target_entropy=-1.0)
    loss.make_value_estimator(gamma=GAMMA)
    trainer = Trainer(
        collector=collector(env, actor, fault), total_frames=3 * FRAMES, frame_skip=1, optim_steps_per_batch=16,
        loss_module=loss, optimizer=optimizer(loss, fault), progress_bar=False,
    )  # fmt: skip
    buffer = ReplayBufferTrainer(
        TensorDictReplayBuffer(storage=LazyTensorStorage(4 * FRAMES), batch_size=64), flatten_tensordicts=True
    )
    buffer.register(trainer)
    moved(trainer, loss, fault)
    return trainer


def moved(trainer, loss, fault):
    """Has the slow copies follow: after each batch, or with a fault after each gradient step."""
    if fault == "K02":
        trainer.register_op("post_optim", TargetNetUpdaterHook(SoftUpdate(copy.deepcopy(loss), tau=0.05)))
    elif fault == "K03":
        trainer.register_op("post_optim", TargetNetUpdaterHook(HardUpdate(loss, value_network_update_interval=1)))
    else:
        whole = HardUpdate(loss, value_network_update_interval=1) if fault == "hard" else SoftUpdate(loss, tau=0.05)
        TargetNetUpdaterHook(whole).register(trainer, "target networks")


@contextlib.contextmanager
def estimating(fault):
    """Has TorchRL's estimator make the advantages of another one, or of a batch with rows of the one before."""
    right, kept = GAE.forward, []

    def forward(self, tensordict, *args, **options):
        found = right(self, tensordict, *args, **options)
        if fault == "B05":
            if kept:
                for key in ("observation", "action", "action_log_prob"):
                    tensordict[key][:, : FRAMES // MEMBERS // 2] = kept[-1][key][:, : FRAMES // MEMBERS // 2]
            kept.append(tensordict.clone())
            return found
        names = ("reward", "terminated", "done", "state_value")
        after = {name: tensordict["next", name][..., 0].numpy().T for name in names}
        values = tensordict["state_value"][..., 0].numpy().T
        parts = (after["reward"], values, after["state_value"], after["terminated"], after["done"], GAMMA, LAMBDA)
        made, plain = advantages(*parts, fault), advantages(*parts, "" if fault == "G10" else fault)
        tensordict["advantage"].copy_(torch.as_tensor(np.ascontiguousarray(made.T))[..., None])
        tensordict["value_target"].copy_(torch.as_tensor(np.ascontiguousarray((plain + values).T))[..., None])
        return found

    GAE.forward = forward if fault in NAMES or fault in ("B05", "E02") else right
    try:
        yield
    finally:
        GAE.forward = right


def train(trainer, fault, folder, seed):
    torch.manual_seed(seed)
    with estimating(fault):
        made = ppo(seed, fault) if trainer == "PPO" else sac(seed, "hard" if trainer == "SAC-hard" else fault)
        monitor = weaklink.attach(made, folder, sinks=(), tracker="none")
        made.train()
    monitor.close()
    return monitor
