"""Where the page is served: the address given, whether it stays on this machine, and the socket."""

from __future__ import annotations

import errno
import ipaddress
import os
import re
import socket

import msgspec

from weaklink.base.errors import UsageError

LOOPBACK = "127.0.0.1"
HIGHEST_PORT = 65535
WAITING_CONNECTIONS = 128

_GIVEN = re.compile(r"(?:(?P<host>[^\[\]:/\s]+|\[[0-9a-fA-F:.%]+\]):)?(?P<port>[0-9]+)")


class ServerAddress(msgspec.Struct, frozen=True):
    """A host and a port; port 0 stands for any that is free."""

    host: str
    port: int

    @property
    def is_loopback(self) -> bool:
        """Whether only this machine can reach it. Of names only `localhost` is known to stay here."""
        if self.host == "localhost":
            return True
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return False

    @property
    def url(self) -> str:
        """What to open: where all of this machine's addresses answer, its name."""
        host = socket.gethostname() if self.host in ("0.0.0.0", "::") else self.host
        return f"http://[{host}]:{self.port}/" if ":" in host else f"http://{host}:{self.port}/"


def parse_address(given: str) -> ServerAddress:
    """Reads `PORT`, `HOST:PORT` or `[IPV6]:PORT`; a port alone is of this machine.

    Raises:
        UsageError: it is none of these.
    """
    match = _GIVEN.fullmatch(given)
    if match is None or int(match["port"]) > HIGHEST_PORT:
        raise UsageError(
            f"--serve takes a port from 0 to {HIGHEST_PORT}, or host:port, not {given!r}. Try --serve 8765."
        )
    return ServerAddress((match["host"] or LOOPBACK).strip("[]"), int(match["port"]))


def bound(address: ServerAddress) -> socket.socket:
    """A socket that listens there.

    Raises:
        UsageError: the port is taken or not allowed, or the host is not one of this machine.
    """
    try:
        family, kind, protocol, _, place = socket.getaddrinfo(address.host, address.port, type=socket.SOCK_STREAM)[0]
    except OSError as error:
        raise UsageError(
            _format_refusal(address, f"{address.host} is no known host", "Name this machine by number")
        ) from error
    listener = socket.socket(family, kind, protocol)
    try:
        if os.name == "posix":  # so that a server that was just ended can be started again; elsewhere it means sharing
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(place)
        listener.listen(WAITING_CONNECTIONS)
    except OSError as error:
        listener.close()
        raise UsageError(_explain_refusal(address, error)) from error
    return listener


def _explain_refusal(address: ServerAddress, error: OSError) -> str:
    if error.errno == errno.EADDRINUSE:
        return _format_refusal(address, f"port {address.port} is taken", "Name another one, or 0 for any that is free")
    if error.errno == errno.EACCES:
        return _format_refusal(address, f"port {address.port} is for administrators", "Name one from 1024 on")
    if error.errno == errno.EADDRNOTAVAIL:
        return _format_refusal(
            address, f"{address.host} is not an address of this machine", "0.0.0.0 stands for all it has"
        )
    return _format_refusal(address, error.strerror or str(error), "Name another host or port")


def _format_refusal(address: ServerAddress, reason: str, cure: str) -> str:
    return f"Cannot serve at {address.host}:{address.port}: {reason}. {cure}."
