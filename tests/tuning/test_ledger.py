"""The ledger: a sweep that was stopped, however often, goes on where it was and ends in the identical table."""

from __future__ import annotations

import json
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from pandas.testing import assert_frame_equal
from pyarrow import parquet
from sketches import conv

from historylab import Conversation, Message, Settings
from historylab.formats.files.pieces import Piece
from historylab.formats.messages.chat_messages import to_record
from historylab.pricing import Prices
from historylab.tuning import identity, jobs
from historylab.tuning import table as tables
from historylab.tuning.parts import KEY
from historylab.tuning.replayed import MeasureOptions
from historylab.tuning.sweep import Sweep, grid, sweep
from historylab.tuning.table import ENDINGS, read_table, write_table
from historylab.tuning.tally import Progress

CANDIDATES = grid(Settings(), budget=[40, 400], **{"pruner.fifo.unit": ["turn", "block"]})
POOLS = {"two_processes": "processes", "dask_workers": "dask"}
SAID = ["s u a u a(t) a u", "u a u a", "u:30 a u:9 a u"]


def line(title: str, said: str) -> str:
    return json.dumps({"title": title, "messages": [to_record(m) for m in conv(said)]})


@pytest.fixture
def chats(tmp_path) -> list[str]:
    """A file of a conversation a line, and two of one conversation."""
    lines = [
        json.dumps({"title": f"chat {n}", "messages": [to_record(m) for m in conv(said)]})
        for n, said in enumerate(SAID)
    ]
    files = {"many.jsonl": "\n".join(lines[:2]), "one.json": lines[2], "another.json": lines[0]}
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    return [str(tmp_path / name) for name in files]


@pytest.fixture
def measured(monkeypatch) -> list[str]:
    """The titles of the conversations that are measured, once for each time."""
    found: list[str] = []
    measure_lanes = jobs.measure_lanes

    def noted(conversation, *given):
        for row in measure_lanes(conversation, *given):
            found.append(conversation.title)
            yield row

    monkeypatch.setattr(jobs, "measure_lanes", noted)
    return found


@pytest.fixture
def out(tmp_path) -> str:
    return str(tmp_path / "sweep.parquet")


def parts_of(out: str) -> list[Path]:
    return sorted(Path(f"{out}.parts").glob("*.parquet"))


def after(rows: int):
    """What stops a sweep after so many rows: `progress` and `cancelled`."""
    seen = []
    return {"progress": lambda done, _: seen.append(done), "cancelled": lambda: len(seen) >= rows}


@pytest.mark.parametrize("threads", [False, True], ids=["here", "threads"])
def test_a_sweep_that_was_stopped_again_and_again_ends_in_the_identical_table(chats, out, measured, threads, tmp_path):
    expected = sweep(chats, CANDIDATES)
    in_one_go = str(tmp_path / "one.parquet")
    sweep(chats, CANDIDATES, out=in_one_go)
    measured.clear()
    with ThreadPoolExecutor(1) as executor:
        for rows in (1, 5, 3):
            part = sweep(chats, CANDIDATES, executor=executor if threads else None, out=out, **after(rows))
            if not threads:  # which may be done with all of it before anybody looks
                assert part.attrs["cancelled"]
                assert 0 < len(part) < len(expected)
        found = sweep(chats, CANDIDATES, executor=executor if threads else None, out=out)
    assert_frame_equal(found, expected)
    assert not found.attrs["cancelled"]
    assert Path(out).read_bytes() == Path(in_one_go).read_bytes()
    if not threads:  # where what is under way when it is stopped is lost
        assert len(measured) == len(SAID + SAID[:1]) * len(CANDIDATES)


