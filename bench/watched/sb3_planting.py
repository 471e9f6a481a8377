"""Faults planted in a model of Stable-Baselines3 after it is made: in its store, its networks, or its update."""

from __future__ import annotations

import copy
from functools import partial

import numpy as np
import torch

from .estimates import NAMES, advantages
from .sb3_replay_updates import UPDATES

IN_UPDATE = ("E01/target", "G02", "V02", "V04", "V04/mean", "V09", "V10", "L04", "L07", "L10", "K02")


def altered(thing, **parts):
    """Gives one object a class of its own with other methods; each is called with the original and the object."""
    kind = type(thing)
    found = {}
    for name, part in parts.items():
        if isinstance(part, property):
            found[name] = part
        else:
            found[name] = lambda self, *args, _part=part, _name=name, **options: _part(
                partial(getattr(kind, _name), self), self, *args, **options
            )
    thing.__class__ = type(kind.__name__, (kind,), found | {"__module__": kind.__module__})


def plant(model, trainer, fault):
    """Plants one fault; those of the environment are there already."""
    replay = hasattr(model, "replay_buffer")
    if trainer == "DoubleDQN":
        fault = "double"
    if not fault or fault == "E04":
        return
    if fault == "double" or (replay and fault in IN_UPDATE and (trainer, fault) != ("DQN", "K02")):
        altered(model, train=lambda original, self, gradient_steps, batch_size: UPDATES[trainer](
            self, gradient_steps, batch_size, fault))  # fmt: skip
    elif fault in IN_NETWORKS:
        IN_NETWORKS[fault](model)
    elif replay:
        altered(model.replay_buffer, add=partial(IN_REPLAY[fault], kept={}))
    elif fault in NAMES:
        altered(model.rollout_buffer, compute_returns_and_advantage=partial(estimated, fault=fault))
    else:
        IN_ROLLOUT[fault](model)


def estimated(original, buffer, last_values, dones, fault):
    following = np.concatenate([buffer.values[1:], last_values.cpu().numpy().reshape(1, -1)])
    ended = np.concatenate([buffer.episode_starts[1:] > 0.5, np.reshape(dones, (1, -1))])
    found = advantages(buffer.rewards, buffer.values, following, ended, ended, buffer.gamma, buffer.gae_lambda, fault)
    plain = advantages(buffer.rewards, buffer.values, following, ended, ended, buffer.gamma, buffer.gae_lambda,
                       "" if fault == "G10" else fault)  # fmt: skip
    buffer.advantages, buffer.returns = found.astype(np.float32), (plain + buffer.values).astype(np.float32)


def resets_next_step(env):
    """Gives the last observation of an episode, and the first of the next with a step that does nothing."""
    state = {"ended": np.zeros(env.num_envs, bool)}

    def step(original, self):
        asleep = state["ended"].copy()
        first = {member: self._obs_from_buf()[member].copy() for member in np.flatnonzero(asleep)}
        kept = [self.envs[member] for member in range(self.num_envs)]
        for member in np.flatnonzero(asleep):
            self.envs[member] = Asleep(kept[member], state["first"][member])
        seen, rewards, dones, infos = original()
        for member in first:
            self.envs[member] = kept[member]
        state.setdefault("first", {})
        for member in np.flatnonzero(dones):
            state["first"][member] = seen[member].copy()
            seen[member] = infos[member]["terminal_observation"]
        state["ended"] = dones.copy()
        return seen, rewards, dones, infos

    altered(env, step_wait=step)


class Asleep:
    """Answers one step with the observation that the reset gave."""

    def __init__(self, env, first):
        self._env, self._first = env, first

    def step(self, action):
        return self._first, 0.0, False, False, {}


# in the store of off-policy models


def terminal_lost(original, buffer, obs, next_obs, action, reward, done, infos, kept):
    original(obs, next_obs, action, reward, np.zeros_like(done), infos)


