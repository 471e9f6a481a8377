import math
import random
import time
from collections import deque

import gymnasium as gym
import numpy as np
from gymnasium import spaces

# --------------------------------------------------------------------------- board and arcade games


class Snake(gym.Env):
    """8x8 snake. Channels: body, head, food."""

    metadata = {"render_modes": []}

    def __init__(self, n=8, horizon=250, fault=0):
        self.n, self.horizon, self.fault = n, horizon, fault
        self.observation_space = spaces.Box(0, 255, (n, n, 3), np.uint8)
        self.action_space = spaces.Discrete(4)
        self.canvas = np.zeros((n, n, 3), np.uint8)

    def _food(self):
        free = [(r, c) for r in range(self.n) for c in range(self.n) if (r, c) not in self.body]
        if self.fault == 1:
            return random.choice(free)
        return free[int(self.np_random.integers(len(free)))]

    def _draw(self):
        self.canvas[:] = 0
        for r, c in self.body:
            self.canvas[r, c, 0] = 255
        r, c = self.body[0]
        self.canvas[r, c, 1] = 255
        r, c = self.food
        self.canvas[r, c, 2] = 255
        return self.canvas if self.fault == 2 else self.canvas.copy()

    def reset(self, seed=None, options=None):
        super().reset(seed=seed)
        m = self.n // 2
        self.body = deque([(m, m), (m, m - 1), (m, m - 2)])
        self.heading = 1
        self.t = 0
        self.food = self._food()
        return self._draw(), {}

    def step(self, action):
        action = int(action)
        if (action + 2) % 4 != self.heading:
            self.heading = action
        dr, dc = ((-1, 0), (0, 1), (1, 0), (0, -1))[self.heading]
        r, c = self.body[0]
        head = (r + dr, c + dc)
        self.t += 1
        if not (0 <= head[0] < self.n and 0 <= head[1] < self.n) or head in list(self.body)[:-1]:
            return self._draw(), -1.0, True, False, {}
        self.body.appendleft(head)
        reward = 0.0
        if head == self.food:
            reward = 1.0
            self.food = self._food()
        else:
            self.body.pop()
        return self._draw(), reward, False, self.t >= self.horizon, {}


class FallingFruit(gym.Env):
    def __init__(self, rows=10, cols=7, limit=None):
        self.rows, self.cols = rows, cols
        self.limit = limit
        self.observation_space = spaces.Box(0.0, 1.0, (rows * cols,), np.float32)
        self.action_space = spaces.Discrete(3)

    def _see(self):
        g = np.zeros((self.rows, self.cols), np.float32)
        g[min(self.y, self.rows - 1), self.x] = 1
        g[self.rows - 1, self.basket] = 1
        return g.ravel()

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.x = int(self.np_random.integers(self.cols))
        self.y = 0
        self.basket = self.cols // 2
        self.t = 0
        return self._see(), {}

    def step(self, a):
        self.basket = int(np.clip(self.basket + int(a) - 1, 0, self.cols - 1))
        self.y += 1
        self.t += 1
        landed = self.y == self.rows - 1
        r = (1.0 if self.x == self.basket else -1.0) if landed else 0.0
        cut = self.limit is not None and self.t >= self.limit and not landed
        return self._see(), r, landed, cut, {}


class PaddleDuel(gym.Env):
    """Pong in six numbers; first to three points."""

    def __init__(self, fault=0):
        self.fault = fault
        self.observation_space = spaces.Box(-2.0, 2.0, (6,), np.float32)
        self.action_space = spaces.Discrete(3)
        self.moves = (0.0, 0.09, 0.09) if fault == 1 else (0.0, 0.09, -0.09)

    def _serve(self):
        self.ball = np.array([0.0, self.np_random.uniform(-0.5, 0.5)])
        self.vel = np.array([0.08 * self.np_random.choice([-1, 1]), self.np_random.uniform(-0.05, 0.05)])

    def _obs(self):
        return np.array([*self.ball, *(self.vel * 10), self.me, self.other], np.float32)

    def reset(self, seed=None, options=None):
        super().reset(seed=seed)
        self.me = self.other = 0.0
        self.score = [0, 0]
        self.t = 0
        self._serve()
        return self._obs(), {}

    def step(self, action):
        self.t += 1
        self.me = float(np.clip(self.me + self.moves[int(action)], -1, 1))
        self.other += float(np.clip(self.ball[1] - self.other, -0.035, 0.035))
        self.ball += self.vel
        if abs(self.ball[1]) > 1:
            self.vel[1] *= -1
            self.ball[1] = np.clip(self.ball[1], -1, 1)
        point = 0
        if self.ball[0] > 1:
            if abs(self.ball[1] - self.me) < 0.2:
                self.vel[0] = -abs(self.vel[0])
                self.vel[1] = np.clip(self.vel[1] + 0.2 * (self.ball[1] - self.me), -0.08, 0.08)
                self.ball[0] = 1
            else:
                point = -1
        elif self.ball[0] < -1:
            if abs(self.ball[1] - self.other) < 0.2:
                self.vel[0] = abs(self.vel[0])
                self.ball[0] = -1
            else:
                point = 1
        if point:
            self.score[point > 0] += 1
            self._serve()
        over = max(self.score) >= 3
        return self._obs(), float(point), over, self.t >= 600 and not over, {"score": tuple(self.score)}


class Bricks(gym.Env):
    def __init__(self, w=16, h=20, fault=0):
        self.w, self.h, self.fault = w, h, fault
        self.observation_space = spaces.Box(0, 255, (h, w, 1), np.uint8)
        self.action_space = spaces.Discrete(3)

    def frame(self):
        f = np.zeros((self.h, self.w), np.float32)
        f[2:5][self.wall] = 128
        f[self.by, self.bx] = 255
        f[self.ly, self.lx] = max(64, f[self.ly, self.lx])
        f[-1, self.px:self.px + 4] = 200
        if self.fault == 1:
            f = f / 255.0
        return f[..., None].astype(np.uint8)

    def reset(self, seed=None, options=None):
        super().reset(seed=seed)
        self.wall = np.ones((3, self.w), bool)
        self.px = self.w // 2 - 2
        self.bx, self.by = int(self.np_random.integers(1, self.w - 1)), 8
        self.lx, self.ly = self.bx, self.by
        self.dx, self.dy = int(self.np_random.choice([-1, 1])), 1
        self.t = 0
        return self.frame(), {}

    def step(self, action):
        self.px = int(np.clip(self.px + 2 * (int(action) - 1), 0, self.w - 4))
        self.lx, self.ly = self.bx, self.by
        nx, ny = self.bx + self.dx, self.by + self.dy
        if not 0 <= nx < self.w:
            self.dx *= -1
            nx = self.bx + self.dx
        if ny < 0:
            self.dy = 1
            ny = self.by + 1
        reward = 0.0
        if 2 <= ny < 5 and self.wall[ny - 2, nx]:
            self.wall[ny - 2, nx] = False
            reward = 1.0
            self.dy *= -1
            ny = self.by
        lost = False
        if ny == self.h - 1:
            if self.px <= nx < self.px + 4:
                self.dy = -1
                ny = self.h - 2
                if nx == self.px or nx == self.px + 3:
                    self.dx = -1 if nx == self.px else 1
            else:
                lost = True
        self.bx, self.by = nx, ny
        self.t += 1
        won = not self.wall.any()
        return self.frame(), reward, bool(lost or won), self.t >= 400, {}


class Gunner(gym.Env):
    """Targets drift along the top of a strip; noop, left, right, fire."""

    def __init__(self, fault=0):
        self.fault = fault
        self.observation_space = spaces.Dict(
            ship=spaces.Box(0, 10, (1,), np.float32),
            targets=spaces.Box(-1, 11, (3,), np.float32),
            cooldown=spaces.Discrete(4),
        )
        self.action_space = spaces.Discrete(4)

    def _o(self):
        return {
            "ship": np.array([self.ship], np.float32),
            "targets": np.clip(self.targets, -1, 11).astype(np.float32),
            "cooldown": self.cool,
        }

    def reset(self, seed=None, options=None):
        super().reset(seed=seed)
        self.ship = 5.0
        self.targets = self.np_random.uniform(0, 10, 3)
        self.drift = self.np_random.uniform(-0.25, 0.25, 3)
        self.cool = 0
        self.t = 0
        return self._o(), {}

    def step(self, action):
        if self.fault == 1:
            self.cool = 3
        r = 0.0
        if action == 1:
            self.ship = max(0.0, self.ship - 0.5)
        elif action == 2:
            self.ship = min(10.0, self.ship + 0.5)
        elif action == 3 and self.cool == 0:
            self.cool = 3
            hit = np.abs(self.targets - self.ship) < 0.4
            r = float(hit.sum()) - 0.05
            k = int(hit.sum())
            if k:
                self.targets[hit] = self.np_random.uniform(0, 10, k)
        if self.cool and action != 3:
            self.cool -= 1
        self.targets += self.drift
        out = (self.targets < 0) | (self.targets > 10)
        self.drift[out] *= -1
        self.targets = np.clip(self.targets, 0, 10)
        self.t += 1
        return self._o(), r, False, self.t >= 120, {}


class Mines(gym.Env):
    def __init__(self, n=5, mines=4, fault=0):
        self.n, self.k, self.fault = n, mines, fault
        self.observation_space = spaces.Box(-2, 8, (n, n), np.int8)
        self.action_space = spaces.Discrete(n * n)

    def _count(self):
        p = np.pad(self.mine.astype(int), 1)
        n = self.n
        return sum(p[i:i + n, j:j + n] for i in range(3) for j in range(3)) - self.mine

    def _pack(self):
        o = np.where(self.open, self.num, -1).astype(np.int8)
        if self.fault == 2:
            o[self.mine & ~self.open] = -2
        mask = self.open.ravel() if self.fault == 1 else ~self.open.ravel()
        return o, {"action_mask": mask.astype(np.int8)}

    def reset(self, seed=None, options=None):
        super().reset(seed=seed)
        n = self.n
        self.mine = np.zeros(n * n, bool)
        self.mine[self.np_random.choice(n * n, self.k, replace=False)] = True
        self.mine = self.mine.reshape(n, n)
        self.num = self._count()
        self.open = np.zeros((n, n), bool)
        safe = np.argwhere(~self.mine)
        r, c = safe[self.np_random.integers(len(safe))]
        self.open[r, c] = True
        self.t = 0
        return self._pack()

    def step(self, action):
        r, c = divmod(int(action), self.n)
        self.t += 1
        if self.open[r, c]:
            o, i = self._pack()
            return o, -0.1, False, self.t >= 60, i
        self.open[r, c] = True
        if self.mine[r, c]:
            o, i = self._pack()
            return o, -1.0, True, False, i
        won = self.open.sum() == self.n ** 2 - self.k
        o, i = self._pack()
        return o, 1.0 if won else 0.1, bool(won), self.t >= 60 and not won, i


