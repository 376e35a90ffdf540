"""A request's messages found again in one thread, from the last that both have backwards.

Equal messages are told apart by their calls' ids, by what stands beside them, and by their place from the end.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import islice, pairwise

from historylab.conversation.lineage import same_beginning
from historylab.conversation.message import Message, prompt_length
from historylab.formats.messages.alignment import ALIKE, NOWHERE, Alignment, are_alike
from historylab.formats.messages.threads import Thread

LONGEST_RUN = 64
"""Messages that are compared to tell places apart."""
MOST_PLACES = 32
"""Equal messages that are looked at for one of a request."""
BESIDE, NEAREST = 8, 4
"""Messages between one that is known and one that is placed by it, and the places of that one."""
FIRST_OR_NOT = "its oldest message is the first of all or a later one that says the same"


class Placing:
    """One request and one thread: its messages, and a mark per message, as threads have them."""

    def __init__(self, sent: Sequence[Message], marks: Sequence[int], thread: Thread):
        self._sent, self._marks, self._thread = sent, marks, thread
        self._prompt = prompt_length(sent)
        self._ids = self._places_by_id()
        self._before = thread.before
        self._same = same_beginning(thread.before.marks, marks)

    def run(self, i: int, place: int) -> int:
        """The number of messages up to these that are the same, one after another."""
        run = 0
        most = min(LONGEST_RUN, i + 1, place - self._thread.prompt + 1)
        while run < most and self.is_same(i - run, place - run):
            run += 1
        return run

    def begin(self, new: int) -> tuple[Alignment, list[int]]:
        """The placing of the system prompt alone, of so many messages, and their places."""
        places = [NOWHERE] * new
        found = Alignment(self._thread, len(self._thread.messages), places)
        self._place_prompt(found, places)
        return found, places

    def place(self, last: int, place: int) -> Alignment:
        """The request up to one message, which is the one at that place."""
        found, places = self.begin(last + 1)
        found.known = below = place + 1
        first = found.leading
        for i in range(last, found.leading - 1, -1):
            if i < self._same and self._before.places[i] == below - 1:  # as in the request before, from here back
                first = i + 1
                places[:first] = self._before.places[:first]
                break
            at = place if i == last else self._place_of(found, i, below - 1)
            if at != NOWHERE:
                places[i] = below = at
        self._part_from_calls(first, places)
        self._compare(found, first)
        return found

    def _compare(self, found: Alignment, first: int) -> None:
        """Note which messages, from one on, have another text; those before are as in the request before."""
        nowhere = [i for i in range(found.leading, found.new) if found.places[i] == NOWHERE]
        found.again = sum(map(self._is_again, nowhere))
        found.others |= {i for i in self._before.others if i < first and i >= found.leading}
        found.unlike |= set(nowhere)
        for i in range(first, found.new):
            at = found.places[i]
            if at != NOWHERE and self._marks[i] != self._thread.marks[at]:
                found.others.add(i)
                if not self.is_same(i, at):
                    found.unlike.add(i)

    def _is_again(self, i: int) -> bool:
        """Tell whether the request before held such a message, beside those of the thread."""
        others = (each for each in self._thread.latest.sent if isinstance(each, Message))
        message = self._sent[i]
        return any(other.role == message.role and are_alike(other.content, message.content) for other in others)

    def _part_from_calls(self, first: int, places: list[int]) -> None:
        """Take results out of the thread where their call is another one."""
        call = NOWHERE
        while 0 < first < len(places) and self._sent[first].role == "tool":
            first -= 1
        for i in range(first, len(places)):
            message = self._sent[i]
            call = i if message.tool_calls else call if message.role == "tool" else NOWHERE
            parted = message.role == "tool" and NOWHERE not in (call, places[i])
            if parted and places[call] != self._thread.call_before(places[i]):
                places[i] = NOWHERE

    def _place_prompt(self, found: Alignment, places: list[int]) -> None:
        """Place the system messages at the beginning, as many as the thread has: one more is a summary, say."""
        theirs = self._thread.marks[: self._thread.prompt]
        found.leading = min(self._prompt, len(theirs), found.new)
        for k in range(found.leading):
            if self._marks[k] in theirs:
                places[k] = theirs.index(self._marks[k])
        for k in range(found.leading):
            if places[k] == NOWHERE and k not in places[: found.leading]:
                places[k] = k
                found.others.add(k)

    def _place_of(self, found: Alignment, i: int, most: int) -> int:
        """The place of a message, at `most` there; NOWHERE if the thread doesn't have it."""
        if i in self._ids:
            return self._ids[i] if NOWHERE < self._ids[i] <= most else NOWHERE
        if most < self._thread.prompt:
            return NOWHERE
        if i == found.leading and self._thread.keeps_first and self.is_same(i, self._thread.prompt):
            return self._thread.prompt
        if self.is_same(i, most):
            if i == found.leading and self._may_be_first(i, most):
                found.doubt = FIRST_OR_NOT
            return most
        places = list(islice(self.equal_places(i, most), MOST_PLACES))
        rewritten = self.is_rewritten(i, most) and self._stands_at(found, i, most)
        trivial = size_of(self._sent[i]) < ALIKE
        if places and not (rewritten and (trivial or self._stands_between(found, i, most))):
            return self._choose(found, i, places)
        return most if rewritten else self._place_beside(found, i, most)

    def _may_be_first(self, i: int, place: int) -> bool:
        """Tell whether the request may hold the first message in place of that one, which says the same."""
        thread = self._thread
        first = thread.prompt
        return place > first and first in thread.held and place in thread.held and self.is_same(i, first)

    def _place_beside(self, found: Alignment, i: int, most: int) -> int:
        """The place of a message that has another text, after the last one before it that is the same."""
        for back in range(1, min(BESIDE, i - found.leading) + 1):
            for before in islice(self.equal_places(i - back, most - back), NEAREST):
                if all(self.is_rewritten(i - k, before + back - k) for k in range(back)):
                    return before + back
        return NOWHERE

    def _stands_at(self, found: Alignment, i: int, place: int) -> bool:
        """Tell whether a neighbour is the same on both sides."""
        after = i + 1 < found.new and found.places[i + 1] == place + 1
        return after or (i > 0 and place > 0 and self.is_same(i - 1, place - 1))

    def _stands_between(self, found: Alignment, i: int, place: int) -> bool:
        """Tell whether both neighbours are the same; of a result, the call and what follows."""
        if i + 1 >= found.new or found.places[i + 1] != place + 1:
            return False
        i, place = i - 1, place - 1
        while i > 0 and place > 0 and self._sent[i].role == self._thread.messages[place].role == "tool":
            i, place = i - 1, place - 1
        return i >= 0 and place >= 0 and self.is_same(i, place)

    def _choose(self, found: Alignment, i: int, places: list[int]) -> int:
        """The one of several equal messages with which most before it is the same; the newest of several."""
        thread = self._thread
        if len(places) == 1:
            return places[0]
        if i == found.leading and thread.prompt in places:
            return thread.prompt
        runs = [self.run(i, place) for place in places]
        likely = [place for place, run in zip(places, runs, strict=True) if run == max(runs)]
        held = [place for place in likely if place in thread.held or place >= thread.asked] or likely
        return held[0]

    def is_same(self, i: int, place: int) -> bool:
        """Tell whether the message is the one there, with a text that is known."""
        if i in self._ids and self._ids[i] != place:
            return False
        mark = self._marks[i]
        return self._thread.marks[place] == mark or mark in self._thread.spellings.get(place, ())

    def answers(self, i: int) -> bool:
        """Tell whether the message is a model's."""
        return self._sent[i].role == "assistant"

    def equal_places(self, i: int, most: int) -> Iterator[int]:
        """The places of equal messages, up to one, the newest first."""
        if i in self._ids:
            if NOWHERE < self._ids[i] <= most:
                yield self._ids[i]
            return
        places = self._thread.places_of(self._marks[i])
        for k in range(bisect_right(places, most) - 1, -1, -1):
            if places[k] >= self._thread.prompt:
                yield places[k]

    def is_rewritten(self, i: int, place: int) -> bool:
        """Tell whether the message may be the one there with another text."""
        one, other = self._sent[i], self._thread.messages[place]
        if not _call_alike(one, other):
            return False
        if one.role == "tool":
            return not (one.name and other.name) or one.name == other.name
        return are_alike(one.content, other.content)

    def _places_by_id(self) -> dict[int, int]:
        """The places of messages by the ids of their calls, where the log keeps ids; NOWHERE for an id that is new."""
        sent, thread = self._sent, self._thread
        calling = (i for i, message in enumerate(sent) if message.tool_calls or message.tool_call_id)
        places = {i: thread.place_by_id(sent[i]) for i in calling}
        found = {i: place for i, place in places.items() if place is not None and place != NOWHERE}
        calls = [i for i in found if sent[i].tool_calls]
        equal = sum(self._marks[i] == thread.marks[found[i]] for i in calls)
        ordered = all(a < b for a, b in pairwise(found.values()))
        alike = all(_call_alike(sent[i], thread.messages[place]) for i, place in found.items())
        if not (ordered and alike and 2 * equal >= len(calls)):
            return {}
        thread.keeps_ids |= bool(found)
        return found | ({i: NOWHERE for i, place in places.items() if place == NOWHERE} if thread.keeps_ids else {})


def size_of(message: Message) -> int:
    return len(message.content) + sum(len(call.name) + len(call.arguments) for call in message.tool_calls)


def _call_alike(one: Message, other: Message) -> bool:
    return one.role == other.role and [c.name for c in one.tool_calls] == [c.name for c in other.tool_calls]
