"""Optimizers are watched from outside: the numbers are right, the training is the same, and nothing stays behind."""

from __future__ import annotations

import gc
import math
import threading

import pytest

torch = pytest.importorskip("torch")

from weaklink.adapters.torch import clipping as torch_clipping  # noqa: E402
from weaklink.adapters.torch import hooks as torch_hooks  # noqa: E402

from .recorded import Recorded  # noqa: E402


@pytest.fixture(autouse=True, scope="module")
def _quick():
    before = torch.get_num_threads(), torch.backends.mkldnn.enabled
    torch.set_num_threads(1)
    torch.backends.mkldnn.enabled = False
    yield
    torch.set_num_threads(before[0])
    torch.backends.mkldnn.enabled = before[1]


@pytest.fixture
def watched():
    watcher = Recorded()
    hooks = torch_hooks.install(watcher, lambda: 7.0)
    yield watcher, hooks
    hooks()


def network(width=8):
    torch.manual_seed(0)
    return torch.nn.Sequential(torch.nn.Linear(4, width), torch.nn.Tanh(), torch.nn.Linear(width, 1))


def trained(model, optimizer, steps, *, clip=None, set_to_none=True):
    generator = torch.Generator().manual_seed(1)
    for _ in range(steps):
        seen = torch.randn(16, 4, generator=generator)
        optimizer.zero_grad(set_to_none=set_to_none)
        ((model(seen) - seen.sum(1, keepdim=True)) ** 2).mean().backward()
        if clip is not None:
            torch.nn.utils.clip_grad_norm_(model.parameters(), clip)
        optimizer.step()
    return model


def flat(tensors):
    return torch.cat([tensor.detach().reshape(-1) for tensor in tensors])


def test_the_numbers_of_a_step_are_those_of_a_slow_second_computation(watched):
    watcher, _ = watched
    model = network()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    seen = torch.randn(16, 4)
    (model(seen) ** 2).mean().backward()
    before, gradient = flat(model.parameters()), flat(each.grad for each in model.parameters())
    returned = torch.nn.utils.clip_grad_norm_(model.parameters(), 0.01)
    clipped = flat(each.grad for each in model.parameters())
    optimizer.step()
    moved = flat(model.parameters()) - before
    numbers = {name: value for step, row in watcher.rows for name, value in row.items() if step == 7.0}
    wanted = {
        "optimizer.gradient_norm": gradient.norm(),
        "optimizer.clipped_fraction": 1.0,
        "optimizer.learning_rate": 0.1,
        "optimizer.gradient_abs_max": clipped.abs().max(),
        "optimizer.gradient_mean_square": (clipped**2).mean(),
        "optimizer.step_abs_max": moved.abs().max(),
        "optimizer.step_mean_square": (moved**2).mean(),
        "optimizer.parameter_change": moved.norm() / before.norm(),
    }
    assert numbers == pytest.approx({name: float(value) for name, value in wanted.items()}, rel=1e-4)
    assert float(returned) == pytest.approx(float(gradient.norm()))


def test_without_clipping_the_norm_is_taken_from_the_gradients(watched):
    watcher, _ = watched
    model = trained(network(), torch.optim.SGD(network().parameters(), lr=0.1), 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    optimizer.step()
    wanted = float(flat(each.grad for each in model.parameters()).norm())
    assert watcher.series("optimizer.gradient_norm")[-1] == pytest.approx(wanted, rel=1e-5)
    assert not watcher.series("optimizer.clipped_fraction")


@pytest.mark.parametrize("options", [{"foreach": True}, {"fused": True}, {"capturable": False, "foreach": False}])
def test_watching_changes_no_bit_of_the_training(options):
    plain = network()
    trained(plain, torch.optim.Adam(plain.parameters(), **options), 20, clip=0.5)
    model, watcher = network(), Recorded()
    hooks = torch_hooks.install(watcher, lambda: 0.0)
    state = torch.get_rng_state()
    trained(model, torch.optim.Adam(model.parameters(), **options), 20, clip=0.5)
    hooks()
    assert torch.equal(state, torch.get_rng_state())
    assert torch.equal(flat(plain.parameters()), flat(model.parameters()))
    assert watcher.series("optimizer.parameter_change")


@pytest.mark.filterwarnings("ignore")
def test_a_compiled_model_trains_under_the_hooks(watched):
    watcher, hooks = watched
    model = network()
    optimizer = torch.optim.Adam(model.parameters())
    trained(torch.compile(model, backend="eager"), optimizer, 5, clip=0.5)
    assert hooks.steps() == {"policy": 5}
    assert watcher.series("optimizer.gradient_norm")


def test_non_finite_gradients_are_counted_and_told(watched):
    watcher, _ = watched
    model = network()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.0)
    (model(torch.full((2, 4), float("nan")))).sum().backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    assert watcher.series("optimizer.non_finite_gradients") == [1.0]
    assert math.isnan(watcher.series("optimizer.gradient_norm")[0])


