"""A recording opens like any file: by its folder, its file, its lines or its URL, while it is written or after."""

from __future__ import annotations

import json

import pytest
from command_line import run
from hypothesis import given
from hypothesis import strategies as st
from postgres_cluster import on_postgres
from recorded_app import RecordedApp
from recorded_chats import Chat

from historylab import Settings, load, replay
from historylab.conversation.recorded import sent_share
from historylab.costs.proposal import proposed_settings
from historylab.costs.reported import against_reported
from historylab.errors import LoadError
from historylab.formats.files.folders import files_at
from historylab.formats.files.pieces import split_file
from historylab.recordings import open_recording
from historylab.recordings.recorder import Recorder
from historylab.recordings.sent_plans import decided_otherwise, sent_plans
from historylab.stores.memory import InMemoryStore

CUT = Settings(policy="all", pruner="fifo", budget=300, counter="chars/4")


@pytest.fixture
def folder(tmp_path):
    """A recording of two chats."""
    store = open_recording(tmp_path / "mine")
    recorder = Recorder(store)
    for chat in (Chat(), Chat(system="be kind")):
        for text in ("one", "two"):
            assert recorder.record(chat.exchange(f"{chat.system}: {text}"), 30)
    recorder.close()
    yield tmp_path / "mine"
    store.close()


def test_a_folder_that_is_being_written_loads_with_all_there_is(folder):
    assert (folder / "historylab.db-wal").stat().st_size > 0
    for place in (folder, folder / "historylab.db"):
        loaded = load(place)
        assert loaded.report.member == "historylab_requests"
        assert [len(conversation) for conversation in loaded] == [5, 5]
    assert files_at(str(folder)) == [str(folder / "historylab.db")]


def test_a_folder_without_a_recording_or_a_transcript_is_refused(tmp_path):
    with pytest.raises(LoadError, match="no transcript is in this folder"):
        load(tmp_path)


@pytest.mark.parametrize("by", ["folder", "file", "url"])
def test_commands_take_a_recording_where_they_take_a_file(folder, by, capsys):
    place = {"folder": folder, "file": folder / "historylab.db", "url": f"sqlite:///{folder}/historylab.db"}[by]
    code, out, err = run(capsys, "show", str(place))
    assert (code, err) == (0, "")
    assert "HistoryLab recordings" in out
    assert run(capsys, "check", str(place), "--that", "never over the budget")[0] == 0
    code, out, _ = run(capsys, "convert", str(place), "--to", "chat_completions")
    assert code == 0
    assert "be kind: two" in out


@pytest.mark.parametrize("marks", [pytest.param((), marks=on_postgres)])
def test_a_database_on_a_server_is_taken_by_its_url(marks, postgres, capsys):
    url = postgres.place()
    store = open_recording(url)
    recorder = Recorder(store)
    assert recorder.record(Chat().exchange("hello"), 30)
    recorder.close()
    store.close()
    code, out, _ = run(capsys, "show", url)
    assert (code, "HistoryLab recordings: 3 records" in out) == (0, True)


def test_no_error_repeats_the_password_of_a_url(capsys):
    for url in ("postgresql://me:hunter2@127.0.0.1:1/none?connect_timeout=1", "postgresql://me:hunter2@[nowhere/x"):
        code, out, err = run(capsys, "show", url)
        assert code == 1
        assert err
        assert "hunter2" not in out + err


def test_a_large_recording_is_read_as_a_whole(tmp_path):
    store = InMemoryStore()
    recorder, chat = Recorder(store), Chat()
    for k in range(30):
        assert recorder.record(chat.exchange(f"{k} {'word ' * 300}"), 30)
    recorder.close()
    path = tmp_path / "large.jsonl"
    path.write_text("".join(f"{record.text}\n" for record in store.read_records()))
    assert len(split_file(str(path), most=10_000)) == 1


def lines_of(app: RecordedApp) -> list[dict]:
    return [json.loads(record.text) for record in app.store.read_records()]


def loaded_from(lines: list) -> list:
    return load("".join(f"{line if isinstance(line, str) else json.dumps(line)}\n" for line in lines).encode())


@pytest.fixture
def app(monkeypatch):
    """An app whose requests were cut, with an answer's usage of 50 tokens and what was sent."""
    app = RecordedApp(InMemoryStore(), "chat_completions", CUT, monkeypatch)
    for k in range(24):
        app.ask(20 + k % 5)
    app.close()
    return app


