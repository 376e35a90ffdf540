"""An address that can't be had is refused in a sentence that says what to do."""

from __future__ import annotations

import socket

import pytest

from historylab.serving.address import CannotListen, check_address, listen, url_of


def test_port_0_is_any_free_one():
    with listen("127.0.0.1", 0) as bound:
        assert bound.getsockname()[1] > 0 and bound.proto == socket.IPPROTO_TCP


def test_a_port_that_is_taken_is_named():
    with listen("127.0.0.1", 0) as bound:
        bound.listen()
        with pytest.raises(CannotListen, match="already in use; choose another with --port"):
            check_address("127.0.0.1", bound.getsockname()[1])


@pytest.mark.parametrize("host", ["192.0.2.7", "no such host", ""])
def test_an_address_of_another_machine_is_refused(host):
    with pytest.raises(CannotListen, match="no address of this machine"):
        check_address(host, 0)


@pytest.mark.parametrize(("host", "url"), [("0.0.0.0", "http://localhost:9"), ("::1", "http://[::1]:9")])
def test_a_url_can_be_opened_here(host, url):
    assert url_of(host, 9) == url
