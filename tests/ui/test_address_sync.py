"""AddressSync: which side wins for each browser event in its table, without a browser."""

from __future__ import annotations

import pytest

from historylab.ui.session.address_sync import MOST_EARLIER, AddressSync

FIRST, SECOND, FOREIGN = {"historyLength": "5"}, {"historyLength": "2"}, {"historyLength": "7"}


def after_a_change() -> AddressSync:
    """The playground opened at FIRST; a click there made us write SECOND."""
    sync = AddressSync()
    assert sync.receive("playground", FIRST)
    sync.write(FIRST)
    sync.click()
    assert not sync.receive("playground", FIRST)
    sync.write(SECOND)
    return sync


CASES = {
    "a rerun": (SECOND, False, "playground", "state"),
    "a reload at another address": (FOREIGN, False, "playground", "address"),
    "a click": (SECOND, True, "playground", "state"),
    "a click before our last address arrived": (FIRST, True, "playground", "state"),
    "a click at an address we never wrote": (FOREIGN, True, "playground", "state"),
    "Back": (FIRST, False, "playground", "address"),
    "a link to another page": (SECOND, False, "settings", "state"),
    "a link to another page, drawn before a click": (FIRST, False, "settings", "state"),
    "a link to another page, which comes with a click": (SECOND, True, "settings", "state"),
    "a typed address of another page": (FOREIGN, False, "settings", "address"),
    "an address without parameters": ({}, False, "playground", "address"),
}


@pytest.mark.parametrize(("address", "clicked", "page", "wins"), CASES.values(), ids=CASES)
def test_who_wins(address, clicked, page, wins):
    sync = after_a_change()
    if clicked:
        sync.click()
    assert sync.receive(page, address) == (wins == "address")


@pytest.mark.parametrize("address", [{}, FIRST])
def test_the_first_load_follows_the_address_even_an_empty_one(address):
    assert AddressSync().receive("playground", address)


def test_a_click_counts_once():
    sync = after_a_change()
    sync.click()
    assert not sync.receive("playground", FIRST)
    assert sync.receive("playground", FIRST)  # now it is Back


def test_back_and_forward_again():
    sync = after_a_change()
    assert sync.receive("playground", FIRST)
    sync.write(FIRST)
    assert sync.receive("playground", SECOND)


def test_a_late_link_stays_late_on_the_page_after_it():
    sync = after_a_change()
    assert not sync.receive("settings", FIRST)
    sync.write(SECOND)
    assert not sync.receive("playground", FIRST)


def test_writing_the_same_again_makes_it_no_earlier_one():
    sync = AddressSync()
    sync.receive("playground", FIRST)
    sync.write(FIRST)
    sync.write(FIRST)
    assert sync.earlier == []


def test_only_the_newest_addresses_are_remembered():
    sync = AddressSync()
    for length in range(MOST_EARLIER + 5):
        sync.write({"historyLength": str(length)})
    assert len(sync.earlier) == MOST_EARLIER
    assert sync.earlier[-1] == {"historyLength": str(MOST_EARLIER + 3)}
