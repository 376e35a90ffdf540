"""Three journeys through the package: files, functions and rooms they enter, and what drawing on Live plans anew.

    python benchmarks/journeys.py [FOLDER]     # the package of this checkout; or of another one, to compare

A file becomes a map; a Trimmer trims a chat for the second time; the 13th request of a chat passes `historylab proxy`,
is recorded, becomes a map, and is drawn by the page Live, which drew each one before it. All in one process but the
model. Every module is imported before, so that calls alone count; a generator is called whenever it goes on. A room is
a folder or module at the top of the package; it changes between two calls that follow each other in a thread. *Stages*
are the calls of what is registered as one, *plans* those of the pipeline, which also plans what no stage is asked for.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import pkgutil
import sys
import tempfile
import threading
import time
import urllib.request
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from types import CodeType, FrameType

from servers import SECONDS, free_port, server
from streamlit.testing.v1 import AppTest

ROOT = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parents[1]).resolve()
sys.path.insert(0, str(ROOT))
for module in pkgutil.walk_packages([str(ROOT / "historylab")], "historylab."):
    if not module.name.endswith("__main__"):
        import_module(module.name)

from historylab import Settings, Timeline, Trimmer, export, load, replay  # noqa: E402
from historylab.cli.main import main as historylab  # noqa: E402
from historylab.figures.retention_map import pack_conversation, pack_timeline  # noqa: E402
from historylab.planning.pipeline import Pipeline  # noqa: E402
from historylab.recordings import open_recording  # noqa: E402
from historylab.recordings.sent_plans import sent_plans  # noqa: E402
from historylab.recordings.watch import Watch  # noqa: E402
from historylab.registry import STAGE_FAMILIES, members  # noqa: E402
from historylab.settings.names import RECORD  # noqa: E402

FILE = ROOT / "sample_conversations/tide-tables-agent.json"
UNDER = Settings(policy="all", pruner="fifo", budget=600)
REQUESTS = 13
STAGES = {member.target.__code__ for family in STAGE_FAMILIES for member in members(family).values()}
Calls = list[tuple[int, CodeType]]  # thread and function, in order
walks: list[Calls] = []


@contextlib.contextmanager
def walk() -> Iterator[Calls]:
    """The calls of the package's functions in all threads that were started under `follow`, while the block runs."""
    calls: Calls = []
    walks.append(calls)
    yield calls
    walks.remove(calls)


def follow(frame: FrameType, event: str, _: object) -> None:
    if event == "call" and walks and room(frame.f_code):
        walks[-1].append((threading.get_ident(), frame.f_code))


@cache
def room(code: CodeType) -> str:
    """The folder or module it is in; "" for what is no function with a name in the package."""
    parts = Path(code.co_filename).parts[len(ROOT.parts) :]
    nameless = code.co_name.startswith("<") or "__module__" in code.co_names
    return "" if nameless or parts[:1] != ("historylab",) else parts[1].removesuffix(".py")


def row(name: str, calls: Calls) -> None:
    in_threads, codes = sorted(calls, key=lambda call: call[0]), [code for _, code in calls]
    changes = sum(one[0] == two[0] and room(one[1]) != room(two[1]) for one, two in pairwise(in_threads))
    files, rooms = {code.co_filename for code in codes}, {*map(room, codes)}
    asked = sum(code in STAGES for code in codes), codes.count(Pipeline.plan.__code__)
    cells(name, len(files), len({*codes}), len(codes), len(rooms), changes, *asked)


def cells(*found: object) -> None:
    print("|", *(f"{cell} |" for cell in found), flush=True)


def said(number: int) -> dict[str, str]:
    about = f"Ferry {number // 2} to the island: from which pier does it leave, and does it carry bicycles? "
    return {"role": ("user", "assistant")[number % 2], "content": about * 3}


def packed(timeline: Timeline) -> None:
    pack_conversation(timeline, "conversation")
    pack_timeline(timeline, "timeline", "conversation")


@contextlib.contextmanager
def proxy(folder: Path) -> Iterator[str]:
    """The address of the proxy that the command starts, which records there."""
    settings, upstream, port = folder / "settings.env", free_port(), free_port()
    settings.write_text(export(UNDER, "dotenv", only_changed=True))
    options = {"upstream": f"http://127.0.0.1:{upstream}/v1", "port": port, "settings": settings, "record": folder}
    command = ["proxy", *(part for name, value in options.items() for part in (f"--{name}", str(value)))]
    with server("historylab.proxy.scripted_upstream", "--port", str(upstream), port=upstream, cwd=str(ROOT)):
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            threading.Thread(target=historylab, args=[command], daemon=True).start()
            while "health" not in printed.getvalue():
                time.sleep(0.01)
        yield f"http://127.0.0.1:{port}/v1/chat/completions"


def ask(address: str, messages: list[dict[str, str]]) -> dict[str, str]:
    """The message of the answer."""
    body = json.dumps({"model": "gpt-4o", "messages": messages}).encode()
    request = urllib.request.Request(address, body, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=SECONDS) as answer:
        message = json.load(answer)["choices"][0]["message"]
    return {name: message[name] for name in ("role", "content")}


def request_to_column(folder: Path, address: str) -> list[Calls]:
    """The last request of a chat: until it is on record, from there to the map's bytes, and from there to the page."""
    messages, store = [], open_recording(str(folder))
    watch, app = Watch(store), AppTest.from_file(str(ROOT / "app.py"), default_timeout=SECONDS)
    app.switch_page("pages/live.py")
    for number in range(REQUESTS):
        messages.append(said(2 * number))
        sys.setprofile(None)  # this thread is the app's
        with walk() as recorded:
            messages.append(ask(address, messages))
            while sum(record.text.startswith('{"historylab":"request"') for record in store.read_records()) <= number:
                time.sleep(0.01)
            time.sleep(0.1)  # in which the proxy, too, is done with it
        sys.setprofile(follow)
        with walk() as mapped:
            (shown,) = watch.newest(50)
            packed(sent_plans(watch.conversations(shown.id)[0], shown.of_newest).timeline)
        with walk() as drawn:
            assert not app.run().exception
    store.close()
    return [recorded, mapped, drawn]


def main() -> None:
    threading.setprofile(follow)
    sys.setprofile(follow)
    cells("journey", "files", "functions", "calls", "rooms", "changes of room", "stages", "plans")
    cells(*["---"] * 8)
    with walk() as calls:
        packed(replay(load(FILE)[0], UNDER))
    row("a file becomes a map", calls)
    trimmer, messages = Trimmer(UNDER), [said(number) for number in range(2 * REQUESTS + 1)]
    trimmer.trim(messages[:-2])
    with walk() as calls:
        trimmer.trim(messages)
    row("the second trim()", calls)
    with tempfile.TemporaryDirectory() as folder, proxy(Path(folder)) as address:
        os.environ[RECORD] = folder
        recorded, mapped, drawn = request_to_column(Path(folder), address)
    row(f"request {REQUESTS} is proxied and recorded", recorded)
    row("its line becomes a map", mapped)
    row("both", recorded + mapped)
    row("Live is drawn with it", drawn)


if __name__ == "__main__":
    main()
