"""Dispatching jobs to machines with REINFORCE and a learned baseline.

Plain functions and dictionaries. Actions are MultiDiscrete (which job, which machine), with masks.
"""
import argparse

import gymnasium as gym
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

SLOTS, MACHINES, TYPES, HORIZON = 3, 3, 3, 25


class DispatchEnv(gym.Env):
    """Each step one waiting job may go to one free machine, or nothing happens (job index SLOTS).

    A machine works fast and well on jobs of its own type. The shift is HORIZON steps long and
    the clock is part of the observation.
    """

    def __init__(self, fault="none"):
        self.fault = fault
        self.action_space = gym.spaces.MultiDiscrete([SLOTS + 1, MACHINES])
        self.observation_space = gym.spaces.Dict({
            "jobs": gym.spaces.Box(0.0, 1.0, (SLOTS, 1 + TYPES + 1), np.float32),
            "machines": gym.spaces.Box(0.0, 1.0, (MACHINES,), np.float32),
            "clock": gym.spaces.Box(0.0, 1.0, (1,), np.float32),
            "job_mask": gym.spaces.MultiBinary(SLOTS + 1),
            "machine_mask": gym.spaces.MultiBinary(MACHINES),
        })
        self.jobs = np.zeros((SLOTS, 1 + TYPES + 1), np.float32)
        self.busy = np.zeros(MACHINES, np.int64)
        self.t = 0

    def _arrivals(self):
        for s in range(SLOTS):
            if self.jobs[s, 0] == 0 and self.np_random.random() < 0.5:
                self.jobs[s] = 0.0
                self.jobs[s, 0] = 1.0
                self.jobs[s, 1 + self.np_random.integers(TYPES)] = 1.0
                self.jobs[s, -1] = self.np_random.uniform(0.2, 1.0)

    def _obs(self):
        free = self.busy == 0
        job_mask = np.append(self.jobs[:, 0] > 0, True)
        if not free.any():
            job_mask[:SLOTS] = False
        machine_mask = free if free.any() else np.ones(MACHINES, bool)
        return {
            "jobs": self.jobs if self.fault == "f03" else self.jobs.copy(),
            "machines": (self.busy / 5.0).astype(np.float32),
            "clock": np.array([self.t / HORIZON], np.float32),
            "job_mask": job_mask.astype(np.int8),
            "machine_mask": machine_mask.astype(np.int8),
        }

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.jobs = np.zeros_like(self.jobs)
        self.busy[:] = 0
        self.t = 0
        self._arrivals()
        return self._obs(), {}

    def step(self, action):
        slot, machine = int(action[0]), int(action[1])
        reward, matched = 0.0, None
        if slot < SLOTS and self.jobs[slot, 0] > 0 and self.busy[machine] == 0:
            kind = int(self.jobs[slot, 1:1 + TYPES].argmax())
            matched = kind == machine
            self.busy[machine] = 2 if matched else 5
            if self.fault == "f06":
                self.jobs[slot] = 0.0
                self._arrivals()
            reward = float(self.jobs[slot, -1]) * (1.0 if matched else 0.1)
            if self.fault != "f06":
                self.jobs[slot] = 0.0
        self.busy = np.maximum(self.busy - 1, 0)
        self._arrivals()
        self.t += 1
        return self._obs(), reward, self.t >= HORIZON, False, {"matched": matched}


def encode(obs_list):
    flat = [np.concatenate([o["jobs"].ravel(), o["machines"], o["clock"]]) for o in obs_list]
    return {
        "x": torch.as_tensor(np.stack(flat), dtype=torch.float32),
        "job_mask": torch.as_tensor(np.stack([o["job_mask"] for o in obs_list])).bool(),
        "machine_mask": torch.as_tensor(np.stack([o["machine_mask"] for o in obs_list])).bool(),
    }


def make_params(cfg):
    n_in = SLOTS * (2 + TYPES) + MACHINES + 1
    hid = cfg["hidden"]
    nets = {
        "trunk": nn.Sequential(nn.Linear(n_in, hid), nn.ReLU(), nn.Linear(hid, hid), nn.ReLU()),
        "job": nn.Linear(hid, SLOTS + 1),
        "machine": nn.Sequential(nn.Linear(hid + 2 + TYPES, hid), nn.ReLU(), nn.Linear(hid, MACHINES)),
        "baseline": nn.Sequential(nn.Linear(n_in, hid), nn.ReLU(), nn.Linear(hid, 1)),
    }
    return nn.ModuleDict(nets)


def chosen_job(x, job):
    jobs = x[:, :SLOTS * (2 + TYPES)].reshape(len(x), SLOTS, 2 + TYPES)
    padded = torch.cat([jobs, torch.zeros(len(x), 1, 2 + TYPES)], dim=1)
    return padded[torch.arange(len(x)), job]


