"""A policy that plays, with an optimizer that never steps, or one whose learning rate is spent at once."""

import sys

import gymnasium
import torch

policy = torch.nn.Linear(4, 2)
optimizer = torch.optim.SGD(policy.parameters(), lr=0.01)
schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda count: max(0.0, 1.0 - count / 20))
env = gymnasium.make("CartPole-v1")
state, _ = env.reset(seed=0)
for step in range(int(sys.argv[2])):
    if step % 10 == 0:
        logits = policy(torch.as_tensor(state))
    action = int(torch.multinomial(logits.detach().softmax(-1), 1))
    state, _, terminated, truncated, _ = env.step(action)
    if sys.argv[1] == "steps" and step % 10 == 0:
        optimizer.zero_grad()
        logits.square().sum().backward()
        optimizer.step()
        schedule.step()
    if terminated or truncated:
        state, _ = env.reset()