@pytest.mark.slow
@pytest.mark.parametrize(
    "pool",
    [pytest.param(kind, marks=pytest.mark.xdist_group(group)) for kind, group in POOLS.items()],
)
def test_and_so_it_does_where_other_processes_measure(chats, out, pool, request):
    there = {"executor": request.getfixturevalue(pool), "workers": 2, "out": out}
    ticks = iter([False, False])
    sweep(chats, CANDIDATES, **there, cancelled=lambda: next(ticks, True))
    assert_frame_equal(sweep(chats, CANDIDATES, **there), sweep(chats, CANDIDATES))


def test_when_all_is_measured_nothing_is_read_again(chats, out, measured, monkeypatch):
    expected = sweep(chats, CANDIDATES, out=out)
    measured.clear()
    os.remove(out)
    monkeypatch.setattr(Piece, "read", lambda _: pytest.fail("a file was read"))
    seen = []
    found = sweep(chats, CANDIDATES, out=out, progress=lambda *now: seen.append(now))
    assert_frame_equal(found, expected)
    assert_frame_equal(read_table(out), expected, check_dtype=False)
    assert seen == [(16, 16)]


def test_a_part_torn_by_a_loss_of_power_is_measured_again(chats, out, measured):
    for path in chats:
        expected = sweep(chats[: chats.index(path) + 1], CANDIDATES, out=out)
    for part, size in zip(parts_of(out)[:2], (0, 1000), strict=True):
        part.write_bytes(part.read_bytes()[:size])
    measured.clear()
    work = Sweep(chats, CANDIDATES, MeasureOptions())
    ledger = work.ledger(out)
    assert ledger.torn == 2
    swept = work.write(ledger, out)
    assert_frame_equal(work.table(ledger), expected)
    assert (swept.rows, len(measured)) == (16, 16 - swept.before)


DAMAGE = [
    lambda spans: None,
    lambda spans: [],
    lambda spans: [[*spans[0][:3], 10**30, 10**30 + 4, 0]],
    lambda spans: [[spans[0][0], 1e999, *spans[0][2:]]],
    lambda spans: [[spans[0][0], 3, 0, 0, 3, 0]],
]


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_part_that_does_not_say_which_rows_it_has_is_measured_again(chats, out, measured, damage):
    expected = sweep(chats[1:2], CANDIDATES, out=out)
    (path,) = parts_of(out)
    said = json.loads(parquet.read_metadata(path).metadata[KEY.encode()])
    rows = parquet.read_table(path)
    with parquet.ParquetWriter(path, rows.schema) as writer:
        writer.write_table(rows)
        writer.add_key_value_metadata({KEY: json.dumps(said | {"spans": damage(said["spans"])})})
    measured.clear()
    assert_frame_equal(sweep(chats[1:2], CANDIDATES, out=out), expected)
    assert len(measured) == 4


def test_a_file_that_changed_is_measured_anew_and_no_other(chats, out, measured):
    sweep(chats, CANDIDATES, out=out)
    Path(chats[1]).write_text(line("changed", "u a u"), encoding="utf-8")
    expected = sweep(chats, CANDIDATES)
    measured.clear()
    assert_frame_equal(sweep(chats, CANDIDATES, out=out), expected)
    assert measured == ["changed"] * len(CANDIDATES)


@pytest.mark.parametrize("more", [{"questions": ["order?"]}, {"stars": [1]}, {"prices": Prices(1, 2)}, {"caches": ()}])
def test_what_else_a_row_depends_on_measures_it_anew(chats, out, measured, more):
    sweep(chats[1], CANDIDATES[:1], out=out)
    sweep(chats[1], CANDIDATES[:1], out=out, **more)
    assert len(measured) == 2


def test_more_settings_measure_only_those_and_fewer_nothing(chats, out, measured):
    few, all_of_them = sweep(chats, CANDIDATES[:2]), sweep(chats, CANDIDATES)
    measured.clear()
    sweep(chats, CANDIDATES[:2], out=out)
    assert_frame_equal(sweep(chats, CANDIDATES, out=out), all_of_them)
    assert len(measured) == len(all_of_them)
    assert_frame_equal(sweep(chats, CANDIDATES[:2], out=out), few)
    assert len(measured) == len(all_of_them)
    assert len(read_table(out)) == len(few)