def test_a_step_skipped_by_mixed_precision_is_no_broken_gradient(watched):
    watcher, hooks = watched
    model = network()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    model(torch.full((2, 4), float("inf"))).sum().backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)  # and the scaler does not step
    trained(model, optimizer, 1, clip=1.0)
    assert hooks.steps() == {"policy": 1}
    assert not watcher.series("optimizer.non_finite_gradients")
    assert math.isfinite(watcher.series("optimizer.gradient_norm")[0])


def test_steps_without_any_gradient_are_told(watched):
    watcher, _ = watched
    model = network()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    optimizer.step()
    optimizer.step()
    assert not watcher.rows
    trained(model, optimizer, 10)
    assert watcher.series("optimizer.empty_steps")[-1] >= 1


def test_named_optimizers_are_told_apart(watched):
    watcher, hooks = watched
    policy, critic, temperature = network(4), network(32), torch.zeros(1, requires_grad=True)
    optimizers = [
        torch.optim.Adam(each, lr=rate)
        for each, rate in ((policy.parameters(), 0.1), (critic.parameters(), 0.2), ([temperature], 0.3))
    ]
    for optimizer, role in zip(optimizers, ("policy", "critic", "temperature"), strict=True):
        torch_hooks.name_optimizer(optimizer, role)
    seen = torch.randn(8, 4)
    (policy(seen).mean() + 10 * critic(seen).mean() + temperature.sum()).backward()
    norms = [float(torch.nn.utils.clip_grad_norm_(each.parameters(), 0.5)) for each in (critic, policy)]
    for optimizer in optimizers:
        optimizer.step()
    assert watcher.series("optimizer.learning_rate") == [0.1]
    assert watcher.series("optimizer.critic_learning_rate") == [0.2]
    assert watcher.series("optimizer.critic_gradient_norm") == pytest.approx([norms[0]])
    assert watcher.series("optimizer.gradient_norm") == pytest.approx([norms[1]])
    assert hooks.steps() == {"policy": 1, "critic": 1, "temperature": 1}
    assert hooks.since_last_look() == 1
    assert hooks.since_last_look() == 0
    known = set(map(id, optimizers)) & set(hooks.names)
    del optimizer, optimizers
    gc.collect()
    assert len(known) == 3
    assert not known & set(hooks.names)


def test_parts_of_one_gradient_clipped_apart_make_one_norm(watched):
    watcher, _ = watched
    model = network()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    model(torch.randn(8, 4)).sum().backward()
    wanted = float(flat(each.grad for each in model.parameters()).norm())
    torch.nn.utils.clip_grad_norm_(model[0].parameters(), 1e-3)
    torch.nn.utils.clip_grad_norm_(model[2].parameters(), 1e-3)
    optimizer.step()
    assert watcher.series("optimizer.gradient_norm") == pytest.approx([wanted])


def test_without_names_the_largest_optimizer_is_the_main_one(watched):
    watcher, _ = watched
    large, small = network(64), network(2)
    optimizers = [torch.optim.SGD(large.parameters(), lr=0.1), torch.optim.SGD(small.parameters(), lr=0.2)]
    trained(large, optimizers[0], 3)
    trained(small, optimizers[1], 3)
    assert set(watcher.series("optimizer.learning_rate")) == {0.1}


def test_two_watchers_and_any_order_of_leaving():
    original = torch.nn.utils.clip_grad_norm_
    first, second = Recorded(), Recorded()
    one, other = torch_hooks.install(first, lambda: 0.0), torch_hooks.install(second, lambda: 0.0)
    model = network()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    trained(model, optimizer, 1, clip=1.0)
    one()
    one()
    rows = len(first.rows)
    trained(model, optimizer, 5, clip=1.0)
    other()
    assert rows == len(first.rows) > 0
    assert len(second.rows) > rows
    assert torch.nn.utils.clip_grad_norm_ is original
    assert torch.nn.utils.clip_grad.clip_grad_norm_ is original
    trained(model, optimizer, 1, clip=1.0)


def test_a_wrapper_that_somebody_put_over_ours_is_left_alone():
    original = torch.nn.utils.clip_grad_norm_
    heard = []
    end = torch_clipping.listen(lambda *told: heard.append(told))
    ours = torch.nn.utils.clip_grad_norm_

    def theirs(*arguments, **options):
        return ours(*arguments, **options)

    theirs.__wrapped__ = ours
    torch.nn.utils.clip_grad_norm_ = theirs
    try:
        end()
        assert torch.nn.utils.clip_grad_norm_ is theirs
        again = torch_clipping.listen(lambda *told: heard.append(told))
        model = network()
        model(torch.randn(2, 4)).sum().backward()
        theirs(model.parameters(), 1.0)
        again()
        assert len(heard) == 1
    finally:
        torch.nn.utils.clip_grad_norm_ = original


def test_the_other_ways_to_call_clipping(watched):
    watcher, _ = watched
    model = network()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    model(torch.randn(2, 4)).sum().backward()
    with pytest.warns(FutureWarning):
        torch.nn.utils.clip_grad_norm(model.parameters(), max_norm=1e-3)
    optimizer.step()
    assert watcher.series("optimizer.clipped_fraction") == [1.0]
    model[0].weight.grad.fill_(float("nan"))
    with pytest.raises(RuntimeError, match="non-finite"):
        torch.nn.utils.clip_grad_norm_(parameters=model.parameters(), max_norm=1.0, error_if_nonfinite=True)


