"""Before training: the environment, the trainer, and the memory that a training needs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from weaklink._api import Path, Thresholds, make_tuple

if TYPE_CHECKING:
    from weaklink.verbs.memory import Estimate
    from weaklink.verbs.preflight import Preflight
    from weaklink.verbs.probe import Probed


def preflight(
    environment: object,
    *,
    config: Mapping[str, object] | Path | None = None,
    automaton: str | Callable[..., object] | None = None,
    cheat: str | Callable[..., object] | None = None,
    policy: object = None,
    policy_algorithm: str = "",
    trust_pickle: bool = False,
    model: object = None,
    isolate: bool = True,
    seconds: float = 60.0,
    steps: int = 10_000,
    episodes: int = 100,
    seed: int = 0,
    arguments: Mapping[str, object] | None = None,
    components: str | Iterable[str] = (),
    metric: str = "",
    shaping: str = "",
    memory_megabytes: int = 4096,
    gamma: float = 0.99,
    select: Iterable[str] = (),
    ignore: Iterable[str] = (),
    thresholds: Thresholds | None = None,
) -> Preflight:
    """Looks at an environment before training.

    Args:
        environment: an environment, a function that makes one, a Gymnasium id, or `module:factory`. The last two are
            surveyed in a process of their own unless `isolate` is False.
        config: the hyper-parameters to train with, or a file that holds them.
        automaton: a policy written by hand: a function of the observation, or `module:name`.
        cheat: a policy that may look at the environment: a function of environment and observation.
        policy: a trained policy: a function of the observation, or an object with `predict`.
        policy_algorithm: the algorithm of a policy that is an SB3 zip.
        trust_pickle: load such a zip, which can run any code that it holds.
        model: the model to train, to be examined too.
        isolate: False surveys in this process.
        seconds: how long the whole may take.
        steps: of random play.
        episodes: of each baseline.
        seed: of every random choice.
        arguments: for making the environment.
        components: info keys that are parts of the reward; keys that look like it are found by themselves.
        metric: the info key that measures the task itself.
        shaping: the component that is meant to shape.
        memory_megabytes: what the process of the environment may take.
        gamma: the discount, where `config` gives none.
        select: ask only these rules: codes, families such as `OBS`, or names.
        ignore: do not ask these rules.
        thresholds: values that differ from the rules' defaults, such as `{"REW102": {"share": 0.1}}`.

    Returns:
        The survey, the whole diagnosis, the diagnosis up to its first break (`shown`) and the checklist.
    """
    from weaklink.collect.survey.plan import SurveyPlan
    from weaklink.judge.diagnosis.settings import RuleSettings
    from weaklink.verbs import preflight as verb

    plan = SurveyPlan(
        seconds=seconds,
        steps=steps,
        episodes=episodes,
        seed=seed,
        arguments=dict(arguments or {}),
        components=make_tuple(components),
        metric=metric,
        shaping=shaping,
        policy_algorithm=policy_algorithm,
        trust_pickle=trust_pickle,
        memory_megabytes=memory_megabytes,
        gamma=gamma,
    )
    return verb.run_preflight(
        verb.PreflightOptions(
            environment=environment,
            plan=plan,
            config=config,
            automaton=automaton,
            cheat=cheat,
            policy=policy,
            model=model,
            isolate=isolate,
            settings=RuleSettings.of(select, ignore, thresholds),
        )
    )


def probe(
    trainer: str | Callable[..., object],
    *,
    config: Mapping[str, object] | Path | None = None,
    isolate: bool = True,
    seeds: int = 3,
    more_seeds: int = 2,
    first_seed: int = 0,
    steps: int = 0,
    levels: int = 2,
    actions: str = "auto",
    only: str | Iterable[str] = (),
    everything: bool = False,
    timeout: float = 300.0,
    gamma: float | None = None,
    workers: int = 0,
    seconds: float = 0.0,
    select: Iterable[str] = (),
    ignore: Iterable[str] = (),
    thresholds: Thresholds | None = None,
) -> Probed:
    """Finds the broken component of a trainer on small environments with known answers.

    Args:
        trainer: a function `train(make_env, steps, seed)` that returns an agent, trained in this process; or a word
            such as `sb3:PPO` or `module:train`, trained in processes of their own unless `isolate` is False.
        config: hyper-parameters, or a file that holds them, instead of those made for the ladder; for trainers given by
            name.
        isolate: False trains in this process.
        seeds: trainings of each rung.
        more_seeds: how many more before a rung counts as broken.
        first_seed: from which the seeds count up.
        steps: of the shortest training; 0 leaves it to the trainer.
        levels: how many budgets are tried, each larger than the last.
        actions: `auto`, `discrete`, `continuous` or `both`.
        only: climb only these rungs: codes, names or environments.
        everything: go on after the first broken rung.
        timeout: seconds that one training may take.
        gamma: the discount to train with, or the one that the trainer uses.
        workers: trainings side by side; 0 for one a core.
        seconds: after which no further rung is begun; 0 for no limit.
        select: ask only these rules: codes, families or names.
        ignore: do not ask these rules.
        thresholds: values that differ from the rules' defaults.

    Returns:
        The outcome, rung by rung, and the diagnosis.
    """
    from weaklink.collect.probes.plan import ProbePlan
    from weaklink.judge.diagnosis.settings import RuleSettings
    from weaklink.verbs import probe as verb

    plan = ProbePlan(
        seeds=seeds,
        more_seeds=more_seeds,
        first_seed=first_seed,
        steps=steps,
        levels=levels,
        actions=actions,
        only=make_tuple(only),
        everything=everything,
        timeout=timeout,
        gamma=gamma,
        workers=workers,
        seconds=seconds,
    )
    settings = RuleSettings.of(select, ignore, thresholds)
    return verb.probe(verb.ProbeOptions(trainer=trainer, plan=plan, config=config, isolate=isolate, settings=settings))


def memory_estimate(
    config: Mapping[str, object] | Path | None = None,
    *,
    parameters: str | float | None = None,
    layer_sizes: Sequence[int] | None = None,
    device_memory: str | float | None = None,
    hidden: int | None = None,
    layers: int | None = None,
    heads: int | None = None,
    kv_heads: int | None = None,
    intermediate: int | None = None,
    vocabulary: int | None = None,
    tied: bool | None = None,
    prompt: int = 512,
    completion: int = 512,
    micro_batch: int = 1,
    accumulation: int = 1,
    rollouts: int = 8,
    generation_batch: int = 8,
    scoring_batch: int = 0,
    logit_chunks: int = 1,
    whole_logits: bool = False,
    precision: str = "autocast",
    state_precision: str | None = None,
    optimizer: str = "adamw",
    step_kernel: str = "foreach",
    attention: str = "sdpa",
    checkpointing: bool = False,
    lora_rank: int = 0,
    lora_targets: Iterable[str] = ("q", "k", "v", "o", "gate", "up", "down"),
    base_bits: int = 16,
    critic: bool = False,
    reference: bool = False,
    reward_parameters: float = 0.0,
    generate: bool = True,
    kv_bits: int = 16,
    engine_memory: float = 0.0,
    sharding: str = "none",
    devices: int = 1,
    offload: Iterable[str] = (),
) -> Estimate:
    """Estimates the accelerator memory that a training needs.

    Args:
        config: the configuration of a Hugging Face model: a mapping, a config.json or the folder of the model.
        parameters: parameters of the model, such as `7B`, where there is no configuration.
        layer_sizes: sizes of the layers of a plain network instead.
        device_memory: memory of the device, such as `80GB`.
        hidden: width of the model.
        layers: layers of the model.
        heads: attention heads.
        kv_heads: key and value heads.
        intermediate: inner width of a layer.
        vocabulary: words of the tokenizer.
        tied: whether one table serves both ends of the model.
        prompt: tokens of a prompt.
        completion: tokens of a completion.
        micro_batch: rows that pass forward and backward at a time.
        accumulation: micro-batches of a step.
        rollouts: rows kept between generating and learning.
        generation_batch: rows generated at a time.
        scoring_batch: rows whose log-probabilities are worked out at a time; 0 for a micro-batch.
        logit_chunks: chunks in which log-probabilities are worked out.
        whole_logits: whether the prompt is scored too.
        precision: `fp32`, `autocast`, `mixed`, `bf16` or `fp16`.
        state_precision: `fp32` or `bf16`: of the states of the optimizer.
        optimizer: `adamw`, `adamw-8bit`, `adafactor`, `momentum` or `sgd`.
        step_kernel: `foreach`, `fused` or `loop`: how the optimizer steps.
        attention: `sdpa`, `flash` or `eager`.
        checkpointing: whether activations are worked out again.
        lora_rank: rank of LoRA; 0 trains all weights.
        lora_targets: matrices with an adapter.
        base_bits: 4, 8 or 16: of the frozen base under LoRA.
        critic: whether a critic of the same size is trained too.
        reference: whether a reference model is held too.
        reward_parameters: parameters of a reward model on the device.
        generate: whether completions are generated on the device.
        kv_bits: 8 or 16: of the cache of keys and values.
        engine_memory: bytes that a generation engine holds on the device.
        sharding: `none`, `zero1`, `zero2`, `zero3` or `fsdp`.
        devices: devices that share the work.
        offload: `optimizer`, `reference`, `reward`: kept in host memory.

    Returns:
        The phases with their parts, the peak, whether it fits, and what to change first where it does not.
    """
    from weaklink.verbs.memory import MemoryOptions, estimate_memory, plan_memory

    plan = {
        "prompt": prompt,
        "completion": completion,
        "micro_batch": micro_batch,
        "accumulation": accumulation,
        "rollouts": rollouts,
        "generation_batch": generation_batch,
        "scoring_batch": scoring_batch,
        "logit_chunks": logit_chunks,
        "whole_logits": whole_logits,
        "precision": precision,
        "state_precision": state_precision,
        "optimizer": optimizer,
        "step_kernel": step_kernel,
        "attention": attention,
        "checkpointing": checkpointing,
        "lora_rank": lora_rank,
        "lora_targets": tuple(lora_targets),
        "base_bits": base_bits,
        "critic": critic,
        "reference": reference,
        "reward_parameters": reward_parameters,
        "generate": generate,
        "kv_bits": kv_bits,
        "engine_memory": engine_memory,
        "sharding": sharding,
        "devices": devices,
        "offload": tuple(offload),
    }
    return estimate_memory(
        MemoryOptions(
            config=config,
            parameters=parameters,
            layer_sizes=None if layer_sizes is None else tuple(layer_sizes),
            device_memory=device_memory,
            hidden=hidden,
            layers=layers,
            heads=heads,
            kv_heads=kv_heads,
            intermediate=intermediate,
            vocabulary=vocabulary,
            tied=tied,
            plan=plan_memory(plan),
        )
    )
