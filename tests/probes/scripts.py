"""Training scripts as users write them, small enough to run within a second."""

from __future__ import annotations

ACTOR_CRITIC = '''
"""An actor-critic with a table: softmax policy, one value for each thing that is seen."""
import argparse, collections, csv, os, time
import gymnasium, numpy as np

parser = argparse.ArgumentParser()
parser.add_argument("--env-id")
parser.add_argument("--total-timesteps", type=int)
parser.add_argument("--seed", type=int)
parser.add_argument("--gamma", type=float, default=0.9)
parser.add_argument("--log", default="console", choices=["console", "csv", "none"])
parser.add_argument("--out", default=".")
parser.add_argument("--policy-sign", type=float, default=1.0)
parser.add_argument("--value-rate", type=float, default=0.1)
parser.add_argument("--one-value", action="store_true")
parser.add_argument("--limits-are-ends", action="store_true")
args = parser.parse_args()
if args.out == "named":
    args.out = f"runs/{args.env_id}__train__{args.seed}__{int(time.time())}"
    os.makedirs(args.out)

rng = np.random.default_rng(args.seed)
env = gymnasium.make(args.env_id)
observation, _ = env.reset(seed=args.seed)
count = env.action_space.n
logits = collections.defaultdict(lambda: np.zeros(count))
values = collections.defaultdict(float)
key = lambda seen: () if args.one_value else tuple(seen.tolist())
file = open(f"{args.out}/progress.csv", "w", newline="") if args.log == "csv" else None
writer = csv.writer(file) if file else None
if writer:
    writer.writerow(["time/total_timesteps", "train/value_loss", "train/explained_variance"])
errors, targets = [], []
for step in range(1, args.total_timesteps + 1):
    here = key(observation)
    chances = np.exp(logits[here] - logits[here].max())
    chances /= chances.sum()
    action = int(rng.choice(count, p=chances))
    following, reward, terminated, truncated, _ = env.step(action)
    ended = terminated or (truncated and args.limits_are_ends)
    target = reward + args.gamma * (not ended) * values[key(following)]
    error = target - values[here]
    errors.append(error)
    targets.append(target)
    values[here] += args.value_rate * error
    logits[here] += args.policy_sign * 0.2 * error * (np.eye(count)[action] - chances)
    observation = env.reset()[0] if terminated or truncated else following
    if step % 100 == 0:
        loss = float(np.mean(np.square(errors)))
        spread = float(np.var(targets))
        explained = 1 - float(np.var(errors)) / spread if spread else float("nan")
        if args.log == "console":
            print("-" * 40)
            print("| time/                   |              |")
            print(f"|    total_timesteps      | {step:<12} |")
            print("| train/                  |              |")
            print(f"|    value_loss           | {loss:<12.6g} |")
            print(f"|    explained_variance   | {explained:<12.6g} |")
            print("-" * 40)
        elif writer:
            writer.writerow([step, loss, explained])
        errors, targets = [], []
if file:
    file.close()
'''

CRASHES = """
import sys, gymnasium
env = gymnasium.make(sys.argv[1])
env.reset(seed=0)
def update():
    raise ValueError("shapes (64,) and (64, 1) do not fit")
for step in range(int(sys.argv[2])):
    env.step(0)
    env.reset()
    if step == 200:
        update()
"""

HANGS = """
import subprocess, sys, time, gymnasium
env = gymnasium.make(sys.argv[1])
env.reset(seed=0)
for _ in range(10):
    env.step(0)
    env.reset()
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
open(sys.argv[3], "w").write(str(child.pid))
time.sleep(600)
"""

IGNORES = """
import gymnasium
env = gymnasium.make("CartPole-v1")
env.reset(seed=0)
for _ in range(50):
    env.step(env.action_space.sample())
    env.reset()
"""

