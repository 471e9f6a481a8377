"""Where the page is served."""

from __future__ import annotations

import socket

import pytest

from weaklink.base.errors import UsageError
from weaklink.show.live.address import ServerAddress, bound, parse_address


@pytest.mark.parametrize(
    ("given", "host", "port", "stays_here"),
    [
        ("8765", "127.0.0.1", 8765, True),
        ("0", "127.0.0.1", 0, True),
        ("localhost:80", "localhost", 80, True),
        ("127.0.0.2:80", "127.0.0.2", 80, True),
        ("[::1]:80", "::1", 80, True),
        ("0.0.0.0:80", "0.0.0.0", 80, False),
        ("[::]:80", "::", 80, False),
        ("192.168.1.7:80", "192.168.1.7", 80, False),
        ("localhost.example.org:80", "localhost.example.org", 80, False),
    ],
)
def test_an_address_and_whether_it_stays_on_this_machine(given, host, port, stays_here):
    address = parse_address(given)
    assert (address.host, address.port, address.is_loopback) == (host, port, stays_here)


@pytest.mark.parametrize(
    "given", ["", "http://x:80", "::1:80", "70000", "-1", "8765x", "host:", ":8765", "a b:80", "8765\n"]
)
def test_what_is_no_address(given):
    with pytest.raises(UsageError, match="--serve takes a port") as refused:
        parse_address(given)
    assert repr(given) in str(refused.value)


def test_what_to_open():
    assert ServerAddress("127.0.0.1", 80).url == "http://127.0.0.1:80/"
    assert ServerAddress("::1", 80).url == "http://[::1]:80/"
    assert ServerAddress("0.0.0.0", 80).url == f"http://{socket.gethostname()}:80/"


def test_a_port_that_is_taken_is_told_with_a_cure():
    with bound(ServerAddress("127.0.0.1", 0)) as first:
        taken = first.getsockname()[1]
        with pytest.raises(UsageError, match=rf"127\.0\.0\.1:{taken}: port {taken} is taken\. Name another one, or 0"):
            bound(ServerAddress("127.0.0.1", taken))


@pytest.mark.parametrize("host", ["192.0.2.1", "no-such-host.invalid"])
def test_a_host_that_is_not_this_machine(host):
    with pytest.raises(UsageError, match=f"Cannot serve at {host}:0: "):
        bound(ServerAddress(host, 0))
