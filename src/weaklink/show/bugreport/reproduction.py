"""How to see it again: the commands, and the smallest script where algorithm and environment are known."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath, PureWindowsPath
from typing import Any

from weaklink.base.evidence.config import Config, find_canonical_name
from weaklink.show.allowing import allow_arguments, allow_name, allow_setting, is_allowed_name
from weaklink.show.bugreport.pen import MarkdownPen, fence_lines
from weaklink.verbs.bugreport import ReportMaterial

MOST_ARGUMENTS = 60
CLEANRL = "cleanrl"
STEPS = 50_000

ON_POLICY = {
    "learning_rate": "learning_rate", "rollout_steps": "n_steps", "batch_size": "batch_size", "epochs": "n_epochs",
    "gamma": "gamma", "gae_lambda": "gae_lambda", "clip_range": "clip_range", "entropy_coefficient": "ent_coef",
    "value_coefficient": "vf_coef", "max_gradient_norm": "max_grad_norm", "target_kl": "target_kl",
}  # fmt: skip
OFF_POLICY = {
    "learning_rate": "learning_rate", "buffer_size": "buffer_size", "learning_starts": "learning_starts",
    "batch_size": "batch_size", "tau": "tau", "gamma": "gamma", "train_frequency": "train_freq",
    "gradient_steps": "gradient_steps",
}  # fmt: skip
WITHOUT = {
    "A2C": ("batch_size", "epochs", "clip_range", "target_kl"),
    "TRPO": ("epochs", "clip_range", "entropy_coefficient", "value_coefficient", "max_gradient_norm"),
}
STABLE_BASELINES = {
    "ppo": ("stable_baselines3", "PPO", ON_POLICY), "a2c": ("stable_baselines3", "A2C", ON_POLICY),
    "dqn": ("stable_baselines3", "DQN", OFF_POLICY), "sac": ("stable_baselines3", "SAC", OFF_POLICY),
    "td3": ("stable_baselines3", "TD3", OFF_POLICY), "ddpg": ("stable_baselines3", "DDPG", OFF_POLICY),
    "recurrentppo": ("sb3_contrib", "RecurrentPPO", ON_POLICY), "ppolstm": ("sb3_contrib", "RecurrentPPO", ON_POLICY),
    "maskableppo": ("sb3_contrib", "MaskablePPO", ON_POLICY), "trpo": ("sb3_contrib", "TRPO", ON_POLICY),
    "qrdqn": ("sb3_contrib", "QRDQN", OFF_POLICY), "tqc": ("sb3_contrib", "TQC", OFF_POLICY),
}  # fmt: skip
LANGUAGE = {
    "learning_rate": "learning_rate", "batch_size": "per_device_train_batch_size", "group_size": "num_generations",
    "kl_coefficient": "beta", "temperature": "temperature", "max_completion_length": "max_completion_length",
    "seed": "seed",
}  # fmt: skip
_ID = re.compile(r"[\w:.-]+(?:/[\w.-]+)?")
_WORD = re.compile(r"[\w.-]{1,60}")
_ASSIGNED = re.compile(r"[A-Za-z_]\w*=.*")


def write_lines(material: ReportMaterial, pen: MarkdownPen) -> Iterator[str]:
    """The command of the run, the commands of weaklink, and the skeleton."""
    own = write_own_command(material.context.get("command"))
    shown = [pen.plain(command) for command in (*([own] if own else []), *map(allow_command, material.commands))]
    if shown:
        yield from fence_lines(shown[: pen.most], "bash")
    language = "bash" if material.framework == CLEANRL else "python"
    script = list(write_skeleton(material.config, material.framework))
    if script:
        yield from ("", "The smallest that should show the same (check that it does, then post what you ran):")
        yield from fence_lines((pen.plain(line) for line in script), language)
    else:
        yield from (
            "",
            "*Add the smallest script that shows it: algorithm and environment are not known from the log.*",
        )


def write_own_command(arguments: Any) -> str:
    """The command line of the run: the script, options and values by known names, numbers; the rest is hidden."""
    if not isinstance(arguments, list | tuple) or not arguments:
        return ""
    words = [str(word) for word in arguments[:MOST_ARGUMENTS]]
    first = next((place for place, word in enumerate(words) if not _ASSIGNED.fullmatch(word)), len(words))
    words = words[first:]
    if not words:
        return ""
    script = allow_name(PureWindowsPath(PurePosixPath(words[0]).name).name)
    start = ["python", script] if script.endswith(".py") else [script]
    return " ".join((*start, *allow_arguments(words[1:])))


def allow_command(command: str) -> str:
    """A command of weaklink's own, with the names of files and environments in it where these are known words."""
    return " ".join(allow_arguments(command.split()))