class FourInARow(gym.Env):
    """6x7 against a random player; the agent moves first."""

    def __init__(self, fault=0):
        self.fault = fault
        self.observation_space = spaces.Box(0.0, 1.0, (2, 6, 7), np.float32)
        self.action_space = spaces.Discrete(7)

    def _obs(self):
        return np.stack([self.b == 1, self.b == 2]).astype(np.float32)

    def _mask(self):
        row = self.b[-1] if self.fault == 2 else self.b[0]
        return (row == 0).astype(np.int8)

    def _drop(self, col, who):
        free = np.flatnonzero(self.b[:, col] == 0)
        r = int(free[-1])
        self.b[r, col] = who
        for dr, dc in ((0, 1), (1, 0), (1, 1), (1, -1)):
            run = 1
            for s in (1, -1):
                y, x = r + s * dr, col + s * dc
                while 0 <= y < 6 and 0 <= x < 7 and self.b[y, x] == who:
                    run += 1
                    y += s * dr
                    x += s * dc
            if run >= 4:
                return True
        return False

    def reset(self, seed=None, options=None):
        super().reset(seed=seed)
        self.b = np.zeros((6, 7), np.int8)
        return self._obs(), {"action_mask": self._mask()}

    def step(self, action):
        a = int(action)
        winner, over = 0, False
        if self.b[0, a]:
            return self._obs(), -1.0, True, False, {"action_mask": self._mask(), "illegal": True}
        if self._drop(a, 1):
            winner, over = 1, True
        elif (self.b[0] != 0).all():
            over = True
        else:
            col = int(self.np_random.choice(np.flatnonzero(self.b[0] == 0)))
            if self._drop(col, 2):
                winner, over = 2, True
            elif (self.b[0] != 0).all():
                over = True
        if self.fault == 1:
            reward = 1.0 if winner else 0.0
        else:
            reward = {0: 0.0, 1: 1.0, 2: -1.0}[winner]
        return self._obs(), reward, over, False, {"action_mask": self._mask()}


def _slide(line):
    xs = [v for v in line if v]
    out, gain, i = [], 0, 0
    while i < len(xs):
        if i + 1 < len(xs) and xs[i] == xs[i + 1]:
            out.append(xs[i] + 1)
            gain += 2 ** (xs[i] + 1)
            i += 2
        else:
            out.append(xs[i])
            i += 1
    return out + [0] * (4 - len(out)), gain


class Doubling(gym.Env):
    """2048 with exponents as observation."""

    def __init__(self, fault=0):
        self.fault = fault
        self.observation_space = spaces.MultiDiscrete([18] * 16)
        self.action_space = spaces.Discrete(4)

    def _spawn(self):
        e = [i for i, v in enumerate(self.g) if v == 0]
        self.g[e[int(self.np_random.integers(len(e)))]] = 2 if self.np_random.random() < 0.1 else 1

    def _after(self, a):
        new, gain = [0] * 16, 0
        for k in range(4):
            idx = [4 * k + j for j in range(4)] if a in (1, 3) else [4 * j + k for j in range(4)]
            if a in (1, 2):
                idx.reverse()
            line, g = _slide([self.g[i] for i in idx])
            gain += g
            for i, v in zip(idx, line):
                new[i] = v
        return new, gain

    def _info(self):
        self.next = [self._after(a) for a in range(4)]
        return {"action_mask": np.array([n != self.g for n, _ in self.next], np.int8), "score": self.score}

    def reset(self, seed=None, options=None):
        super().reset(seed=seed)
        self.g = [0] * 16
        self.score = 0
        self.t = 0
        self._spawn()
        self._spawn()
        return np.array(self.g, np.int64), self._info()

    def step(self, action):
        new, gain = self.next[int(action)]
        self.t += 1
        if new == self.g:
            gain = 0
        else:
            self.g = new
            self.score += gain
            self._spawn()
        info = self._info()
        reward = self.score if self.fault == 1 else gain
        return np.array(self.g, np.int64), float(reward), not info["action_mask"].any(), self.t >= 2000, info


class DicePig(gym.Env):
    """Ten turns of Pig alone: 0 holds, 1 rolls."""

    def __init__(self, fault=0):
        self.fault = fault
        self.observation_space = spaces.Box(0, np.inf, (3,), np.float32)
        self.action_space = spaces.Discrete(2)

    def _o(self):
        return np.array([self.turn, self.pot, self.bank], np.float32)

    def reset(self, seed=None, options=None):
        super().reset(seed=seed)
        self.turn = self.pot = self.bank = 0
        self.n = 0
        return self._o(), {}

    def step(self, a):
        self.n += 1
        r = 0.0
        if a == 0:
            r = 0.0 if self.fault == 1 else self.pot
            self.bank += self.pot
            self.pot = 0
            self.turn += 1
        else:
            d = int(self.np_random.integers(1, 7))
            if d == 1:
                self.pot = 0
                self.turn += 1
            else:
                self.pot += d
                if self.fault == 1:
                    r += d
        return self._o(), float(r), self.turn >= 10, self.n >= 300, {"bank": self.bank}


class Codebreaker(gym.Env):
    def __init__(self, colours=4, pegs=3, tries=8, fault=0):
        self.c, self.p, self.tries, self.fault = colours, pegs, tries, fault
        self.observation_space = spaces.Box(-1, max(colours, pegs), (tries, pegs + 2), np.int8)
        self.action_space = spaces.MultiDiscrete([colours] * pegs)

    def reset(self, seed=None, options=None):
        super().reset(seed=seed)
        self.secret = self.np_random.integers(self.c, size=self.p)
        self.table = np.full((self.tries, self.p + 2), -1, np.int8)
        self.t = 0
        return self.table.copy(), {}

    def step(self, guess):
        guess = np.asarray(guess)
        if self.fault == 1:
            self.secret = self.np_random.integers(self.c, size=self.p)
        black = int((guess == self.secret).sum())
        both = sum(min(int((guess == k).sum()), int((self.secret == k).sum())) for k in range(self.c))
        self.table[self.t] = [*guess, black, both - black]
        self.t += 1
        won = black == self.p
        return self.table.copy(), 1.0 if won else -0.1, bool(won or self.t == self.tries), False, {"is_success": won}


LINES = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]


class Noughts(gym.Env):
    observation_space = spaces.Box(-1, 1, (9,), np.int8)
    action_space = spaces.Discrete(9)
    cells = [0] * 9

    def won(self, who):
        return any(all(self.cells[i] == who for i in l) for l in LINES)

    def clear(self):
        self.cells = [0] * 9

    def view(self):
        return np.array(self.cells, np.int8)

    def reset(self, seed=None, options=None):
        super().reset(seed=seed)
        self.clear()
        if self.np_random.random() < 0.5:
            self.cells[int(self.np_random.integers(9))] = -1
        return self.view(), {}

    def step(self, action):
        a = int(action)
        if self.cells[a]:
            return self.view(), -1.0, True, False, {}
        self.cells[a] = 1
        if self.won(1):
            return self.view(), 1.0, True, False, {}
        free = [i for i in range(9) if not self.cells[i]]
        if not free:
            return self.view(), 0.2, True, False, {}
        self.cells[free[int(self.np_random.integers(len(free)))]] = -1
        if self.won(-1):
            return self.view(), -1.0, True, False, {}
        full = all(self.cells)
        return self.view(), 0.2 if full else 0.0, full, False, {}


class NoughtsB(Noughts):
    def clear(self):
        for i in range(9):
            self.cells[i] = 0


class ForkedCorridor(gym.Env):
    """Walk right, then turn up (1) or down (2) as the sign said; 0 walks."""

    def __init__(self, length=6, fault=0):
        self.length, self.fault = length, fault
        self.observation_space = spaces.Box(-1, 1, (3,), np.float32)
        self.action_space = spaces.Discrete(3)

    def _o(self, sign):
        return np.array([sign, self.x / self.length, float(self.x == self.length)], np.float32)

    def reset(self, seed=None, options=None):
        super().reset(seed=seed)
        self.side = int(self.np_random.integers(2))
        self.x = 1 if self.fault == 1 else 0
        self.t = 0
        sign = (1 if self.side else -1) if self.x == 0 else 0
        return self._o(sign), {}

    def step(self, a):
        self.t += 1
        if self.x == self.length and a in (1, 2):
            return self._o(0), 1.0 if (a == 1) == bool(self.side) else -1.0, True, False, {}
        if a == 0:
            self.x = min(self.x + 1, self.length)
        return self._o(0), -0.01, False, self.t >= 40, {}


# --------------------------------------------------------------------------- factories: games


def healthy_snake():
    return Snake()


def broken_python_garden():
    return Snake(fault=1)


def broken_serpent():
    return Snake(n=7, fault=2)


def healthy_fruit():
    return FallingFruit()


def healthy_orchard_timed():
    return FallingFruit(rows=8, cols=9, limit=20)


def broken_basket():
    return FallingFruit(rows=12, cols=7, limit=10)


def healthy_paddles():
    return PaddleDuel()


def broken_table_game():
    return PaddleDuel(fault=1)


def healthy_bricks():
    return Bricks()


def broken_masonry():
    return Bricks(fault=1)


def healthy_gunner():
    return Gunner()


def broken_gallery():
    return Gunner(fault=1)


def healthy_mines():
    return Mines()


def broken_field():
    return Mines(fault=1)


def broken_meadow():
    return Mines(n=6, mines=6, fault=2)


def healthy_four():
    return FourInARow()


def broken_discs():
    return FourInARow(fault=1)


def broken_columns():
    return FourInARow(fault=2)


def healthy_doubling():
    return Doubling()


def broken_tiles():
    return Doubling(fault=1)


def healthy_pig():
    return DicePig()


def broken_dice():
    return DicePig(fault=1)


def healthy_codebreaker():
    return Codebreaker()


def broken_pegs():
    return Codebreaker(fault=1)


def healthy_noughts():
    return Noughts()


def broken_crosses():
    return NoughtsB()


def healthy_corridor():
    return ForkedCorridor()


def broken_fork():
    return ForkedCorridor(fault=1)


# --------------------------------------------------------------------------- grids and puzzles


