"""Secrets and names as they turn up around trainings, made up, and the places where they are planted.

Each is put together from parts, so that no scanner takes it for a real one.
"""

from __future__ import annotations

import json
from pathlib import Path

from weaklink.base.evidence import store

HEX = "3c9a7f0e5b1d8246"
MIXED = "q7Xb2LmZ9vKt4RwN8cYd1HsJ6pGf3TaE"

TOKENS = (
    "hf_" + "QwErTyUiOpAsDfGhJkLzXcVbNmQwErTyUi",
    "sk-proj-" + f"{MIXED}_{MIXED}-T3BlbkFJ{MIXED}",
    "sk-ant-api03-" + f"{MIXED}{MIXED}-AA",
    "sk-svcacct-" + MIXED,
    "sk-" + "a1B2c3D4e5F6g7H8i9J0kLmNoPqRsTuV",
    "ghp_" + "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8",
    "gho_" + "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8",
    "github_pat_" + "11AAAAAAA0aBcDeFgHiJkL_" + MIXED,
    "glpat-" + "xY3zAb9Cd0Ef1Gh2Ij3K",
    "wandb_v1_" + f"{MIXED}{MIXED}abcdefghi",
    HEX + HEX + HEX[:8],
    "local-" + HEX + HEX + HEX[:8],
    "AKIA" + "Q3EGRK7TPLMXNZW2",
    "ASIA" + "Q3EGRK7TPLMXNZW2",
    "kJ8/" + "h2Gf+4DsaPo9iUy7TreWq1Lkj5HgF3dsZxCvB",
    "AIza" + "SyB-3kLmN0pQrStUvWxYz1234567890abc",
    "ya29." + "a0AfB_byC" + MIXED,
    "GOCSPX-" + "8sKd93kfLs02mDks8JdkLs9w",
    "xoxb-" + "284756192834-5647382910-" + MIXED,
    "xapp-1-" + "A02BCD3EF-1234567890123-" + HEX,
    "https://hooks.slack.com/services/" + "T02ABCDEF/B03GHIJKL/" + MIXED[:24],
    "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9." + "eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9P",
    "glrt-" + MIXED[:24],
    "npm_" + MIXED + "a1b2",
    "pypi-" + "AgEIcHlwaS5vcmcCJ" + MIXED,
    "nvapi-" + MIXED + MIXED,
    "gsk_" + MIXED + "WGdyb3FY",
    "r8_" + MIXED[:37],
    "dop_v1_" + HEX * 4,
    "dapi" + HEX + HEX,
    "hvs." + "CAESI" + MIXED,
    "SG." + MIXED[:22] + "." + MIXED + MIXED[:11],
    "sk_live_" + MIXED[:24],
    "whsec_" + MIXED,
    "tskey-auth-" + MIXED[:20] + "-" + MIXED[:16],
    "dckr_pat_" + MIXED[:27],
    "lsv2_pt_" + HEX + HEX + "_" + HEX[:10],
    "1234567890:" + "AAH" + MIXED,
    "c0ffee12-" + "3456-789a-bcde-f0123456789a",
    HEX * 4,
    MIXED,
    MIXED.lower()[:24],
    "-----BEGIN RSA PRIVATE KEY-----" + MIXED + "-----END RSA PRIVATE KEY-----",
)
"""Recognised by their form alone, wherever they stand."""

WORDS = (
    "hunter2", "Tr0ub4dor", "correcthorsebattery", "zanzibar77", "qwertz!99", "s3cr3tsauce", "letmein42", "99bottles",
)  # fmt: skip
"""Passwords that look like words: hidden by the names that they stand under."""
UNDER = (
    "db_password",
    "smtp_passwd",
    "client_secret",
    "apiKey",
    "private_key_passphrase",
    "auth",
    "login.pwd",
    "session_token",
)

PEOPLE = (
    "mschmidt", "jane.roe", "ayse-yilmaz", "falcon-lab", "acmerobotics", "northwind", "projectnarwhal",
    "dgx-07", "gpunode42", "kraken.hpc.uni-example.de", "ip-172-31-9-44", "narwhal-cluster",
    "mschmidt@acmerobotics.com", "feature/narwhal-launch",
)  # fmt: skip
CALLED = (
    "user", "wandb.username", "owner", "wandb_entity", "organization", "team", "project", "host", "nodename",
    "hostname", "slurm_nodelist", "cluster", "email", "git_branch",
)  # fmt: skip
"""Names of people, teams, projects and machines, and what they are called in configurations."""

ODD = ("zephyrium", "openthesesame9", "blauwal", "Quetzalcoatl")
"""Words under names that tell nothing: nobody can know what they are."""

