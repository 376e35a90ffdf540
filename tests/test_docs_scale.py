"""The page about scale, whose commands and programs run one after the other in a folder with chats."""

from __future__ import annotations

import gzip
import json
import re
import shlex
import shutil
import sys
from pathlib import Path
from typing import Any

import pandas
import pyarrow
import pytest
from pyarrow import parquet

from historylab import Settings, generate, grid, measure_batch, sweep
from historylab.cli.main import main
from historylab.formats.messages.chat_messages import to_record

ROOT = Path(__file__).resolve().parents[1]
PAGE = (ROOT / "docs" / "scale.md").read_text()
CANDIDATES = grid(Settings(policy="all"), budget=[4000, 8000], pruner=["fifo", "sliding_window"])


def blocks(language: str, heading: str) -> list[str]:
    section = re.split(rf"\n##+ {heading}\n", PAGE)[1].partition("\n#")[0]
    return re.findall(rf"```{language}\n(.*?)```", section, re.S)


def chats(day: int) -> pyarrow.Table:
    made = [generate("support_desk", turns=3, seed=10 * day + n) for n in range(3)]
    texts = [json.dumps([to_record(message) for message in chat]) for chat in made]
    return pyarrow.table({"id": [f"{day}.{n}" for n in range(3)], "messages": texts})


@pytest.fixture
def folder(tmp_path, monkeypatch) -> Path:
    for day in (1, 2):
        (tmp_path / "chats" / f"day={day}").mkdir(parents=True)
        parquet.write_table(chats(day), tmp_path / "chats" / f"day={day}" / "part-0.parquet")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def runs(*programs: str) -> dict[str, Any]:
    names: dict[str, Any] = {"__name__": "__main__"}  # so that an engine sends its functions, not their names
    for program in programs:
        exec(program, names)
    return names


def by_id(rows: pyarrow.Table) -> list[dict[str, Any]]:
    return rows.sort_by([("id", "ascending"), ("candidate", "ascending")]).to_pylist()


def test_the_commands_of_the_page_run(folder, capsys):
    fsspec = pytest.importorskip("fsspec", reason="needs fsspec: pip install 'historylab[cloud]'")
    for day in (1, 2):
        lines = "".join(f'{{"messages": {text}}}\n' for text in chats(day)["messages"].to_pylist())
        fsspec.filesystem("memory").pipe(f"/bucket/chats/{day}.jsonl.gz", gzip.compress(lines.encode()))
    sections = ("Where the conversations are", "A laptop, a workstation", "You need not replay them all")
    typed = "".join(command for section in sections for command in blocks("sh", section))
    said = []
    for command in typed.replace("s3://", "memory://").splitlines():
        assert main(shlex.split(command)[1:]) == 0
        printed = capsys.readouterr()
        said.append(printed.err + printed.out)
    assert "24 rows written" in said[0]
    assert "24 rows written" in said[1] and "nothing was left to do" in said[2]
    assert "budget" in said[3]
    assert "4 of 6" in said[4]


def test_the_example_of_a_batch_prints_what_it_says(capsys):
    (example,) = blocks("python", "Your own engine")
    runs(example)
    assert capsys.readouterr().out.strip() == re.search(r"print\(.*\)  # (.*)", example)[1]


@pytest.mark.slow
@pytest.mark.parametrize("library", ["duckdb", "polars"])
def test_the_results_are_what_pandas_finds(folder, capsys, library):
    pytest.importorskip(library)
    table = sweep("chats/", CANDIDATES, out="sweep/")
    in_duckdb, in_polars = blocks("python", "The result")
    runs(in_duckdb if library == "duckdb" else in_polars)
    dollars = table.groupby("settings")["cost_automatic"].sum().min()
    assert f"{dollars:.6f}"[:7] in capsys.readouterr().out


@pytest.mark.slow
def test_the_cluster_of_the_page_runs(folder):
    pytest.importorskip("distributed", reason="needs Dask: pip install 'historylab[cluster]'")
    (program,) = blocks("python", "A Dask cluster")
    table = runs(program)["table"]
    pandas.testing.assert_frame_equal(table, sweep("chats/", CANDIDATES))


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["Ray Data", "Spark"])
def test_an_engine_gives_the_rows_that_one_call_gives(folder, monkeypatch, engine):
    if engine == "Ray Data":
        pytest.importorskip("ray", reason="needs Ray: pip install 'ray[data]'")
    else:
        pytest.importorskip("pyspark", reason="needs Spark: pip install pyspark, and Java")
        if not shutil.which("java"):
            pytest.skip("needs Java")
        monkeypatch.setenv("PYSPARK_PYTHON", sys.executable)
    candidates = blocks("python", "Your own engine")[0].partition("said =")[0]
    names = runs(candidates, *blocks("python", engine))
    if engine == "Ray Data":
        names["ray"].shutdown()
    else:
        names["spark"].stop()
    everything = measure_batch(pyarrow.concat_tables([chats(1), chats(2)]), CANDIDATES)
    found = pyarrow.concat_tables(map(parquet.read_table, sorted(Path("rows").glob("*.parquet"))))
    assert by_id(found) == by_id(everything)
