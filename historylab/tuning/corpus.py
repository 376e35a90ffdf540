"""The conversations of a sweep: values, or pieces of files that are read where the work is done."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache

from historylab.conversation.conversation import Conversation
from historylab.formats.files.folders import files_at
from historylab.formats.files.pieces import Piece, split_file
from historylab.formats.shapes.shape import Shape

Source = Conversation | Piece
SOURCE_BYTES = 1_000_000  # of a piece, whose rows are lost when a sweep is stopped while it is measured


def to_sources(
    given: Iterable[Conversation | Piece | str | os.PathLike[str]], shape: Shape | None = None
) -> Iterator[Source]:
    """Conversations and pieces as they are; files, and those in folders, as their pieces, to be read by a shape."""
    for item in given:
        if isinstance(item, Conversation | Piece):
            yield item
            continue
        for file in files_at(os.fspath(item)):
            yield from split_file(file, shape, most=SOURCE_BYTES)


def read_source(source: Source) -> Sequence[Conversation]:
    """The conversations of a source."""
    return (source,) if isinstance(source, Conversation) else source.read()


@lru_cache(maxsize=4)
def read_source_cached(source: Source) -> Sequence[Conversation]:
    """`read_source`, with the latest results cached: on a worker, batches of one conversation follow each other."""
    return read_source(source)


def picklable_source(source: Source) -> Source:
    """The source as sent to another process: a conversation without the callers' own objects."""
    if isinstance(source, Piece):
        return source
    return source.edited(m if m.source is None else replace(m, source=None) for m in source)
