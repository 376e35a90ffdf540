"""The library as this tab sees it: what the server records and what was opened here; and what was chosen of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from historylab.errors import StoreError
from historylab.formats.samples import DEFAULT_SAMPLE
from historylab.recordings.entries import Source, clean_tags
from historylab.recordings.library import Library
from historylab.recordings.place import named_place
from historylab.recordings.recorded_shelf import is_recorded, name_of
from historylab.recordings.search import MessageIndex
from historylab.ui.session import cached_recording, opening, upload_budget, viewing, watching
from historylab.ui.session.session import tab, touch

LONGEST_SEARCH = 200


def library() -> tuple[Library, str]:
    """The library, and why the recording can't be read; empty if it can, or if there is none."""
    held = upload_budget.shelf()
    place = named_place()
    if not place:
        return Library(held), ""
    try:
        shelf = cached_recording.recorded_shelf(place)
        shelf.refresh()
    except StoreError as problem:
        return Library(held), str(problem)
    return Library(held, shelf), ""


def spec_of(key: str) -> str:
    """The name in a link of the sample or the generated file that an entry is of; "" for any other."""
    found = None if is_recorded(key) else upload_budget.find_held(key)
    return found[0].opened.spec if found else ""


def is_open(key: str) -> bool:
    """Tell whether that entry is the conversation on screen."""
    now = viewing.current_file()
    if is_recorded(key):
        return any(file.given.recorded == name_of(key) for file in now.files)
    found = upload_budget.find_held(key)
    return found is not None and found[0].opened.conversations is now.conversations and found[1] == now.which


def index(library: Library) -> MessageIndex:
    """What is searched of it."""
    shared = library.recorded.index.state if library.recorded else ()
    held = tuple((key, one.conversation.digest) for key, one in library.held.held.items())
    return cached_recording.library_index(shared, held, library)


# -- what is listed


def list_matching(words: str) -> None:
    """List the conversations with these words, the best first."""
    library = tab().library
    library.search, library.page = words[:LONGEST_SEARCH], 0
    touch()


def choose_source(source: Source | None) -> None:
    """List those from there alone; None lists all."""
    library = tab().library
    library.source, library.page = source, 0
    touch()


def choose_tags(tags: Iterable[str]) -> None:
    """List those with all these tags alone."""
    library = tab().library
    library.wanted_tags, library.page = list(clean_tags(tags)), 0
    touch()


def sort_by(column: str) -> None:
    """List by that column, the most first; once more, the least first; once more, the newest first as before."""
    library = tab().library
    library.sort = {column: f"-{column}", f"-{column}": ""}.get(library.sort, column)
    library.page = 0
    touch()


def list_everything() -> None:
    """Search for nothing, and leave nothing out."""
    library = tab().library
    library.search, library.source, library.wanted_tags, library.page = "", None, [], 0
    touch()


def turn_to(page: int) -> None:
    """Show that page of the list, from 0."""
    tab().library.page = max(0, page)
    touch()


def preview_memory(question: str) -> None:
    """Show what would be remembered for this question."""
    tab().library.question = question[:LONGEST_SEARCH]
    touch()


# -- what is chosen


def tick(keys: Iterable[str], *, yes: bool) -> None:
    """Choose these conversations, or no longer."""
    ticked = tab().library.ticked
    for key in keys:
        if yes:
            ticked[key] = None
        else:
            ticked.pop(key, None)
    touch()


def untick_all() -> None:
    """Choose none."""
    tab().library.ticked = {}
    touch()


def open_entry(library: Library, key: str, message: int | None = None) -> None:
    """Open a conversation in the playground, there at that message (from 0)."""
    if is_recorded(key) and (watch := watching.recording()):
        watching.open_in_playground(watch, name_of(key), message=message)
    elif found := upload_budget.find_held(key):
        held, which = found
        here = held.opened
        viewing.open_conversations(here.conversations, here.spec, which, here.files, here.listing, here.listed)
        if message is not None:
            viewing.reveal_message(message)
        watching.ask_for_playground()
        touch()


def change_tags(library: Library, keys: Sequence[str], *, add: Iterable[str] = (), remove: Iterable[str] = ()) -> None:
    """Give these conversations tags, and take others away. Raises StoreError."""
    gone, new = {tag.casefold() for tag in remove}, list(add)
    for key in keys:
        tags = clean_tags([*(tag for tag in library.entry(key).tags if tag.casefold() not in gone), *new])
        if is_recorded(key) and library.recorded:
            library.recorded.tag(key, tags)
        else:
            tab().library.tags[key] = tags
    touch()


def delete(library: Library, keys: Sequence[str]) -> None:
    """Delete the recorded ones of these from the store for good; of the others let this tab go. Raises StoreError."""
    recorded = [key for key in keys if is_recorded(key)]
    if recorded and library.recorded:
        library.recorded.delete(recorded)
    if upload_budget.let_go(key for key in keys if not is_recorded(key)):
        opening.ask_for_sample(DEFAULT_SAMPLE)
    tick(keys, yes=False)
