"""Sweeps: the same table wherever the work is done, each message counted once, nothing lost with a worker."""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from pandas.testing import assert_frame_equal

from historylab import Conversation, Message, Settings, as_sent, generate, registry, replay
from historylab.conversation.message import Usage
from historylab.conversation.sent import SentHistory, sent_metadata
from historylab.costs.bill import against_untrimmed
from historylab.costs.proposal import adopt_recorded
from historylab.counters.exact import ExactCounter
from historylab.errors import HistoryLabError, LoadError, SettingsError
from historylab.formats.messages.chat_messages import to_record
from historylab.planning.reasons import reason
from historylab.recall.retention import retention
from historylab.tuning import jobs, lanes
from historylab.tuning.measures import COLUMNS
from historylab.tuning.recommend import recommend
from historylab.tuning.replayed import AS_SENT, MeasureOptions
from historylab.tuning.sweep import grid, sweep
from historylab.tuning.table import read_table, settings_of

CHATS = [generate("support_desk", turns=8, seed=1), generate("coding_agent", turns=6, seed=2)]
CANDIDATES = grid(Settings(), budget=[600, 3000], pruner=["fifo", "summarize"], tool_output=["off", "clear"])


OLDER = reason("a test's older", "Older than the newest blocks.", setting="length")
IN_PROCESSES = [pytest.mark.slow, pytest.mark.xdist_group("processes")]


@pytest.fixture(scope="module")
def table():
    return sweep(CHATS, CANDIDATES)


# -- the table


def test_a_row_for_every_conversation_and_settings(table):
    assert len(table) == len(CHATS) * len(CANDIDATES)
    assert list(table["title"].unique()) == [c.title for c in CHATS]
    assert set(COLUMNS) < set(table.columns)
    assert [n for n in table.columns if n in ("budget", "pruner", "tool_output", "policy")] == [
        "pruner", "budget", "tool_output",
    ]  # fmt: skip


def test_its_figures_are_those_of_the_replays(table):
    for _, row in table.iterrows():
        settings = settings_of(row)
        assert settings == CANDIDATES[row.candidate]
        timeline = replay(CHATS[row.conversation], settings)
        assert row.tokens_mean == timeline.tokens.mean()
        assert row.tokens_peak == timeline.tokens.max()
        assert row.over_budget == timeline.over_budget.sum()
        assert row.references_kept == pytest.approx(retention(timeline).references.share, nan_ok=True)
        assert row.cost_automatic == pytest.approx(float(against_untrimmed(timeline, "automatic").bill.total))
        assert row.ratio_explicit == pytest.approx(against_untrimmed(timeline, "explicit").ratio)
        assert row.rejected == 0


def test_every_message_is_counted_once_whatever_is_swept(monkeypatch):
    counted = []
    count = ExactCounter.count
    monkeypatch.setattr(ExactCounter, "count", lambda self, m: (counted.append(len(m)), count(self, m))[1])
    fresh = Conversation(CHATS[0].messages)
    sweep(fresh, grid(Settings(), budget=[200, 400, 800], pruner=["fifo", "sliding_window", "relevance"]))
    assert counted == [len(fresh)]


def test_settings_that_differ_only_in_what_they_do_not_use_are_measured_once(monkeypatch):
    measured = []
    measure = lanes.measure
    monkeypatch.setattr(lanes, "measure", lambda *given: (measured.append(given[0].settings), measure(*given))[1])
    found = sweep(
        CHATS[0], grid(Settings(budget=90), pruner=["fifo", "pairs"], **{"pruner.fifo.unit": ["turn", "block"]})
    )
    assert (len(found), len(measured)) == (4, 1)  # those of `fifo` are counted without a replay


def test_stars_questions_and_prices_reach_the_measures():
    found = sweep(
        CHATS[0], [Settings(budget=300), Settings(policy="all", pruner="off")], stars=[1], questions=["order?"]
    )
    assert list(found["stars"]) == [1, 1]
    assert list(found["stars_kept"]) == [0, 1]
    assert found["questions_kept"][1] == 1
    unknown = sweep(CHATS[0], [Settings(model="nobodys-model")])
    assert np.isnan(unknown["cost_none"][0])


def test_without_settings_there_is_nothing_to_sweep():
    with pytest.raises(SettingsError, match="no settings"):
        sweep(CHATS, [])


def test_progress_counts_pairs_and_cancelling_leaves_what_is_done():
    seen = []
    sweep(CHATS, CANDIDATES, progress=lambda done, total: seen.append((done, total)))
    assert seen[0] == (1, 16)
    assert seen[-1] == (16, 16)
    some = sweep(CHATS, CANDIDATES, progress=lambda done, total: seen.append(done), cancelled=lambda: seen[-1] == 3)
    assert (len(some), some.attrs["cancelled"]) == (3, True)


# -- elsewhere


