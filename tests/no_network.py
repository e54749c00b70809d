"""The network is out of reach of the tests: an audit hook refuses every address but local ones.

Sockets within a machine go on working: of a browser, of a notebook's kernel, of a test's own.
"""

import ipaddress

import pytest

# Events of CPython's audit table, and which argument holds an address or the name of a host.
REACHING = {
    "socket.connect": 1, "socket.sendto": 1, "socket.sendmsg": 1, "socket.getaddrinfo": 0,
    "socket.gethostbyname": 0,
}  # fmt: skip


def refuse(event, arguments) -> None:
    """Fail the test that asks for an address outside of this machine (an audit hook).

    What ``pytest.fail`` raises is no ``Exception``: code that survives a lost network fails too.
    """
    if event in REACHING and not is_local(arguments[REACHING[event]]):
        pytest.fail(f"a test reached for the network: {event} {arguments[REACHING[event]]!r}")


def is_local(address) -> bool:
    """Whether an address, or the name of a host, is this machine's own.

    >>> [is_local(each) for each in ("/run/socket", None, "localhost", ("127.0.0.1", 80))]
    [True, True, True, True]
    >>> [is_local(each) for each in ("example.org", ("192.0.2.1", 80), ("2001:db8::1", 80, 0, 0))]
    [False, False, False]
    """
    if isinstance(address, tuple):
        host = address[0]
    elif address is None or "/" in (name := _text(address)) or name.startswith("\0"):
        return True  # any address of this machine, or a Unix socket
    else:
        host = name
    try:
        return ipaddress.ip_address(_text(host).partition("%")[0]).is_loopback
    except ValueError:
        return _text(host) in ("", "localhost")


def _text(value) -> str:
    return value.decode("latin-1") if isinstance(value, (bytes, bytearray)) else str(value)
