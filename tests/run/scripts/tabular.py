"""Q-learning in a table, without torch, that ends in the way it is told; `torch` and frameworks are never imported."""

import multiprocessing
import os
import random
import signal
import sys
import time

how = sys.argv[1] if len(sys.argv) > 1 else ""


def train(episodes):
    import gymnasium as gym

    class Corridor(gym.Env):
        observation_space, action_space = gym.spaces.Discrete(6), gym.spaces.Discrete(2)

        def reset(self, *, seed=None, options=None):
            super().reset(seed=seed)
            self.place, self.left = 0, 30
            return self.place, {}

        def step(self, action):
            self.place, self.left = max(self.place + 2 * int(action) - 1, 0), self.left - 1
            return self.place, float(self.place == 5) - 0.01, self.place == 5, self.left == 0, {}

    env, chance = Corridor(), random.Random(0)
    table = [[0.0, 0.0] for _ in range(6)]
    for _ in range(episodes):
        state, over = env.reset()[0], False
        while not over:
            explores = chance.random() < 0.2 or table[state][0] == table[state][1]
            action = chance.randrange(2) if explores else int(table[state][1] > table[state][0])
            after, reward, terminated, truncated, _ = env.step(action)
            table[state][action] += 0.5 * (reward + 0.9 * (not terminated) * max(table[after]) - table[state][action])
            state, over = after, terminated or truncated
    return table


def end_as_told(table):
    print("trained", round(table[0][1], 3), "torch" in sys.modules, flush=True)
    if how == "raise":
        raise ValueError("its own fault")
    if how == "exit":
        sys.exit(7)
    if how == "at once":
        os._exit(9)
    if how == "another program":
        os.execv(sys.executable, [sys.executable, "-c", "import sys; sys.exit(11)"])
    if how == "again":
        os.execv(sys.executable, [sys.executable, __file__, "exit"])
    if how == "fork":
        child = os.fork()
        if not child:
            train(5)
            os._exit(0)
        sys.exit(12 + os.waitpid(child, 0)[1])
    if how == "spawn":
        with multiprocessing.get_context("spawn").Pool(1) as pool:
            sys.exit(13 + len(pool.map(train, [5])[0]))
    if how in ("kill", "wait"):
        for _ in range(50):  # longer than a recording waits for its disk, though the machine stands still meanwhile
            time.sleep(0.05)
    if how == "kill":
        os.kill(os.getpid(), signal.SIGKILL)
    if how == "wait":
        try:
            print("waiting", flush=True)
            time.sleep(600)
        except KeyboardInterrupt:
            time.sleep(1)  # a second interruption would end it in another way
            print("saved", flush=True)
            sys.exit(44)


if __name__ == "__main__":
    end_as_told(train(60))
