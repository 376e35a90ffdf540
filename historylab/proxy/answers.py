"""An answer as it passes: where its last event is, and what it was, put together as the API's own body."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

import jiter

from historylab.formats.apis.exchanges import Api
from historylab.formats.apis.streams import Stream
from historylab.registry import member

DONE = b"[DONE]"
ENDINGS = (DONE, b"message_stop", b"response.completed", b"response.incomplete", b"response.failed")
"""What the last event of a stream holds; a text may hold it, too."""
FINISHES = {"gemini": re.compile(rb'"(?:finish_?[rR]eason|block_?[rR]eason)"\s*:\s*"')}
"""A part of one of the last events, for a form whose streams end with the body and have no mark of it."""
LONGEST_FINISH = 40  # bytes
COMMENTED = frozenset(("chat_completions", "responses", "anthropic"))
"""The forms whose clients pass over comments in a stream; Google's own take any line for JSON."""
END_OF_EVENT, ENDS_OF_EVENT = re.compile(rb"\r?\n\r?\n"), (b"\n\n", b"\n\r\n")
LARGEST_KEPT = 64_000_000  # bytes of an answer that is put together for a record


class RelayedAnswer:
    """The pieces of an answer of one form of requests, `streamed` as events (or a JSON array of these) or whole."""

    def __init__(self, form: str, streamed: bool, largest: int = LARGEST_KEPT):
        self.streamed, self._form, self._largest = streamed, form, largest
        self._pieces: list[bytes] = []
        self._line: list[bytes] = []  # what is there of one of which more is to come
        self.ended, self.size = False, 0
        self._before = self._tail = b"\n\n"  # the last bytes before the latest piece, and with it
        self._last_at = 0  # where in the piece that has it the last event's data begin; below 0: in one before it

    def add(self, piece: bytes) -> bool:
        """Take the next piece. Returns whether it brings the last event of a stream, or one that may be."""
        self.size += len(piece)
        self._before, self._tail = self._tail, (self._tail + piece[-4:])[-4:]
        kept = self.size <= self._largest
        if kept:
            self._pieces.append(piece)
        if not self.streamed or self.ended:
            return False
        if finish := FINISHES.get(self._form):
            seen = b"".join((*self._line, piece))
            self._line = [seen[-LONGEST_FINISH:]]
            self.ended = bool(finish.search(seen))
            return self.ended
        if b"\n" not in piece:
            self._line += [piece] if kept else ()
            return False
        seen = b"".join((*self._line, piece))
        whole, _, rest = seen.rpartition(b"\n")
        self._line = [rest]
        if any(ending in whole for ending in ENDINGS):
            lines, before = whole.split(b"\n"), len(seen) - len(piece)
            last = next((k for k, line in enumerate(lines) if self._is_last(line)), None)
            self.ended, self._last_at = last is not None, sum(len(line) + 1 for line in lines[:last]) - before
        return self.ended

    def with_comment(self, piece: bytes, comment: str) -> bytes:
        """The last piece of a stream with a comment before its last event; an empty one: after what was passed on."""
        line = f": {comment}\n".encode()
        if self._form not in COMMENTED:
            return piece
        if not piece:
            return line + b"\n" if self._tail.endswith(ENDS_OF_EVENT) else b""
        if self._last_at < 0:  # part of the event has passed: a line within it
            at = piece.find(b"\n") + 1
            return piece[:at] + line + piece[at:]
        said, last_at = self._before + piece, self._last_at + len(self._before)
        starts = [found.end() for found in END_OF_EVENT.finditer(said, 0, last_at)]
        at = max(starts, default=last_at) - len(self._before)
        if at < 0:  # its name has passed
            at, starts = self._last_at, []
        return piece[:at] + line + b"\n" * bool(starts) + piece[at:]

    def is_whole(self) -> bool:
        """Whether nothing is missing, as far as its API marks the end of a stream; some servers don't."""
        if not self.streamed or self.ended or self.size > self._largest:
            return True
        body = self.body()
        choices = body.get("choices") if isinstance(body, dict) else None
        finished = any(isinstance(choice, dict) and choice.get("finish_reason") for choice in choices or ())
        return finished or bool(isinstance(body, dict) and body.get("error"))

    def body(self) -> Any:
        """The API's answer as one body; None for one too large to keep, and for what is no JSON."""
        if self.size > self._largest:
            return None
        whole = b"".join(self._pieces)
        if not self.streamed:
            return _value(whole)
        events = _events(whole)
        pieces = [event for event in events if self._stream.answer_of(event) is not None]
        failed = next((event for event in events if isinstance(event.get("error"), dict)), None)
        joined = self._stream.join(pieces) if pieces else {}
        return {**joined, "error": failed["error"]} if failed else joined or None

    def _is_last(self, line: bytes) -> bool:
        event = _event(line.strip())
        return event == DONE or (isinstance(event, dict) and self._stream.is_last(event))

    @property
    def _stream(self) -> Stream:
        return _stream_of(self._form)


@cache
def _stream_of(form: str) -> Stream:
    api: Api = member("format", form).attributes["api"]()
    assert api.stream is not None
    return api.stream


def _event(line: bytes) -> Any:
    """What an event carries, by its line; DONE for the word that ends a stream, None for any other line."""
    if not line.startswith(b"data:"):
        return None
    data = line[5:].strip()
    return DONE if data == DONE else _value(data)


def _events(stream: bytes) -> list[dict[str, Any]]:
    """The objects of a stream: what its events carry, or the items of an array, which may have been cut off."""
    found = [*map(_event, stream.splitlines())]
    if not any(found):
        array = _value(stream, partial=stream.lstrip().startswith(b"["))
        found = array if isinstance(array, list) else [array]
    return [value for value in found if isinstance(value, dict)]


def _value(text: bytes, *, partial: bool = False) -> Any:
    try:
        return jiter.from_json(text, partial_mode="on" if partial else "off")
    except ValueError:
        return None
