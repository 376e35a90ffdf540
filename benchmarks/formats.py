"""How fast each format loads, and in how much memory, beside `json.loads`; how large files are listed; recognition.

    python benchmarks/formats.py [--mb 10] [NAME …]
    python benchmarks/formats.py --big [--mb 500]
    python benchmarks/formats.py --against CHECKOUT [FOLDER …]

A file per format is made from its samples (tests/formats/samples), repeated under new ids, its texts as long as a
transcript's; it is loaded in a process of its own. Read the ratios, of CPU time within one run: machines differ. Memory
is what the process takes beyond the imports. `--big` lists the conversations of JSON Lines and Parquet files, and opens
one; its session of half the size is a single conversation. `--against` has every sample, and every file of these
folders, recognised by the formats of this checkout and of another one in turn; where their times differ, the ratio
tells (at most 1.2, however many formats there are).
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "support")]

from format_samples import FormatSample, format_samples  # noqa: E402

from historylab.formats.listing import list_conversations  # noqa: E402
from historylab.formats.load import load  # noqa: E402

SAMPLES = ROOT / "tests" / "formats" / "samples"
LONGER = 12  # times the length of a sample's texts
WORDS = ["a", "window", "holds", "what", "fits", "and", "the", "rest", "of", "a", "talk", "is", "cut", "again"]
ROUNDS = 3
SLOWEST = 12  # files named
MOST_RECOGNISED = 3_000_000  # bytes
IDS = ("id", "uuid", "Uuid", "ID", "Id", "node", "parent")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("names", nargs="*", help="formats (default: all, and plain chats); folders with --against")
    parser.add_argument("--mb", type=float, help="size of each file (default: 10; 500 with --big)")
    parser.add_argument("--big", action="store_true", help="list large files instead")
    parser.add_argument("--against", metavar="CHECKOUT", help="recognise files as another checkout does, too")
    parser.add_argument("--file", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.file:
        print(json.dumps(_list(arguments.file) if arguments.big else _load(Path(arguments.file))))
    elif arguments.against:
        _print_recognition(Path(arguments.against), [Path(name) for name in arguments.names])
    elif arguments.big:
        _print_listings((arguments.mb or 500) * 1e6)
    else:
        _print_loads(arguments.names, (arguments.mb or 10) * 1e6)


def _print_loads(names: list[str], size: float) -> None:
    print(
        f"{'file':44}{'MB':>6}{'json MB/s':>11}{'load MB/s':>11}{'ratio':>7}{'wall':>7}{'peak MB':>9}{'messages':>10}"
    )
    with tempfile.TemporaryDirectory() as folder:
        for label, name, data in _files(size):
            if names and label.partition("/")[0] not in names:
                continue
            path = Path(folder) / name
            path.write_bytes(data)
            try:
                found = _in_another_process(path)
            except subprocess.CalledProcessError:
                print(f"{label:44}  not read once it was repeated")
                continue
            mb, json_time = len(data) / 1e6, found["json"]
            beside = f"{mb / json_time:11.0f}" if json_time else f"{'':11}"
            ratio = (
                f"{json_time / found['load']:7.2f}{found['json_wall'] / found['wall']:7.2f}"
                if json_time
                else f"{'':14}"
            )
            speed = f"{mb / found['load']:11.0f}"
            print(f"{label:44}{mb:6.1f}{beside}{speed}{ratio}{found['peak']:9.0f}{found['messages']:10,}", flush=True)


def _files(size: float) -> Iterator[tuple[str, str, bytes]]:
    """Label, file name and bytes of every file."""
    yield "plain chat, a message per line", "flat.jsonl", b"".join(_lines(size, _message))
    yield "plain chat, a conversation per line", "talks.jsonl", b"".join(_lines(size, _talk))
    for sample in format_samples(SAMPLES):
        name, data = _repeated(sample, size)
        yield f"{sample.member}/{sample.name}", name, data


def _repeated(sample: FormatSample, size: float) -> tuple[str, bytes]:
    """A sample as a large file: JSON under new ids each time, CSV with more rows, a text as it is, longer."""
    if sample.name.endswith((".db", ".parquet")):
        return sample.name, sample.data
    text = sample.data.decode()
    try:
        document: Any = json.loads(text)
        values = document if isinstance(document, list) and len(document) > 1 else [document]
    except ValueError:
        try:
            document, values = None, [json.loads(line) for line in text.splitlines() if line.strip()]
        except ValueError:
            header, _, rows = text.partition("\n") if sample.name.endswith(".csv") else ("", "", text)
            return sample.name, (f"{header}\n" if header else "").encode() + rows.encode() * int(size / len(rows))
    each = len(json.dumps(_renewed(values, 0)))
    copies = [json.dumps(_renewed(value, n)) for n in range(max(1, int(size / each))) for value in values]
    if isinstance(document, list) and len(document) > 1:
        return sample.name, f"[{', '.join(copies)}]".encode()
    return str(Path(sample.name).with_suffix(".jsonl")), "\n".join(copies).encode()


def _renewed(value: Any, n: int, key: str = "") -> Any:
    """The value with longer texts, and ids of its own."""
    if isinstance(value, dict):
        return {k: _renewed(item, n, k) for k, item in value.items()}
    if isinstance(value, list):
        return [_renewed(item, n) for item in value]
    if isinstance(value, str) and value and key.endswith(IDS):
        return f"{value}-{n}"
    is_text = isinstance(value, str) and value.count(" ") > 1 and value[:1] not in "[{" and key not in ("name", "title")
    return " ".join([value] * LONGER) if is_text else value


def _message(n: int) -> dict[str, str]:
    text = " ".join(random.Random(n % 500).choices(WORDS, k=40 + n % 120))
    return {"role": "assistant" if n % 2 else "user", "content": f"{n}: {text}"}


def _talk(n: int) -> dict[str, Any]:
    return {"messages": [_message(n * 12 + k) for k in range(12)]}


def _lines(size: float, make: Callable[[int], Any]) -> Iterator[bytes]:
    written = n = 0
    while written < size:
        line = json.dumps(make(n)).encode() + b"\n"
        written += len(line)
        n += 1
        yield line


def _in_another_process(path: Path, *options: str) -> dict[str, Any]:
    command = [sys.executable, __file__, "--file", str(path), *options]
    found: dict[str, Any] = json.loads(subprocess.run(command, capture_output=True, check=True, text=True).stdout)
    return found


def _peak() -> float:
    """MB that this process took at most. On Linux `ru_maxrss` may be that of the process which started it."""
    status = Path("/proc/self/status")
    if status.exists():
        return next(int(line.split()[1]) for line in status.read_text().splitlines() if line.startswith("VmHWM")) / 1000
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000


def _load(path: Path) -> dict[str, float]:
    """Seconds of CPU and of the clock for `load`, and for `json.loads` of the document or of every line."""
    load(b'[{"role": "user", "content": "hi"}]')  # imports
    before = _peak()
    messages = load(path).report.messages
    peak = _peak() - before
    data = path.read_bytes()
    try:
        json.loads(data)
        parts = [data]
    except ValueError:
        parts = [line for line in data.split(b"\n") if line.strip()]

    def parse() -> None:
        _ = [json.loads(part) for part in parts]

    ours = min(_timed(lambda: load(path)) for _ in range(ROUNDS))
    try:
        theirs = min(_timed(parse) for _ in range(ROUNDS))
    except ValueError:  # no JSON
        theirs = (0.0, 0.0)
    return {
        "load": ours[0],
        "wall": ours[1],
        "json": theirs[0],
        "json_wall": theirs[1],
        "peak": peak,
        "messages": messages,
    }


def _timed(do: Callable[[], object]) -> tuple[float, float]:
    cpu, clock = process_time(), perf_counter()
    do()
    return process_time() - cpu, perf_counter() - clock


# -- large files


def _print_listings(size: float) -> None:
    print(f"{'file':44}{'MB':>6}{'MB/s':>8}{'open s':>8}{'peak MB':>9}{'conversations':>15}")
    with tempfile.TemporaryDirectory() as folder:
        for name, write in _LARGE.items():
            path = Path(folder) / name.rpartition(" ")[2]
            write(path, size)
            mb = path.stat().st_size / 1e6
            found = _in_another_process(path, "--big")
            path.unlink()
            times = f"{mb / found['list']:8.0f}{found['open']:8.1f}"
            print(f"{name:44}{mb:6.0f}{times}{found['peak']:9.0f}{found['conversations']:15,}", flush=True)


def _list(path: str) -> dict[str, float]:
    before = _peak()
    began = process_time()
    found = list_conversations(path)
    listed = process_time()
    found.open(len(found) // 2)
    seconds = process_time() - listed
    return {"list": listed - began, "open": seconds, "peak": _peak() - before, "conversations": len(found)}


def _write_lines(path: Path, size: float, make: Callable[[int], Any] = _talk) -> None:
    with path.open("wb") as file:
        file.writelines(_lines(size, make))


def _write_rows(path: Path, size: float) -> None:
    _write_lines(path, size, lambda n: {"conversation_id": n % 9973, **_message(n // 9973)})


def _write_table(path: Path, size: float) -> None:
    """One row group, uncompressed."""
    import pyarrow
    from pyarrow import parquet

    talks = pyarrow.Table.from_pylist([_talk(n) for n in range(2000)])
    tables = pyarrow.concat_tables([talks] * max(1, round(size / talks.nbytes)))
    parquet.write_table(tables, path, row_group_size=len(tables), compression="none", use_dictionary=False)


def _write_session(path: Path, size: float) -> None:
    """One session of Claude Code's."""
    _write_lines(path, size / 2, _session_record)