def test_conversations_handed_in_are_known_again_by_their_content(out, measured):
    for said in (SAID[0], SAID[0], SAID[1]):
        sweep(conv(said), CANDIDATES, out=out)
    assert len(measured) == 2 * len(CANDIDATES)


def test_another_version_of_this_code_measures_anew(chats, out, measured, monkeypatch):
    sweep(chats[1], CANDIDATES, out=out)
    monkeypatch.setattr(identity, "_code", lambda: "another")
    sweep(chats[1], CANDIDATES, out=out)
    assert len(measured) == 2 * len(CANDIDATES)


def test_a_file_twice_is_two_rows_as_ever(chats, out):
    expected = sweep([chats[1], chats[1]], CANDIDATES)
    for _ in range(2):
        assert_frame_equal(sweep([chats[1], chats[1]], CANDIDATES, out=out), expected)


def test_what_could_not_be_read_is_named_and_tried_again(chats, out, tmp_path):
    broken = tmp_path / "broken.json"
    broken.write_text("{", encoding="utf-8")
    for _ in range(2):
        assert list(sweep([str(broken), *chats], CANDIDATES, out=out).attrs["skipped"]) == [str(broken)]
    broken.write_bytes(Path(chats[1]).read_bytes())
    assert_frame_equal(sweep([str(broken), *chats], CANDIDATES, out=out), sweep([str(broken), *chats], CANDIDATES))


def test_a_file_of_others_among_the_parts_is_left_alone(chats, out):
    sweep(chats[1], CANDIDATES, out=out)
    diary = Path(f"{out}.parts") / "diary.parquet"
    diary.write_text("my diary\n", encoding="utf-8")
    assert_frame_equal(sweep(chats, CANDIDATES, out=out), sweep(chats, CANDIDATES))
    assert diary.read_text("utf-8") == "my diary\n"


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_table_is_written_in_parts_as_it_would_be_at_once(chats, tmp_path, monkeypatch, ending):
    """References of textless conversations are NaN, so their column holds whole numbers in some parts alone."""
    chats.append(Conversation([Message("user", "hi"), Message("assistant", "hi")], metadata={"textless": True}))
    at_once, in_parts = (str(tmp_path / f"{name}{ending}") for name in ("once", "parts"))
    table = sweep(chats, CANDIDATES, out=at_once)
    write_table(table, str(tmp_path / f"table{ending}"))
    monkeypatch.setattr(tables, "PART", 9)
    sweep(chats, CANDIDATES, out=in_parts)
    assert_frame_equal(read_table(in_parts), read_table(str(tmp_path / f"table{ending}")))
    assert_frame_equal(read_table(in_parts), read_table(at_once))
    assert str(table["references"].dtype) == "float64"


# -- progress


def test_progress_is_by_size_and_says_at_least_while_files_are_unread(chats):
    seen: list[Progress] = []
    work = Sweep(chats, CANDIDATES, MeasureOptions())
    work.measure(work.ledger(), seen.append)
    assert [(now.done, now.known, now.certain) for now in (seen[0], seen[7], seen[-1])] == [
        (1, 16, False), (8, 16, False), (16, 16, True),
    ]  # fmt: skip
    sizes = [os.path.getsize(path) for path in chats]
    assert seen[7].share == pytest.approx(sizes[0] / sum(sizes))
    assert seen[-1].share == pytest.approx(1)


def test_rows_measured_before_are_done_at_once(chats, out):
    sweep(chats, CANDIDATES, out=out, **after(6))
    seen: list[Progress] = []
    work = Sweep(chats, CANDIDATES, MeasureOptions())
    work.write(work.ledger(out), out, seen.append)
    assert [now.done for now in seen] == list(range(6, 17))
    assert seen[-1].share == pytest.approx(1)
