"""What the page Conversations takes for a large recording, apart from drawing it.

    python benchmarks/library.py [--conversations 10000]

Writes a recording of generated support chats, of two lines each, and does what the page does. Seconds of CPU.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from typing import Any, TypeVar

from historylab.formats.messages.chat_messages import to_record
from historylab.generators.base import generate
from historylab.recordings import open_recording
from historylab.recordings.entries import HeldShelf
from historylab.recordings.exchange import make_line
from historylab.recordings.library import Library
from historylab.recordings.recorded_shelf import RecordedShelf
from historylab.recordings.search import quote_words
from historylab.recordings.watch import Watch
from historylab.stores.base import Record, Store
from historylab.systems.mentu.library_memory import remember

T = TypeVar("T")
SEARCHES = ("refund of a late order", "case 4711", "broken lamp", "allergic", "wrong parcel delivered")
QUESTION = "What did I say about my refund for the late order?"
PER_PAGE, TOGETHER, KINDS = 50, 200, 200


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--conversations", type=int, default=10_000)
    count = parser.parse_args().conversations
    with tempfile.TemporaryDirectory() as folder, closing(open_recording(folder)) as store:
        write(store, count)
        shelf = RecordedShelf(Watch(store))
        library = Library(HeldShelf(), shelf)
        timed("see what there is", shelf.refresh)
        listed = timed("list it", library.listing)
        timed(f"read the first {PER_PAGE}", lambda: [library.entry(one.key) for one in listed[:PER_PAGE]])
        timed("read all others, once", lambda: [library.read(key) for key in library.unread()])
        index = timed("add what a session holds", library.index)
        spent = [elapsed(lambda words=words: library.find(words, lambda: index))[0] for words in SEARCHES]
        print(f"{'a search, median':28} {statistics.median(spent):8.3f} s")
        found = library.find(SEARCHES[0], lambda: index)[:PER_PAGE]
        timed("quote a page of hits", lambda: [quotes(library, one) for one in found])
        timed("remember for a question", lambda: remember(QUESTION, library, index))


def write(store: Store, count: int) -> None:
    """A recording of that many chats."""
    chats = [[to_record(message) for message in generate("support_desk", turns=8, seed=seed)] for seed in range(KINDS)]
    for first in range(0, count, TOGETHER):
        numbers = range(first, min(count, first + TOGETHER))
        store.append_records(Record(f"c-{n}", 1e9 + n, line) for n in numbers for line in lines(n, chats[n % KINDS]))
    size = sum(map(len, chats)) / KINDS
    print(f"{count:,} conversations of {size:.0f} messages")


def lines(number: int, chat: list[dict[str, Any]]) -> Iterator[str]:
    """Two requests of a chat, as a proxy writes them."""
    asked = [i for i, message in enumerate(chat) if message["role"] == "user"]
    middle, end = asked[4], asked[6]
    begun = [*chat[:middle], {**chat[middle], "content": f"{chat[middle]['content']} (case {number})"}]
    common = {"version": 1, "conversation": f"c-{number}", "api": "chat_completions", "app": "desk", "status": 200}
    yield make_line(
        "request",
        **common,
        id=f"r-{number}-1",
        same=0,
        request={"model": "gpt-4o", "messages": begun},
        response={"model": "gpt-4o", "choices": [{"message": chat[middle + 1]}]},
    )
    yield make_line(
        "request",
        **common,
        id=f"r-{number}-2",
        after=f"r-{number}-1",
        same=len(begun),
        unchanged=["model"],
        request={"messages": chat[middle + 1 : end + 1]},
        response={"model": "gpt-4o", "choices": [{"message": {"role": "assistant", "content": "Done."}}]},
    )


def quotes(library: Library, match: Any) -> list[Any]:
    conversation = library.conversation(match.key)
    return [quote_words(conversation[i], SEARCHES[0]) for i in match.messages]


def timed(what: str, act: Callable[[], T]) -> T:
    spent, found = elapsed(act)
    print(f"{what:28} {spent:8.3f} s")
    return found


def elapsed(act: Callable[[], T]) -> tuple[float, T]:
    began = time.process_time()
    found = act()
    return time.process_time() - began, found


if __name__ == "__main__":
    main()
