"""`historylab sweep` and `recommend`: the core's table, written, printed and read."""

from __future__ import annotations

import contextlib
import io
import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from command_line import run
from dotenv import dotenv_values
from pyarrow import parquet

from historylab import Settings, generate, resolve_settings
from historylab.cli import sweep as sweep_command
from historylab.formats.messages.chat_messages import to_record
from historylab.tuning.sweep import grid, sweep
from historylab.tuning.table import read_table


def test_one_candidate_gets_no_empty_table(capsys, sample, tmp_path):
    table = str(tmp_path / "one.csv")
    run(capsys, "sweep", sample, "--out", table)
    code, out, _ = run(capsys, "recommend", table)
    assert code == 0
    assert "Only these settings were tried: $" in out
    assert "Each setting by itself" not in out


def test_sweep_measures_what_must_be_remembered(capsys, sample):
    code, out, _ = run(capsys, "sweep", sample, "--grid", "budget=300,60000", "--star", "2", "--json")
    assert (code, [row["stars_kept"] for row in json.loads(out)["rows"]]) == (0, [0, 1])


def test_sweep_writes_the_table_of_the_core(capsys, sample, tmp_path):
    path = str(tmp_path / "table.jsonl")
    axes = ["--grid", "budget=300,600", "--grid", "pruner=fifo,summarize"]
    code, out, err = run(capsys, "sweep", sample, *axes, "--out", path)
    assert (code, out) == (0, "")
    assert "4 rows written" in err
    expected = sweep(sample, grid(Settings(), budget=[300, 600], pruner=["fifo", "summarize"]))
    assert read_table(path)["settings"].tolist() == expected["settings"].tolist()
    assert read_table(path)["tokens_total"].tolist() == expected["tokens_total"].tolist()


def test_sweep_prints_a_table_or_json(capsys, sample):
    code, out, _ = run(capsys, "sweep", sample, "--grid", "budget=300,600")
    assert (code, "budget=600" in out) == (0, True)
    code, out, _ = run(capsys, "sweep", sample, "--random", "2", "--grid", "budget=300,600,900", "--json")
    assert (code, len(json.loads(out)["rows"])) == (0, 2)
    assert "1 set of settings" in run(capsys, "sweep", sample)[1]


def test_a_sample_says_its_seed_and_what_it_cannot_tell_apart(capsys, tmp_path):
    chats = [generate("support_desk", turns=3 + k % 5, seed=k) for k in range(12)]
    lines = [json.dumps({"messages": [to_record(message) for message in chat]}) for chat in chats]
    (tmp_path / "chats.jsonl").write_text("\n".join(lines))
    command = [
        "sweep",
        str(tmp_path / "chats.jsonl"),
        "--grid",
        "budget=60000,70000",
        "--sample",
        "6",
        "--seed",
        "3",
    ]
    code, out, err = run(capsys, *command)
    assert (code, "How sure this sample is" in out) == (0, True)
    assert "a sample of the conversations: 6 of 12, seed 3" in err
    assert "not to be told from the best by this sample: budget=" in err
    found = json.loads(run(capsys, *command, "--json")[1])
    assert (len(found["rows"]), found["sample"]) == (12, "6 of 12, seed 3")


def test_recommend_reads_it_and_its_exit_code_says_whether_anything_fits(capsys, sample, tmp_path):
    path = str(tmp_path / "table.csv")
    assert run(capsys, "sweep", sample, "--grid", "budget=300,2000", "--out", path)[0] == 0
    code, out, _ = run(capsys, "recommend", path, "keeps most")
    assert code == 0
    assert "budget=2000 keeps the most" in out
    code, out, _ = run(capsys, "recommend", path, "keeps most", "--target", "dotenv")
    assert resolve_settings(env=dotenv_values(stream=io.StringIO(out))).settings == Settings(budget=2000)
    code, out, _ = run(capsys, "recommend", path, "never over 10", "--json")
    assert (code, json.loads(out)["choice"]) == (1, None)


def test_recommend_reads_a_folder_of_parts_and_says_a_damaged_one_in_a_line(capsys, sample, tmp_path):
    folder, table = str(tmp_path / "swept") + "/", str(tmp_path / "swept.csv")
    for out in (folder, table):
        run(capsys, "sweep", str(sample), "--grid", "budget=400,4000", "--out", out)
    found, expected = (run(capsys, "recommend", given, "keeps most") for given in (folder, table))
    assert found == expected
    for part in (tmp_path / "swept.csv.parts").iterdir():
        content = part.read_bytes()
        part.write_bytes(content[:10] + b"U" * 190 + content[200:])
    code, _, err = run(capsys, "sweep", str(sample), "--grid", "budget=400,4000", "--out", table)
    assert code == 1
    assert err.count("\n") == 1
    assert err.rstrip().endswith("remove it, and it is measured again")


def test_all_sample_files_are_swept_and_what_is_no_conversation_is_named(capsys, root):
    folder = root / "sample_conversations"
    names = sorted(path.name for path in folder.iterdir())
    code, out, err = run(capsys, "sweep", *(str(folder / name) for name in names), "--json")
    told = json.loads(out)
    assert code == 0
    assert "2 files skipped:" in err
    assert [path.rpartition("/")[2] for path in told["skipped"]] == ["README.md", "index.json"]
    assert all(why in err for why in told["skipped"].values())
    swept = {row["file"].rpartition("/")[2] for row in told["rows"]}
    assert swept == {*names} - {"README.md", "index.json"}


