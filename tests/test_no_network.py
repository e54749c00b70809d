"""No test reaches the network, and what talks within this machine goes on working."""

import socket

import pytest


@pytest.mark.parametrize("address", [("192.0.2.1", 80), ("2001:db8::1", 80), ("example.org", 80)])
def test_an_address_outside_is_refused(address) -> None:
    with pytest.raises(pytest.fail.Exception, match="a test reached for the network"):
        socket.create_connection(address, timeout=None)


def test_this_machine_can_be_reached() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        client = socket.create_connection(("localhost", server.getsockname()[1]))
        accepted, _ = server.accept()
        accepted.sendall(b"here")
        accepted.close()
        assert client.recv(4) == b"here"
        client.close()