ADDRESSES = ("postgres://mschmidt:hunter2@10.20.30.40:5432/narwhal", "10.20.30.40", "/home/mschmidt/narwhal")

ALL = (*TOKENS, *WORDS, *PEOPLE, *ODD, *ADDRESSES)

USEFUL = {
    "algo": "PPO", "env_id": "CartPole-v1", "learning_rate": 0.00037, "gamma": 0.9931, "gae_lambda": 0.953,
    "clip_range": 0.217, "ent_coef": 0.0123, "vf_coef": 0.61, "n_steps": 384, "batch_size": 96, "n_epochs": 7,
    "max_grad_norm": 0.47, "target_kl": 0.031, "policy": "MlpPolicy", "net_arch": [48, 24], "activation_fn": "tanh",
    "optimizer": "adamw", "lr_schedule": "linear", "normalize_advantage": True, "total_timesteps": 51200,
    "policy_kwargs": {"ortho_init": False, "log_std_init": -1.25}, "use_sde": False, "seed": 4711,
}  # fmt: skip
"""What maintainers need, with values that stand nowhere else."""


def make_config() -> dict[str, object]:
    """A configuration with everything in it, under names that tell and under names that do not."""
    config: dict[str, object] = dict(USEFUL)
    config |= {f"thing_{place}": token for place, token in enumerate(TOKENS)}
    config |= dict(zip(UNDER, WORDS, strict=True)) | dict(zip(CALLED, PEOPLE, strict=True))
    config |= {"flavour": ODD[0], "sesame": ODD[1], "animals": [ODD[2]], "nested": {"deep": {ODD[3]: 3}}}
    config |= {"dsn": ADDRESSES[0], "coordinator_address": ADDRESSES[1], "output_dir": ADDRESSES[2]}
    return config


def make_command() -> list[str]:
    """A command line with secrets in options, in assignments and alone."""
    told = [part for name, word in zip(UNDER, WORDS, strict=True) for part in (f"--{name}", word)]
    called = [f"--{name}={person}" for name, person in zip(CALLED, PEOPLE, strict=True)]
    return [f"{ADDRESSES[2]}/train.py", "--lr", "0.00037", "--gamma=0.9931", *told, *called, *TOKENS, *ODD]


def make_metrics(value: float) -> dict[str, float]:
    """Names of metrics with secrets in them, beside those that matter."""
    planted = {f"custom/{name}": value for name in (*TOKENS, *PEOPLE)}
    return {"reward.episode_return": value, "policy.kl": 0.5, "value.loss": 1.0, **planted}


def write_recording(folder: Path) -> Path:
    """A recording as an older program may have left it: with everything in it."""
    context = {
        "command": make_command(),
        "host": PEOPLE[7],
        "folder": "narwhal",
        "git": {"branch": PEOPLE[13], "commit": "ab" * 20},
    }
    header = {"weaklink": "0.1.0", "schema": 1, "created": 1.7e9, "config": make_config(), "context": context}
    rows = [{"step": step, "time": 0.1 * step, "metrics": make_metrics(float(step))} for step in range(0, 4000, 100)]
    folder.mkdir(parents=True)
    (folder / store.FILE).write_text("\n".join(map(json.dumps, (header, *rows))) + "\n", encoding="utf-8")
    return folder


def write_console_log(folder: Path) -> Path:
    """What Stable-Baselines3 prints, among lines that print secrets, and its configuration beside it."""
    folder.mkdir(parents=True)
    lines = [f"wandb: logged in as {PEOPLE[0]} ({PEOPLE[3]})", *(f"using {token}" for token in TOKENS)]
    lines += [f"{name}={word}" for name, word in zip(UNDER, WORDS, strict=True)]
    for step in range(20):
        rows = [("rollout/", ""), ("   ep_len_mean", "20"), ("   ep_rew_mean", str(20 + step)), ("time/", "")]
        rows += [
            ("   fps", "900"),
            ("   total_timesteps", str(2048 * (step + 1))),
            ("train/", ""),
            ("   approx_kl", "0.5"),
        ]
        rows += [(f"   {name}", "1") for name in (TOKENS[0], TOKENS[10], PEOPLE[3], PEOPLE[6])]
        widest = max(len(name) for name, _ in rows) + 2
        lines += [
            "-" * (widest + 14),
            *(f"| {name:{widest}}| {value:8} |" for name, value in rows),
            "-" * (widest + 14),
        ]
    (folder / "train.log").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (folder / "config.json").write_text(json.dumps(make_config()), encoding="utf-8")
    return folder
