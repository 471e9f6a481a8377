"""What must not leave the house, and what must not be lost on the way out."""

from __future__ import annotations

import pytest

from tests.patience import no_hang
from weaklink.base.privacy import is_private
from weaklink.show.redaction import redact

NAMES = ("jane", "jdoe", "gpu07", "gpu07.cluster.example.org", "deep-team", "root")

# each a text and the part of it that nobody may see; tokens are put together, so that no scanner takes them for real
SECRETS = [
    ("hf_" + "AbCdEfGhIjKlMnOpQrStUvWxYz012345", ""),
    ("token: hf_" + "abcdefghijklmnopqrstuvwx end", "hf_abcdefghijkl"),
    ("OPENAI_API_KEY=sk-proj-" + "abcDEF0123456789abcdef", "abcDEF"),
    ("key sk-ant-" + "api03-abcdefghijklmnop", "api03"),
    ("ghp_" + "0123456789abcdefghijABCDEFGHIJ012345", ""),
    ("github_pat_" + "11ABCDEFG0abcdefghijklmnop", ""),
    ("glpat-" + "abcdefghij0123456789", ""),
    ("xoxb-" + "123456789012-abcdefghijkl", ""),
    ("AKIA" + "IOSFODNN7EXAMPLE", ""),
    ("secret key wJalrXUtnFEMI/K7MDENG/" + "bPxRfiCYEXAMPLEKEY", "wJalr"),
    ("AIza" + "SyA0123456789abcdefghijklmnopqrstuvw", ""),
    ("eyJhbGciOiJIUzI1NiJ9." + "eyJzdWIiOiIxMjM0In0.abc-DEF_123", "eyJ"),
    ("Authorization: Bearer " + "abc.def.ghi12345", "ghi12345"),
    ("Authorization: Basic " + "amFuZTpodW50ZXIyMDA=", "amFuZ"),
    ("password=hunter2", "hunter2"),
    ("password: 'hunter 2'", "hunter"),
    ('{"db_password": "hunter2"}', "hunter2"),
    ("--password hunter2 --lr 0.1", "hunter2"),
    ("passwd = 12345", "12345"),
    ("MYSQL_PWD=abc123", "abc123"),
    ("wandb login 0123456789abcdef0123456789abcdef01234567", "0123456789abcdef"),
    ("WANDB_API_KEY=0123456789abcdef0123456789abcdef01234567", "0123456789abcdef"),
    ("client_secret: q8Zr", "q8Zr"),
    ("aws_secret_access_key = q8Zr/+t", "q8Zr"),
    ("https://jane:hunter2@git.example.com/x.git", "hunter2"),
    ("https://api.example.com/v1?access_token=abcdef", "abcdef"),
    ("https://github.com/a/b?token=abcdef", "abcdef"),
    ("https://wandb.ai/deep-team/walker/runs/3x8", "deep-team"),
    ("http://10.1.2.3:6006/#scalars", "10.1.2.3"),
    ("s3://my-bucket/secret/run", "my-bucket"),
    ("postgres://u:p4ss@db.internal/x", "p4ss"),
    ("-----BEGIN RSA PRIVATE KEY-----\nMIIEabc\ndef\n-----END RSA PRIVATE KEY-----", "MIIE"),
    ("-----BEGIN OPENSSH PRIVATE KEY----- b3BlbnNzaC1r and cut off", "b3Blb"),
    ("node 192.168.17.4 went down", "192.168"),
    ("listening on 10.0.0.7:29500", "10.0.0.7"),
    ("fe80::1ff:fe23:4567:890a", "fe80"),
    ("2001:db8:0:0:0:0:2:1", "2001"),
    ("ether 02:42:ac:11:00:02", "02:42"),
    ("mail jane.doe+rl@corp.example.org", "jane.doe"),
    ("jane@gpu07:runs", "gpu07"),
    ("user jdoe on gpu07", "jdoe"),
    ("GPU07.cluster.example.org says", "GPU07"),
    ("entity: other-team", "other-team"),
    ("username=somebody", "somebody"),
    ("/home/jane/projects/walker/train.py", "projects"),
    ('File "/home/jane/my projects/train.py", line 3', "my projects"),
    ("~/projects/walker/runs/1", "projects"),
    ("/mnt/fast/group/walker", "/mnt"),
    ("-I/Users/someone/include/x.h", "someone"),
    (r"C:\Users\someone\runs\ppo.zip", "someone"),
    (r"\\server\share\x.py", "server"),
    ("file:///home/jane/x/y.html", "home"),
    ("sha256 e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855", "e3b0c442"),
    ("at node17.cluster.local now", "node17"),
    ("on gpu-node-17", "node-17"),
    ("opaque 8fK2mQ9xZr4Lw7TbN3vYc6HsJ1pD5gAe", "8fK2"),
]  # fmt: skip

