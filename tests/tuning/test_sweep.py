"""Sweeps: the same table wherever the work is done, each message counted once, nothing lost with a worker."""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from importlib.util import find_spec

import crashing_workers
import numpy as np
import pandas
import pytest
from pandas.testing import assert_frame_equal

from historylab import Conversation, Message, Settings, generate, registry, replay
from historylab.costs.bill import against_untrimmed
from historylab.counters.exact import ExactCounter
from historylab.errors import HistoryLabError, LoadError, SettingsError, WorkerLost
from historylab.formats.files.pieces import Piece, split_file
from historylab.formats.messages.chat_messages import to_record
from historylab.planning.reasons import reason
from historylab.recall.retention import retention
from historylab.tuning import jobs
from historylab.tuning.corpus import read_source
from historylab.tuning.executor import TRIES, Workers, run_batches
from historylab.tuning.measures import COLUMNS
from historylab.tuning.replayed import MeasureOptions
from historylab.tuning.sweep import grid, random_search, sweep
from historylab.tuning.table import ENDINGS, read_table, settings_of, write_table

CHATS = [generate("support_desk", turns=8, seed=1), generate("coding_agent", turns=6, seed=2)]
CANDIDATES = grid(Settings(), budget=[600, 3000], pruner=["fifo", "summarize"], tool_output=["off", "clear"])


OLDER = reason("a test's older", "Older than the newest blocks.", setting="length")
IN_PROCESSES = [pytest.mark.slow, pytest.mark.xdist_group("processes")]


@pytest.fixture(scope="module")
def table():
    return sweep(CHATS, CANDIDATES)


# -- candidates


def test_a_grid_is_every_combination_the_last_axis_fastest():
    found = grid(Settings(), budget=[1, 2], **{"pruner.fifo.unit": ["turn", "block"]})
    assert [(s.budget, s.value("pruner.fifo.unit")) for s in found] == [
        (1, "turn"), (1, "block"), (2, "turn"), (2, "block"),
    ]  # fmt: skip
    assert grid(Settings(budget=7)) == [Settings(budget=7)]


@pytest.mark.parametrize(
    "axes", [{"budget": []}, {"pruner": "fifo"}, {"budget": 4000}, {"bugdet": [1]}, {"budget": [-1]}]
)
def test_axes_that_cannot_be_are_refused(axes):
    with pytest.raises(SettingsError, match=next(iter(axes))):
        grid(Settings(), **axes)


def test_a_random_search_is_the_same_for_the_same_seed():
    axes = {"budget": range(100, 10_000), "pruner": ["fifo", "off"]}
    first = random_search(Settings(), 20, 3, **axes)
    assert first == random_search(Settings(), 20, 3, **axes)
    assert first != random_search(Settings(), 20, 4, **axes)
    assert len(set(first)) == 20
    assert len(random_search(Settings(), 20, 3, pruner=["fifo", "off"])) == 2


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
    measure = jobs.measure
    monkeypatch.setattr(jobs, "measure", lambda *given: (measured.append(given[1]), measure(*given))[1])
    found = sweep(CHATS[0], grid(Settings(), pruner=["fifo", "off"], **{"pruner.fifo.unit": ["turn", "block"]}))
    assert (len(found), len(measured)) == (4, 3)


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


@pytest.fixture(scope="session")
def two_processes():
    """One pool for every test that kills none of its processes: each of them imports numpy and pandas anew."""
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn")) as executor:
        yield executor


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
def test_two_processes_give_the_identical_table(table, two_processes, tmp_path):
    seen = []
    there = {"executor": two_processes, "workers": 2, "progress": lambda *now: seen.append(now)}
    assert_frame_equal(table, sweep(CHATS, CANDIDATES, **there))
    assert seen[-1] == (16, 16)
    stopped_then_done(tmp_path, table, CHATS, **there)


def stopped_then_done(folder, expected, conversations, **there) -> None:
    """A sweep into a file that is stopped at its first row has the same table once it is run again."""
    out, ticks = str(folder / "sweep.parquet"), iter([False, False])
    sweep(conversations, CANDIDATES, **there, out=out, cancelled=lambda: next(ticks, True))
    assert_frame_equal(sweep(conversations, CANDIDATES, **there, out=out), expected)


@pytest.mark.parametrize("conversations, shares", [(1, 8), (3, 4), (4, 1), (40, 1), (400, 1)])
def test_too_few_conversations_are_shared_out_by_settings_too(conversations, shares):
    job, every = jobs.Job(tuple(CANDIDATES), MeasureOptions()), tuple(range(len(CANDIDATES)))
    given = list(jobs.split_into_batches([jobs.Part(n, CHATS[0], every) for n in range(conversations)], job, workers=2))
    pairs = sorted((part.number, c) for batch in given for part in batch.parts for c in part.candidates)
    assert pairs == [(number, c) for number in range(conversations) for c in every]
    assert len({part.candidates for batch in given for part in batch.parts}) == shares
    assert all(sum(len(part.candidates) for part in batch.parts) <= jobs.MOST_TOGETHER for batch in given)


def test_an_executor_handed_in_gives_the_identical_table_and_stays_open(table):
    with ThreadPoolExecutor(2) as executor:
        assert_frame_equal(table, sweep(CHATS, CANDIDATES, executor=executor))
        assert executor.submit(len, "open").result() == 4


