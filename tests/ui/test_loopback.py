"""Files of the machine are listed only for a reader who sits at it."""

from __future__ import annotations

import pytest

from historylab.ui.server.loopback import is_local


@pytest.mark.parametrize("host", ["localhost:8501", "127.0.0.1:8501", "[::1]:8501", "LOCALHOST"])
def test_loopback_by_any_of_its_names_is_this_machine(host):
    assert is_local("127.0.0.1", {"host": host})


@pytest.mark.parametrize("address", ["0.0.0.0", "192.0.2.7", "", "::", "lab.example"])
def test_a_server_that_others_can_reach_is_not(address):
    assert not is_local(address, {"host": "localhost:8501"})


@pytest.mark.parametrize(
    "host", ["lab.example", "localhost.lab.example", "127.0.0.1.example:80", "[::1", "", "10.0.0.1"]
)
def test_nor_is_one_that_was_asked_by_another_name(host):
    assert not is_local("127.0.0.1", {"host": host})


@pytest.mark.parametrize("name", ["forwarded", "via", "x-forwarded-for", "x-forwarded-host", "x-real-ip"])
def test_nor_one_behind_a_proxy(name):
    assert not is_local("127.0.0.1", {"host": "localhost", name: "127.0.0.1"})
    assert not is_local("127.0.0.1", {"host": "localhost"}, ["https://lab.example"])