@pytest.fixture
def executor(request):
    """Where the work is done: None is in this process."""
    match request.param:
        case "threads":
            with ThreadPoolExecutor(2) as threads:
                yield threads
        case "processes":
            yield request.getfixturevalue("two_processes")
        case _:
            yield None


HERE_OR_THREADS = pytest.mark.parametrize("executor", ["here", "threads"], indirect=True)
ANYWHERE = ["here", "threads", pytest.param("processes", marks=IN_PROCESSES)]


@pytest.mark.slow
@pytest.mark.xdist_group("processes")
def test_two_processes_give_the_identical_table(table, two_processes):
    seen = []
    there = {"executor": two_processes, "workers": 2, "progress": lambda *now: seen.append(now)}
    assert_frame_equal(table, sweep(CHATS, CANDIDATES, **there))
    assert seen[-1] == (16, 16)


@pytest.mark.parametrize("conversations, shares", [(1, 8), (3, 4), (4, 1), (40, 1), (400, 1)])
def test_too_few_conversations_are_shared_out_by_settings_too(conversations, shares):
    job, every = jobs.Job(tuple(CANDIDATES), MeasureOptions()), tuple(range(len(CANDIDATES)))
    todo = [jobs.SourceTask(n, str(n), CHATS[0], every) for n in range(conversations)]
    given = list(jobs.split_into_batches(todo, job, jobs.Destination(("",) * len(every)), workers=2))
    pairs = sorted((one.number, c) for batch in given for one in batch.wanted for c in one.candidates)
    assert pairs == [(number, c) for number in range(conversations) for c in every]
    assert len({one.candidates for batch in given for one in batch.wanted}) == shares
    assert all(sum(len(one.candidates) for one in batch.wanted) <= jobs.MOST_TOGETHER for batch in given)


def test_an_executor_handed_in_gives_the_identical_table_and_stays_open(table):
    with ThreadPoolExecutor(2) as executor:
        assert_frame_equal(table, sweep(CHATS, CANDIDATES, executor=executor))
        assert executor.submit(len, "open").result() == 4


@pytest.mark.slow
@pytest.mark.xdist_group("dask")
def test_a_dask_cluster_over_tcp_gives_the_identical_table(tmp_path, dask_workers):
    paths = [write_lines(tmp_path / f"{k}.jsonl", [chat]) for k, chat in enumerate(CHATS)]
    paths.append(missing := str(tmp_path / "missing.jsonl"))
    here = sweep(paths, CANDIDATES)
    there = sweep(paths, CANDIDATES, executor=dask_workers, workers=2)
    assert_frame_equal(here, there)
    assert here.attrs == there.attrs
    assert missing in there.attrs["skipped"][missing]


def test_cancelling_processes_stops_them():
    some = sweep(CHATS, CANDIDATES, workers=2, cancelled=lambda: True)
    assert len(some) == 0


@pytest.mark.parametrize("executor", ANYWHERE, indirect=True)
def test_what_is_wrong_with_settings_is_reported_wherever_it_happens(executor):
    with pytest.raises(HistoryLabError, match="window of 'nobodys-model' is not known"):
        sweep(CHATS, [Settings(compaction="at_threshold", model="nobodys-model")], executor=executor)


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs a signal no process survives")
def test_a_sweep_survives_a_killed_process(table):
    others, killed = set(multiprocessing.active_children()), []

    def kill_one(*_: int) -> None:
        if not killed:
            (own, *_rest) = set(multiprocessing.active_children()) - others
            killed.append(own.pid)
            os.kill(killed[0], signal.SIGKILL)

    assert_frame_equal(table, sweep(CHATS, CANDIDATES, workers=2, progress=kill_one))


# -- files


@pytest.fixture
def mixed(tmp_path):
    """Two files that can be read, among three that can't."""
    files = {"notes.md": b"# Notes\n", "broken.parquet": b"PAR1 not one", "index.json": b'[{"file": "a.json"}]'}
    for name, data in files.items():
        (tmp_path / name).write_bytes(data)
    good = [write_lines(tmp_path / f"chat {k}.jsonl", [chat]) for k, chat in enumerate(CHATS)]
    return [str(tmp_path / "notes.md"), good[0], *(str(tmp_path / name) for name in [*files][1:]), good[1]]


@pytest.mark.parametrize("executor", ANYWHERE, indirect=True)
def test_an_unreadable_file_is_skipped_and_named_wherever_the_work_is_done(mixed, table, executor):
    seen = []
    found = sweep(mixed, CANDIDATES, executor=executor, progress=lambda *now: seen.append(now))
    assert_frame_equal(found.drop(columns=["file", "title"]), table.drop(columns=["file", "title"]))
    assert list(found.attrs["skipped"]) == [mixed[0], *mixed[2:4]]
    assert all(path in why for path, why in found.attrs["skipped"].items())
    assert seen[-1] == (len(table), len(table))