def test_a_sweep_says_that_files_were_read_in_part(capsys, root):
    folder = root / "sample_conversations"
    code, _, err = run(capsys, "sweep", str(folder / "two-to-vienna-broken.json"), "--grid", "length=1,2")
    assert code == 0
    assert "1 file not read in full or read with warnings; `historylab show FILE` says why" in err


def test_recommend_takes_several_tables_and_skips_what_is_none(capsys, root, sample, tmp_path):
    other = str(root / "sample_conversations" / "tide-tables-agent.json")
    tables = [str(tmp_path / f"{k}.csv") for k in range(2)]
    for path, file in zip(tables, [sample, other], strict=True):
        run(capsys, "sweep", file, "--grid", "budget=300,2000", "--out", path)
    broken = tmp_path / "broken.csv"
    broken.write_text("a,b\n1,2\n")
    code, out, err = run(capsys, "recommend", tables[0], str(broken), tables[1], "keeps most", "--json")
    told = json.loads(out)
    assert (code, told["choice"]["knobs"], list(told["skipped"])) == (0, {"budget": 2000}, [str(broken)])
    assert "no column 'settings'" in err
    code, out, _ = run(capsys, "recommend", tables[0], "keeps most", "cheapest")
    assert (code, out) == (2, "")


@pytest.mark.parametrize("out", ["no/such/folder/table.csv", "a\0b.csv"])
def test_a_file_that_cannot_be_written_is_noticed_before_the_work(capsys, monkeypatch, sample, tmp_path, out):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("historylab.tuning.sweep.Sweep", lambda *_, **__: pytest.fail("the work was begun"))
    code, _, err = run(capsys, "sweep", sample, "--out", out)
    assert (code, "can't be written" in err) == (1, True), err
    assert list(tmp_path.iterdir()) == []


def test_ctrl_c_keeps_what_is_measured_and_the_same_command_goes_on(capsys, monkeypatch, sample, tmp_path):
    before, out = signal.getsignal(signal.SIGINT), str(tmp_path / "table.csv")
    command = ["sweep", sample, "--grid", "budget=200,300,400,500", "--out", out]
    with monkeypatch.context() as patched:
        patched.setattr(sweep_command, "_progress", ctrl_c_at_the_third_row)
        code, _, err = run(capsys, *command)
    assert (code, len(read_table(out))) == (130, 3)
    assert "interrupted; 3 rows had been measured; the same command goes on from there" in err
    assert signal.getsignal(signal.SIGINT) is before
    assert "4 rows written to" in (err := run(capsys, *command)[2])
    assert "3 of them measured before" in err
    assert "nothing was left to do" in run(capsys, *command)[2]


@contextlib.contextmanager
def ctrl_c_at_the_third_row():
    yield lambda now: signal.raise_signal(signal.SIGINT) if now.done == 3 else None


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs a signal no process survives")
@pytest.mark.parametrize("how, workers", [("SIGINT", "2"), ("SIGTERM", "1"), ("SIGKILL", "1")])
def test_a_sweep_that_is_stopped_or_killed_goes_on_to_the_same_table(capsys, root, sample, tmp_path, how, workers):
    out, parts = tmp_path / "table.jsonl", tmp_path / "table.jsonl.parts"
    many = ["--grid", f"budget={','.join(map(str, range(200, 400)))}"]
    axes = ["--set", "pruner=relevance", *many]  # replays, seconds of them: rows that are counted are done too soon
    command = ["sweep", sample, *axes, "--out", str(out), "--workers", workers]
    with subprocess.Popen(
        [sys.executable, "-m", "historylab", *command], cwd=root, stderr=subprocess.DEVNULL
    ) as process:
        while process.poll() is None and not any(parts.glob("*.parquet")):
            time.sleep(0.01)
        process.send_signal(signal.Signals[how])
    assert process.returncode == (-signal.SIGKILL if how == "SIGKILL" else 130)
    assert 0 < sum(parquet.read_metadata(part).num_rows for part in parts.glob("*.parquet")) < 200
    err = run(capsys, *command[:-2])[2]
    assert "of them measured before" in err
    run(capsys, "sweep", sample, *axes, "--out", str(tmp_path / "whole.jsonl"))
    assert out.read_bytes() == (tmp_path / "whole.jsonl").read_bytes()


def test_a_table_takes_the_place_of_no_transcript(capsys, sample, tmp_path):
    chat = tmp_path / "chat.jsonl"
    chat.write_bytes(Path(sample).read_bytes())
    code, _, err = run(capsys, "sweep", str(chat), "--out", str(chat))
    assert (code, "is one of the files to read" in err) == (2, True), err
    assert chat.read_bytes() == Path(sample).read_bytes()
    for _ in range(2):  # as `sweep * --out table.csv` says the second time
        files = sorted(map(str, tmp_path.iterdir()))
        code, _, err = run(capsys, "sweep", *files, "--out", str(tmp_path / "table.csv"))
        assert (code, "skipped" in err) == (0, False), err


def test_what_was_sent_is_the_first_line_where_it_is_asked_for(capsys, compacted):
    code, out, _ = run(capsys, "sweep", compacted, "--as-sent", "--grid", "budget=20000,60000")
    assert code == 0
    lines = [line.split()[0] for line in out.splitlines() if line.strip()]
    assert lines.index("as") < min(lines.index("budget=20000"), lines.index("budget=60000"))
    assert out.startswith("2 settings")
