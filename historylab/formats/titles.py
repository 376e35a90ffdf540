"""Titles of conversations: as a file gives them, or its name, or the first words that a user says."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import PurePath
from typing import TYPE_CHECKING

from historylab.conversation.message import words_of_person

if TYPE_CHECKING:
    from historylab.conversation.conversation import Conversation
    from historylab.conversation.message import Message

MADE_UP = re.compile(
    r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}|\b\d{13}|\A(?:api_conversation_history|ui_messages)\b", re.IGNORECASE
)
"""Names that a program made up: the id of a session, a time in milliseconds, the file of every task."""
QUESTION = 60  # characters of a title that is a question
OPENING = 50  # of a message within one


def add_titles(conversations: Sequence[Conversation], stem: str) -> Iterator[Conversation]:
    """Give each untitled conversation a title: the file's name if it is the only one, otherwise its first question.

    A name that a program made up says less than the question.
    """
    only = stem if len(conversations) == 1 else ""
    for number, found in enumerate(conversations, 1):
        given = found.title or ("" if MADE_UP.search(only) else only) or _question(found) or only
        yield _rename(found, printable(given).strip() or f"conversation {number}")


def label_conversation(conversation: Conversation, entry: str) -> Conversation:
    """The conversation under the name of its file in an archive, and its own title if that says more.

    A name that a program made up says nothing.
    """
    path = PurePath(entry)
    named = [part for part in path.with_suffix("").parts if not MADE_UP.search(part)]
    if len(named) < len(path.parts):
        return conversation
    label = printable(str(path.with_suffix("")))
    return _rename(conversation, label if conversation.title == path.stem else f"{label}: {conversation.title}")


def opening(text: str, most: int = OPENING) -> str:
    """The beginning of a text in one line of at most so many characters."""
    words = " ".join(text.lstrip()[: 4 * most].split())
    return words if len(words) <= most else words[: most - 1].rstrip() + "…"


def printable(text: str) -> str:
    """The text with a space in the place of every character that can't be seen."""
    return text if text.isprintable() else "".join(c if c.isprintable() else " " for c in text)


def first_question(messages: Iterable[Message]) -> str:
    """The opening of what a person says first; empty where no person says anything."""
    words = (words_of_person(m) for m in messages if m.role == "user")
    return opening(next((said for said in words if said.strip()), ""), QUESTION)


def _question(conversation: Conversation) -> str:
    """The first words that a person asks; what a coding agent put there counts where there is nothing else."""
    users = (m.content for m in conversation.messages if m.role == "user" and m.content.strip())
    return first_question(conversation.messages) or opening(next(users, ""), QUESTION)


def _rename(given: Conversation, title: str) -> Conversation:
    from historylab.conversation.conversation import Conversation  # imports numpy, which listing sessions does without

    if given.title == title:
        return given
    return Conversation(given.messages, title, given.metadata, given.branches)
