"""The cuts of a chat of Copilot in VS Code: a summary stands for a round of calls and for all that was before it.

It stands in the round itself, or in the `summary` of a request's metadata, which names the round; where that is of an
older request, the summary was made before the first answer to the new one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from historylab.conversation.message import Message, prompt_length
from historylab.conversation.sent import RecordedCut, as_summary, sent_metadata
from historylab.formats.messages.fields import list_in, object_in, text_in
from historylab.formats.messages.sent_view import SentView, record_places

BY = "VS Code Copilot"


class _Summary(NamedTuple):
    """A summary of everything up to a round, and the request whose answers it was made for."""

    text: str
    round: str
    request: str


def cuts_in(messages: Sequence[Message], requests: Sequence[Any]) -> dict[str, Any]:
    """The metadata of what was sent of these messages, as the requests that they are made of tell it."""
    view, places, prompt = SentView(), record_places(messages), prompt_length(messages)
    for told in _summaries(requests):
        summed, asked = places.get(told.round), places.get(told.request)
        if summed and asked:
            size = max(summed.stop, asked.start + 1)
            order = [*range(prompt), as_summary(Message("user", told.text)), *range(summed.stop, size)]
            view.put(size, order, RecordedCut(by=BY))
    return sent_metadata(view.histories) if view.histories else {}


def _summaries(requests: Sequence[Any]) -> Iterator[_Summary]:
    for request in requests:
        metadata = object_in(object_in(request, "result"), "metadata") if isinstance(request, dict) else {}
        rounds = [each for each in list_in(metadata, "toolCallRounds") if isinstance(each, dict)]
        own, asked = object_in(metadata, "summary"), text_in(request, "requestId") if rounds else ""
        told = {text_in(each, "id") or "": text_in(each, "summary") or "" for each in rounds}
        at = text_in(own, "toolCallRoundId") or ""
        for name, text in {**({} if at in told else {at: ""}), **told}.items():
            if text := (text_in(own, "text") or "" if name == at else "") or text:
                yield _Summary(text, name, asked or "")
