"""Every pass through every network of the process while an update is captured, and what the losses asked of the heads.

A head is the last layer with weights: nothing that the same optimizer moves takes its output in. Which outputs those
are is read off autograd's graph once an optimizer is about to step, so neither names nor classes of networks matter.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Collection
from contextlib import ExitStack
from typing import Any

import torch
from torch import nn
from torch.nn.modules import module as torch_module
from torch.optim import optimizer as torch_optimizer

from weaklink.adapters.torch.compiled import CompiledSearch
from weaklink.adapters.torch.draws import KeptDraws
from weaklink.adapters.torch.free_parameters import FreeParameters
from weaklink.adapters.torch.given_inputs import GivenInputs
from weaklink.adapters.torch.graph import find_producers
from weaklink.adapters.torch.layers import LayerTraces, read_weights
from weaklink.adapters.torch.limited_gradients import LimitedGradients
from weaklink.adapters.torch.losses import Losses, noted
from weaklink.adapters.torch.memory_passes import MemoryPasses
from weaklink.adapters.torch.module_names import ModuleNames
from weaklink.adapters.torch.outputs import (
    CapturedUpdate,
    GradientHook,
    MovedRecords,
    OutputRecord,
    has_weights,
    is_inside,
    is_unlearned,
    list_behind,
)
from weaklink.adapters.torch.own_work import is_own_work
from weaklink.adapters.torch.passes import read_answer, read_answers, read_call
from weaklink.adapters.torch.process_group import read_rank
from weaklink.adapters.torch.script_scope import ScriptScope
from weaklink.adapters.torch.stepped_heads import SteppedHeads
from weaklink.adapters.torch.tensors import RowShape, list_tensors, read_shape, to_rows
from weaklink.base.evidence.rollout import Array
from weaklink.base.evidence.update import HeadAnswer, strip_numbers

MOST_COLUMNS = 1024
"""Columns of an output that are kept; no head of a policy is wider."""

MOST_BYTES = 64 * 2**20
"""Memory for one update; what comes after that is left out, which is said."""

MOST_STEPS_ALONE = 128
"""Optimizer steps that are captured while no environment was ever stepped: no row of such a loop is on a tape, and
without a step of an environment an update would never be over."""

MOST_WAITING = 4
"""Optimizer steps after which an output is forgotten whose optimizer did not step; some actors wait for two."""


class UpdateCapture:
    """Captures updates, one at a time; between `begin` and `end` torch's global hooks on modules are in place.

    Args:
        count: says how many steps all environments together have made.

    Attributes:
        when_full: ends it where no environment was ever stepped.
        taken: steps of all optimizers so far, whether captured or not.
        seconds: that capturing took so far.
        steps: those of the update that is captured.
        left_out: what was not captured of it, a sentence each.
    """

    def __init__(self, count: Callable[[], int]) -> None:
        self._count, self.when_full = count, self.stop
        self._names, self._compiled, self._handles = ModuleNames(), CompiledSearch(), list[Any]()
        self.taken, self.seconds = 0, 0.0
        self._pending: list[OutputRecord] = []
        self._stepped, self._layers = SteppedHeads(), LayerTraces()
        self._counts = torch_optimizer.register_optimizer_step_pre_hook(self._before_step)
        self._clear()

    def _clear(self) -> None:
        self.steps = 0
        self._wanted: Callable[[], bool] | None = None
        self._losses, self._listening = Losses(), ExitStack()
        self._scope, self._limited = ScriptScope(), LimitedGradients()
        self._thread, self._depth = threading.get_ident(), list[nn.Module]()
        self._records, self._heads = dict[int, OutputRecord](), dict[int, nn.Module]()
        self._inside, self._asked = list[OutputRecord](), list[OutputRecord]()
        self._layers.clear()
        self._learnt: list[tuple[int, OutputRecord]] = []
        self._free, self._given = FreeParameters(), GivenInputs()
        self._draws, self._memories = KeptDraws(), MemoryPasses()
        self._silent, self.left_out, self._bytes = set[int](), set[str](), 0
        self._stepped.clear()

    @property
    def open(self) -> bool:
        """Whether an update is being captured."""
        return bool(self._handles)

    def begin(self, wanted: Callable[[], bool] | None = None) -> bool:
        """Begins to capture; not where something is compiled, which hooks on modules would have compiled anew.

        Before the first optimizer step it is asked whether the update is `wanted`; if not, it is dropped.
        """
        if self.open or self._compiled.find():
            return self.open
        self._clear()
        self._wanted = wanted
        self._asked = [record for record in self._pending if record.node is None]
        self._records = {id(record.node): record for record in self._pending if record.node is not None}
        for record in self._pending:
            record.step = 0
        self.forget()
        self.resume()
        return True

    def resume(self) -> None:
        """Puts the hooks in place, after `begin` or after they were taken away."""
        self._handles = [
            torch_module.register_module_forward_pre_hook(self._enter),
            torch_module.register_module_forward_hook(self._leave, with_kwargs=True),
        ]
        self._listening.enter_context(noted(self._losses))
        self._listening.callback(self._limited.listen())

    def end(self) -> CapturedUpdate:
        """Ends it and hands over what was captured."""
        self.stop()
        # what waits for an optimizer that may still step was asked all the same
        self._asked += [each for each in self._records.values() if each.step < self.steps and is_unlearned(each)]
        copied = frozenset(strip_numbers(self._names.name(head)) for head in self._heads.values())
        silent = self._stepped.list_silent(self._heads)
        known = {id(each) for each in self._asked}
        self._asked += [each for each in silent if id(each) not in known]
        self._silent = {id(each.module) for each in silent}
        found = CapturedUpdate(
            calls=tuple(read_call(record, step, self._names.name(record.module)) for step, record in self._learnt),
            answers=tuple(read_answers(self._asked, self._names.name, lambda each: self._tells(each, copied))),
            parameters=self._free.read(self._names.name_parameter),
            steps=self.steps,
            left_out=tuple(sorted(self.left_out)),
            losses=self._losses.calls,
            layers=self._layers.read(self._names.name),
            head_steps=self._stepped.read_steps(self._names.name),
            unmoved=self._stepped.read_unmoved(self._names.name),
            unasked=tuple(dict.fromkeys(self._names.name(each.module) for each in silent)),
            limited=self._limited.read(),
            shared=self._scope.shared,
            settings=self._scope.settings,
            draws=self._draws.states,
            memories=self._memories.read(self._names.name),
        )
        pending = [record for record in (*self._records.values(), *self._asked) if record.step == self.steps]
        self._clear()
        self._pending = pending
        return found

    def look(self, layers: Collection[str], since: int) -> tuple[tuple[HeadAnswer, ...], dict[str, Array]]:
        """What some layers and their copies answered since so many steps of environments, and their weights by name."""
        asked = [*self._asked, *(each for each in self._records.values() if each.outputs is not None)]
        named = [(self._names.name(each.module), each) for each in asked if each.stamp >= since]
        kept = [(name, each) for name, each in named if strip_numbers(name) in layers]
        weights = {name: read_weights(each.module) for name, each in kept}
        answers = tuple(read_answer(each, name) for name, each in kept)
        return answers, {name: each for name, each in weights.items() if each is not None}

    def count_moments(self, since: int, until: float) -> int:
        """After how many numbers of steps of all environments, within these, any network was asked."""
        stamps = {each.stamp for each in (*self._asked, *self._records.values())}
        return sum(since <= stamp < until for stamp in stamps)

    def forget(self) -> None:
        """Lets go of what networks were asked after the last optimizer step: no captured update follows at once."""
        self._pending = []

    def stop(self) -> None:
        """Takes the hooks away."""
        with_names = getattr(torch_module, "_global_forward_hooks_with_kwargs", {})
        for handle in self._handles:
            handle.remove()
            with_names.pop(handle.id, None)  # torch forgets to, and every module would go on looking for hooks
        self._handles = []
        self._listening.close()

    def drop(self) -> None:
        """Ends it without keeping anything."""
        self.stop()
        self._clear()

    def read_layers(self) -> dict[str, Array]:
        """The weights of every layer that was traced in some update, as they are now."""
        return self._layers.read_now()

    def close(self) -> None:
        """Counts optimizer steps no longer."""
        self.stop()
        self._counts.remove()

    # while networks are asked

    def _enter(self, module: nn.Module, given: Any) -> None:
        # asked first, because a compiler folds it away together with all that follows
        if torch.compiler.is_compiling() or threading.get_ident() != self._thread or is_own_work():
            return
        if not self._depth:
            self._inside.clear()
        self._depth.append(module)
        self._free.enter(module)

    def _leave(self, module: nn.Module, given: Any, named: Any, output: Any) -> None:
        if torch.compiler.is_compiling() or threading.get_ident() != self._thread or module not in self._depth:
            return
        began = time.thread_time()
        while self._depth.pop() is not module:  # those that raised never left
            pass
        try:
            self._memories.note(module, given, named, self.steps, self._count())
            self._note(module, output, read_shape((given, named)))
            if not self._depth:
                self._given.note(module, (given, named), output, self._inside)
                self._draws.note(self._count())
        except Exception as error:  # nothing that is done here may end a training
            self.left_out.add(f"A pass through {type(module).__name__} was not captured: {type(error).__name__}.")
        self.seconds += time.thread_time() - began

    def _note(self, module: nn.Module, output: Any, shape: RowShape) -> None:
        for tensor in list_tensors(output):
            if not tensor.is_floating_point():
                continue
            if tensor.grad_fn is None:
                self._note_answer(module, tensor, shape)
            else:
                self._note_output(module, tensor, shape)

    def _note_answer(self, module: nn.Module, tensor: Any, shape: RowShape) -> None:
        kept = self._keep(tensor, shape) if has_weights(module) else None
        if kept is not None:
            record = OutputRecord(module, None, kept, self._count(), self.steps, outermost=not self._depth)
            self._inside.append(record)
            self._asked.append(record)

    def _note_output(self, module: nn.Module, tensor: Any, shape: RowShape) -> None:
        node = tensor.grad_fn
        if id(node) in self._records:
            return  # a module that hands the output of one inside on as it is
        near, plain = find_producers(node, self._records)
        producers = [record.within or record for record in near]
        inner = [record for record in producers if is_inside(record.module, module)]
        record = OutputRecord(module, node, None, self._count(), self.steps, producers=producers)
        if len(inner) == 1 or (inner and not plain):  # several inside count as one answer where they are merely added
            record.within = inner[0]
        else:
            record.outputs = self._keep(tensor, shape)
            for producer in producers:
                producer.consumers.append(record)
            if record.outputs is not None:
                tensor.register_hook(GradientHook(record))
        self._records[id(node)] = record
        self._inside.append(record)

    def _keep(self, tensor: Any, shape: RowShape) -> Any:
        """The rows of an output, copied; None where it is too wide for a head or too much was kept already."""
        rows = to_rows(tensor.detach(), single=shape.single, rows=shape.rows)
        size = rows.numel() * rows.element_size()
        if rows.shape[1] > MOST_COLUMNS or not rows.numel():
            return None
        if self._bytes + size > MOST_BYTES:
            self.left_out.add(f"Only the first {MOST_BYTES // 2**20} MiB of the update were captured.")
            return None
        self._bytes += size
        return rows.clone()

    # before an optimizer steps

    def _before_step(self, optimizer: Any, given: Any, named: Any) -> None:
        if is_own_work():
            return
        self.taken += 1
        if not self._handles or threading.get_ident() != self._thread:
            return
        began = time.thread_time()
        if self._wanted is not None and not self.steps and not self._wanted():
            self.drop()
            return
        try:
            if not self.steps:
                self._scope.read(sys._getframe())
            self._note_step(optimizer, closed=any(map(callable, (*given[1:], *named.values()))))
        except Exception as error:  # nothing that is done here may end a training
            self.left_out.add(f"An optimizer step was not captured: {type(error).__name__}.")
        self.seconds += time.thread_time() - began
        self.steps += 1
        self._given.forget()
        self._depth.clear()
        if self.steps >= MOST_STEPS_ALONE and not self._count():
            self.when_full()

    def _note_step(self, optimizer: Any, *, closed: bool) -> None:
        """Keeps the passes that a step is made of; `closed` where the step computes its gradients itself."""
        groups = optimizer.param_groups
        everything = {id(each): each for group in groups for each in group["params"]}
        records = list(self._records.values())
        # ranks average their gradients
        self._stepped.note(everything, records, self.steps, compares=not closed and read_rank() is None)
        # a weight without a gradient is not moved, whatever gradients were asked for besides (trust regions)
        held = {id(each): each for group in groups for each in group["params"] if each.grad is not None}
        self._scope.note_step(held)
        if not closed and read_rank() is None:  # norms of gradients that are spread over ranks need all of them
            self._limited.note_step(held, self.steps)
        moved = MovedRecords(held)
        heads = [record for record in records if record.gradient is not None and moved.is_head(record)]
        for record in heads:
            self._learnt.append((self.steps, record))
            self._heads[id(record.module)] = record.module
        through = {id(each): each for head in heads for each in list_behind(head)}
        climbed = [record for record in through.values() if moved.is_climbed(record)]
        left = [record for record in records if id(record) not in through and moved.is_left_out(record)]
        self._stepped.note_left(left, self.steps, self.taken)
        for record in climbed:
            record.climbed = True
            self._learnt.append((self.steps, record))
        for record in (*heads, *climbed) if any(group.get("maximize") for group in groups) else ():
            record.gradient = -record.gradient  # what is maximised is minus a loss
        self._free.note(held, records, self.steps)
        over = {
            place
            for place, record in self._records.items()
            if moved.moves(record) or id(record) in through or self.steps - record.step >= MOST_WAITING
        }
        # what is in the graph and got no gradient was asked and not learned from
        self._asked += filter(is_unlearned, [self._records.pop(place) for place in over])
        self._layers.note(self.steps, heads, self._asked, optimizer)

    def _tells(self, record: OutputRecord, copied: frozenset[str]) -> bool:
        """Whether an answer is that of a head, of one that no loss asks anything of, of the same layer in a copy of its
        network, or of a whole network that no loss moves, such as a target network."""
        if id(record.module) in self._heads or id(record.module) in self._silent:
            return True
        if strip_numbers(self._names.name(record.module)) in copied:
            return True
        return record.outermost and not any(id(each) in self._heads for each in record.module.modules())