class Vault(gym.Env):
    """Two chambers with a locked door between them. Key in hand opens it, the chest is on the far side."""

    H, W = 5, 7

    def __init__(self, fault=0):
        self.fault = fault
        self.observation_space = spaces.Box(0, 1, (5, 7, 4), np.uint8)
        self.action_space = spaces.Discrete(4)

    def _o(self):
        o = np.zeros((5, 7, 4), np.uint8)
        o[self.agent][0] = 1
        if self.key:
            o[self.key][1] = 1
        o[:, 3, 2] = 1
        if self.open:
            o[2, 3, 2] = 0
        o[self.chest][3] = 1
        return o

    def _cell(self, c0, c1):
        return int(self.np_random.integers(5)), int(self.np_random.integers(c0, c1))

    def reset(self, seed=None, options=None):
        super().reset(seed=seed)
        self.agent = self._cell(0, 3)
        self.key = self._cell(0, 3)
        if self.fault == 1:
            self.key = self._cell(4, 7)
        self.chest = self._cell(4, 7)
        self.open = self.held = False
        self.t = 0
        return self._o(), {}

    def step(self, a):
        dr, dc = [(-1, 0), (1, 0), (0, -1), (0, 1)][int(a)]
        r = min(max(self.agent[0] + dr, 0), 4)
        c = min(max(self.agent[1] + dc, 0), 6)
        if c == 3 and not (r == 2 and (self.held or self.open)):
            r, c = self.agent
        if (r, c) == (2, 3):
            self.open = True
        self.agent = (r, c)
        self.t += 1
        rew = -0.005
        if self.agent == self.key:
            self.key, self.held = None, True
            rew += 0.2
        done = self.agent == self.chest
        return self._o(), rew + (1.0 if done else 0.0), done, self.t >= 150 and not done, {"is_success": done}


class EightPuzzle(gym.Env):
    def __init__(self, scramble=None):
        self.scramble = scramble
        self.observation_space = spaces.Box(0, 8, (9,), np.int64)
        self.action_space = spaces.Discrete(4)
        self.goal = np.array([1, 2, 3, 4, 5, 6, 7, 8, 0])

    def _move(self, a):
        z = int(np.argmin(self.s))
        r, c = divmod(z, 3)
        dr, dc = ((-1, 0), (1, 0), (0, -1), (0, 1))[int(a)]
        r, c = r + dr, c + dc
        if 0 <= r < 3 and 0 <= c < 3:
            k = 3 * r + c
            self.s[z], self.s[k] = self.s[k], 0

    def reset(self, seed=None, options=None):
        super().reset(seed=seed)
        self.t = 0
        self.s = self.goal.copy()
        while (self.s == self.goal).all():
            if self.scramble:
                for _ in range(int(self.np_random.integers(1, self.scramble + 1))):
                    self._move(self.np_random.integers(4))
            else:
                self.s = self.np_random.permutation(9)
        return self.s.copy(), {}

    def step(self, a):
        self._move(a)
        self.t += 1
        done = bool((self.s == self.goal).all())
        return self.s.copy(), 1.0 if done else -0.01, done, self.t >= 200 and not done, {}