STOPS_EARLY = """
import sys, gymnasium
env = gymnasium.make(sys.argv[1])
env.reset(seed=0)
for _ in range(int(sys.argv[2]) // 5):
    env.step(0)
    env.reset()
"""

ROLLOUT_TOO_LONG = """
import sys, gymnasium
env = gymnasium.make(sys.argv[1])
env.reset(seed=0)
for rollout in range(int(sys.argv[2]) // 100_000):
    for _ in range(100_000):
        env.step(0)
        env.reset()
"""

GOES_ON = """
import sys, gymnasium
env = gymnasium.make(sys.argv[1])
env.reset(seed=0)
while True:
    env.step(0)
    env.reset()
"""

GOES_ON_SLOWLY = GOES_ON.replace("    env.reset()", "    env.reset()\n    time.sleep(0.001)").replace(
    "sys,", "sys, time,"
)

SILENT = """
import sys, gymnasium
env = gymnasium.make(sys.argv[1])
env.reset(seed=0)
for _ in range(int(sys.argv[2])):
    env.step(1 % env.action_space.n)
    env.reset()
"""

APPENDS = (
    SILENT
    + """
with open(sys.argv[3], "a") as file:
    for step in range(50, 100):
        file.write(f"{step},0.0\\n")
"""
)

GOES_ON_LOGGING = """
import os, sys, time
step = 50
while True:
    new = not os.path.exists(sys.argv[1])
    with open(sys.argv[1], "a") as file:
        if new:
            file.write("step,value_loss\\n")
        file.write(f"{step},5.0\\n")
    step += 1
    time.sleep(0.05)
"""

TALKATIVE = (
    SILENT
    + """
line = "nothing but noise " * 50 + "\\n"
for _ in range(100_000_000 // len(line)):
    sys.stdout.write(line)
sys.stdout.write("the last word\\n")
sys.exit(3)
"""
)

CONTINUOUS = """
import sys, gymnasium, numpy as np
env = gymnasium.make(sys.argv[1])
rng = np.random.default_rng(int(sys.argv[3]))
sign = float(sys.argv[4])
observation, _ = env.reset(seed=0)
low, high = env.action_space.low, env.action_space.high
for step in range(int(sys.argv[2])):
    aim = low + (sign * observation[:1] + 1) / 2 * (high - low)
    noise = rng.normal(0.0, 0.3, 1) * (high - low) / 2
    env.step(np.clip(aim + noise, low, high).astype(np.float32))
    observation, _ = env.reset()
"""

CRAWLS = """
import sys, time, gymnasium
env = gymnasium.make(sys.argv[1])
env.reset(seed=0)
for _ in range(int(sys.argv[2])):
    env.step(0)
    env.reset()
    time.sleep(0.2)
"""

NEXT_STEP_VECTOR = """
import sys, gymnasium, numpy as np
vector = gymnasium.vector.SyncVectorEnv([lambda: gymnasium.make(sys.argv[1])] * 2)
vector.reset(seed=0)
for _ in range(int(sys.argv[2]) // 2):
    vector.step(np.ones(2, int))
vector.close()
"""

TABLE = '''
import gymnasium as gym
import numpy as np


def train(env, steps, seed, rate=0.3, log=None):
    """Learns the value of each action by a table, and logs the squared error."""
    rng = np.random.default_rng(seed)
    table = {}
    observation, _ = env.reset(seed=seed)
    errors = []
    for step in range(steps):
        values = table.setdefault(tuple(np.ravel(observation).round(2)), np.zeros(env.action_space.n))
        explores = rng.random() < max(0.05, 1.0 - 2.0 * step / min(steps, 4000))
        action = int(rng.integers(env.action_space.n)) if explores else int(values.argmax())
        following, reward, terminated, truncated, _ = env.step(action)
        then = table.setdefault(tuple(np.ravel(following).round(2)), np.zeros(env.action_space.n))
        error = reward + 0.9 * (not terminated) * then.max() - values[action]
        errors.append(error * error)
        values[action] += rate * error
        observation = env.reset()[0] if terminated or truncated else following
        if log and step % 100 == 99:
            log(step + 1, float(np.mean(errors)))
            errors = []

'''

