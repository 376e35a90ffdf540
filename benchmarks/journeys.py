"""Three journeys through the package: files, functions and rooms they enter, and what drawing on Live plans anew.

    python benchmarks/journeys.py [FOLDER]     # the package of this checkout; or of another one, to compare

A file becomes a map; a Trimmer trims a chat for the second time; the 13th request of a chat passes `historylab proxy`,
is recorded, becomes a map, and is drawn by the page Live, which drew each one before it. All in one process but the
model. Every module is imported before, so that calls alone count; a generator is called whenever it goes on. A room is
a folder or module at the top of the package; it changes between two calls that follow each other in a thread. *Stages*
are the calls of what is registered as one, *plans* those of the pipeline, with stages or without.
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

Calls = list[tuple[int, CodeType]]  # thread and function, in order
UNDER = Settings(policy="all", pruner="fifo", budget=600)
REQUESTS = 13
STAGES = {member.target.__code__ for family in STAGE_FAMILIES for member in members(family).values()}
calls: Calls = []


def follow(frame: FrameType, event: str, _: object) -> None:
    if event == "call" and room(frame.f_code):
        calls.append((threading.get_ident(), frame.f_code))


def taken() -> Calls:
    """The calls since this was called last."""
    found, calls[:] = calls[:], []
    return found


@cache
def room(code: CodeType) -> str:
    """The folder or module it is in; "" for what is no function with a name in the package."""
    parts = Path(code.co_filename).parts[len(ROOT.parts) :]
    nameless = code.co_name.startswith("<") or "__module__" in code.co_names
    return "" if nameless or parts[:1] != ("historylab",) else parts[1].removesuffix(".py")


def row(name: str, found: Calls) -> None:
    in_threads, codes = sorted(found, key=lambda call: call[0]), [code for _, code in found]
    changes = sum(one[0] == two[0] and room(one[1]) != room(two[1]) for one, two in pairwise(in_threads))
    sizes = (len({code.co_filename for code in codes}), len({*codes}), len(codes), len({*map(room, codes)}), changes)
    asked = sum(code in STAGES for code in codes), codes.count(Pipeline.plan.__code__)
    print("|", *(f"{cell} |" for cell in (name, *sizes, *asked)))


def said(number: int) -> dict[str, str]:
    return {"role": ("user", "assistant")[number % 2], "content": f"When does ferry {number // 2} leave for Ven? " * 6}


def packed(timeline: Timeline) -> tuple[bytes, bytes]:
    return pack_conversation(timeline, "conversation"), pack_timeline(timeline, "timeline", "conversation")


@contextlib.contextmanager
def proxy(folder: str) -> Iterator[str]:
    """The address of the proxy that the command starts, which records there."""
    settings, upstream, port = Path(folder, "settings.env"), free_port(), free_port()
    settings.write_text(export(UNDER, "dotenv", only_changed=True))
    options = ("--upstream", f"http://127.0.0.1:{upstream}", "--settings", str(settings), "--record", folder)
    with server("historylab.proxy.scripted_upstream", "--port", str(upstream), port=upstream, cwd=str(ROOT)):
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            threading.Thread(target=historylab, args=[["proxy", "--port", str(port), *options]], daemon=True).start()
            while "health" not in printed.getvalue():
                time.sleep(0.01)
        yield f"http://127.0.0.1:{port}/v1/chat/completions"


def request_to_column(folder: str, address: str) -> list[Calls]:
    """The last request of a chat: until it is on record, from there to the map's bytes, and from there to the page."""
    messages, store = [], open_recording(folder)
    watch, app = Watch(store), AppTest.from_file(str(ROOT / "app.py"), default_timeout=SECONDS)
    app.switch_page("pages/live.py")
    for number in range(REQUESTS):
        messages.append(said(2 * number))
        body = json.dumps({"model": "gpt-4o", "messages": messages}).encode()
        sys.setprofile(None)  # this thread is the app's
        with urllib.request.urlopen(urllib.request.Request(address, body), timeout=SECONDS) as answer:
            messages.append(json.load(answer)["choices"][0]["message"])
        while sum(record.text.startswith('{"historylab":"request"') for record in store.read_records()) <= number:
            time.sleep(0.01)
        time.sleep(0.1)  # in which the proxy, too, is done with it
        walks = [taken()]
        sys.setprofile(follow)
        (shown,) = watch.newest(50)
        packed(sent_plans(watch.conversations(shown.id)[0], shown.of_newest).timeline)
        walks.append(taken())
        assert not app.run().exception
        walks.append(taken())
    return walks


def main() -> None:
    threading.setprofile(follow)
    sys.setprofile(follow)
    print("| journey | files | functions | calls | rooms | changes of room | stages | plans |\n" + "|---" * 8 + "|")
    packed(replay(load(ROOT / "sample_conversations/tide-tables-agent.json")[0], UNDER))
    row("a file becomes a map", taken())
    trimmer, messages = Trimmer(UNDER), [said(number) for number in range(2 * REQUESTS + 1)]
    trimmer.trim(messages[:-2])
    taken()
    trimmer.trim(messages)
    row("the second trim()", taken())
    with tempfile.TemporaryDirectory() as folder, proxy(folder) as address:
        os.environ["HISTORYLAB_RECORD"] = folder
        recorded, mapped, drawn = request_to_column(folder, address)
    row(f"request {REQUESTS} is proxied and recorded", recorded)
    row("its line becomes a map", mapped)
    row("both", recorded + mapped)
    row("Live is drawn with it", drawn)


if __name__ == "__main__":
    main()
