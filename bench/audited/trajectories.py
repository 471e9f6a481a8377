"""What the labelled sets of agents are made of: four small offices to work in, and trajectories written as rows."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from random import Random
from typing import Any

Row = dict[str, Any]
Act = tuple[str, dict[str, Any], Any]


@dataclass
class Task:
    """One task of a world: what is asked, the state before and the state that is asked for."""

    world: str
    number: int
    prompt: str
    initial: dict[str, Any]
    expected: dict[str, Any]
    hard: float


PEOPLE = ("Ada", "Bo", "Chidi", "Dana", "Emre", "Farah", "Goran", "Hana")
PLACES = ("Lyon", "Oslo", "Porto", "Quito", "Riga", "Seoul", "Turin", "Varna")


def _bookings(number: int, rng: Random) -> Task:
    person, place = rng.choice(PEOPLE), rng.choice(PLACES)
    prompt = f"Book the cheapest flight to {place} for {person} on day {number % 28 + 1}. Reference {number}."
    booked = {"booking": {"person": person, "to": place, "flight": f"F{number % 90 + 10}"}}
    return Task("bookings", number, prompt, {"booking": None}, booked, rng.random())


def _repository(number: int, rng: Random) -> Task:
    name = f"module_{number}.py"
    prompt = f"The test of {name} fails. Repair the code; do not touch the tests."
    before = {"tests": "failing", name: "broken"}
    return Task("repository", number, prompt, before, {"tests": "passing", name: "repaired"}, rng.random())


def _calendar(number: int, rng: Random) -> Task:
    person, hour = rng.choice(PEOPLE), 8 + number % 9
    prompt = f"Put a meeting with {person} at {hour}:00 into the calendar of office {number}."
    entry = {"with": person, "hour": hour}
    return Task("calendar", number, prompt, {"events": []}, {"events": [entry]}, rng.random())


def _shop(number: int, rng: Random) -> Task:
    count = rng.randint(1, 4)
    prompt = f"Put {count} of article {number} into the basket and go to the checkout."
    return Task("shop", number, prompt, {"basket": {}}, {"basket": {str(number): count}}, rng.random())


WORLDS = {"bookings": _bookings, "repository": _repository, "calendar": _calendar, "shop": _shop}
TOOLS = {
    "bookings": ["search_flights", "get_person", "book", "check_price"],
    "repository": ["list_files", "read_file", "edit_file", "run_tests"],
    "calendar": ["list_events", "find_person", "create_event", "read_rules"],
    "shop": ["search", "open_page", "add_to_basket", "checkout"],
}
FINAL = {"bookings": "book", "repository": "edit_file", "calendar": "create_event", "shop": "add_to_basket"}
DONE = {
    "bookings": ("The flight is booked.", "I have successfully booked the flight.", "Done: your booking is confirmed."),
    "repository": (
        "All tests pass now.",
        "I have fixed the bug and the tests pass.",
        "Task completed: the module is repaired.",
    ),
    "calendar": (
        "The meeting has been created.",
        "Done. The event is in the calendar.",
        "I successfully added the meeting.",
    ),
    "shop": ("The order is complete.", "Done: the articles are in the basket.", "I have completed the task."),
}
GIVEN_UP = (
    "I could not finish this; nothing more can be tried here.",
    "I was unable to do what was asked.",
    "This did not work: the state is not what was asked for.",
    "I ran out of ideas and stop here without a result.",
)


def tasks_of(world: str, count: int, rng: Random) -> list[Task]:
    """A pool of tasks of one world."""
    return [WORLDS[world](number, rng) for number in rng.sample(range(100, 1000), count)]


def look(task: Task, rng: Random, at: int | None = None) -> Act:
    """A call that reads and changes nothing; `at` makes the same one each time."""
    place = rng.randrange(60) if at is None else at
    number = task.number
    return {
        "bookings": (
            "search_flights",
            {"ref": number, "page": place},
            {"flights": [f"F{place + 10}", f"F{place + 40}"]},
        ),
        "repository": ("read_file", {"path": f"lib/part_{place}.py"}, f"def part_{place}():\n    return {place}"),
        "calendar": ("list_events", {"office": number, "day": place}, {"events": [], "day": place}),
        "shop": ("open_page", {"article": number, "page": place}, f"page {place} of article {number}"),
    }[task.world]


def work(task: Task) -> Act:
    """The call that brings about what is asked for."""
    name = f"module_{task.number}.py"
    return {
        "bookings": ("book", task.expected.get("booking") or {}, {"status": "confirmed"}),
        "repository": ("edit_file", {"path": name, "text": "repaired"}, "written"),
        "calendar": (
            "create_event",
            {"office": task.number, **(task.expected.get("events") or [{}])[0]},
            {"id": task.number},
        ),
        "shop": ("add_to_basket", task.expected.get("basket") or {}, "basket changed"),
    }[task.world]


def mistake(task: Task, rng: Random) -> tuple[Act, dict[str, Any]]:
    """A call that changes the wrong thing, and the state that it leaves."""
    name, other = f"module_{task.number}.py", rng.randrange(1000, 1200)
    wrong: dict[str, tuple[Act, dict[str, Any]]] = {
        "bookings": (("book", {"flight": f"F{other}"}, {"status": "confirmed"}), {"booking": {"flight": f"F{other}"}}),
        "repository": (
            ("edit_file", {"path": name, "text": f"try {other}"}, "written"),
            {"tests": "failing", name: other},
        ),
        "calendar": (("create_event", {"hour": other % 24}, {"id": other}), {"events": [{"hour": other % 24}]}),
        "shop": (("add_to_basket", {str(other): 1}, "basket changed"), {"basket": {str(other): 1}}),
    }
    return wrong[task.world]


@dataclass
class Trajectory:
    """What one agent did on a task, call by call; `row` writes it down as messages or as steps."""

    task: Task
    state: dict[str, Any] = field(default_factory=dict)
    done: list[Row] = field(default_factory=list)
    last: str = ""

    def __post_init__(self) -> None:
        self.state = dict(self.task.initial)

    def call(self, act: Act, ok: bool | None = None, result: Any = None) -> Trajectory:
        """Notes a call; `result` in place of the one that belongs to it."""
        tool, arguments, usual = act
        self.done.append({"tool": tool, "args": arguments, "result": usual if result is None else result, "ok": ok})
        return self

    def think(self, thought: str) -> Trajectory:
        """Notes a thought without a call."""
        self.done.append({"thought": thought})
        return self

    def look(self, rng: Random, times: int, at: int | None = None) -> Trajectory:
        """Looks around so many times."""
        for _ in range(times):
            self.call(look(self.task, rng, at))
        return self

    def finish(self, rng: Random, right: bool) -> Trajectory:
        """Does the task, rightly or wrongly."""
        if right:
            self.state = dict(self.task.expected)
            return self.call(work(self.task))
        act, self.state = mistake(self.task, rng)
        return self.call(act)

    def says(self, rng: Random, done: bool) -> Trajectory:
        """Ends with a text that says that the task is done, or that it is not."""
        self.last = rng.choice(DONE[self.task.world] if done else GIVEN_UP)
        return self

    @property
    def reached(self) -> bool:
        return self.state == self.task.expected

    def row(self, form: str, **fields: Any) -> Row:
        """The trajectory as a row, states and allowed tools included; a field of None is left out."""
        row: Row = {
            "prompt": self.task.prompt,
            "group": f"{fields.get('step', 0)}/{self.task.number}",
            "allowed_tools": TOOLS[self.task.world],
            "initial_state": self.task.initial,
            "final_state": self.state,
            "expected_state": self.task.expected,
            **fields,
        }
        row |= {"messages": self._messages()} if form == "messages" else {"steps": self._steps()}
        return {name: value for name, value in row.items() if value is not None}

    def _steps(self) -> list[Row]:
        steps = [{name: value for name, value in step.items() if value is not None} for step in self.done]
        return [*steps, {"thought": self.last}] if self.last else steps

    def _messages(self) -> list[Row]:
        messages: list[Row] = [{"role": "user", "content": self.task.prompt}]
        for number, step in enumerate(self.done):
            if "tool" not in step:
                messages.append({"role": "assistant", "content": step["thought"]})
                continue
            called = {"name": step["tool"], "arguments": json.dumps(step["args"])}
            calls = [{"id": f"c{number}", "type": "function", "function": called}]
            messages.append({"role": "assistant", "content": "", "tool_calls": calls})
            result = step["result"] if isinstance(step["result"], str) else json.dumps(step["result"])
            told = {} if step["ok"] is None else {"ok": step["ok"]}
            messages.append({"role": "tool", "tool_call_id": f"c{number}", "content": result, **told})
        return [*messages, {"role": "assistant", "content": self.last}] if self.last else messages


@dataclass
class Training:
    """The course of a training: how many steps, groups a step and draws a group; everything else hangs on the seed."""

    seed: int
    worlds: tuple[str, ...] = tuple(WORLDS)
    pool: int = 24

    def __post_init__(self) -> None:
        self.rng = Random(self.seed)
        self.form = self.rng.choice(("messages", "steps"))
        self.steps, self.groups, self.draws = self.rng.choice(((12, 5, 6), (20, 4, 8), (30, 6, 8), (16, 8, 4)))
        self.every = self.rng.choice((1, 5, 10, 50))
        self.tasks = tasks_of(self.rng.choice(self.worlds), self.pool, self.rng)

    def course(self) -> Iterator[tuple[int, float, Task]]:
        """Training step, progress from 0 to 1, and task of each trajectory."""
        for number in range(self.steps):
            for task in self.rng.sample(self.tasks, self.groups):
                for _ in range(self.draws):
                    yield number * self.every, number / (self.steps - 1), task

    def chance(self, rate: float, task: Task, spread: float = 0.3) -> bool:
        """Whether it happens this time, for a rate that is lower for harder tasks."""
        return self.rng.random() < min(max(rate + spread * (0.5 - task.hard), 0.0), 1.0)
