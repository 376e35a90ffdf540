"""Writing a summary: its heading and text, who wrote it, what that used, and how many messages it covers."""

from __future__ import annotations

from historylab.conversation.message import Summary
from historylab.counters.base import count_text
from historylab.errors import InstrumentError
from historylab.summarizers.base import Summarizer, SummaryTask, Written


def write_summary(
    task: SummaryTask, summarizer: Summarizer, *, made_at: int, heading: str = "", fallback: Summarizer | None = None
) -> Summary:
    """The summary of the task's messages, after `heading`, for a request whose history has `made_at` messages.

    With a `fallback` the text must fit the task's room. The fallback writes it where the summarizer fails or gives no
    text that fits, and the note says why. Without one, the text may be of any length and the summarizer's errors pass.
    Raises InstrumentError if there is no text in the end.
    """
    if fallback is None:
        written, by = _as_written(summarizer.summarize(task)), summarizer.name
    else:
        written, by = _write_to_fit(task, summarizer, fallback)
    if _is_empty(written):
        raise InstrumentError(f"{by} gave {written.text!r} for {len(task.messages)} messages; nothing was changed")
    text = heading + written.text
    tokens = count_text(task.counter, text)
    return Summary(text, tokens, task.covers, made_at, by, written.note, written.usage, heading)


def _write_to_fit(task: SummaryTask, summarizer: Summarizer, fallback: Summarizer) -> tuple[Written, str]:
    """A text and the name of who wrote it: the summarizer, or the fallback with the reason in its note."""
    written = _attempt(task, summarizer)
    empty = _is_empty(written)
    if (not empty and task.fits(written.text)) or isinstance(summarizer, type(fallback)):
        return written, summarizer.name
    if empty:
        why = written.note or f"{summarizer.name} gave an empty text"
    else:
        why = f"{summarizer.name} wrote {task.count(written.text):,} tokens where {task.max_tokens:,} fit"
    text = _as_written(fallback.summarize(task)).text
    return Written(text, written.usage, f"{fallback.name} stepped in: {why}"), fallback.name


def _attempt(task: SummaryTask, summarizer: Summarizer) -> Written:
    """The summarizer's text; if it failed, an empty text with the reason."""
    try:
        return _as_written(summarizer.summarize(task))
    except InstrumentError as problem:
        return Written("", note=str(problem))


def _as_written(given: str | Written) -> Written:
    return given if isinstance(given, Written) else Written(given)


def _is_empty(written: Written) -> bool:
    """Whether there is no text; a caller's own function may give anything."""
    return not isinstance(written.text, str) or not written.text.strip()