def limit_is_terminal(original, buffer, obs, next_obs, action, reward, done, infos, kept):
    infos = [{**info, "TimeLimit.truncated": False} for info in infos]
    original(obs, next_obs, action, reward, done, infos)


def noisy(original, buffer, obs, next_obs, action, reward, done, infos, kept):
    draws = kept.setdefault("draws", np.random.default_rng(0))
    original(obs, next_obs, action, reward + 0.1 * np.abs(reward) * draws.normal(size=reward.shape), done, infos)


def late(original, buffer, obs, next_obs, action, reward, done, infos, kept):
    before = kept.get("reward", np.zeros_like(reward))
    kept["reward"] = reward.copy()
    original(obs, next_obs, action, before, done, infos)


def one_array(original, buffer, obs, next_obs, action, reward, done, infos, kept):
    original(obs, next_obs, action, reward, done, infos)
    buffer.observations[: buffer.pos] = next_obs


IN_REPLAY = {"E01": terminal_lost, "E02": limit_is_terminal, "R02": noisy, "R03": late, "O01": one_array}


# in the rollouts of on-policy models


def terminals_lost(model):
    altered(
        model.rollout_buffer,
        add=lambda original, buffer, obs, action, reward, start, *rest, **options: original(
            obs, action, reward, np.zeros_like(start), *rest, **options
        ),
        compute_returns_and_advantage=lambda original, buffer, last_values, dones: original(
            last_values, np.zeros_like(dones)
        ),
    )


def limits_are_terminals(model):
    """Stores the reward as the environment gave it, without the value of what would have followed."""
    given = {}

    def step(original, env):
        found = original()
        given["rewards"] = found[1].copy()
        return found

    altered(model.env, step_wait=step)
    rewarded(model, lambda reward: given["rewards"])


def rewarded(model, change):
    altered(
        model.rollout_buffer,
        add=lambda original, buffer, obs, action, reward, *rest, **options: original(
            obs, action, change(reward), *rest, **options
        ),
    )


def noise(model):
    draws = np.random.default_rng(0)
    rewarded(model, lambda reward: reward + 0.1 * np.abs(reward) * draws.normal(size=reward.shape))


def reward_before(model):
    kept = []

    def change(reward):
        kept.append(reward.copy())
        return kept[-2] if len(kept) > 1 else np.zeros_like(reward)

    rewarded(model, change)


def one_observation(model):
    def add(original, buffer, obs, *rest, **options):
        original(obs, *rest, **options)
        buffer.observations[: buffer.pos] = obs

    altered(model.rollout_buffer, add=add)


def clipped_stored(model, *, judged=False):
    def add(original, buffer, obs, action, reward, start, value, log_prob, **options):
        clipped = np.clip(action, model.action_space.low, model.action_space.high)
        if judged:
            with torch.no_grad():
                log_prob = model.policy.evaluate_actions(torch.as_tensor(obs), torch.as_tensor(clipped))[1]
        original(obs, action if judged else clipped, reward, start, value, log_prob, **options)

    altered(model.rollout_buffer, add=add)


def never_cleared(model):
    """Learns from the rollouts before as well."""
    kept = []

    def get(original, buffer, batch_size=None):
        drawn = list(original(batch_size))
        yield from (*drawn, *(each for earlier in kept for each in earlier))
        if len(kept) < 2 and buffer.generator_ready and (not kept or kept[-1][0] is not drawn[0]):
            kept.append(drawn[:1])

    altered(model.rollout_buffer, get=get)


def drawn_with(model, change):
    def get(original, buffer, batch_size=None):
        for drawn in original(batch_size):
            yield change(drawn)

    altered(model.rollout_buffer, get=get)


def other_rows(model):
    drawn_with(model, lambda drawn: drawn._replace(advantages=drawn.advantages.roll(1, 0)))


