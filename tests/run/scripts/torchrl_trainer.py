"""A `Trainer` of TorchRL: PPO on CartPole."""

import sys

import gymnasium as gym
import torch
from tensordict.nn import TensorDictModule
from torchrl.collectors import SyncDataCollector
from torchrl.envs import GymWrapper
from torchrl.modules import MLP, OneHotCategorical, ProbabilisticActor, ValueOperator
from torchrl.objectives import ClipPPOLoss
from torchrl.objectives.value import GAE
from torchrl.trainers import Trainer

torch.manual_seed(0)
torch.set_num_threads(1)
env = GymWrapper(gym.make("CartPole-v1"))
env.set_seed(0)
head = TensorDictModule(MLP(4, 2, num_cells=[16]), in_keys=["observation"], out_keys=["logits"])
actor = ProbabilisticActor(head, in_keys=["logits"], distribution_class=OneHotCategorical, return_log_prob=True)
critic = ValueOperator(MLP(4, 1, num_cells=[16]), in_keys=["observation"])
loss = ClipPPOLoss(actor, critic)
frames = int(sys.argv[1])
trainer = Trainer(
    collector=SyncDataCollector(env, actor, frames_per_batch=64, total_frames=frames),
    total_frames=frames,
    frame_skip=1,
    optim_steps_per_batch=2,
    loss_module=loss,
    optimizer=torch.optim.Adam(loss.parameters(), lr=1e-3),
    progress_bar=False,
)
trainer.register_op("batch_process", GAE(gamma=0.99, lmbda=0.95, value_network=critic))
trainer.train()
print(sum(each.sum().item() for each in loss.parameters()))
