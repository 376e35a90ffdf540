"""What was opened in this tab: it stays listed on the page Conversations, however many others are opened since."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import accumulate

from historylab.recordings.entries import Held, HeldShelf, Source
from historylab.recordings.place import named_place
from historylab.registry import members
from historylab.ui.session.session import tab
from historylab.ui.session.tab import HeldFile, Opened

MOST_HELD, MOST_MESSAGES = 20, 500_000  # files, and messages in all; of more the oldest are let go
PASTED, SAMPLE, CHAT = "pasted", "sample", "chat"


def hold(opened: Opened) -> None:
    """Go on listing what was just opened. What the server's recording has is listed from there."""
    library = tab().library
    if any(file.given.recorded for file in opened.files) or (is_chat(opened) and named_place()):
        return
    kept = _without_bytes(opened)
    for held in library.held:
        if _is_same(held.opened, opened):
            held.opened, held.at = kept, time.time()
            return
    library.held.append(HeldFile(library.numbered, kept, time.time()))
    library.numbered += 1
    del library.held[:-MOST_HELD]
    while len(library.held) > 1 and sum(map(_size, library.held)) > MOST_MESSAGES:
        del library.held[0]


def _without_bytes(opened: Opened) -> Opened:
    """The same, but for what was uploaded: the file that is open holds that, to read it as another format."""
    files = tuple(
        replace(file, given=replace(file.given, data=None)) if isinstance(file.given.data, bytes) else file
        for file in opened.files
    )
    return Opened(opened.conversations, opened.spec, opened.which, files, None, opened.listing, opened.listed)


def _size(held: HeldFile) -> int:
    return sum(map(len, held.opened.conversations))


def is_chat(opened: Opened) -> bool:
    """Whether it is the chat of this tab, which is opened anew as it goes on."""
    return opened.conversations.report.format == CHAT


def _is_same(one: Opened, other: Opened) -> bool:
    if one.conversations is other.conversations or (one.spec and one.spec == other.spec):
        return True
    return is_chat(one) and is_chat(other) and any(message is one.original[-1] for message in other.original)


def shelf() -> HeldShelf:
    """All of it as the library lists it."""
    return HeldShelf(entry for held in tab().library.held for entry in _entries(held))


def _entries(held: HeldFile) -> Iterator[Held]:
    tags = tab().library.tags
    for which, conversation in enumerate(held.opened.conversations):
        if which not in held.gone:
            key = f"held:{held.number}:{which}"
            origin = _origin(held.opened, which)
            yield Held(key, source_of(held.opened), origin, held.at, conversation, tags.get(key, ()))


def source_of(opened: Opened) -> Source:
    """Where that comes from: a file or pasted text, or a generator, one of our samples or the chat."""
    return "generated" if opened.spec or is_chat(opened) else "imported"


def _origin(opened: Opened, which: int) -> str:
    """The file that a conversation is from, the generator, or that it is a sample."""
    if is_chat(opened):
        return CHAT
    if opened.spec:
        kind, _, name = opened.spec.partition(":")
        made = members("generator").get(name.partition(":")[0]) if kind == "gen" else None
        return made.attributes.get("title", made.name) if made else SAMPLE
    ends = accumulate(file.report.conversations for file in opened.files)
    file = next((file for file, end in zip(opened.files, ends, strict=True) if which < end), None)
    return file.given.name or PASTED if file else PASTED


def find_held(key: str) -> tuple[HeldFile, int] | None:
    """The file that was opened, and which of it, by the key of an entry; None if it is gone."""
    _, number, which = key.split(":")
    found = next((held for held in tab().library.held if held.number == int(number)), None)
    return (found, int(which)) if found and int(which) not in found.gone else None


def let_go(keys: Iterable[str]) -> bool:
    """List these no more. Returns whether nothing is listed any more of what is open."""
    library = tab().library
    for key in keys:
        if found := find_held(key):
            found[0].gone.add(found[1])
            library.tags.pop(key, None)
    empty = [held for held in library.held if len(held.gone) == len(held.opened.conversations)]
    library.held = [held for held in library.held if held not in empty]
    opened = tab().opened
    return opened is not None and any(_is_same(held.opened, opened) for held in empty)
