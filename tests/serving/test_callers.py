"""By which name a server was asked, and whether a page of another site asked."""

from __future__ import annotations

import pytest
from starlette.datastructures import Headers

from historylab.serving.callers import asked_by_other_site, host_name, is_loopback


@pytest.mark.parametrize(
    ("address", "name"),
    [
        *(
            ("localhost:8501", "localhost"),
            ("LAB.example.", "lab.example"),
            ("[::1]:9", "::1"),
            ("10.0.0.1", "10.0.0.1"),
        ),
        *(("", ""), ("[::1", ""), ("a@b", ""), ("a:port", ""), ("a/b", ""), ("a?b", ""), ("a#b", ""), ("a:99999", "")),
    ],
)
def test_a_name_is_read_without_its_port_and_only_from_an_address(address, name):
    assert host_name(address) == name


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "127.9.9.9", "::1"])
def test_every_name_of_this_machine_is_loopback(host):
    assert is_loopback(host) and not is_loopback(f"{host}.example")


@pytest.mark.parametrize(
    ("headers", "foreign"),
    [
        ({}, False),
        ({"origin": "http://lab:1"}, False),
        ({"origin": "http://lab:2"}, True),
        ({"origin": "null"}, True),
        ({"origin": "https://listed.example"}, False),
        ({"sec-fetch-site": "same-origin"}, False),
        ({"sec-fetch-site": "cross-site"}, True),
        ({"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate"}, False),
        ({"sec-fetch-mode": "cors"}, False),  # Node's fetch
    ],
)
def test_pages_of_other_sites_are_told_from_programs_and_own_pages(headers, foreign):
    assert asked_by_other_site(Headers({"host": "lab:1", **headers}), "https://listed.example".__eq__) is foreign