def always_new(model):
    def change(drawn):
        more = (drawn.lstm_states, drawn.episode_starts) if hasattr(drawn, "lstm_states") else ()
        actions = drawn.actions.long().flatten() if hasattr(model.action_space, "n") else drawn.actions
        with torch.no_grad():
            log_prob = model.policy.evaluate_actions(drawn.observations, actions, *more)[1]
        return drawn._replace(old_log_prob=log_prob)

    drawn_with(model, change)


def entropy_turned(model):
    def evaluate(original, policy, *args, **options):
        values, log_prob, entropy = original(*args, **options)
        return values, log_prob, -entropy

    altered(model.policy, evaluate_actions=evaluate)


def bonus_negative(model):
    model.ent_coef = -abs(model.ent_coef)


def old_weights(model):
    twin = copy.deepcopy(model.policy)
    altered(model.policy, forward=lambda original, policy, *args, **options: twin(*args, **options))


def never_reset(model):
    def process(features, states, starts, network):
        return original(features, states, torch.zeros_like(starts), network)

    original = model.policy._process_sequence
    kind = type(model.policy)
    model.policy.__class__ = type(kind.__name__, (kind,), {"_process_sequence": staticmethod(process)})


IN_ROLLOUT = {
    "E01": terminals_lost,
    "E02": limits_are_terminals,
    "R02": noise,
    "R03": reward_before,
    "O01": one_observation,
    "A03": clipped_stored,
    "A03/log-prob": partial(clipped_stored, judged=True),
    "B05": never_cleared,
    "B06": other_rows,
    "L02": always_new,
    "L04": entropy_turned,
    "L04/coefficient": bonus_negative,
    "D01": old_weights,
    "H01": never_reset,
}


# in networks and optimizers


def without_tanh(model):
    """The log-probability of the Gaussian draw, without what tanh does to it."""

    def log_prob(original, actor, obs):
        mean, log_std, _ = actor.get_action_dist_params(obs)
        drawn = torch.distributions.Normal(mean, log_std.exp())
        plain = drawn.rsample()
        return torch.tanh(plain), drawn.log_prob(plain).sum(dim=1)

    altered(model.actor, action_log_prob=log_prob)


def target_too_high(model):
    model.target_entropy = 2.0


def acting_part(model):
    policy = model.policy
    if hasattr(policy, "q_net"):
        return policy.q_net.q_net
    return model.actor if hasattr(model, "actor") else policy.mlp_extractor.policy_net


def stale_weights(model):
    """The optimizer holds a copy of the weights of the acting network and not these themselves."""
    part = acting_part(model)
    held = model.actor.optimizer if hasattr(model, "actor") else model.policy.optimizer
    stale = {id(old): new for old, new in zip(part.parameters(), copy.deepcopy(part).parameters(), strict=True)}
    for group in held.param_groups:
        group["params"] = [stale.get(id(each), each) for each in group["params"]]


def under_no_grad(model):
    part = acting_part(model)
    inner = part.latent_pi if hasattr(part, "latent_pi") else part.mu if hasattr(part, "mu") else part
    inner = inner[:-1] if hasattr(model, "actor_target") or hasattr(model, "q_net") else inner
    for layer in inner:
        altered(layer, forward=lambda original, self, given: torch.no_grad()(original)(given))


def detached(model):
    part = acting_part(model)
    first = (part.latent_pi if hasattr(part, "latent_pi") else part)[0]
    altered(first, forward=lambda original, self, given: original(given).detach())


def never_copied(model):
    altered(model, _on_step=lambda original, self: None)


def aliased(model):
    for name in ("q_net", "critic", "actor"):
        if hasattr(model, f"{name}_target"):
            for owner in (model, model.policy):
                setattr(owner, f"{name}_target", getattr(model, name))


IN_NETWORKS = {
    "A04": without_tanh,
    "L07/target": target_too_high,
    "T02": stale_weights,
    "T08": under_no_grad,
    "N03": detached,
    "K02": never_copied,
    "K03": aliased,
}