def _session_record(n: int) -> dict[str, Any]:
    role = "assistant" if n % 2 else "user"
    kinds = ("text",) if n % 8 < 2 else ("tool_use" if n % 2 else "tool_result",)
    own = {"text": {"text": _message(n)["content"]}}
    own["tool_use"] = {"id": f"c{n}", "name": "Bash", "input": {"command": _message(n)["content"]}}
    own["tool_result"] = {"tool_use_id": f"c{n - 1}", "content": _message(n)["content"] * 10}
    content = [{"type": kind, **own[kind]} for kind in kinds]
    beside = {"sessionId": "s", "version": "2.1.240", "cwd": "/x", "timestamp": "2026-09-17T06:02:11.000Z"}
    said = {"role": role, "content": content, **({"id": f"m{n}", "model": "claude-x"} if n % 2 else {})}
    return {"type": role, "uuid": f"u{n}", "parentUuid": f"u{n - 1}" if n else None, **beside, "message": said}


_LARGE = {
    "a conversation per line, talks.jsonl": _write_lines,
    "a message per line, rows.jsonl": _write_rows,
    "one session of half the size, session.jsonl": _write_session,
    "one row group, talks.parquet": _write_table,
}


# -- recognition

_RECOGNISE = """
import json, sys
from pathlib import Path
from time import process_time
from historylab.formats.detect import match_strengths
from historylab.formats.files.content import Content

times = []
for name in json.load(sys.stdin):
    path = Path(name)
    data = path.read_bytes()
    taken = []
    for _ in range(4):
        content = Content(data, path.name)
        try:
            content.values
        except Exception:
            pass  # a text
        began = process_time()
        try:
            match_strengths(content)
        except Exception:
            pass  # damaged
        taken.append(process_time() - began)
    times.append(min(taken))
print(json.dumps(times))
"""