def test_another_thread_is_not_watched_while_the_first_lives(watched):
    watcher, hooks = watched
    model = network()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    trained(model, optimizer, 2)
    other = network()
    thread = threading.Thread(target=trained, args=(other, torch.optim.SGD(other.parameters(), lr=0.5), 5))
    thread.start()
    thread.join()
    assert sum(hooks.steps().values()) == 2
    assert 0.5 not in watcher.series("optimizer.learning_rate")


def test_weaklinks_own_optimizers_are_not_counted(watched):
    watcher, hooks = watched
    model = network()
    with torch_hooks.pause_hooks():
        trained(model, torch.optim.SGD(model.parameters(), lr=0.1), 3)
    assert not hooks.steps()
    assert not watcher.rows


def test_an_optimizer_that_is_gone_is_forgotten(watched):
    _, hooks = watched
    model = network()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    trained(model, optimizer, 1)
    del optimizer
    gc.collect()
    assert not hooks.steps()


def test_measuring_is_spaced_so_that_it_costs_little():
    watcher = Recorded()
    hooks = torch_hooks.install(watcher, lambda: 0.0)
    model = network()
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
    trained(model, optimizer, 400)
    hooks()
    assert 2 <= len(watcher.series("optimizer.learning_rate")) < 100


def test_no_norm_that_clipping_returned_is_lost(watched, monkeypatch):
    watcher, _ = watched
    model = network()
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
    trained(model, optimizer, 20, clip=0.5)
    monkeypatch.setattr(torch_hooks, "SHARE", 1e-9)
    trained(model, optimizer, 200, clip=0.5)
    norms = watcher.series("optimizer.gradient_norm")
    model(torch.full((2, 4), float("nan"))).sum().backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    trained(model, optimizer, 40, clip=0.5)
    assert len(norms) >= 5
    assert len(watcher.series("optimizer.parameter_change")) < len(norms)
    assert math.isnan(watcher.series("optimizer.gradient_norm")[-1]) or watcher.series("optimizer.non_finite_gradients")


def test_steps_that_are_cheap_to_measure_are_all_measured(monkeypatch):
    monkeypatch.setattr(torch_hooks, "SHARE", 1000.0)
    watcher = Recorded()
    hooks = torch_hooks.install(watcher, lambda: 0.0)
    model = network()
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
    trained(model, optimizer, 8)
    hooks()
    assert len(watcher.series("optimizer.learning_rate")) == 8
    assert len(watcher.series("optimizer.parameter_change")) == 8


def test_without_time_to_measure_nothing_is_measured():
    watcher = Recorded(measures=False)
    hooks = torch_hooks.install(watcher, lambda: 0.0)
    model = network()
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
    trained(model, optimizer, 20)
    assert hooks.steps() == {"policy": 20}
    hooks()
    assert not watcher.rows


@pytest.mark.parametrize("clip", [None, 0.05])
def test_the_noise_scale_is_that_of_a_known_gradient(clip, monkeypatch):
    """Rows whose gradients are normal around 1 with a standard deviation of 2, in 50 dimensions: the scale is 4."""
    monkeypatch.setattr(torch_hooks, "SHARE", 1000.0)
    watcher = Recorded()
    watcher.config["batch_size"] = 2
    hooks = torch_hooks.install(watcher, lambda: 0.0)
    weights = torch.nn.Parameter(torch.zeros(50))
    optimizer = torch.optim.SGD([weights], lr=1e-6)
    generator = torch.Generator().manual_seed(3)
    for _ in range(200):
        optimizer.zero_grad()
        (weights * (1.0 + 2.0 * torch.randn(2, 50, generator=generator))).sum(1).mean().backward()
        if clip is not None:
            torch.nn.utils.clip_grad_norm_([weights], clip)
        optimizer.step()
    hooks()
    scales = watcher.series("optimizer.gradient_noise_scale")
    assert scales
    assert scales[-1] == pytest.approx(4.0, rel=0.4)


def test_a_training_of_stable_baselines3_is_seen_and_not_changed():
    stable_baselines3 = pytest.importorskip("stable_baselines3")

    def learned():
        model = stable_baselines3.PPO("MlpPolicy", "CartPole-v1", n_steps=64, n_epochs=2, seed=0, device="cpu")
        return model, flat(model.learn(128).policy.parameters())

    _, plain = learned()
    watcher = Recorded()
    hooks = torch_hooks.install(watcher, lambda: 0.0)
    model, watched = learned()
    counted = hooks.steps()
    hooks()
    assert torch.equal(plain, watched)
    assert counted == {"policy": 4}
    assert max(watcher.series("optimizer.gradient_norm")) > 0.5 == model.max_grad_norm
    assert set(watcher.series("optimizer.learning_rate")) == {3e-4}