@pytest.mark.parametrize("executor", ANYWHERE, indirect=True)
def test_a_file_read_in_part_is_named_with_how_much_of_it(tmp_path, executor):
    whole, partly = write_lines(tmp_path / "whole.jsonl", CHATS[:1]), write_lines(tmp_path / "partly.jsonl", CHATS[:1])
    with open(partly, "a", encoding="utf-8") as file:
        file.write('{"messages": [{"role": "user", "content": ""}, 5]}\nno JSON\n')
    assert sweep([whole, partly], CANDIDATES, executor=executor).attrs["partly_read"] == {partly: 3}


@HERE_OR_THREADS
def test_strictly_the_first_unreadable_file_ends_it(mixed, executor):
    with pytest.raises(LoadError, match=r"in no format|Parquet"):
        sweep(mixed, CANDIDATES, executor=executor, strict=True)


@HERE_OR_THREADS
def test_when_no_file_can_be_read_there_is_no_table(mixed, executor):
    with pytest.raises(LoadError, match="no-such-file"):
        sweep(["no-such-file.json"], CANDIDATES, executor=executor)
    with pytest.raises(LoadError, match=r"none of the 2 files could be read: .*notes.md: .*; .*broken.parquet"):
        sweep([mixed[0], mixed[2]], CANDIDATES, executor=executor)


def write_lines(path, chats) -> str:
    lines = [json.dumps({"title": c.title, "messages": [to_record(m) for m in c]}) for c in chats]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return str(path)


def test_a_file_of_many_conversations_is_swept_like_the_conversations(tmp_path, table):
    path = write_lines(tmp_path / "many.jsonl", CHATS)
    seen = []
    found = sweep(path, CANDIDATES, progress=lambda *now: seen.append(now))
    assert_frame_equal(found.drop(columns="file"), table.drop(columns="file"))
    assert seen[-1] == (16, 16)
    assert set(found["file"]) == {path}


def test_a_folder_is_swept_like_the_files_in_it(tmp_path, table, monkeypatch):
    """Those below it too, each in pieces; hidden ones are left out."""
    monkeypatch.setattr("historylab.tuning.corpus.SOURCE_BYTES", 100)
    for place, chat in zip(["a", "b/c", ".hidden"], [*CHATS, CHATS[0]], strict=True):
        (tmp_path / place).mkdir(parents=True)
        write_lines(tmp_path / place / "chat.jsonl", [chat])
    found = sweep(tmp_path, CANDIDATES)
    assert_frame_equal(found.drop(columns="file"), table.drop(columns="file"))


def test_a_stage_that_does_not_declare_what_it_reads_is_still_measured_under_each_value(monkeypatch):
    def newest(plan, context):
        """Keeps as many blocks as the length says."""
        older = np.arange(plan.history.blocks) < plan.history.blocks - context.settings.length
        return plan.drop(older & ~context.protected(plan), OLDER)

    members = {**registry.members("pruner"), "newest": registry.Member("pruner", "newest", newest, {})}
    monkeypatch.setitem(registry._members, "pruner", members)
    candidates = grid(Settings(policy="all", pruner="newest"), length=[2, 10])
    measured = sweep(CHATS[0], candidates).tokens_total.tolist()
    assert measured == [int(replay(CHATS[0], settings).tokens.sum()) for settings in candidates]
    assert measured[0] < measured[1]


# -- what was really sent


def told(content: str = "so") -> Conversation:
    """Three requests that report their size, the last without the first two messages."""
    turn = [Message("user", "and?"), Message("assistant", content, metadata={"usage": Usage(input=900)})]
    return Conversation(3 * turn, "told", sent_metadata([SentHistory(5, ((2, 5),))]))


def test_what_was_sent_is_a_row_beside_settings_that_are_counted_as_it_was():
    found = sweep(told(), [Settings(policy="all"), Settings(length=1), AS_SENT])
    assert found["settings"].tolist()[2] == "as-sent"
    assert found["tokens_total"].tolist()[2] == as_sent(told()).contexts.sum()
    counted = adopt_recorded(Settings(policy="all"), told())
    assert found["tokens_total"].tolist()[0] == replay(told(), counted).contexts.sum()
    with pytest.raises(SettingsError, match="what was really sent"):
        settings_of(found.iloc[2])


def test_a_conversation_that_says_nothing_of_it_has_a_row_of_unknowns():
    found = sweep([told(), CHATS[0]], [Settings(), AS_SENT])
    assert found["tokens_total"].isna().tolist() == [False, False, False, True]
    assert found["title"].tolist()[3] == CHATS[0].title


def test_a_sweep_with_what_was_sent_goes_on_and_recommends_settings_alone(tmp_path):
    out, candidates = str(tmp_path / "sweep.jsonl"), [Settings(policy="all"), Settings(length=1), AS_SENT]
    first, again = (sweep([told(), told("yes")], candidates, out=out) for _ in range(2))
    assert first.equals(again)
    assert len(recommend(read_table(out), "cheapest").points) == 2