HARMLESS = [
    "rollout/ep_rew_mean",
    "train/approx_kl 0.013, 1,234 steps/s and/or 1/2",
    "Episode_Reward/track_lin_vel_xy_exp2",
    "QuadraticPotentialRewardWrapperV2Something12",
    "commit 3f2a9b1c4d5e6f7a8b9c0d1e2f3a4b5c6d7e8f90",
    "max_tokens: 512, pad_token: <pad>, eos_token_id=2, token_entropy=0.3",
    "torch 2.13.0+cpu; numpy==2.3.5; Python 3.11.2; cuDNN 9.1.0.70, driver version 550.54.15.1",
    "learning_rate=0.0003, ent_coef: 0.01, seed=42",
    "key: value, monkey=3, keyboard: qwerty",
    "PPO(policy=MlpPolicy, n_steps=2048)",
    "CartPole-v1 ALE/Pong-v5 MiniGrid-Empty-5x5-v0",
    "https://github.com/DLR-RM/stable-baselines3/issues/1",
    "https://stable-baselines3.readthedocs.io/en/master/",
    "localhost 127.0.0.1 and 0.0.0.0",
    "12:34:56 on 2024-01-02",
    "weaklink confirm POL301 --target runs/x",
    "<details>\n<summary>a</summary>\n</details>",
    "| `policy.kl` | `▁▂▃` | 0.1 |",
    "reward.episode_return goes from 20 to -3.5e+02",
    "auth=True, use_cookie: False",
]


@pytest.mark.parametrize(("text", "hidden"), SECRETS, ids=range(len(SECRETS)))
def test_secrets_are_hidden(text: str, hidden: str) -> None:
    for whole in (text, f"at first {text}", f"`{text}` at last", f"- it said: {text}\nand went on"):
        assert (hidden or text) not in redact(whole, NAMES)


@pytest.mark.parametrize("text", HARMLESS)
def test_what_is_harmless_stays(text: str) -> None:
    assert redact(text, NAMES) == text


@pytest.mark.parametrize(("text", "_"), SECRETS, ids=range(len(SECRETS)))
def test_a_second_pass_changes_nothing(text: str, _: str) -> None:
    once = redact(text, NAMES)
    assert redact(once, NAMES) == once


def test_the_last_part_of_a_path_is_left() -> None:
    text = redact("/home/jane/a/train.py and C:\\Users\\jane\\b\\ppo.zip in ~/runs/seed_1")
    assert text == "train.py and ppo.zip in seed_1"


def test_a_home_itself_is_nothing() -> None:
    assert "jane" not in redact("cd /home/jane then")


def test_names_that_tell_nothing_stay() -> None:
    assert redact("the root of the user tree", ("root", "user", "")) == "the root of the user tree"


@pytest.mark.parametrize("name", ["api_key", "wandb_api_key", "password", "authToken", "entity", "user", "hostname"])
def test_private_names_are_known(name: str) -> None:
    assert is_private(name)


@pytest.mark.parametrize("name", ["learning_rate", "max_tokens", "pad_token_id", "key_size", "n_steps", "users_seen"])
def test_other_names_are_not_private(name: str) -> None:
    assert not is_private(name)


@pytest.mark.parametrize(
    "text", ["a" * 200_000, "/" * 200_000, "a=" * 200_000, "x:" * 200_000, "aB3" * 200_000, "1." * 200_000]
)
def test_long_texts_take_time_in_proportion(text: str) -> None:
    with no_hang():  # a pattern that looks at every pair of letters would take hours
        redact(text, NAMES)