def with_usage(lines: list[dict], overhead: int = 50) -> list[dict]:
    """The lines, with a provider that counted what was sent, and `overhead` beside it."""
    for line in lines:
        sent = overhead + line["plan"]["tokens"]
        line["response"]["usage"] = {"prompt_tokens": sent, "completion_tokens": 5, "total_tokens": sent + 5}
    return lines


def test_usage_is_compared_with_what_was_sent_and_never_with_the_whole_history(app):
    (conversation,) = loaded_from(with_usage(lines_of(app)))
    shares = [sent_share(message) for message in conversation if message.role == "assistant"]
    assert shares[0] == 1 > shares[-1]
    proposal = proposed_settings(conversation)
    assert proposal.values["overhead"] <= 100
    assert 0.5 < proposal.values.get("counter_factor", 1) < 2
    untouched = with_usage(lines_of(app))
    for line in untouched:
        line["mode"] = "audit"
    misread = proposed_settings(loaded_from(untouched)[0])
    assert misread.calibration is None or not misread.calibration.good


def test_the_bill_leaves_out_requests_that_were_not_sent_whole(app):
    (conversation,) = loaded_from(with_usage(lines_of(app), overhead=0))
    found = against_reported(replay(conversation, Settings(model="gpt-4o")))
    whole = [message for message in conversation if message.role == "assistant" and sent_share(message) == 1]
    assert found.requests == len(whole) < found.of


class Writer:
    """A summarizer that never writes the same twice, as a model does."""

    name, offline, written = "a model", False, 0

    def summarize(self, task) -> str:
        Writer.written += 1
        return f"Summary no. {Writer.written} of {len(task.messages)}."


def test_a_replay_sends_the_summaries_that_were_sent_and_asks_for_none(monkeypatch):
    under = CUT.replace(pruner="summarize", summarizer="model")
    with monkeypatch.context() as recording:
        recording.setattr("historylab.summarizers.base.open_summarizer", lambda *_, **__: Writer())
        app = RecordedApp(InMemoryStore(), "chat_completions", under, recording)
        for step in (app.ask, app.use_tool, app.ask, app.ask, app.edit, app.ask, app.ask):
            step(25)
        app.restart()
        app.ask(30)
        app.close()
    assert Writer.written > 1
    (conversation,) = loaded_from(lines_of(app))
    found = sent_plans(conversation)
    for timeline in (replay(conversation, under), found.timeline):
        assert timeline.plans[-1].summary.text == app.plans[-1].summary.text
    assert found.otherwise == ()


def test_what_was_redacted_is_told_by_the_requests_that_differ(monkeypatch):
    app = RecordedApp(InMemoryStore(), "chat_completions", CUT, monkeypatch)
    app.recorder.close()
    app.recorder = Recorder(app.store, redact=["word"], keep_days=None)
    for _ in range(8):
        app.ask(30)
    app.close()
    (conversation,) = loaded = loaded_from(lines_of(app))
    assert "word" not in str([message.content for message in conversation])
    assert (
        loaded.report.warnings["a request of which keys or other secrets are left out, [redacted] in their place"].count
        > 1
    )
    found = sent_plans(conversation)
    assert found.timeline.settings == CUT
    assert found.otherwise == ()  # it is drawn as it was decided
    assert decided_otherwise(conversation)


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
FIELDS = ["historylab", "version", "id", "conversation", "after", "same", "leading", "unchanged", "api", "app"]
FIELDS += ["started", "seconds", "request", "response", "status", "error", "mode", "settings", "plan", "untrimmed"]
FIELDS += ["state", "redacted", "tags", "title"]


@given(changes=st.lists(st.tuples(st.integers(0, 8), st.sampled_from(FIELDS), anything), max_size=4))
def test_whatever_a_line_holds_only_our_errors_come_of_it(hostile_lines, changes):
    lines = [dict(line) for line in hostile_lines]
    for number, field, value in changes:
        lines[number % len(lines)][field] = value
    try:
        for conversation in loaded_from(lines):
            sent_plans(conversation)
            proposed_settings(conversation)
    except LoadError as problem:
        assert "\n" not in str(problem)


@pytest.fixture(scope="module")
def hostile_lines():
    with pytest.MonkeyPatch.context() as patched:
        app = RecordedApp(InMemoryStore(), "anthropic", CUT, patched)
        for step in (app.ask, app.use_tool, app.fail):
            step(12)
        app.close()
    tags = {"historylab": "tags", "tags": ["a"], "conversation": lines_of(app)[0]["conversation"]}
    return [*lines_of(app), tags, {**tags, "historylab": "title", "title": "T"}, {"historylab": "proxy"}]
