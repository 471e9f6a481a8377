"""What was written down: logs, samples, evaluations."""

from __future__ import annotations

import os
import pathlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from weaklink._api import Path, Thresholds

if TYPE_CHECKING:
    from weaklink.base.evidence.run import Run
    from weaklink.base.evidence.samples import Samples
    from weaklink.judge.diagnosis.diagnosis import Diagnosis
    from weaklink.verbs.audit import Audited
    from weaklink.verbs.compare import Compared


def diagnose(
    run: Run | Path,
    *,
    names: Mapping[str, str] | None = None,
    select: Iterable[str] = (),
    ignore: Iterable[str] = (),
    thresholds: Thresholds | None = None,
) -> Diagnosis:
    """Judges one training run.

    Args:
        run: a run, or the path of a log or run folder of any known format.
        names: which metrics some keys of the log hold, such as `{"ret": "reward.episode_return"}`.
        select: ask only these rules: codes, families such as `POL`, or names.
        ignore: do not ask these rules.
        thresholds: values that differ from the rules' defaults, such as `{"POL301": {"lasting": 0.4}}`.

    Returns:
        The diagnosis: verdict, first break, findings, and what could not be judged.
    """
    from weaklink.judge.diagnosis.settings import RuleSettings
    from weaklink.verbs.diagnose import diagnose_run

    return diagnose_run(run, RuleSettings.of(select, ignore, thresholds), names)


def audit(
    samples: Samples | Path | None = None,
    *,
    run: Run | Path | None = None,
    baseline: Samples | Path | None = None,
    verifier: str | Callable[..., object] | None = None,
    cases: Path | Iterable[Mapping[str, object]] | None = None,
    style: str = "auto",
    seconds: float = 60.0,
    seed: int = 0,
    select: Iterable[str] = (),
    ignore: Iterable[str] = (),
    thresholds: Thresholds | None = None,
) -> Audited:
    """Looks at completions or trajectories beside what was paid for them, and at the verifier that pays.

    Args:
        samples: a file or folder of samples; it can be left out where a verifier is given.
        run: the log of the same training.
        baseline: samples from before training, to compare with.
        verifier: a reward function to try: `module:function`, tried in a process of its own, or the function itself.
        cases: prompts and answers to try it on: a JSON Lines file, or rows; those that are built in if left out.
        style: how the reward function is called: `auto`, `trl`, `verl` or `plain`.
        seconds: how long trying it may take.
        seed: of every random choice.
        select: ask only these rules: codes, families such as `LLM`, or names.
        ignore: do not ask these rules.
        thresholds: values that differ from the rules' defaults, such as `{"LLM303": {"limit": 0.3}}`.

    Returns:
        The samples as evidence, the diagnosis, the tables beside it, and what the verifier paid for. Ctrl-C keeps what
        was read until then, and sets `stopped`.
    """
    from weaklink.judge.diagnosis.settings import RuleSettings
    from weaklink.verbs import audit as verb

    return verb.audit(
        verb.AuditOptions(
            samples=samples,
            run=run,
            baseline=baseline,
            verifier=verifier,
            cases=cases,
            style=style,
            seconds=seconds,
            seed=seed,
            settings=RuleSettings.of(select, ignore, thresholds),
        )
    )


def compare(
    *paths: Path,
    train: Path = "",
    evaluation: Path = "",
    metric: str = "",
    target: float | None = None,
    anyway: bool = False,
    ledger: Path = "",
    keep: str = "",
    seed: int = 0,
    select: Iterable[str] = (),
    ignore: Iterable[str] = (),
    thresholds: Thresholds | None = None,
) -> Compared:
    """Compares evaluations, runs or groups of seeds, where their protocols allow it.

    Args:
        paths: at least two: evaluations, runs, folders of them, or patterns such as `runs/ppo_*`. The first is what the
            others are compared with.
        train: training data in which the items of `evaluation` are looked for.
        evaluation: the items.
        metric: the measure by which runs are scored; by itself the first that all have.
        target: a score to reach.
        anyway: show scores that may not be compared.
        ledger: the file in which looks at splits are counted; by itself the nearest one.
        keep: the party that is chosen by this comparison, noted with the look.
        seed: of the resampling.
        select: ask only these rules: codes, families such as `EVA`, or names.
        ignore: do not ask these rules.
        thresholds: values that differ from the rules' defaults, such as `{"LLM313": {"share": 0.3}}`.

    Returns:
        The diagnosis, the parties with their protocols, the scores where they may be compared, and the overlap.
    """
    from weaklink.judge.diagnosis.settings import RuleSettings
    from weaklink.verbs import compare as verb

    return verb.compare(
        verb.CompareOptions(
            paths=tuple(os.fspath(path) for path in paths),
            train=os.fspath(train),
            evaluation=os.fspath(evaluation),
            metric=metric,
            target=target,
            anyway=anyway,
            ledger=os.fspath(ledger),
            keep=keep,
            seed=seed,
            settings=RuleSettings.of(select, ignore, thresholds),
        )
    )


def evaluation(
    folder: Path,
    *,
    scores: Mapping[str, float | Sequence[float]] | Sequence[float | Sequence[float]] | float | None = None,
    ledger: Path | None = None,
    selected: str = "",
    task: str | None = None,
    model: str | None = None,
    split: str | None = None,
    seeds: Iterable[int | str] | None = None,
    temperature: float | None = None,
    top_p: float | None = None,
    max_tokens: int | None = None,
    prompt_template: str | None = None,
    tools: Iterable[str] | None = None,
    timeout: float | None = None,
    pass_at_k: int | None = None,
    deterministic: bool | None = None,
    env_version: str | None = None,
    episodes: int | None = None,
    **settings: object,
) -> pathlib.Path:
    """Writes an evaluation down with its protocol, as `weaklink-evaluation.json`, and counts the look at its split.

    Args:
        folder: where it is kept; an older one there is replaced.
        scores: by item or by seed: a mapping, a list in order, or one number; an item may have a list.
        ledger: the file in which looks are counted; by itself the nearest one in or above the folder.
        selected: what is chosen by this evaluation, such as a checkpoint.
        task: the benchmark or environment.
        model: the model or checkpoint.
        split: such as `dev` or `private`.
        seeds: of the evaluation, or of the trainings that were evaluated.
        temperature: of the sampling.
        top_p: of the sampling.
        max_tokens: of a completion.
        prompt_template: only its hash is kept.
        tools: that the model may call.
        timeout: in seconds, of an item.
        pass_at_k: tries of which one must succeed.
        deterministic: whether the policy acts without sampling.
        env_version: of the environment.
        episodes: that were played.
        settings: whatever else must be alike, under names of your own.

    Returns:
        The file.
    """
    from weaklink.collect.samples.evaluating import write_evaluation as write

    protocol = {
        "task": task,
        "model": model,
        "split": split,
        "seeds": seeds,
        "temperature": temperature,
        "top_p": top_p,
        "max_tokens": max_tokens,
        "prompt_template": prompt_template,
        "tools": tools,
        "timeout": timeout,
        "pass_at_k": pass_at_k,
        "deterministic": deterministic,
        "env_version": env_version,
        "episodes": episodes,
    }
    stated = {name: value for name, value in protocol.items() if value is not None}
    return write(folder, scores=scores, ledger=ledger, selected=selected, **stated, **settings)