class Lamps(gym.Env):
    """Press a lamp, it and its neighbours flip. All dark ends it."""

    def __init__(self, n=3):
        self.n = n
        self.observation_space = spaces.MultiBinary(n * n)
        self.action_space = spaces.Discrete(n * n)
        self.flip = np.zeros((n * n, n * n), np.int8)
        for i in range(n * n):
            for j in range(n * n):
                if abs(i // n - j // n) + abs(i % n - j % n) <= 1:
                    self.flip[i, j] = 1

    def reset(self, seed=None, options=None):
        super().reset(seed=seed)
        self.s = self.np_random.integers(0, 2, self.n ** 2).astype(np.int8)
        if not self.s.any():
            self.s[:] = self.flip[0]
        self.t = 0
        return self.s.copy(), {}

    def step(self, a):
        self.s = self.s ^ self.flip[int(a)]
        self.t += 1
        done = not self.s.any()
        return self.s.copy(), 5.0 if done else -0.05, done, self.t >= 12 * self.n ** 2 and not done, {}


class Parcel(gym.Env):
    """Fetch a parcel at one of four depots, bring it to another."""

    depots = [(0, 0), (0, 5), (5, 0), (5, 5)]

    def __init__(self, fault=0):
        self.fault = fault
        self.observation_space = spaces.Dict({
            "van": spaces.MultiDiscrete([6, 6]),
            "parcel": spaces.Discrete(5),
            "address": spaces.Discrete(4),
        })
        self.action_space = spaces.Discrete(6)

    def _o(self):
        return {
            "van": np.array(self.van, np.int64),
            "parcel": 4 if self.loaded else self.src,
            "address": self.src if self.fault == 1 else self.dst,
        }

    def reset(self, seed=None, options=None):
        super().reset(seed=seed)
        self.van = [int(self.np_random.integers(6)), int(self.np_random.integers(6))]
        self.src, self.dst = (int(i) for i in self.np_random.choice(4, 2, replace=False))
        self.loaded = False
        self.t = 0
        return self._o(), {}

    def step(self, a):
        self.t += 1
        r, done = -0.1, False
        if a < 4:
            k, d = ((0, -1), (0, 1), (1, -1), (1, 1))[int(a)]
            self.van[k] = min(5, max(0, self.van[k] + d))
        here = tuple(self.van)
        if a == 4 and not self.loaded and here == self.depots[self.src]:
            self.loaded = True
            r += 1.0
        if a == 5 and self.loaded:
            if here == self.depots[self.dst]:
                r += 3.0
                done = True
            else:
                r -= 0.5
        return self._o(), r, done, self.t >= 120 and not done, {}


class Bog(gym.Env):
    """Cross from the west bank to the hut; the holes end the walk."""

    def __init__(self, fault=0):
        self.fault = fault
        self.n = 9
        self.observation_space = spaces.Discrete(self.n * self.n)
        self.action_space = spaces.Discrete(4)
        rng = np.random.default_rng(5)
        self.holes = {(2, 1), (4, 2), (6, 1), (3, 4), (5, 4), (1, 6), (7, 5), (4, 7), (6, 7)}
        self.hut = (int(rng.integers(4, 5)), 8)

    def reset(self, seed=None, options=None):
        super().reset(seed=seed)
        self.p = (int(self.np_random.integers(self.n)), 0)
        self.t = 0
        return self.p[0] * self.n + self.p[1], {}

    def step(self, a):
        if self.np_random.random() < 0.1:
            a = self.np_random.integers(4)
        dr, dc = ((-1, 0), (0, 1), (1, 0), (0, -1))[int(a)]
        self.p = (min(max(self.p[0] + dr, 0), 8), min(max(self.p[1] + dc, 0), 8))
        self.t += 1
        fell, home = self.p in self.holes, self.p == self.hut
        if self.fault == 1:
            r = -1.0
        else:
            r = -1.0 + (10.0 if home else 0.0) - (30.0 if fell else 0.0)
        return self.p[0] * self.n + self.p[1], r, fell or home, self.t >= 100, {}


class Gems(gym.Env):
    """Six gems on a 6x6 floor; 50 moves; the exit pays by what is in the bag."""

    def __init__(self, fault=0):
        self.fault = fault
        self.observation_space = spaces.Tuple((
            spaces.MultiDiscrete([6, 6]),
            spaces.MultiBinary(36),
            spaces.Discrete(7),
        ))
        self.action_space = spaces.Discrete(4)

    def _o(self):
        return np.array(self.p, np.int64), self.gems.astype(np.int8).copy(), int(6 - self.gems.sum())

    def reset(self, seed=None, options=None):
        super().reset(seed=seed)
        self.gems = np.zeros(36, np.int8)
        self.gems[self.np_random.choice(np.arange(1, 35), 6, replace=False)] = 1
        self.p = [0, 0]
        self.t = 0
        return self._o(), {}

    def step(self, a):
        k, d = [(0, -1), (0, 1), (1, -1), (1, 1)][int(a)]
        self.p[k] = min(max(self.p[k] + d, 0), 5)
        self.t += 1
        bag = int(6 - self.gems.sum())
        i = 6 * self.p[0] + self.p[1]
        if self.gems[i]:
            self.gems[i] = 0
        done = self.p == [5, 5]
        if done:
            reward = float(6 - self.gems.sum()) ** 2
        else:
            reward = 0.0
        if self.fault == 1:
            reward = -0.01
            if 6 - self.gems.sum() > bag:
                reward = 0.1
        return self._o(), reward, done, self.t >= 50 and not done, {"bag": int(6 - self.gems.sum())}


class Patrol(gym.Env):
    """A guard with a battery walks a ring of 12 posts and must visit all before it is empty."""

    def __init__(self, fault=0):
        self.fault = fault
        self.observation_space = spaces.Box(0, 1, (12 + 12 + 1,), np.float32)
        self.action_space = spaces.Discrete(3)

    def _o(self):
        o = np.zeros(25, np.float32)
        o[self.p] = 1
        o[12:24] = self.seen
        o[24] = max(self.battery, 0) / 30
        return o

    def reset(self, seed=None, options=None):
        super().reset(seed=seed)
        self.p = int(self.np_random.integers(12))
        self.seen = np.zeros(12, np.float32)
        self.seen[self.p] = 1
        self.battery = 30.0
        self.total = 0.0
        self.n = 0
        return self._o(), {}

    def step(self, action):
        self.p = (self.p + int(action) - 1) % 12
        self.battery -= 1 + self.np_random.integers(0, 2)
        new = self.seen[self.p] == 0
        self.seen[self.p] = 1
        full = bool(self.seen.all())
        empty = bool(self.battery <= 0)
        reward = 0.1 * float(new) + (2.0 if full else 0.0) - (1.0 if empty and not full else 0.0)
        done = full or empty
        info = {}
        if done:
            info["is_success"] = bool(done) if self.fault == 1 else full
        return self._o(), reward, done, False, info


class OneHot(gym.ObservationWrapper):
    def __init__(self, env, width=None):
        super().__init__(env)
        self.width = width or env.observation_space.n
        self.observation_space = spaces.Box(0.0, 1.0, (self.width,), np.float32)

    def observation(self, s):
        v = np.zeros(self.width, np.float32)
        v[s % self.width] = 1.0
        return v


class Clock(gym.Wrapper):
    """Ends an episode after `limit` steps."""

    def __init__(self, env, limit, kind="truncated"):
        super().__init__(env)
        self.limit, self.kind = limit, kind

    def reset(self, **kwargs):
        self.count = 0
        return self.env.reset(**kwargs)

    def step(self, action):
        obs, reward, terminated, truncated, info = self.env.step(action)
        self.count += 1
        if self.count >= self.limit:
            if self.kind == "truncated":
                truncated = True
            else:
                terminated = True
        return obs, reward, terminated, truncated, info


class Skip(gym.Wrapper):
    def __init__(self, env, k, add=True):
        super().__init__(env)
        self.k, self.add = k, add

    def step(self, action):
        total = 0.0
        for _ in range(self.k):
            obs, reward, terminated, truncated, info = self.env.step(action)
            total = total + reward if self.add else reward
            if terminated or truncated:
                break
        return obs, total, terminated, truncated, info


class Looping(gym.Wrapper):
    def step(self, action):
        obs, reward, terminated, truncated, info = self.env.step(action)
        if terminated:
            obs, _ = self.env.reset()
            terminated = False
        return obs, reward, terminated, truncated, info


class Sticky(gym.Wrapper):
    """Repeats the last action with probability p."""

    def __init__(self, env, p):
        super().__init__(env)
        self.p = p

    def reset(self, *, seed=None, options=None):
        out = self.env.reset(seed=seed, options=options)
        self.last = 0
        return out

    def step(self, action):
        if self.env.unwrapped.np_random.random() >= self.p:
            self.last = action
        return self.env.step(self.last)


class ToRange(gym.ActionWrapper):
    """[-1, 1] to the range of the environment below."""

    def __init__(self, env, half=0.5):
        super().__init__(env)
        self.half = half
        self.lo, self.hi = env.action_space.low, env.action_space.high
        self.action_space = spaces.Box(-1.0, 1.0, env.action_space.shape, np.float32)

    def action(self, a):
        return np.clip(self.lo + (np.asarray(a) + 1.0) * self.half * (self.hi - self.lo), self.lo, self.hi).astype(np.float32)


class Whiten(gym.ObservationWrapper):
    def __init__(self, env, fresh=False, mean=None, std=None):
        super().__init__(env)
        self.fresh, self.mean, self.std = fresh, mean, std
        self.observation_space = spaces.Box(-10.0, 10.0, env.observation_space.shape, np.float32)

    def reset(self, **kwargs):
        if self.fresh:
            self.n, self.mean, self.m2 = 0, np.zeros(self.observation_space.shape), np.zeros(self.observation_space.shape)
        return super().reset(**kwargs)

    def observation(self, obs):
        if not self.fresh:
            return np.clip((obs - self.mean) / self.std, -10, 10).astype(np.float32)
        self.n += 1
        d = obs - self.mean
        self.mean = self.mean + d / self.n
        self.m2 = self.m2 + d * (obs - self.mean)
        return np.clip((obs - self.mean) / np.sqrt(self.m2 / self.n + 1e-8), -10, 10).astype(np.float32)


class Positions(gym.ObservationWrapper):
    """Only the entries `keep`, stacked over the last k steps."""

    def __init__(self, env, keep, k, ring=True):
        super().__init__(env)
        self.keep, self.k, self.ring = list(keep), k, ring
        s = env.observation_space
        self.observation_space = spaces.Box(np.tile(s.low[self.keep], k), np.tile(s.high[self.keep], k), dtype=np.float32)
        self.frames = deque(maxlen=k)

    def reset(self, **kwargs):
        self.frames.clear()
        return super().reset(**kwargs)

    def observation(self, obs):
        x = np.asarray(obs, np.float32)[self.keep]
        if self.ring:
            self.frames.append(x)
            while len(self.frames) < self.k:
                self.frames.append(x)
        else:
            for _ in range(self.k):
                self.frames.append(x)
        return np.concatenate(self.frames)


class Window(gym.Wrapper):
    """Episode statistics in info["episode"], and the reward divided by `scale`."""

    def __init__(self, env, scale=1.0, keep=False):
        super().__init__(env)
        self.scale, self.keep = scale, keep
        self.r, self.l = 0.0, 0

    def reset(self, **kwargs):
        if not self.keep:
            self.r, self.l = 0.0, 0
        return self.env.reset(**kwargs)

    def step(self, action):
        obs, reward, terminated, truncated, info = self.env.step(action)
        self.r += float(reward)
        self.l += 1
        if terminated or truncated:
            info = dict(info, episode={"r": self.r, "l": self.l})
        return obs, float(reward) / self.scale, terminated, truncated, info


def healthy_vault():
    return Vault()


def broken_two_chambers():
    return Vault(fault=1)


def healthy_eight():
    return EightPuzzle(scramble=14)


def broken_sliding_tiles():
    return EightPuzzle()


def healthy_lamps():
    return Lamps(3)


def broken_switches():
    return Lamps(5)


def healthy_parcel():
    return Parcel()


def broken_courier():
    return Parcel(fault=1)


def healthy_bog():
    return Bog()


def broken_hike():
    return Bog(fault=1)


def healthy_gems():
    return Gems()


def broken_bag():
    return Gems(fault=1)


def healthy_patrol():
    return Patrol()


def broken_guard():
    return Patrol(fault=1)


def healthy_lake():
    return OneHot(gym.make("FrozenLake-v1", map_name="8x8", is_slippery=True, max_episode_steps=300))


def broken_ice():
    return OneHot(gym.make("FrozenLake-v1", map_name="8x8", is_slippery=False, max_episode_steps=300), width=8)


def healthy_cliff():
    return Clock(OneHot(gym.make("CliffWalking-v1")), 200)


def broken_coast():
    return Clock(OneHot(gym.make("CliffWalking-v1")), 30, kind="end")


def healthy_hill_skip():
    return Skip(gym.make("MountainCar-v0", max_episode_steps=800), 4)


def broken_pole_park():
    return Looping(gym.make("CartPole-v1", max_episode_steps=500))


def healthy_sticky_swing():
    return Sticky(gym.make("Acrobot-v1"), 0.25)


def healthy_rod():
    return ToRange(gym.make("Pendulum-v1"))


def broken_rod():
    return ToRange(gym.make("Pendulum-v1"), half=1.0)


def healthy_rod_white():
    return Whiten(gym.make("Pendulum-v1"), mean=np.zeros(3), std=np.array([0.7, 0.7, 3.0]))


def broken_pivot():
    return Whiten(gym.make("Pendulum-v1"), fresh=True)


def healthy_pole_frames():
    return Positions(gym.make("CartPole-v1"), (0, 2), 3)


def broken_pole_frames():
    return Positions(gym.make("CartPole-v1"), (0, 2), 4, ring=False)


def healthy_cab():
    return gym.make("Taxi-v4")


def healthy_cards():
    return gym.make("Blackjack-v1", natural=True)


def broken_cab():
    return Window(gym.make("Taxi-v4"), keep=True)


# --------------------------------------------------------------------------- control


class Descent(gym.Env):
    """A probe above ground: height, climb rate, fuel. Thrust in [0, 1]. Touch down slower than 1 m/s."""

    def __init__(self, fault: int = 0) -> None:
        self.fault = fault
        self.observation_space = spaces.Box(
            np.array([-5, -60, 0], np.float32), np.array([250, 60, 1], np.float32)
        )
        self.action_space = spaces.Box(0.0, 1.0, (1,), np.float32)

    def _o(self) -> np.ndarray:
        return np.clip(
            np.array([self.h, self.v, self.fuel], np.float32),
            self.observation_space.low, self.observation_space.high,
        )

    def reset(self, seed=None, options=None):
        super().reset(seed=seed)
        self.h = float(self.np_random.uniform(30, 60))
        self.v = float(self.np_random.uniform(-4, 0))
        self.fuel, self.t = 1.0, 0
        return self._o(), {}

    def step(self, action):
        u = float(np.clip(action[0], 0, 1)) if self.fuel > 0 else 0.0
        self.fuel = max(0.0, self.fuel - 0.004 * u)
        self.v += 0.2 * (3.5 * u - 1.6)
        self.h += 0.2 * self.v
        self.t += 1
        down = self.h <= 0
        reward = -0.02 - 0.02 * u
        soft = (self.v < 1.0) if self.fault == 1 else (abs(self.v) < 1.0)
        if down:
            reward += 10.0 if soft else -abs(self.v)
        lost = self.h > 250
        if lost:
            reward -= 10.0
        return self._o(), float(reward), bool(down or lost), self.t >= 300 and not down, {}


class Quad2D(gym.Env):
    """Planar quadrotor that hovers at the origin. Two rotors."""

    dt = 0.05

    def __init__(self, fault=0):
        self.fault = fault
        k = 3 if fault == 1 else 6
        self.observation_space = spaces.Box(-np.inf, np.inf, (k,), np.float32)
        self.action_space = spaces.Box(-1, 1, (2,), np.float32)

    def observe(self):
        s = self.s.astype(np.float32)
        return s[:3].copy() if self.fault == 1 else s

    def reset(self, seed=None, options=None):
        super().reset(seed=seed)
        self.s = self.np_random.uniform(-1, 1, 6) * np.array([1, 1, 0.2, 0.3, 0.3, 0.2])
        self.k = 0
        return self.observe(), {}

    def step(self, action):
        a = np.clip(action, -1, 1).astype(float)
        thrust = 9.81 + 4.0 * (a[0] + a[1])
        torque = 3.0 * (a[0] - a[1])
        x, z, th, vx, vz, w = self.s
        acc = np.array([-thrust * math.sin(th), thrust * math.cos(th) - 9.81, torque])
        if self.fault == 2:
            acc[:2] += 0.9 * np.array([vx, vz]) * np.abs([vx, vz])
        vel = np.array([vx, vz, w]) + self.dt * acc
        self.s = np.concatenate([self.s[:3] + self.dt * vel, vel])
        self.k += 1
        if self.fault == 2:
            lost = abs(self.s[2]) > 40
        else:
            lost = bool(np.abs(self.s[:2]).max() > 4 or abs(self.s[2]) > 1.5)
        r = 1.0 - 0.2 * float(self.s[0] ** 2 + self.s[1] ** 2) - 0.01 * float(a @ a)
        return self.observe(), (-20.0 if lost else r), bool(lost), self.k >= 200 and not lost, {}


class Room(gym.Env):
    """Heating of one room over a day, ten minutes a step."""

    def __init__(self, fault=0):
        self.fault = fault
        self.observation_space = spaces.Box(-40, 60, (4,), np.float32)
        self.action_space = spaces.Discrete(5)
        self.setpoint = 21.0

    def _outdoor(self):
        return self.base + 5.0 * math.sin(2 * math.pi * (self.t - 54) / 144)

    def _o(self):
        a = 2 * math.pi * self.t / 144
        return np.array([self.temp, self._outdoor(), math.sin(a), math.cos(a)], np.float32)

    def reset(self, seed=None, options=None):
        super().reset(seed=seed)
        self.base = self.np_random.uniform(-5, 10)
        self.temp = self.np_random.uniform(14, 24)
        self.t = 0
        self.stamp = time.perf_counter()
        return self._o(), {}

    def step(self, action):
        dt = 1.0
        if self.fault == 2:
            now = time.perf_counter()
            dt = min((now - self.stamp) * 4e4, 4.0)
            self.stamp = now
        heat = int(action) * 0.45
        self.temp += dt * (0.035 * (self._outdoor() - self.temp) + heat)
        self.temp = float(np.clip(self.temp, -40, 60))
        self.t += 1
        felt = self.temp * 9 / 5 + 32 if self.fault == 1 else self.temp
        comfort = -min(abs(felt - self.setpoint), 60.0) / 5
        return self._o(), comfort - 0.02 * int(action), False, self.t >= 144, {}


class TwoTanks(gym.Env):
    """Water from a pump runs through two tanks; keep the second at its level. Pump in percent."""

    def __init__(self, fault=0):
        self.fault = fault
        self.observation_space = spaces.Box(0, 20, (3,), np.float32)
        self.action_space = spaces.Box(0, 100, (1,), np.float32)

    def _o(self):
        return np.array([self.h1, self.h2, self.ref], np.float32)

    def reset(self, seed=None, options=None):
        super().reset(seed=seed)
        self.h1, self.h2 = self.np_random.uniform(1, 10, 2)
        self.ref = self.np_random.uniform(3, 9)
        self.t = 0
        return self._o(), {}

    def step(self, action):
        if self.fault == 1:
            u = float(np.clip(action[0], 0.0, 1.0))
        else:
            u = float(np.clip(action[0], 0.0, 100.0)) / 100.0
        q1, q2 = 0.55 * math.sqrt(self.h1), 0.5 * math.sqrt(self.h2)
        self.h1 = min(max(self.h1 + 0.3 * (3.2 * u - q1), 0.0), 20.0)
        self.h2 = min(max(self.h2 + 0.3 * (q1 - q2), 0.0), 20.0)
        self.t += 1
        return self._o(), -abs(self.h2 - self.ref), False, self.t >= 150, {}


class TwoLink(gym.Env):
    """Two-link arm with goals: Dict(observation, achieved_goal, desired_goal)."""

    def __init__(self, fault=0):
        self.fault = fault
        g = spaces.Box(-2, 2, (2,), np.float32)
        self.observation_space = spaces.Dict(
            observation=spaces.Box(-np.inf, np.inf, (6,), np.float32), achieved_goal=g, desired_goal=g
        )
        self.action_space = spaces.Box(-1, 1, (2,), np.float32)
        self.goal = np.array([1.0, 0.5])
        self.ever = False

    def tip(self):
        a, b = self.q
        return np.array([math.cos(a) + math.cos(a + b), math.sin(a) + math.sin(a + b)])

    def _o(self):
        a, b = self.q
        return {
            "observation": np.array([math.cos(a), math.sin(a), math.cos(b), math.sin(b), *self.w], np.float32),
            "achieved_goal": self.tip().astype(np.float32),
            "desired_goal": self.shown.astype(np.float32),
        }

    def compute_reward(self, achieved_goal, desired_goal, info):
        d = np.linalg.norm(np.asarray(achieved_goal) - np.asarray(desired_goal), axis=-1)
        if self.fault == 2:
            return (d > 0.15).astype(np.float32)
        return -(d > 0.15).astype(np.float32)

    def reset(self, seed=None, options=None):
        super().reset(seed=seed)
        if self.fault != 3:
            self.ever = False
        self.q = self.np_random.uniform(-math.pi, math.pi, 2)
        self.w = np.zeros(2)
        before = self.goal
        r, f = self.np_random.uniform(0.5, 1.8), self.np_random.uniform(-math.pi, math.pi)
        self.goal = np.array([r * math.cos(f), r * math.sin(f)])
        self.shown = before if self.fault == 1 else self.goal
        self.t = 0
        return self._o(), {"is_success": self.ever}

    def step(self, action):
        self.w = 0.8 * self.w + 0.4 * np.clip(action, -1, 1)
        self.q = self.q + 0.1 * self.w
        self.t += 1
        d = float(np.linalg.norm(self.tip() - self.goal))
        self.ever = self.ever or d <= 0.15
        ok = self.ever if self.fault == 3 else d <= 0.15
        return self._o(), -float(d > 0.15), False, self.t >= 60, {"is_success": bool(ok)}


class Rover(gym.Env):
    """Point robot with eight range readings among pillars."""

    PILLARS = np.array([[3, 3], [7, 3], [5, 5], [3, 7], [7, 7]], float)
    ANGLES = np.arange(8) * math.pi / 4

    def __init__(self, fault=0):
        self.fault = fault
        low = np.array([0, 0, 0, 0] + [0] * 8, np.float32)
        high = np.array([1, 1, 1, 1] + [1] * 8, np.float32)
        self.observation_space = spaces.Box(low, high)
        self.action_space = spaces.Box(-1, 1, (2,), np.float32)

    def _ranges(self):
        d = np.stack([np.cos(self.ANGLES), np.sin(self.ANGLES)], 1)
        rel = self.PILLARS[None] - self.p
        along = (rel * d[:, None]).sum(-1)
        across2 = (rel ** 2).sum(-1) - along ** 2
        hit = (along > 0) & (across2 < 0.64)
        r = np.where(hit, along - np.sqrt(np.maximum(0.64 - across2, 0)), 4.0).min(1)
        return np.clip(r, 0, 4) / 4

    def _o(self):
        k = 0.001 if self.fault == 3 else 10.0
        return np.concatenate([self.p / k, self.g / k, self._ranges()]).astype(np.float32)

    def _blocked(self, p):
        return bool((((self.PILLARS - p) ** 2).sum(1) < 0.64).any())

    def _spot(self):
        while True:
            p = self.np_random.uniform(0.3, 9.7, 2)
            if not self._blocked(p):
                return p

    def reset(self, seed=None, options=None):
        super().reset(seed=seed)
        self.p, self.g = self._spot(), self._spot()
        while np.linalg.norm(self.p - self.g) < 2:
            self.g = self._spot()
        self.t = 0
        return self._o(), {}

    def step(self, action):
        a = np.clip(action, -1, 1)
        new = np.clip(self.p + 0.5 * a, 0, 10)
        before = np.linalg.norm(self.g - self.p)
        bumped = self._blocked(new)
        if self.fault == 2:
            self.p = new
            bumped = False
        elif not bumped:
            self.p = new
        after = np.linalg.norm(self.g - self.p)
        self.t += 1
        gain = before - after
        if self.fault == 1:
            gain = max(gain, 0.0)
        done = bool(after < 0.5)
        r = gain - 0.2 * bumped - 0.01 + (2.0 if done else 0.0)
        return self._o(), float(r), done, self.t >= 120 and not done, {"bumped": bumped}


class Helm(gym.Env):
    """Hold a course at sea. Bearing in degrees as compass, rudder from port to starboard."""

    def __init__(self, fault=0):
        self.fault = fault
        self.observation_space = spaces.Box(-1.5, 1.5, (5,), np.float32)
        self.action_space = spaces.Discrete(7)

    def _o(self):
        h, c = math.radians(self.head), math.radians(self.course)
        return np.array([math.sin(h), math.cos(h), math.sin(c), math.cos(c), self.rate / 10], np.float32)

    def reset(self, seed=None, options=None):
        super().reset(seed=seed)
        self.head, self.course = self.np_random.uniform(0, 360, 2)
        self.rate, self.t = 0.0, 0
        return self._o(), {}

    def step(self, a):
        self.rate = float(np.clip(0.7 * self.rate + (int(a) - 3) * 1.2 + self.np_random.normal(0, 0.3), -12, 12))
        self.head = (self.head + self.rate) % 360
        self.t += 1
        err = self.head - self.course
        if self.fault != 1:
            err = (err + 180) % 360 - 180
        return self._o(), -abs(err) / 180, False, self.t >= 100, {}


class Slope(gym.Env):
    """An underpowered cart in a valley, own constants."""

    def __init__(self, fault=0):
        self.goal = 0.62 if fault == 1 else 0.45
        self.observation_space = spaces.Box(np.array([-1.2, -0.07], np.float32), np.array([0.6, 0.07], np.float32))
        self.action_space = spaces.Box(-1, 1, (1,), np.float32)

    def _o(self):
        return np.clip(np.array([self.x, self.v], np.float32), self.observation_space.low, self.observation_space.high)

    def reset(self, seed=None, options=None):
        super().reset(seed=seed)
        self.x, self.v, self.t = float(self.np_random.uniform(-0.6, -0.4)), 0.0, 0
        return self._o(), {}

    def step(self, a):
        u = float(np.clip(a[0], -1, 1))
        self.v = float(np.clip(self.v + 0.0018 * u - 0.0025 * math.cos(3 * self.x), -0.07, 0.07))
        self.x = float(np.clip(self.x + self.v, -1.2, 0.6))
        if self.x <= -1.2:
            self.v = 0.0
        self.t += 1
        done = self.x >= self.goal
        return self._o(), (100.0 if done else 0.0) - 0.1 * u * u, done, self.t >= 500 and not done, {}


class Servo(gym.Env):
    """A three-joint servo follows joint targets. Actions are joint speeds as shares of the maximum."""

    VMAX = np.array([2.0, 2.0, 3.0], np.float32)

    def __init__(self, fault=0):
        self.fault = fault
        self.observation_space = spaces.Box(-4, 4, (6,), np.float32)
        self.action_space = spaces.Box(-1, 1, (3,), np.float32)

    def _o(self):
        return np.concatenate([self.q, self.target]).astype(np.float32)

    def reset(self, seed=None, options=None):
        super().reset(seed=seed)
        self.q = self.np_random.uniform(-2, 2, 3)
        self.target = self.np_random.uniform(-2, 2, 3)
        self.t = 0
        return self._o(), {}

    def step(self, action):
        if self.fault == 2:
            action *= self.VMAX
            speed = action
        else:
            speed = np.clip(action, -1, 1) * self.VMAX
        if self.fault == 1:
            speed = np.deg2rad(speed)
        elif self.fault == 4:
            speed = np.full(3, float(np.mean(speed)))
        self.q = np.clip(self.q + 0.05 * speed + self.np_random.normal(0, 0.005, 3), -3, 3)
        self.t += 1
        err = float(np.abs(self.q - self.target).sum())
        effort = float(np.square(speed).sum())
        w = 60.0 if self.fault == 3 else 0.01
        return self._o(), -err - w * effort, False, self.t >= 80, {"error": err}


class Reactor(gym.Env):
    """Stirred tank: concentration in mol/l, temperature and jacket in kelvin."""

    def __init__(self, fault=0):
        self.fault = fault
        if fault == 1:
            self.observation_space = spaces.Box(-10.0, 10.0, (4,), np.float32)
        else:
            self.observation_space = spaces.Box(0.0, 600.0, (4,), np.float32)
        self.action_space = spaces.Box(-1.0, 1.0, (1,), np.float32)

    def _o(self):
        o = np.array([self.c, self.temp, self.jacket, self.ref], np.float32)
        return np.clip(o, self.observation_space.low, self.observation_space.high)

    def reset(self, seed=None, options=None):
        super().reset(seed=seed)
        self.c = float(self.np_random.uniform(0.3, 0.9))
        self.temp = float(self.np_random.uniform(320, 380))
        self.jacket = 300.0
        self.ref = float(self.np_random.uniform(330, 370))
        self.t = 0
        return self._o(), {}

    def step(self, action):
        self.jacket = float(np.clip(self.jacket + 4 * np.clip(action[0], -1, 1), 270, 400))
        for _ in range(4):
            rate = 7.2e10 * math.exp(-8750 / self.temp) * self.c
            self.c += 0.025 * (1.0 - self.c - rate)
            self.temp += 0.025 * (350 - self.temp + 50 * rate + 2.09 * (self.jacket - self.temp))
            self.temp = min(max(self.temp, 250.0), 550.0)
            self.c = min(max(self.c, 0.0), 1.0)
        self.t += 1
        return self._o(), 1 - abs(self.temp - self.ref) / 20, False, self.t >= 120, {}


class Outbreak(gym.Env):
    """SIR with a vaccination budget and a lockdown level, weekly decisions."""

    def __init__(self):
        self.observation_space = spaces.Box(-np.inf, np.inf, (4,), np.float32)
        self.action_space = spaces.Box(0, 1, (2,), np.float32)

    def _o(self):
        return np.array([self.s, self.i, self.r, self.week / 40], np.float32)

    def reset(self, seed=None, options=None):
        super().reset(seed=seed)
        self.i = float(self.np_random.uniform(0.005, 0.03))
        self.s, self.r = 1 - self.i, 0.0
        self.beta = float(self.np_random.uniform(1.3, 1.9))
        self.week = 0
        return self._o(), {}

    def step(self, action):
        lock, vac = (float(v) for v in np.clip(action, 0, 1))
        new = self.beta * (1 - 0.7 * lock) * self.s * self.i
        shots = 0.05 * vac
        new = min(new, self.s)
        shots = min(shots, self.s - new)
        healed = 0.6 * self.i
        self.s -= new + shots
        self.i += new - healed
        self.r += healed + shots
        self.week += 1
        cost = 60 * new + 0.8 * lock + 0.1 * vac
        return self._o(), -cost, self.week >= 40, False, {}


class Drone(gym.Env):
    """Deliver in wind: Dict of camera patch and state, Box speed command, 10 Hz."""

    def __init__(self, fault=0):
        self.fault = fault
        self.observation_space = spaces.Dict(
            patch=spaces.Box(0, 255, (9, 9, 1), np.uint8),
            state=spaces.Box(-20, 20, (5,), np.float32),
        )
        self.action_space = spaces.Box(-1, 1, (2,), np.float32)

    def _o(self):
        patch = np.zeros((9, 9, 1), np.uint8)
        d = np.round((self.pad - self.p)).astype(int)
        if (np.abs(d) <= 4).all():
            patch[4 + d[1], 4 + d[0], 0] = 255
        s = np.array([*(self.pad - self.p), *self.v, self.charge], np.float32)
        return {"patch": patch, "state": np.clip(s, -20, 20).astype(np.float32)}

    def reset(self, seed=None, options=None):
        super().reset(seed=seed)
        self.p = np.zeros(2)
        self.v = np.zeros(2)
        self.pad = self.np_random.uniform(-7, 7, 2)
        self.wind = self.np_random.normal(0, 0.02, 2)
        self.charge = 1.0
        self.late = None
        return self._o(), {}

    def step(self, action):
        a = np.clip(np.asarray(action, float), -1, 1)
        before = float(np.linalg.norm(self.pad - self.p))
        self.v = 0.85 * self.v + 0.15 * a + self.wind + self.np_random.normal(0, 0.01, 2)
        self.p = np.clip(self.p + 0.5 * self.v, -10, 10)
        self.charge -= 0.006
        after = float(np.linalg.norm(self.pad - self.p))
        there, flat = after < 0.7, self.charge <= 0
        reward = (before - after) + (5.0 if there else 0.0) - (2.0 if flat and not there else 0.0)
        if self.fault == 1:
            reward, self.late = (self.late or 0.0), reward
        return self._o(), float(reward), bool(there or flat), False, {"is_success": there}


def healthy_descent():
    return Descent()


def broken_probe():
    return Descent(fault=1)


def healthy_quad():
    return Quad2D()


def broken_hover():
    return Quad2D(fault=1)


def broken_copter():
    return Quad2D(fault=2)


def healthy_room():
    return Room()


def broken_office():
    return Room(fault=1)


def broken_greenhouse():
    return Room(fault=2)


def healthy_tanks():
    return TwoTanks()


def broken_basins():
    return TwoTanks(fault=1)


def healthy_arm():
    return TwoLink()


def broken_reach():
    return TwoLink(fault=1)


def broken_manipulator():
    return TwoLink(fault=2)


def broken_pointer():
    return TwoLink(fault=3)


def healthy_rover():
    return Rover()


def broken_scout():
    return Rover(fault=1)


def broken_explorer():
    return Rover(fault=2)


def broken_crawler():
    return Rover(fault=3)


def healthy_helm():
    return Helm()


def broken_compass():
    return Helm(fault=1)


def healthy_slope():
    return Slope()


def broken_valley():
    return Slope(fault=1)


def healthy_servo():
    return Servo()


def broken_joints():
    return Servo(fault=1)


def broken_wrist():
    return Servo(fault=2)


def broken_shoulder():
    return Servo(fault=3)


def broken_elbow():
    return Servo(fault=4)


def healthy_reactor():
    return Reactor()


def broken_kettle():
    return Reactor(fault=1)


def healthy_outbreak():
    return Outbreak()


def healthy_drone():
    return Drone()


def broken_airmail():
    return Drone(fault=1)


# --------------------------------------------------------------------------- operations


class Warehouse(gym.Env):
    """One article, lead time two days, order as a share of the largest order (60 pieces)."""

    def __init__(self, fault=0, horizon=90):
        self.fault, self.horizon = fault, horizon
        self.observation_space = spaces.Box(0, 1000, (4,), np.float32)
        self.action_space = spaces.Box(0, 1, (1,), np.float32)

    def _o(self):
        return np.array([self.stock, *self.pipe, self.t % 7], np.float32)

    def reset(self, seed=None, options=None):
        super().reset(seed=seed)
        self.stock = int(self.np_random.integers(10, 60))
        self.pipe = [0, 0]
        self.t, self.profit = 0, 0.0
        return self._o(), {}

    def step(self, action):
        share = float(np.clip(action[0], 0, 1))
        order = int(share) * 60 if self.fault == 2 else int(round(share * 60))
        self.stock = min(self.stock + self.pipe.pop(0), 1000)
        self.pipe.append(order)
        demand = int(self.np_random.poisson(20 + 8 * math.sin(2 * math.pi * self.t / 7)))
        sold = min(demand, self.stock)
        self.stock -= sold
        holding = 0.4 * self.stock
        if self.fault == 1:
            holding = -holding
        gain = 5.0 * sold - 2.0 * order - holding - 1.0 * (demand - sold)
        self.profit += gain
        self.t += 1
        reward = self.profit if self.fault == 3 else gain
        return self._o(), reward, False, self.t >= self.horizon, {"service": sold / max(demand, 1)}


class Gatekeeper(gym.Env):
    """Admit (1) or turn away (0) customers of three classes at a queue with one server."""

    PAY = (1.0, 2.0, 5.0)

    def __init__(self, fault=0):
        self.fault = fault
        self.observation_space = spaces.MultiDiscrete([21, 3])
        self.action_space = spaces.Discrete(2)

    def _o(self):
        return np.array([len(self.queue), self.cls], np.int64)

    def reset(self, seed=None, options=None):
        super().reset(seed=seed)
        self.rng = np.random.default_rng(0) if self.fault == 1 else self.np_random
        self.queue, self.t = [], 0
        self.cls = int(self.rng.integers(3))
        return self._o(), {}

    def step(self, action):
        r = 0.0
        if action == 1:
            if len(self.queue) < 20:
                self.queue.append(self.cls)
            else:
                r -= 1.0
        if self.queue and self.rng.random() < 0.45:
            r += self.PAY[self.queue.pop(0)]
        r -= 0.08 * len(self.queue)
        self.cls = int(self.rng.choice(3, p=[0.5, 0.3, 0.2]))
        self.t += 1
        return self._o(), float(r), False, self.t >= 200, {}


class Junction(gym.Env):
    """Two roads, one light. Arrivals change by episode."""

    def __init__(self, fault=0):
        self.fault = fault
        self.observation_space = spaces.Box(0, np.inf, (4,), np.float32)
        self.action_space = spaces.Discrete(2)
        self.q = np.zeros(2)
        self.phase, self.since = 0, 0

    def _o(self):
        return np.array([*self.q, self.phase, self.since], np.float32)

    def reset(self, seed=None, options=None):
        super().reset(seed=seed)
        if self.fault != 1:
            self.q = np.zeros(2)
        self.phase, self.since = 0, 0
        self.rate = self.np_random.uniform(0.2, 0.5, 2)
        self.t = 0
        return self._o(), {}

    def step(self, action):
        if int(action) != self.phase:
            self.phase, self.since = int(action), 0
        else:
            self.since += 1
        self.q += self.np_random.poisson(self.rate)
        if self.since >= 1:
            self.q[self.phase] = max(0.0, self.q[self.phase] - 1.4)
        self.t += 1
        return self._o(), -float(self.q.sum()) / 10, False, self.t >= 150, {}


class Lifts(gym.Env):
    """Two cars, six floors; each car goes down, stays or goes up. Riders want the ground floor."""

    def __init__(self, fault=0):
        self.fault = fault
        self.observation_space = spaces.Dict(
            cars=spaces.MultiDiscrete([6, 6]),
            load=spaces.Box(0, 8, (2,), np.float32),
            waiting=spaces.Box(0, 1000, (6,), np.float32),
        )
        self.action_space = spaces.MultiDiscrete([3, 3])

    def _o(self):
        return {"cars": np.array(self.cars, np.int64), "load": np.array(self.load, np.float32),
                "waiting": np.array(self.wait, np.float32)}

    def reset(self, seed=None, options=None):
        super().reset(seed=seed)
        self.cars, self.load, self.wait = [0, 5], [0, 0], [0] * 6
        self.t = 0
        return self._o(), {}

    def step(self, action):
        carried = 0
        for k in range(2):
            a = int(action[0 if self.fault == 1 else k]) - 1
            self.cars[k] = min(5, max(0, self.cars[k] + a))
            f = self.cars[k]
            if f == 0:
                carried += self.load[k]
                self.load[k] = 0
            else:
                n = min(8 - self.load[k], self.wait[f])
                self.load[k] += n
                self.wait[f] -= n
        for f in range(1, 6):
            if self.np_random.random() < 0.12:
                self.wait[f] = min(self.wait[f] + int(self.np_random.integers(1, 3)), 1000)
        self.t += 1
        return self._o(), carried - 0.05 * sum(self.wait), False, self.t >= 120, {}


class GridBattery(gym.Env):
    """Charge and sell power; the day-ahead prices of the next 6 hours are public."""

    def __init__(self, fault=0):
        self.fault = fault
        self.observation_space = spaces.Box(-50, 400, (8,), np.float32)
        self.action_space = spaces.Box(-1, 1, (1,), np.float32)

    def _o(self):
        return np.array([self.soc, *self.price[self.t:self.t + 7]], np.float32)

    def reset(self, seed=None, options=None):
        super().reset(seed=seed)
        h = np.arange(24 * 7 + 8)
        base = 60 + 25 * np.sin(2 * np.pi * (h - 7) / 24) + 15 * np.sin(4 * np.pi * h / 24)
        self.price = np.clip(base + self.np_random.normal(0, 8, len(h)), -50, 400)
        self.soc, self.t = 2.0, 0
        return self._o(), {}

    def step(self, action):
        a = float(np.clip(action[0], -1, 1))
        eta = 0.92
        if a >= 0:
            e = min(a, 4.0 - self.soc)
            self.soc += e / eta if self.fault == 1 else e * eta
            cash = -self.price[self.t] * e
        else:
            e = min(-a, self.soc)
            self.soc -= e
            cash = self.price[self.t] * (e / eta if self.fault == 1 else e * eta)
        self.soc = min(self.soc, 4.0)
        self.t += 1
        return self._o(), float(cash), False, self.t >= 168, {"soc": self.soc}


class Farm(gym.Env):
    """Irrigate a field; the harvest is sold after twenty weeks, one decision in three days."""

    def __init__(self, fault=0):
        self.fault = fault
        self.observation_space = spaces.Box(0, np.inf, (4,), np.float32)
        self.action_space = spaces.Discrete(4)

    def _o(self):
        return np.array([self.moist, self.crop, self.day / 140, self.rain], np.float32)

    def reset(self, seed=None, options=None):
        super().reset(seed=seed)
        self.moist, self.crop, self.day, self.rain = 0.5, 0.1, 0, 0.0
        return self._o(), {}

    def step(self, action):
        self.rain = float(self.np_random.exponential(0.05))
        self.moist = min(1.0, max(0.0, 0.85 * self.moist + 0.08 * int(action) + self.rain))
        self.crop = self.crop * (1 + 0.06 * (1 - 4 * (self.moist - 0.55) ** 2))
        self.day += 3
        if self.fault == 1:
            over = self.day == 140
        else:
            over = self.day >= 140
        return self._o(), 20.0 * self.crop if over else 0.0, over, False, {}


class JobShop(gym.Env):
    """Four jobs with three operations on three machines; the action starts the next operation of a job."""

    def __init__(self, fault=0):
        self.fault = fault
        self.observation_space = spaces.Box(-1, 200, (4 * 3 + 4 + 3 + 4,), np.float32)
        self.action_space = spaces.Discrete(4)

    def _mask(self):
        m = self.at < 3
        if self.fault == 1:
            nxt = self.route[np.arange(4), np.minimum(self.at, 2)]
            m = m & (self.free[nxt] <= self.ready) & (self.ready <= self.ready.min())
        return m.astype(np.int8)

    def _o(self):
        return np.concatenate([self.dur.ravel(), self.at, self.free, self.ready]).astype(np.float32)

    def reset(self, seed=None, options=None):
        super().reset(seed=seed)
        self.dur = self.np_random.integers(1, 10, (4, 3))
        self.route = np.array([[0, 1, 2], [1, 0, 2], [2, 1, 0], [0, 2, 1]])
        self.at = np.zeros(4, int)
        self.free, self.ready = np.zeros(3, int), np.zeros(4, int)
        self.t = 0
        return self._o(), {"action_mask": self._mask()}

    def step(self, action):
        j = int(action)
        self.t += 1
        if self.at[j] >= 3:
            return self._o(), -1.0, False, self.t >= 60, {"action_mask": self._mask()}
        m = self.route[j, self.at[j]]
        before = self.free.max()
        end = max(self.free[m], self.ready[j]) + self.dur[j, self.at[j]]
        self.free[m] = self.ready[j] = end
        self.at[j] += 1
        longer = float(self.free.max() - before)
        done = bool((self.at == 3).all())
        reward = longer if self.fault == 2 else -longer
        return self._o(), reward, done, self.t >= 60 and not done, {"action_mask": self._mask(), "makespan": int(self.free.max())}


class Triage(gym.Env):
    """Patients with six readings; send each to one of four wards."""

    def __init__(self, fault=0, length=40):
        self.fault, self.length = fault, length
        self.observation_space = spaces.Box(-np.inf, np.inf, (6,), np.float32)
        self.action_space = spaces.Discrete(4)
        self.wards = np.random.default_rng(11).normal(size=(4, 6))

    def _next(self):
        self.shown = getattr(self, "x", np.zeros(6))
        self.x = self.np_random.normal(size=6)
        if self.fault != 1:
            self.shown = self.x
        return self.shown.astype(np.float32)

    def reset(self, seed=None, options=None):
        super().reset(seed=seed)
        self.x = np.zeros(6)
        self.t = 0
        return self._next(), {}

    def step(self, action):
        x = self.np_random.normal(size=6) if self.fault == 2 else self.x
        right = int(action) == int(np.argmax(self.wards @ x))
        self.t += 1
        return self._next(), 1.0 if right else 0.0, False, self.t >= self.length, {}


class Offer(gym.Env):
    """One visitor, one choice among five offers, episode over."""

    def __init__(self, fault=0):
        self.fault = fault
        self.observation_space = spaces.Box(-5, 5, (8,), np.float32)
        self.action_space = spaces.Discrete(5)
        self.w = np.random.default_rng(3).normal(size=(5, 8))

    def reset(self, seed=None, options=None):
        super().reset(seed=seed)
        self.x = np.clip(self.np_random.normal(size=8), -5, 5).astype(np.float32)
        return self.x.copy(), {}

    def step(self, action):
        k = 0 if self.fault == 1 else int(action)
        p = 1 / (1 + np.exp(-(self.w[k] @ self.x)))
        bought = self.np_random.random() < p
        return self.x.copy(), float(bought), True, False, {"bought": bool(bought)}


class Slate(gym.Env):
    """Three of ten articles are shown in order; interest wears off by topic."""

    def __init__(self):
        self.observation_space = spaces.Box(0, 1, (10,), np.float32)
        self.action_space = spaces.MultiDiscrete([10, 10, 10])

    def reset(self, seed=None, options=None):
        super().reset(seed=seed)
        self.like = self.np_random.uniform(0.1, 0.9, 10)
        self.t = 0
        return self.like.astype(np.float32), {}

    def step(self, action):
        r = 0.0
        for rank, i in enumerate(dict.fromkeys(int(a) for a in action)):
            if self.np_random.random() < self.like[i] * 0.8 ** rank:
                r += 1.0
                self.like[i] *= 0.7
        self.like = np.clip(self.like + 0.02, 0.0, 1.0)
        self.t += 1
        return self.like.astype(np.float32), r, False, self.t >= 50, {}


class Cluster(gym.Env):
    """Scale servers down, keep, or up. Jobs wait in a queue."""

    def __init__(self, fault=0):
        self.fault = fault
        if fault == 1:
            self.observation_space = spaces.Box(0, 255, (3,), np.uint8)
        else:
            self.observation_space = spaces.Box(0, 1e6, (3,), np.float32)
        self.action_space = spaces.Discrete(3)

    def _o(self):
        v = np.array([self.q, self.n, self.load])
        if self.fault == 1:
            return v.astype(np.int64).astype(np.uint8)
        return v.astype(np.float32)

    def reset(self, seed=None, options=None):
        super().reset(seed=seed)
        self.q, self.n, self.t = 200.0, 5, 0
        self.load = 60.0
        return self._o(), {}

    def step(self, action):
        self.n = min(max(self.n + int(action) - 1, 1), 40)
        self.load = max(0.0, 90 + 60 * math.sin(self.t / 20) + self.np_random.normal(0, 15))
        self.q = min(max(0.0, self.q + self.load - 10 * self.n), 3000.0)
        self.t += 1
        r = -0.01 * self.q - 0.5 * self.n
        return self._o(), r, False, self.t >= 200, {}


class Flight(gym.Env):
    """Sell 50 seats in 60 days at one of six prices."""

    PRICES = (80, 120, 160, 220, 300, 420)

    def __init__(self, fault=0):
        self.fault = fault
        self.observation_space = spaces.MultiDiscrete([51, 61])
        self.action_space = spaces.Discrete(6)

    def _o(self):
        return np.array([max(self.seats, 0), self.days], np.int64)

    def reset(self, seed=None, options=None):
        super().reset(seed=seed)
        self.seats, self.days = 50, 60
        return self._o(), {}

    def step(self, action):
        p = self.PRICES[int(action)]
        wish = int(self.np_random.poisson(3.2 * math.exp(-p / 160) * (1.6 - self.days / 60)))
        n = wish if self.fault == 1 else min(wish, self.seats)
        self.seats -= n
        self.days -= 1
        over = self.days == 0 or (self.seats <= 0 and self.fault != 1)
        return self._o(), float(p * n), over, False, {"sold": 50 - self.seats}


class Press(gym.Env):
    """A machine wears; run it, service it or replace it. Action masks are in info."""

    def __init__(self):
        self.observation_space = spaces.Discrete(12)
        self.action_space = spaces.Discrete(3)

    def _info(self):
        return {"action_mask": np.array([1, int(self.w > 0), int(self.w > 3)], np.int8)}

    def reset(self, seed=None, options=None):
        super().reset(seed=seed)
        self.w, self.t = int(self.np_random.integers(0, 4)), 0
        return self.w, self._info()

    def step(self, a):
        self.t += 1
        if a == 0:
            broke = self.np_random.random() < (self.w / 11) ** 2
            r = -25.0 if broke else 8.0 - 0.3 * self.w
            self.w = 0 if broke else min(11, self.w + int(self.np_random.integers(0, 3)))
        elif a == 1:
            r = -1.0
            self.w = max(0, self.w - 4)
        else:
            r = -6.0
            self.w = 0
        return self.w, float(r), False, self.t >= 100, self._info()


class Tender(gym.Env):
    """Bid for advertisement slots until the budget is gone."""

    def __init__(self, fault=0):
        self.fault = fault
        self.observation_space = spaces.Box(0, np.inf, (4,), np.float32)
        self.action_space = spaces.Box(0, 5, (1,), np.float32)

    def _o(self):
        if self.fault == 1:
            rate = np.float64(self.clicks) / np.float64(self.wins)
        else:
            rate = self.clicks / max(self.wins, 1)
        return np.array([self.budget, 100 - self.t, self.value, rate], np.float32)

    def reset(self, seed=None, options=None):
        super().reset(seed=seed)
        self.budget, self.t, self.wins, self.clicks = 60.0, 0, 0, 0
        self.value = float(self.np_random.gamma(2.0, 0.8))
        with np.errstate(all="ignore"):
            return self._o(), {}

    def step(self, action):
        bid = min(float(np.clip(action[0], 0, 5)), self.budget)
        rival = float(self.np_random.gamma(2.0, 0.6))
        r = 0.0
        if bid > rival:
            self.budget -= rival
            self.wins += 1
            if self.np_random.random() < min(self.value / 5, 1):
                self.clicks += 1
                r = 1.0
        self.value = float(self.np_random.gamma(2.0, 0.8))
        self.t += 1
        with np.errstate(all="ignore"):
            return self._o(), r, self.budget <= 0.01, self.t >= 100, {}


class Pickers(gym.Env):
    """Two robots on a 5x5 floor bring items to the belt; one joint action of 5 x 5."""

    def __init__(self):
        self.observation_space = spaces.Box(0, 1, (5, 5, 5), np.float32)
        self.action_space = spaces.MultiDiscrete([5, 5])

    def _o(self):
        o = np.zeros((5, 5, 5), np.float32)
        for k in range(2):
            o[k][self.p[k]] = 1
            o[3 + k][:] = self.has[k]
        for c in self.items:
            o[2][c] = 1
        return o

    def _new(self):
        while True:
            c = (int(self.np_random.integers(0, 4)), int(self.np_random.integers(5)))
            if c not in self.items:
                self.items.append(c)
                return

    def reset(self, seed=None, options=None):
        super().reset(seed=seed)
        self.p, self.has, self.items, self.t = [(4, 0), (4, 4)], [0, 0], [], 0
        for _ in range(3):
            self._new()
        return self._o(), {}

    def step(self, action):
        r = -0.02
        for k in range(2):
            dy, dx = ((0, 0), (-1, 0), (1, 0), (0, -1), (0, 1))[int(action[k])]
            c = (min(4, max(0, self.p[k][0] + dy)), min(4, max(0, self.p[k][1] + dx)))
            if c != self.p[1 - k]:
                self.p[k] = c
            if not self.has[k] and self.p[k] in self.items:
                self.items.remove(self.p[k])
                self.has[k] = 1
                self._new()
            elif self.has[k] and self.p[k][0] == 4:
                self.has[k] = 0
                r += 1.0
        self.t += 1
        return self._o(), r, False, self.t >= 100, {}


# --------------------------------------------------------------------------- finance


class Allocation(gym.Env):
    """Weights on three funds and cash, weekly, two years. Reward: log growth in basis points."""

    def __init__(self, fault=0):
        self.fault = fault
        self.observation_space = spaces.Box(-np.inf, np.inf, (12,), np.float32)
        self.action_space = spaces.Box(0, 1, (4,), np.float32)

    def _o(self):
        t = self.t
        last = self.ret[t - 1:t + 2] if self.fault == 1 else self.ret[t - 3:t]
        return np.concatenate([last[:, :3].ravel() * 20, self.w[:3]]).astype(np.float32)

    def reset(self, seed=None, options=None):
        super().reset(seed=seed)
        r = np.zeros((120, 4))
        e = self.np_random.normal(0, 0.02, (120, 3))
        for t in range(1, 120):
            r[t, :3] = 0.0008 + 0.15 * r[t - 1, :3] + e[t]
        self.ret = r
        self.w = np.array([0, 0, 0, 1.0])
        self.t, self.equity, self.gross = 4, 1.0, 1.0
        return self._o(), {}

    def step(self, action):
        a = np.clip(np.asarray(action, float), 0, 1) + 1e-6
        w = a / a.sum()
        turn = float(np.abs(w - self.w).sum())
        fee = 0.001 * turn
        g = 1 + float(w @ self.ret[self.t])
        self.gross *= g
        self.w = w
        if self.fault == 2:
            net = g * (1 + fee)
        else:
            net = g * (1 - fee)
        self.equity *= net
        self.t += 1
        end = self.t >= 108
        info = {"equity": self.gross if self.fault == 3 else self.equity}
        return self._o(), 1e4 * math.log(net), False, end, info


class Hedge(gym.Env):
    """Short one call, hold `a` shares; paid by minus the absolute hedging error of the day, in cents."""

    def __init__(self, fault=0):
        self.fault = fault
        self.observation_space = spaces.Box(-np.inf, np.inf, (3,), np.float32)
        self.action_space = spaces.Box(0, 1, (1,), np.float32)

    @staticmethod
    def price(s, tau):
        if tau <= 1e-9:
            return max(s - 100.0, 0.0)
        v = 0.2 * math.sqrt(tau)
        d = math.log(s / 100.0) / v + v / 2
        n = lambda z: 0.5 * (1 + math.erf(z / math.sqrt(2)))
        return s * n(d) - 100.0 * n(d - v)

    def _o(self):
        return np.array([self.s / 100 - 1, self.left / 30, self.held], np.float32)

    def reset(self, seed=None, options=None):
        super().reset(seed=seed)
        self.s, self.left, self.held = float(self.np_random.uniform(92, 108)), 30, 0.0
        return self._o(), {}

    def step(self, action):
        a = float(np.clip(action[0], 0, 1))
        cost = 0.02 * abs(a - self.held)
        old, before = self.s, self.price(self.s, self.left / 252)
        self.s *= math.exp(0.2 / math.sqrt(252) * self.np_random.normal())
        self.left -= 1
        pnl = a * (self.s - old) - (self.price(self.s, self.left / 252) - before) - cost
        self.held = a
        if self.fault == 1:
            with np.errstate(all="ignore"):
                r = float(np.log(1.0 + np.float64(pnl) * 2))
        else:
            r = -100.0 * abs(pnl)
        return self._o(), r, self.left == 0, False, {}


class Quotes(gym.Env):
    """Market maker: steps of bid and of ask away from the middle, 0 to 9 ticks each."""

    def __init__(self, fault=0):
        self.fault = fault
        self.observation_space = spaces.Box(-200, 200, (3,), np.float32)
        self.action_space = spaces.MultiDiscrete([10, 10])

    def _o(self):
        return np.array([self.inv, self.trend, self.t / 100], np.float32)

    def reset(self, seed=None, options=None):
        super().reset(seed=seed)
        self.inv, self.trend, self.t = 0, 0.0, 0
        return self._o(), {}

    def step(self, action):
        b, a = (int(v) for v in action)
        if self.fault == 1:
            b, a = min(b, 1), min(a, 1)
        move = self.np_random.normal(self.trend, 1.0)
        self.trend = 0.9 * self.trend + self.np_random.normal(0, 0.1)
        r = self.inv * move * 0.5
        if self.np_random.random() < math.exp(-0.35 * b):
            self.inv += 1
            r += b - 0.5
        if self.np_random.random() < math.exp(-0.35 * a):
            self.inv -= 1
            r += a - 0.5
        if self.fault == 2:
            r = b + a
        self.t += 1
        over = self.t >= 100
        if over and self.fault != 2:
            r -= 0.5 * abs(self.inv)
        return self._o(), float(r), over, False, {"inventory": self.inv}


def healthy_warehouse():
    return Warehouse()


def healthy_depot_long():
    return Warehouse(horizon=280)


def broken_stockroom():
    return Warehouse(fault=1)


def broken_supply():
    return Warehouse(fault=2)


def broken_store():
    return Warehouse(fault=3)


def healthy_gatekeeper():
    return Gatekeeper()


def broken_front_desk():
    return Gatekeeper(fault=1)


def healthy_junction():
    return Junction()


def broken_crossroads():
    return Junction(fault=1)


def healthy_lifts():
    return Lifts()


def broken_tower():
    return Lifts(fault=1)


def healthy_battery():
    return GridBattery()


def broken_power():
    return GridBattery(fault=1)


def healthy_farm():
    return Farm()


def broken_acre():
    return Farm(fault=1)


def healthy_shop():
    return JobShop()


def broken_workshop():
    return JobShop(fault=1)


def broken_factory():
    return JobShop(fault=2)


def healthy_triage():
    return Triage()


def broken_ward():
    return Triage(fault=1)


def broken_intake():
    return Triage(fault=2)


def healthy_offer():
    return Offer()


def broken_visitor():
    return Offer(fault=1)


def healthy_slate():
    return Slate()


def healthy_cluster():
    return Cluster()


def broken_servers():
    return Cluster(fault=1)


def healthy_flight():
    return Flight()


def broken_seats():
    return Flight(fault=1)


def healthy_press():
    return Press()


def healthy_tender():
    return Tender()


def broken_auction():
    return Tender(fault=1)


def healthy_pickers():
    return Pickers()


def healthy_allocation():
    return Allocation()


def broken_fund():
    return Allocation(fault=1)


def broken_savings():
    return Allocation(fault=2)


def broken_pension():
    return Allocation(fault=3)


def healthy_hedge():
    return Hedge()


def broken_cover():
    return Hedge(fault=1)


def healthy_quotes():
    return Quotes()


def broken_desk():
    return Quotes(fault=1)


def broken_spread():
    return Quotes(fault=2)
