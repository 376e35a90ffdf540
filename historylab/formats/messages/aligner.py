"""A request placed in the thread that it goes on from, if there is one.

The newest messages of a request are certain, so what both have last is looked for first: mostly the thread's answer.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from historylab.conversation.message import Message, prompt_length
from historylab.formats.messages.alignment import Alignment, are_alike
from historylab.formats.messages.placing import MOST_PLACES, Placing, size_of
from historylab.formats.messages.threads import Thread

NEWEST = 4
"""Messages at an end that another one may go on from."""
TELLING = 24
"""Characters that two unrelated requests don't have in common by chance."""


class Aligner:
    """Places one request in threads: its messages, and a mark per message, as threads have them.

    `latest` is the thread of the request before it, `keyed` whether the log says which conversation it is of.
    """

    def __init__(self, sent: Sequence[Message], marks: Sequence[int], latest: Thread | None, *, keyed: bool):
        self._sent, self._marks, self._keyed, self._latest = sent, marks, keyed, latest
        self._prompt = prompt_length(sent)

    def find(self, threads: Sequence[Thread]) -> Alignment | None:
        """The place from which the request goes on: in the thread with most of its text, the first of several."""
        found = [one for thread in threads if (one := self._best(thread))]
        return max(found, key=lambda one: (_likeness(one), self._text(one.equal()), one.goes_on), default=None)

    def under_another_prompt(self, begun: Alignment) -> Alignment:
        """A request that begins with the messages of a thread, but has another system prompt."""
        prompt, known = begun.thread.prompt, begun.known
        found, places = Placing(self._sent, self._marks, begun.thread).begin(known - prompt + self._prompt)
        found.known, found.places = known, [*places[: self._prompt], *range(prompt, known)]
        return found

    def _best(self, thread: Thread) -> Alignment | None:
        """The placing with most that is the same and least that isn't; of several, one that goes on from all."""
        found, placing = list[Alignment](), Placing(self._sent, self._marks, thread)
        for i, place in _anchors(placing, thread, len(self._sent) - 1):
            one = placing.place(i, place)
            if self._is_sure(one):
                found.append(one)
                if len(found) == 1 and one.goes_on and one.new < len(self._sent) and one.is_newest:
                    return one
        return max(found, key=lambda one: (_likeness(one), one.goes_on, one.known), default=None)

    def _text(self, messages: list[int]) -> int:
        return sum(size_of(self._sent[i]) for i in messages)

    def _is_sure(self, found: Alignment) -> bool:
        """Tell whether so much is the same that it is no chance."""
        equal, text = len(found.equal()), self._text(found.equal())
        if equal > 1 and found.is_complete:
            return True
        if not equal and found.new > found.leading:  # the first question, and something else beside it
            return found.goes_on and not found.foreign and self._has_prompt_of(found.thread)
        if equal < 2 and (text < TELLING or not found.goes_on):
            return self._repeats_latest(found)
        enough = text >= TELLING or self._keyed or not found.foreign
        return equal > 0 and enough and found.foreign <= equal + 1

    def _repeats_latest(self, found: Alignment) -> bool:
        """Tell whether the only message that is the same is an answer, or the newest of all that were asked."""
        thread = found.thread
        if not found.goes_on or found.foreign or not self._has_prompt_of(thread):
            return False
        return thread is self._latest or thread.asked < len(thread.messages)

    def _has_prompt_of(self, thread: Thread) -> bool:
        prompts = zip(self._sent[: self._prompt], thread.messages[: thread.prompt], strict=False)
        return all(are_alike(one.content, other.content) for one, other in prompts)


def _likeness(one: Alignment) -> int:
    """The number of messages that are the same, twice those that the request before held, less those that aren't."""
    held = sum(one.places[i] in one.thread.held or one.places[i] >= one.thread.asked for i in one.equal())
    return len(one.equal()) + held - 2 * one.foreign


def _anchors(placing: Placing, thread: Thread, last: int) -> Iterator[tuple[int, int]]:
    """Pairs of a message and a place that may be the last both have, the likeliest first."""
    end, prompt = len(thread.messages) - 1, thread.prompt
    if end < prompt:
        return
    yield from _find_longest(placing, end, last - 1)
    if placing.is_same(last, end):
        yield last, end
    for place in range(end - 1, max(thread.asked - NEWEST, prompt) - 1, -1):
        yield from _find_longest(placing, place, last)
    for i in range(last, max(last - NEWEST, -1), -1):
        places = list(islice(placing.equal_places(i, end), MOST_PLACES))
        if places:
            yield i, max(places, key=lambda place: (placing.run(i, place), place))
    if thread.asked > prompt:
        yield from _find_rewritten(placing, thread.asked - 1, last)


def _find_longest(placing: Placing, place: int, last: int) -> Iterator[tuple[int, int]]:
    """The message, up to `last`, that is the one at that place: with most before it that are the same, too."""
    equal = (i for i in range(last, -1, -1) if placing.is_same(i, place))
    runs = [(placing.run(i, place), i) for i in islice(equal, MOST_PLACES)]
    if runs:
        yield max(runs)[1], place


def _find_rewritten(placing: Placing, place: int, last: int) -> Iterator[tuple[int, int]]:
    """The newest message of the request before, where this one has another text of it and then an answer."""
    answered = (i for i in range(last - 1, -1, -1) if placing.answers(i + 1) and placing.is_rewritten(i, place))
    yield from ((i, place) for i in islice(answered, 1))