BY_ARGPARSE = (
    TABLE
    + """
import argparse

parser = argparse.ArgumentParser()
parser.add_argument("--env-id", default="CartPole-v1")
parser.add_argument("--total-timesteps", type=int, default=1_000_000)
parser.add_argument("--seed", type=int, default=1)
parser.add_argument("--rate", type=float, default=0.3)
args = parser.parse_args()
train(gym.make(args.env_id), args.total_timesteps, args.seed, args.rate)
"""
)

HARD_CODED = (
    TABLE
    + """
import csv, os

os.makedirs("runs/table", exist_ok=True)
with open("runs/table/progress.csv", "w", newline="") as file:
    writer = csv.writer(file)
    writer.writerow(["step", "value_loss"])
    train(gym.make("CartPole-v1"), 10_000_000, 0, log=lambda *row: writer.writerow(row))
"""
)

ONLY_FOUR_NUMBERS = """
import gymnasium as gym
import numpy as np

env = gym.make("CartPole-v1")
weights = np.zeros((4, 2))
rng = np.random.default_rng(0)
observation, _ = env.reset(seed=0)
for step in range(100_000):
    features = observation + np.array([0.0, 0.0, 1.0, 0.0])  # one of them is the bias
    values = features @ weights
    action = int(rng.integers(2)) if rng.random() < 0.1 else int(values.argmax())
    following, reward, terminated, truncated, _ = env.step(action)
    weights[:, action] += 0.05 * (reward - values[action]) * features
    observation = env.reset()[0] if terminated or truncated else following
"""

ONLY_BOXES = """
import argparse
import gymnasium as gym
import numpy as np

parser = argparse.ArgumentParser()
parser.add_argument("--env", default="Pendulum-v1")
parser.add_argument("--timesteps", type=int, default=200_000)
args = parser.parse_args()
env = gym.make(args.env)
assert isinstance(env.action_space, gym.spaces.Box), "only boxes"
rng = np.random.default_rng(0)
observation, _ = env.reset(seed=0)
means, baselines = {}, {}
low, high = env.action_space.low, env.action_space.high
for step in range(args.timesteps):
    key = tuple(np.ravel(observation).round(2))
    mean = means.setdefault(key, np.zeros(len(low)))
    noise = rng.normal(0.0, 0.3, len(low))
    action = np.clip(mean + noise, low, high).astype(np.float32)
    following, reward, terminated, truncated, _ = env.step(action)
    baseline = baselines.setdefault(key, 0.0)
    means[key] = np.clip(mean + 0.1 * (reward - baseline) * noise / 0.3, low, high)
    baselines[key] = baseline + 0.1 * (reward - baseline)
    observation = env.reset()[0] if terminated or truncated else following
"""

ONE_VECTOR = """
import gymnasium as gym
import numpy as np

vector = gym.make_vec("CartPole-v1", num_envs=2)
vector.reset(seed=0)
for _ in range(50_000):
    vector.step(np.ones(2, int))
"""

WITHOUT_MAKE = """
import numpy
print("no environment at all")
"""

NEEDS_MORE = """
import surely_not_installed
"""

ALWAYS = """
import sys, time, gymnasium
env = gymnasium.make("CartPole-v1")
env.reset(seed=0)
while True:
    env.step(int(sys.argv[1]))
    env.reset()
    time.sleep(0.0005)
"""

IMPROVES = """
import sys, gymnasium, numpy as np
env = gymnasium.make(sys.argv[1])
env.reset(seed=0)
rng, steps = np.random.default_rng(0), int(sys.argv[2])
for step in range(steps):
    env.step(int(rng.random() < 0.45 + 0.25 * step / steps))
    env.reset()
"""