def write_skeleton(config: Config, framework: str) -> Iterator[str]:
    """The smallest script for the algorithm and the environment; nothing where either is not known."""
    environment = str(config.values.get("environment", ""))
    if "trl" in framework.lower().split() or config.algorithm in ("grpo", "grpotrainer", "rloo"):
        yield from _write_trl_script(config)
    elif not _ID.fullmatch(environment) or not is_allowed_name(environment):
        return
    elif framework == CLEANRL:
        yield from _write_cleanrl_command(config)
    elif config.algorithm in STABLE_BASELINES:
        module, name, table = STABLE_BASELINES[config.algorithm]
        yield from _write_sb3_script(config, environment, module, name, table)


def _write_sb3_script(
    config: Config, environment: str, module: str, name: str, table: Mapping[str, str]
) -> Iterator[str]:
    left_out = WITHOUT.get(name, ())
    given = _format_arguments(config, {key: word for key, word in table.items() if key not in left_out})
    members = config.number("environments") or 1.0
    policy = config.values.get("policy")
    known = isinstance(policy, str) and _WORD.fullmatch(policy) and is_allowed_name(policy)
    policy = policy if known else _guess_policy(name)
    made = f'make_vec_env("{environment}", n_envs={members:.0f})' if members > 1 else f'gym.make("{environment}")'
    seed = config.number("seed")
    yield "from stable_baselines3.common.env_util import make_vec_env" if members > 1 else "import gymnasium as gym"
    yield from (f"from {module} import {name}", "", f"env = {made}")
    yield from (f"model = {name}(", f'    "{policy}",', "    env,", f"    seed={0 if seed is None else int(seed)},")
    yield from (*(f"    {argument}," for argument in given), "    verbose=1,", ")")
    yield f"model.learn({int(config.number('total_steps') or STEPS):_})"


def _write_cleanrl_command(config: Config) -> Iterator[str]:
    """CleanRL's scripts take every hyper-parameter as an option."""
    known = [(str(name), value) for name, value in config.raw.items() if find_canonical_name(str(name))]
    allowed = {name: allow_setting(name, value) for name, value in known if name != "exp_name"}
    said = {name: shown for name, shown in allowed.items() if shown is not None and _WORD.fullmatch(shown)}
    yield f"python {allow_name(config.algorithm or 'ppo')}.py \\"
    options = [f"  {_format_option(name, str(value))}" for name, value in said.items()]
    yield from (f"{option} \\" for option in options[:-1])
    yield from options[-1:]


def _format_option(name: str, value: str) -> str:
    flag = name.replace("_", "-")
    if value in ("True", "False"):
        return f"--{flag}" if value == "True" else f"--no-{flag}"
    return f"--{flag} {value}"


def _guess_policy(name: str) -> str:
    return "MlpLstmPolicy" if name == "RecurrentPPO" else "MlpPolicy"


def _write_trl_script(config: Config) -> Iterator[str]:
    yield from ("from trl import GRPOConfig, GRPOTrainer", "")
    yield from (
        "args = GRPOConfig(",
        '    output_dir="out",',
        *(f"    {one}," for one in _format_arguments(config, LANGUAGE)),
        ")",
    )
    yield 'trainer = GRPOTrainer(model="...", args=args, train_dataset=..., reward_funcs=...)'
    yield "trainer.train()"


def _format_arguments(config: Config, table: Mapping[str, str]) -> list[str]:
    """`name=value` for each hyper-parameter that is a number."""
    found = ((word, config.number(key)) for key, word in table.items())
    return [f"{word}={_format_number(value)}" for word, value in found if value is not None]


def _format_number(value: float) -> str:
    return f"{value:.0f}" if value == int(value) else f"{value:g}"