def _print_recognition(other: Path, folders: list[Path]) -> None:
    """Recognition of files that have been parsed: their samples, and what each format says of them."""
    given = [path for folder in (SAMPLES, *folders) for path in sorted(folder.rglob("*")) if path.is_file()]
    files = [str(path) for path in given if path.stat().st_size < MOST_RECOGNISED and path.name != "expected.json"]
    rounds = [[_recognise(root, files) for root in (other, ROOT)] for _ in range(ROUNDS)]
    theirs, ours = ([min(times) for times in zip(*sides, strict=True)] for sides in zip(*rounds, strict=True))
    worst = sorted(zip(files, theirs, ours, strict=True), key=lambda each: each[1] - each[2])
    for name, before, now in worst[:SLOWEST]:
        print(f"{name[-70:]:72}{before * 1e3:8.2f} ms{now * 1e3:8.2f} ms{now / before:7.2f}")
    before, now = sum(theirs) * 1e3, sum(ours) * 1e3
    print(f"{f'{len(files):,} files':72}{before:8.2f} ms{now:8.2f} ms{now / before:7.2f}")


def _recognise(root: Path, files: list[str]) -> list[float]:
    """Seconds of CPU per file, by the formats of that checkout."""
    environment = {**os.environ, "PYTHONPATH": str(root)}
    command = [sys.executable, "-c", _RECOGNISE]
    run = subprocess.run(
        command, input=json.dumps(files), capture_output=True, check=True, text=True, env=environment, cwd=root
    )
    times: list[float] = json.loads(run.stdout)
    return times


if __name__ == "__main__":
    main()
