"""The conversations of a sweep: values, or pieces of files that are read where the work is done."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import lru_cache, partial

from historylab.conversation.conversation import Conversation
from historylab.formats.files.folders import files_at
from historylab.formats.files.object_stores import is_address, list_objects
from historylab.formats.files.pieces import Piece, split_file
from historylab.formats.shapes.shape import Shape

Source = Conversation | Piece
OBJECTS_AT_ONCE = 16
SOURCE_BYTES = 1_000_000  # of a piece, whose rows are lost when a sweep is stopped while it is measured


def to_sources(
    given: Iterable[Conversation | Piece | str | os.PathLike[str]], shape: Shape | None = None
) -> Iterator[Source]:
    """Conversations and pieces as they are; files, folders and objects as their pieces, to be read by a shape."""
    for item in given:
        if isinstance(item, Conversation | Piece):
            yield item
            continue
        if is_address(path := os.fspath(item)):
            yield from _objects_to_sources(path, shape)
            continue
        for file in files_at(path):
            yield from split_file(file, shape, most=SOURCE_BYTES)


def _objects_to_sources(address: str, shape: Shape | None) -> Iterator[Piece]:
    """The same of the objects at an address, looked at several at a time."""
    with ThreadPoolExecutor(OBJECTS_AT_ONCE) as threads:
        split = partial(split_file, shape=shape, most=SOURCE_BYTES)
        for pieces in threads.map(lambda found: split(found[0], stamp=found[1]), list_objects(address)):
            yield from pieces


def read_source(source: Source) -> Sequence[Conversation]:
    """The conversations of a source."""
    return (source,) if isinstance(source, Conversation) else source.read()


def path_of(source: Source) -> str:
    """The path that a source is read from; empty for a conversation that was handed in."""
    return "" if isinstance(source, Conversation) else source.path


@lru_cache(maxsize=4)
def read_source_cached(source: Source) -> Sequence[Conversation]:
    """`read_source`, with the latest results cached: on a worker, batches of one conversation follow each other."""
    return read_source(source)


def picklable_source(source: Source) -> Source:
    """The source as sent to another process: a conversation without the callers' own objects."""
    if isinstance(source, Piece):
        return source
    return source.edited(m if m.source is None else replace(m, source=None) for m in source)
