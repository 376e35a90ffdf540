"""The stand-in for a library's model: a summary that our offline summarizer writes of what that model would be sent.

So a trimmer that summarises runs without a key, a network or a cost, and gives the same text each time. Which messages
it keeps is the library's own decision; the words of the summary are lines of the original.
"""

from __future__ import annotations

from historylab.conversation.message import Message
from historylab.counters.base import open_counter
from historylab.summarizers.base import SummaryTask
from historylab.summarizers.extractive import ExtractiveSummarizer

ROOM = 500
"""Tokens of a summary at most, by a quarter of its characters."""
LABEL = "- user: "  # of each line: who spoke stands in the text, and a model would repeat no label of ours


def write_summary(text: str) -> str:
    """The most telling lines of a text, word for word, in `ROOM` tokens; "" of a text that says nothing."""
    task = SummaryTask([Message("user", text)], ROOM, open_counter("chars/4", ""))
    summary = ExtractiveSummarizer().summarize(task)
    return "\n".join(line.removeprefix(LABEL) for line in summary.splitlines())
