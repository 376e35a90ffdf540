"""A recording that is watched: lists follow what is written, and only new lines are read."""

from __future__ import annotations

from dataclasses import replace

import pytest
from live_recording import recording

from historylab.formats.load import load
from historylab.recordings.entries import FIRST_WORDS
from historylab.recordings.exchange import make_line
from historylab.recordings.watch import FORMAT, Watch
from historylab.stores.base import Record, open_store


class CountingStore:
    """A store that counts the records it is read of."""

    def __init__(self, store):
        self.store, self.read = store, 0

    def read_records(self, **asked):
        found = self.store.read_records(**asked)
        self.read += len(found)
        return found

    def __getattr__(self, name):
        return getattr(self.store, name)


@pytest.fixture
def store():
    return CountingStore(open_store("memory://"))


def said(store, conversation: str, text: str = "When does the ferry leave?", *, at: float = 1000, **fields) -> int:
    """A line of a request, as a proxy writes it."""
    body = {"messages": [{"role": "system", "content": "x"}, {"role": "user", "content": text}]}
    response = {"model": "gpt-5.5", "choices": [{"message": {"role": "assistant", "content": "ok"}}]}
    line = {"conversation": conversation, "app": "desk", "request": body, "response": response, "status": 200, **fields}
    return store.append_records([Record(conversation, at, make_line("request", **line))])


def ids(watch: Watch, most: int = 10) -> list[str]:
    return [one.id for one in watch.newest(most)]


def test_the_conversation_with_the_newest_line_is_first(store):
    watch = Watch(store)
    assert (watch.poll(), ids(watch)) == (0, [])
    said(store, "a")
    said(store, "b")
    assert ids(watch) == ["b", "a"]
    last = said(store, "a")
    assert watch.poll() == last
    assert ids(watch) == ["a", "b"]
    assert ids(watch, 1) == ["a"]


def test_a_list_says_app_model_requests_and_when_the_last_ended(store):
    said(store, "a", "  Is it\nlate? " + "x" * 99, at=1000, seconds=1.5)
    (one,) = Watch(store).newest(10)
    assert (one.app, one.models, len(one.requests), one.last_at) == ("desk", ("gpt-5.5",), 1, 1001.5)
    assert one.title.startswith("Is it late? x")
    assert len(one.title) == FIRST_WORDS


def test_the_title_that_was_given_counts(store):
    watch = Watch(store)
    said(store, "a")
    assert watch.find("a").title == "When does the ferry leave?"
    store.append_records([Record("a", 1001, make_line("title", title="Ferries"))])
    watch.poll()
    said(store, "a", "And back?")
    assert watch.newest(1)[0].title == "Ferries"


@pytest.mark.parametrize(
    "content",
    ["hi", [{"type": "text", "text": "hi"}], [{"type": "image_url"}, {"type": "text", "text": "hi"}], ["hi"]],
)
def test_the_first_words_of_a_user_are_found_in_any_api(store, content):
    said(store, "a", request={"messages": [{"role": "user", "content": content}]})
    said(store, "b", request={"input": [{"role": "user", "content": content}]})
    assert [one.title for one in Watch(store).newest(2)] == ["hi", "hi"]


def test_what_is_no_request_of_ours_is_no_request(store):
    for text in ("{", "[]", '{"historylab": "tags"}', '{"historylab": "request", "request": 7, "status": "x"}'):
        store.append_records([Record("a", 1000, text)])
    (one,) = Watch(store).newest(1)
    assert (one.title, one.app, one.models, len(one.requests)) == ("", "", (), 1)


def test_a_fault_is_what_failed_or_was_refused(store):
    for fields in ({}, {"status": 429}, {"status": 0, "error": "the upstream is gone"}):
        said(store, "a", **fields)
    assert [one.failure for one in Watch(store).find("a").requests] == ["", "status 429", "the upstream is gone"]


def test_a_look_at_ten_thousand_lines_reads_none_of_them_again(store):
    for number in range(100):
        store.append_records([Record(f"c-{number}", 1000, make_line("tags", tags=["x"])) for _ in range(100)])
    watch = Watch(store)
    watch.newest(3)
    assert store.read <= 300
    store.read = 0
    watch.poll()
    assert store.read == 0
    said(store, "c-99")
    watch.newest(3)
    assert store.read == 1


def test_a_new_line_of_a_conversation_that_is_read_is_read_once(store):
    watch = Watch(store)
    said(store, "a", version=1, api="chat_completions")
    watch.conversations("a")
    said(store, "a", "And back?", version=1, api="chat_completions", at=2000)
    watch.poll()
    store.read = 0
    read = watch.conversations("a")
    assert (store.read, len(watch.find("a").requests), len(read)) == (0, 2, 2)


def test_a_line_is_counted_once_whenever_it_comes(store):
    watch = Watch(store)
    watch.poll()
    said(store, "a")
    assert len(watch.find("a").requests) == 1  # before the next poll, which finds that line again
    watch.poll()
    assert len(watch.find("a").requests) == 1


def test_what_was_deleted_is_listed_no_more(store):
    watch = Watch(store)
    said(store, "a")
    said(store, "b")
    assert ids(watch) == ["b", "a"]
    store.delete_conversations(["b"])
    assert ids(watch) == ["a"]
    assert watch.find("b") is None


def test_the_newest_line_of_a_proxy_counts_and_is_no_conversation(store):
    watch = Watch(store)
    for mode in ("trim", "audit"):
        line = make_line("proxy", mode=mode, settings={"budget": 500}, settings_file="/a/b.env", upstream="https://x")
        store.append_records([Record("", 1000, line)])
        watch.poll()
    found = watch.proxy
    assert (found.mode, found.settings, found.settings_file, found.upstream) == (
        "audit",
        {"budget": 500},
        "/a/b.env",
        "https://x",
    )
    assert ids(watch) == []


def test_a_conversation_that_is_read_as_it_grows_is_the_one_its_whole_file_has(tmp_path):
    with recording(tmp_path) as proxy:
        watch, app = Watch(proxy.store._store), proxy.app()

        def edited():
            del app.messages[3:]
            app.ask("Is there another one?")

        def late():
            proxy.recorder._store.append_records([replace(first, at=first.at + 9)])

        app.ask()
        (first,) = (record for record in watch.store.read_records() if record.conversation)
        steps = [app.ask, app.ask, edited, app.ask, lambda: app.ask(status=429, response={}, error="busy"), late]
        steps += [lambda: proxy.recorder.note("title", first.conversation, title="Ferries"), app.ask]
        for step in steps:
            step()
            watch.poll()
            grown, whole = watch.conversations(first.conversation), load(watch.file(first.conversation), FORMAT)
            assert [seen_of(one) for one in grown] == [seen_of(one) for one in whole]
            assert tallies(grown.report) == tallies(whole.report)


def seen_of(conversation) -> tuple:
    branches = [seen_of(branch) for branch in conversation.branches]
    return conversation.title, conversation.messages, conversation.metadata, branches


def tallies(report) -> tuple:
    kinds = (report.skipped, report.warnings, report.kept)
    counts = [{reason: tally.count for reason, tally in kind.items()} for kind in kinds]
    return report.counts, report.messages, report.conversations, counts
