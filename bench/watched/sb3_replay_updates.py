"""One update of DQN, TD3 and SAC on a Stable-Baselines3 model, with the faults that lie in it."""

from __future__ import annotations

import torch
from stable_baselines3.common.utils import polyak_update
from torch.nn import functional


def target(batch, following, own, gamma, fault):
    """One-step targets."""
    goes_on = 1.0 - batch.dones
    if fault == "E01/target":
        goes_on = torch.ones_like(batch.dones)
    if fault == "V10":
        goes_on = batch.dones
    if fault == "G02":
        gamma = 1.0
    if fault == "V02":
        following = own
    if fault == "V04":
        return gamma * (batch.rewards - goes_on * following)
    return batch.rewards + goes_on * gamma * following


def twins(critic, observations, actions, fault):
    values = torch.cat(critic(observations, actions), dim=1)
    return (values.max if fault == "V09" else values.min)(dim=1, keepdim=True).values


def dqn(model, gradient_steps, batch_size, fault):
    for _ in range(gradient_steps):
        batch = model.replay_buffer.sample(batch_size)
        with torch.no_grad():
            following = model.q_net_target(batch.next_observations).max(dim=1, keepdim=True).values
            own = model.q_net_target(batch.observations).max(dim=1, keepdim=True).values
            if fault == "double":
                best = model.q_net(batch.next_observations).argmax(dim=1, keepdim=True)
                following = model.q_net_target(batch.next_observations).gather(1, best)
            if fault == "V04/mean":
                following = model.q_net_target(batch.next_observations).mean(dim=1, keepdim=True)
            wanted = target(batch, following, own, model.gamma, fault)
        values = model.q_net(batch.observations).gather(1, batch.actions.long())
        loss = functional.smooth_l1_loss(values, wanted)
        model.policy.optimizer.zero_grad()
        loss.backward()
        model.policy.optimizer.step()
    model._n_updates += gradient_steps


def td3(model, gradient_steps, batch_size, fault):
    for _ in range(gradient_steps):
        model._n_updates += 1
        batch = model.replay_buffer.sample(batch_size)
        with torch.no_grad():
            noise = batch.actions.clone().normal_(0, model.target_policy_noise)
            noise = noise.clamp(-model.target_noise_clip, model.target_noise_clip)
            acted = (model.actor_target(batch.next_observations) + noise).clamp(-1, 1)
            following = twins(model.critic_target, batch.next_observations, acted, fault)
            own = twins(model.critic_target, batch.observations, model.actor_target(batch.observations), fault)
            wanted = target(batch, following, own, model.gamma, fault)
        loss = sum(functional.mse_loss(each, wanted) for each in model.critic(batch.observations, batch.actions))
        stepped(model.critic.optimizer, loss)
        if model._n_updates % model.policy_delay == 0:
            gain = model.critic.q1_forward(batch.observations, model.actor(batch.observations)).mean()
            acting(model, -gain, fault)
            if fault != "K02":
                polyak_update(model.critic.parameters(), model.critic_target.parameters(), model.tau)
                polyak_update(model.actor.parameters(), model.actor_target.parameters(), model.tau)


def sac(model, gradient_steps, batch_size, fault):
    for _ in range(gradient_steps):
        batch = model.replay_buffer.sample(batch_size)
        drawn, log_prob = model.actor.action_log_prob(batch.observations)
        log_prob = log_prob.reshape(-1, 1)
        alpha = model.log_ent_coef.detach().exp()
        sign = 1.0 if fault == "L07" else -1.0
        stepped(
            model.ent_coef_optimizer, sign * (model.log_ent_coef * (log_prob + model.target_entropy).detach()).mean()
        )
        with torch.no_grad():
            acted, next_log_prob = model.actor.action_log_prob(batch.next_observations)
            bonus = -alpha * next_log_prob.reshape(-1, 1) * (-1.0 if fault == "L04" else 1.0)
            following = twins(model.critic_target, batch.next_observations, acted, fault) + bonus
            own = twins(model.critic_target, batch.observations, drawn, fault) - alpha * log_prob
            wanted = target(batch, following, own, model.gamma, fault)
        loss = 0.5 * sum(functional.mse_loss(each, wanted) for each in model.critic(batch.observations, batch.actions))
        stepped(model.critic.optimizer, loss)
        gain = twins(model.critic, batch.observations, drawn, "").mean()
        acting(model, (alpha * log_prob).mean() - gain, fault)
        if fault != "K02":
            polyak_update(model.critic.parameters(), model.critic_target.parameters(), model.tau)
    model._n_updates += gradient_steps


def stepped(optimizer, loss):
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()


def acting(model, loss, fault):
    """The step of the actor; with the fault the critic makes one as well."""
    model.critic.optimizer.zero_grad()
    stepped(model.actor.optimizer, loss)
    if fault == "L10":
        model.critic.optimizer.step()


UPDATES = {"DQN": dqn, "DoubleDQN": dqn, "TD3": td3, "SAC": sac}
