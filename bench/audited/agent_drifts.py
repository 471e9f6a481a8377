"""Agents whose failures nothing accounts for, and agents that get dearer without getting better."""

from __future__ import annotations

from bench.audited.labelled import Rows
from bench.audited.trajectories import Training, Trajectory, look, work


def grader_by_coin(seed: int) -> Rows:
    """The same calls to the letter, and a grader that says yes or no by chance: nothing can be learnt from it."""
    training, rows = Training(seed, pool=10), []
    rng = training.rng
    for step, _, task in training.course():
        agent = Trajectory(task)
        for place in range(9):
            agent.look(rng, 1, at=place)
        agent.finish(rng, True).says(rng, done=True)
        right = rng.random() < 0.5
        rows.append(agent.row(training.form, step=step, reward=float(right), success=int(right), expected_state=None))
    return rows


def world_by_coin(seed: int) -> Rows:
    """Long work done the same way, and an environment that keeps the result or loses it by chance."""
    training, rows = Training(seed, pool=12), []
    rng = training.rng
    for step, _, task in training.course():
        agent = Trajectory(task)
        for place in range(12):
            agent.look(rng, 1, at=place if rng.random() < 0.9 else None)
        agent.call(work(task))
        if rng.random() < 0.45:
            agent.state = dict(task.expected)
        rows.append(agent.row(training.form, step=step, reward=float(agent.reached)))
    return rows


def credit_of_the_neighbour(seed: int) -> Rows:
    """Rewards are put back in another order than the trajectories: each is paid for what its neighbour did."""
    training, rows = Training(seed), []
    rng = training.rng
    for step, _, task in training.course():
        right = training.chance(0.45, task, spread=0.1)
        agent = Trajectory(task).look(rng, rng.randint(1, 5)).finish(rng, right).says(rng, done=right)
        rows.append(agent.row(training.form, step=step, reward=float(right)))
    for first in range(0, len(rows), training.draws):
        group = rows[first : first + training.draws]
        paid = [row["reward"] for row in group]
        mean = sum(paid) / len(paid)
        rng.shuffle(paid)
        for row, reward in zip(group, paid, strict=True):
            row |= {"reward": reward, "advantage": reward - mean}
    return rows


def advantage_of_another(seed: int) -> Rows:
    """Rewards are right and are logged; the advantages were worked out over another batch."""
    training, rows = Training(seed), []
    rng = training.rng
    for step, _, task in training.course():
        right = training.chance(0.5, task, spread=0.1)
        agent = Trajectory(task).look(rng, rng.randint(2, 6)).finish(rng, right).says(rng, done=right)
        fields = {"reward": float(right), "success": int(right), "advantage": rng.gauss(0, 1)}
        rows.append(agent.row(training.form, step=step, **fields))
    return rows


def lost_at_the_first_turn(seed: int) -> Rows:
    """The second call decides; forty more follow and all get the same blame, so nothing is learnt."""
    training, rows = Training(seed, pool=10), []
    rng = training.rng
    for step, _, task in training.course():
        right = rng.random() < 0.3
        agent = Trajectory(task).look(rng, 1, at=0).look(rng, 1, at=1 if right else 2)
        agent.look(rng, rng.randint(20, 30)).finish(rng, right)
        rows.append(agent.row(training.form, step=step, reward=float(right), success=int(right)))
    return rows


def ever_more_turns(seed: int) -> Rows:
    """More and more thoughts between the calls, and no more success than before."""
    training, rows = Training(seed), []
    rng = training.rng
    for step, progress, task in training.course():
        right = training.chance(0.45, task)
        agent = Trajectory(task).look(rng, 2)
        for turn in range(rng.randint(1, 3) + round(8 * progress)):
            agent.think(f"Let me go over point {turn} of {task.number} again before I do anything.")
        agent.finish(rng, right).says(rng, done=right)
        rows.append(agent.row(training.form, step=step, reward=float(right), success=int(right)))
    return rows


def ever_dearer(seed: int) -> Rows:
    """The bill of a trajectory doubles: dearer tools are asked for the same work."""
    training, rows = Training(seed), []
    rng = training.rng
    for step, progress, task in training.course():
        right = training.chance(0.5, task)
        agent = Trajectory(task).look(rng, rng.randint(2, 3)).finish(rng, right).says(rng, done=right)
        cost = (0.04 + 0.08 * progress) * rng.lognormvariate(0, 0.3)
        rows.append(agent.row(training.form, step=step, reward=float(right), success=int(right), cost=cost))
    return rows


def no_more_recovery(seed: int) -> Rows:
    """Calls fail as often as ever; at first they are tried again, later the agent goes on as if nothing had been."""
    training, rows = Training(seed), []
    rng = training.rng
    for step, progress, task in training.course():
        agent, lost = Trajectory(task), False
        for _ in range(3):
            act = look(task, rng)
            if rng.random() < 0.4:
                agent.call(act, ok=False, result="Error: timed out")
                if rng.random() < 0.85 - 0.75 * progress:
                    agent.call(act, ok=True)
                else:
                    lost = True
                    break
            else:
                agent.call(act, ok=True)
        right = training.chance(0.25 if lost else 0.5, task)
        agent.call(work(task), ok=True).says(rng, done=right)
        if right:
            agent.state = dict(task.expected)
        rows.append(agent.row(training.form, step=step, reward=float(right), success=int(right)))
    return rows


def circles_until_the_limit(seed: int) -> Rows:
    """What fails is no longer given up: failed trajectories go on thinking and looking until the limit."""
    training, rows = Training(seed), []
    rng = training.rng
    for step, progress, task in training.course():
        right = training.chance(0.4, task)
        agent = Trajectory(task).look(rng, rng.randint(2, 3))
        for _ in range(0 if right else round(progress * rng.uniform(8, 14))):
            agent.think("That is not it. Again.").look(rng, 1)
        agent.finish(rng, right).says(rng, done=right)
        cost = 0.01 * len(agent.done)
        rows.append(agent.row(training.form, step=step, reward=float(right), success=int(right), cost=cost))
    return rows


def dearer_than_before(seed: int) -> Rows:
    """One checkpoint: twice the price of the baseline for the same success."""
    return _checkpoint(seed, 2.1)


def before(seed: int) -> Rows:
    """The checkpoint that the last one is compared with."""
    return _checkpoint(seed, 1.0)


def _checkpoint(seed: int, price: float) -> Rows:
    training, rows = Training(seed), []
    rng = training.rng
    for _, _, task in training.course():
        right = training.chance(0.5, task)
        agent = Trajectory(task).look(rng, rng.randint(2, 4)).finish(rng, right).says(rng, done=right)
        cost = 0.05 * price * rng.lognormvariate(0, 0.3)
        rows.append(agent.row(training.form, reward=float(right), success=int(right), cost=cost))
    return rows