@pytest.mark.slow
@pytest.mark.skipif(find_spec("distributed") is None, reason="needs Dask: pip install 'historylab[cluster]'")
def test_a_dask_cluster_over_tcp_gives_the_identical_table(tmp_path):
    from distributed import Client, LocalCluster

    paths = [write_lines(tmp_path / f"{k}.jsonl", [chat]) for k, chat in enumerate(CHATS)]
    paths.append(missing := str(tmp_path / "missing.jsonl"))
    cluster = LocalCluster(2, threads_per_worker=1, processes=True, protocol="tcp://", dashboard_address=None)
    with cluster, Client(cluster) as client, client.get_executor() as executor:
        here = sweep(paths, CANDIDATES)
        there = sweep(paths, CANDIDATES, executor=executor, workers=2)
        stopped_then_done(tmp_path, here, paths, executor=executor, workers=2)
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


@pytest.mark.slow
def test_a_lost_worker_loses_no_result(tmp_path):
    numbers = [(str(tmp_path / "died"), n) for n in range(8)]
    with Workers(None, 2) as opened:
        found = dict(run_batches(crashing_workers.die_once, numbers, opened, at_once=4))
    assert sorted(found.values()) == [0, 10, 20, 30, 40, 50, 60, 70]


@pytest.mark.slow
def test_what_workers_have_when_they_are_stopped_is_not_lost(tmp_path):
    marker = str(tmp_path / "begun")
    with Workers(None, 1) as opened:
        stops = {"cancelled": lambda: os.path.exists(marker), "end_early": opened.end_early}
        work = run_batches(crashing_workers.work_until_stopped, [marker], opened, at_once=1, **stops)
        assert list(work) == [(marker, marker)]


@pytest.mark.slow
def test_a_batch_that_kills_every_worker_is_given_up():
    with Workers(None, 1) as opened, pytest.raises(WorkerLost, match=f"failed {TRIES} times"):
        list(run_batches(crashing_workers.always_die, [1], opened, at_once=1))


@pytest.mark.slow
def test_a_broken_executor_that_was_handed_in_is_said_to_be_so():
    executor = ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn"))
    with Workers(executor, 1) as opened, pytest.raises(WorkerLost, match="handed in is broken"):
        list(run_batches(crashing_workers.always_die, [1], opened, at_once=1))


def test_a_bug_is_not_swallowed():
    with ThreadPoolExecutor(1) as executor, pytest.raises(WorkerLost, match="batch 1") as caught:
        list(run_batches(crashing_workers.fail, [1], lambda: executor, at_once=1))
    assert isinstance(caught.value.__cause__, ZeroDivisionError)


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


@pytest.mark.parametrize("size", [100, 4000, 20_000])
def test_pieces_of_a_file_hold_every_line_once(tmp_path, monkeypatch, size):
    chats = [Conversation([Message("user", f"question {n} " * n)], f"chat {n}") for n in range(1, 60)]
    path = write_lines(tmp_path / "corpus.jsonl", chats)
    monkeypatch.setattr("historylab.formats.files.pieces.PIECE_BYTES", size)
    found = split_file(path)
    assert len(found) > 1
    assert [c.title for piece in found for c in read_source(piece)] == [c.title for c in chats]


def test_a_session_of_one_message_a_line_is_never_cut(tmp_path, monkeypatch):
    path = tmp_path / "session.jsonl"
    path.write_text("\n".join(json.dumps(to_record(m)) for m in CHATS[0]), encoding="utf-8")
    monkeypatch.setattr("historylab.formats.files.pieces.PIECE_BYTES", 100)
    assert len(split_file(str(path))) == 1


@pytest.mark.parametrize("as_text", [True, False])
def test_a_parquet_file_is_read_row_group_by_row_group(tmp_path, as_text):
    records = [[to_record(m) for m in c] for c in CHATS]
    columns = {"title": [c.title for c in CHATS], "messages": [json.dumps(r) if as_text else r for r in records]}
    path = tmp_path / "corpus.parquet"
    pandas.DataFrame(columns).to_parquet(path, row_group_size=1)
    found = split_file(str(path))
    assert [(piece.start, piece.stop) for piece in found] == [(0, 1), (1, 2)]
    assert [c for piece in found for c in read_source(piece)] == CHATS


def test_a_path_that_only_workers_see_is_handed_on_as_it_is():
    assert split_file("/only/there.jsonl") == [Piece("/only/there.jsonl")]


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_table_comes_back_from_disk(tmp_path, table, ending):
    path = str(tmp_path / f"table{ending}")
    write_table(table, path)
    assert_frame_equal(read_table(path), table, check_dtype=False)


def test_no_table_of_ours_is_refused(tmp_path):
    (tmp_path / "other.csv").write_text("a,b\n1,2\n")
    with pytest.raises(LoadError, match="no column 'settings'"):
        read_table(str(tmp_path / "other.csv"))
    with pytest.raises(SettingsError, match="kind of table"):
        read_table("table.xlsx")
    with pytest.raises(LoadError, match="there is no file"):
        read_table("no-such-table.parquet")
    (tmp_path / "broken.parquet").write_text("not one")
    with pytest.raises(LoadError, match="can't be read"):
        read_table(str(tmp_path / "broken.parquet"))


def test_a_stage_that_does_not_declare_what_it_reads_is_still_measured_under_each_value(monkeypatch):
    def newest(plan, context):
        """Keeps as many blocks as the length says."""
        older = np.arange(plan.history.blocks) < plan.history.blocks - context.settings.length
        return plan.drop(older & ~context.protected(plan), OLDER)

    members = {**registry.members("pruner"), "newest": registry.Member("pruner", "newest", newest, (), {})}
    monkeypatch.setitem(registry._members, "pruner", members)
    candidates = grid(Settings(policy="all", pruner="newest"), length=[2, 10])
    measured = sweep(CHATS[0], candidates).tokens_total.tolist()
    assert measured == [int(replay(CHATS[0], settings).tokens.sum()) for settings in candidates]
    assert measured[0] < measured[1]