def policy(nets, batch, action=None, masked=True, greedy=False):
    h = nets["trunk"](batch["x"])
    job_logits = nets["job"](h)
    if masked:
        job_logits = job_logits.masked_fill(~batch["job_mask"], -1e9)
    job_dist = torch.distributions.Categorical(logits=job_logits)
    if action is None:
        job = job_logits.argmax(-1) if greedy else job_dist.sample()
    else:
        job = action[:, 0]
    machine_logits = nets["machine"](torch.cat([h, chosen_job(batch["x"], job)], dim=-1))
    if masked:
        machine_logits = machine_logits.masked_fill(~batch["machine_mask"], -1e9)
    machine_dist = torch.distributions.Categorical(logits=machine_logits)
    if action is None:
        machine = machine_logits.argmax(-1) if greedy else machine_dist.sample()
    else:
        machine = action[:, 1]
    return {
        "action": torch.stack([job, machine], dim=1),
        "logp": job_dist.log_prob(job) + machine_dist.log_prob(machine),
        "entropy": job_dist.entropy() + machine_dist.entropy(),
    }


def play_batch(envs, nets, cfg, greedy=False):
    """All envs are one shift long, so they start and end together."""
    episodes = [{"obs": [], "act": [], "rew": [], "matched": []} for _ in envs]
    obs = [env.reset()[0] for env in envs]
    for _ in range(HORIZON):
        with torch.no_grad():
            out = policy(nets, encode(obs), greedy=greedy)
        acts = out["action"].numpy()
        for k, env in enumerate(envs):
            send = acts[k]
            if cfg["fault"] == "f02":
                send = np.minimum(acts[k], [SLOTS, MACHINES - 2])
            nxt, rew, over, _, info = env.step(send)
            ep = episodes[k]
            ep["obs"].append(obs[k])
            ep["act"].append(acts[k])
            ep["rew"].append(rew)
            if info["matched"] is not None:
                ep["matched"].append(info["matched"])
            obs[k] = nxt
    return episodes


def rewards_to_go(episodes, cfg):
    out = []
    for ep in reversed(episodes):
        running = 0.0
        togo = []
        for r in reversed(ep["rew"]):
            running = r + cfg["gamma"] * running
            togo.append(running)
        out.append(togo[::-1])
    return torch.tensor([g for togo in reversed(out) for g in togo], dtype=torch.float32)


def update(nets, opts, sched, episodes, cfg):
    batch = encode([o for ep in episodes for o in ep["obs"]])
    acts = torch.as_tensor(np.stack([a for ep in episodes for a in ep["act"]]))
    returns = rewards_to_go(episodes, cfg)
    fit_to = returns
    if cfg["fault"] == "f04":
        fit_to = torch.tensor([r for ep in episodes for r in ep["rew"]], dtype=torch.float32)

    with torch.no_grad():
        base = nets["baseline"](batch["x"]).squeeze(1)
    adv = returns - base
    adv = adv / (adv.std() + 1e-6)

    out = policy(nets, batch, action=acts, masked=cfg["fault"] != "f01")
    loss = -(out["logp"] * adv).mean() - cfg["ent"] * out["entropy"].mean()
    opts["pi"].zero_grad()
    loss.backward()
    opts["pi"].step()

    for _ in range(cfg["baseline_iters"]):
        v_loss = F.mse_loss(nets["baseline"](batch["x"]).squeeze(1), fit_to)
        opts["v"].zero_grad()
        v_loss.backward()
        opts["v"].step()
        if cfg["fault"] == "f05":
            sched.step()
    if cfg["fault"] != "f05":
        sched.step()
    return {"loss": loss.item(), "v_loss": v_loss.item(), "entropy": out["entropy"].mean().item()}


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--steps", type=int, default=120_000)
    ap.add_argument("--seed", type=int, default=0)
    ap.add_argument("--fault", type=str, default="none")
    cfg = dict(vars(ap.parse_args()), hidden=64, gamma=0.8, ent=0.03, baseline_iters=4, n_envs=8, lr=4e-3)

    torch.set_num_threads(1)
    torch.distributions.Distribution.set_default_validate_args(False)
    torch.manual_seed(cfg["seed"])
    np.random.seed(cfg["seed"])
    envs = [DispatchEnv(cfg["fault"]) for _ in range(cfg["n_envs"])]
    for k, env in enumerate(envs):
        env.reset(seed=cfg["seed"] * 977 + k)
    nets = make_params(cfg)
    pi_params = [q for name in ("trunk", "job", "machine") for q in nets[name].parameters()]
    opts = {"pi": torch.optim.Adam(pi_params, lr=cfg["lr"]),
            "v": torch.optim.Adam(nets["baseline"].parameters(), lr=3e-3)}
    per_update = cfg["n_envs"] * HORIZON
    n_updates = max(1, cfg["steps"] // per_update)
    sched = torch.optim.lr_scheduler.LambdaLR(opts["pi"], lambda k: max(0.0, 1.0 - k / n_updates))
    for u in range(1, n_updates + 1):
        episodes = play_batch(envs, nets, cfg)
        log = update(nets, opts, sched, episodes, cfg)
        if u % 20 == 0 or u == n_updates:
            log["score"] = float(np.mean([sum(ep["rew"]) for ep in episodes]))
            log["matched"] = float(np.mean([m for ep in episodes for m in ep["matched"]] or [0.0]))
            print({"update": u, "step": u * per_update, **{k: round(v, 4) for k, v in log.items()}}, flush=True)


if __name__ == "__main__":
    main()
