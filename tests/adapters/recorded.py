"""A watcher that keeps all it is told, for tests of what watches torch."""

from __future__ import annotations


class Recorded:
    """Raises what a part of the watching raises, so that a test sees it."""

    def __init__(self, *, looks=True, measures=True):
        self.stop, self.config, self.context = False, {}, {}
        self.rollouts, self.rows, self.episodes, self.saves = [], [], [], []
        self._looks, self._measures = looks, measures

    def attempt(self, part, work):
        return work()

    def looks(self, update):
        return self._looks

    def measures(self, update=None):
        return self._measures

    def take(self, rollout):
        self.rollouts.append(rollout)

    def metrics(self, step, numbers):
        self.rows.append((step, dict(numbers)))

    def episode(self, step, total, length, parts=None):
        self.episodes.append((step, total, length))

    def evaluation(self, step, returns, lengths=None):
        pass

    def record(self, kind, content):
        pass

    def on_doubt(self, fit):
        self.fit = fit

    def on_failure(self, save):
        self.saves.append(save)

    def series(self, name):
        return [numbers[name] for _, numbers in self.rows if name in numbers]
