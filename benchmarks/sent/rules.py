"""Ways in which apps shorten what they send: each is given the whole history before a request, and gives what is sent.

A rule is made anew for each chat, as some remember what they cut. None parts a tool's result from its call.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from benchmarks.sent.chats import Record, size_of

Rule = Callable[[Sequence[Record]], list[Record]]
MakeRule = Callable[[int], Rule]
"""Makes a rule for a chat of so many tokens."""

CLEARED = "[cleared]"
CUT = " … truncated"
LONG = 160
SUMMARY = "Summary of the conversation so far: "


def split(said: Sequence[Record]) -> tuple[list[Record], list[Record]]:
    """The leading system messages, and the rest."""
    prompt = next((k for k, record in enumerate(said) if record["role"] != "system"), len(said))
    return list(said[:prompt]), list(said[prompt:])


def newest(said: Sequence[Record], count: int) -> list[Record]:
    """The newest so many, without results whose calls are older."""
    start = max(0, len(said) - count)
    while start < len(said) and said[start]["role"] == "tool":
        start += 1
    return list(said[start:]) or _last_block(said)


def _last_block(said: Sequence[Record]) -> list[Record]:
    start = len(said) - 1
    while start > 0 and said[start]["role"] == "tool":
        start -= 1
    return list(said[start:])


def everything(said: Sequence[Record]) -> list[Record]:
    return list(said)


def newest_messages(count: int) -> Rule:
    def trim(said: Sequence[Record]) -> list[Record]:
        prompt, rest = split(said)
        return [*prompt, *newest(rest, count)]

    return trim


def newest_turns(count: int) -> Rule:
    def trim(said: Sequence[Record]) -> list[Record]:
        prompt, rest = split(said)
        users = [k for k, record in enumerate(rest) if record["role"] == "user"]
        return [*prompt, *rest[users[-count] if len(users) >= count else 0 :]]

    return trim


def first_and_newest(count: int) -> Rule:
    def trim(said: Sequence[Record]) -> list[Record]:
        prompt, rest = split(said)
        first = next((k for k, record in enumerate(rest) if record["role"] == "user"), 0)
        after = rest[first + 1 :]
        return [*prompt, rest[first], *(newest(after, count) if after else [])]

    return trim


def token_budget(most: int) -> Rule:
    def trim(said: Sequence[Record]) -> list[Record]:
        prompt, rest = split(said)
        room, count = most - sum(map(size_of, prompt)), 0
        for record in reversed(rest):
            room -= size_of(record)
            if room < 0:
                break
            count += 1
        return [*prompt, *newest(rest, max(1, count))]

    return trim


def cleared_results(keep: int) -> Rule:
    def trim(said: Sequence[Record]) -> list[Record]:
        old = [k for k, record in enumerate(said) if record["role"] == "tool"][:-keep]
        return [{**record, "content": CLEARED} if k in old else record for k, record in enumerate(said)]

    return trim


def shortened_results(keep: int) -> Rule:
    """Long results as their beginnings, but for the newest `keep`."""

    def trim(said: Sequence[Record]) -> list[Record]:
        results = [k for k, record in enumerate(said) if record["role"] == "tool"]
        old = set(results[: len(results) - keep])
        return [_shorten(record) if k in old else record for k, record in enumerate(said)]

    return trim


def _shorten(record: Record) -> Record:
    text = record["content"]
    return {**record, "content": text[:LONG] + CUT} if len(text) > LONG else record


def picked_messages(count: int) -> Rule:
    """The older messages that share most words with the newest question, in their order, and the newest four."""

    def trim(said: Sequence[Record]) -> list[Record]:
        prompt, rest = split(said)
        kept = newest(rest, 4)
        blocks = _blocks(rest[: len(rest) - len(kept)])
        asked = next((record for record in reversed(rest) if record["role"] == "user"), rest[-1])
        words = _words([asked])
        best = sorted(range(len(blocks)), key=lambda k: -len(words & _words(blocks[k])))[:count]
        return [*prompt, *(record for k in sorted(best) for record in blocks[k]), *kept]

    return trim


def _blocks(said: Sequence[Record]) -> list[list[Record]]:
    """Calls with their results, and other messages alone."""
    found: list[list[Record]] = []
    for record in said:
        if record["role"] == "tool" and found:
            found[-1].append(record)
        else:
            found.append([record])
    return found


def _words(said: Sequence[Record]) -> set[str]:
    return {word for record in said for word in str(record["content"]).lower().split() if len(word) > 3}


def shortened_texts(keep: int) -> Rule:
    """Everything but the newest as its beginning, whoever said it."""

    def trim(said: Sequence[Record]) -> list[Record]:
        prompt, rest = split(said)
        old = len(rest) - keep
        return [*prompt, *(_shorten(r) if k < old and r["content"] else r for k, r in enumerate(rest))]

    return trim


@dataclass
class Compaction:
    """A summary in place of the oldest messages once there are more than `most`; the next one replaces it.

    `place`: the role that says it, or "prompt" where it is appended to the system prompt. `every`: at each request.
    """

    place: str
    most: int = 20
    keep: int = 7
    every: bool = False
    start: int = 0
    text: str = ""

    def __call__(self, said: Sequence[Record]) -> list[Record]:
        prompt, rest = split(said)
        if len(rest) - self.start > (self.keep if self.every else self.most):
            self.start = len(rest) - len(newest(rest, self.keep))
            self.text = summarize(rest[: self.start])
        if not self.text:
            return list(said)
        kept = rest[self.start :]
        if self.place != "prompt":
            return [*prompt, {"role": self.place, "content": self.text}, *kept]
        first = prompt[0]["content"] if prompt else "Answer briefly."
        return [{"role": "system", "content": f"{first}\n\n{self.text}"}, *prompt[1:], *kept]


def summarize(said: Sequence[Record]) -> str:
    """A text of our own on messages: how many there were, and the first words of what was asked last."""
    asked = [record["content"] for record in said if record["role"] == "user" and isinstance(record["content"], str)]
    topics = "; ".join(" ".join(text.split()[:6]) for text in asked[-5:])
    return f"{SUMMARY}{len(said)} messages were exchanged. Topics: {topics}."


@dataclass
class Mix:
    """A rule for some requests, then another: the app was changed while the chat went on."""

    rules: Sequence[Rule]
    each: int = 6
    requests: int = field(default=0)

    def __call__(self, said: Sequence[Record]) -> list[Record]:
        rule = self.rules[min(self.requests // self.each, len(self.rules) - 1)]
        self.requests += 1
        return rule(said)


def both(*rules: Rule) -> Rule:
    def trim(said: Sequence[Record]) -> list[Record]:
        for rule in rules:
            said = rule(said)
        return list(said)

    return trim


def with_state(said: Sequence[Record]) -> list[Record]:
    """What the app knows at the moment, at the end; another text at each request."""
    return [*said, {"role": "system", "content": f"Current state: step {len(said)}, {len(said) % 7} windows open."}]


def with_passages(said: Sequence[Record]) -> list[Record]:
    """What a search found for the newest question, before it; other passages at each request."""
    at = max((k for k, record in enumerate(said) if record["role"] == "user"), default=len(said))
    found = {"role": "system", "content": f"Passages: [{len(said)}] a leaflet on topic {len(said) * 7 % 31}."}
    return [*said[:at], found, *said[at:]]


def with_time(said: Sequence[Record]) -> list[Record]:
    """A system prompt that says what time it is."""
    prompt, rest = split(said)
    first = prompt[0]["content"] if prompt else "Answer briefly."
    text = f"{first} It is {len(said) // 60 + 9:02}:{len(said) % 60:02}."
    return [{"role": "system", "content": text}, *prompt[1:], *rest]


def with_reminder(said: Sequence[Record]) -> list[Record]:
    """A reminder inside the newest user message, at that request only."""
    at = max((k for k, record in enumerate(said) if record["role"] == "user"), default=-1)
    if at < 0:
        return list(said)
    text = f"{said[at]['content']}\n\n<reminder>It is {len(said) % 24:02}:15. Be brief.</reminder>"
    return [*said[:at], {**said[at], "content": text}, *said[at + 1 :]]


RULES: Mapping[str, MakeRule] = {
    "nothing trimmed": lambda _: everything,
    "newest 6 messages": lambda _: newest_messages(6),
    "newest 13 messages": lambda _: newest_messages(13),
    "newest 3 turns": lambda _: newest_turns(3),
    "first question + newest 6": lambda _: first_and_newest(6),
    "a token budget": lambda tokens: token_budget(max(300, tokens // 4)),
    "old results cleared": lambda _: cleared_results(2),
    "old results cleared + newest 12": lambda _: both(cleared_results(2), newest_messages(12)),
    "old results shortened": lambda _: shortened_results(2),
    "all long results shortened": lambda _: shortened_results(0),
    "summary as system": lambda _: Compaction("system"),
    "summary as user": lambda _: Compaction("user"),
    "summary as assistant": lambda _: Compaction("assistant"),
    "summary in the system prompt": lambda _: Compaction("prompt"),
    "summary renewed at each request": lambda _: Compaction("system", every=True),
    "a mix that changes": lambda _: Mix(
        (everything, newest_messages(8), both(cleared_results(1), newest_messages(14)), Compaction("user"))
    ),
    "older messages picked anew": lambda _: picked_messages(4),
    "all old texts shortened": lambda _: shortened_texts(6),
    "passages before the question": lambda _: both(newest_messages(8), with_passages),
    "the time in the prompt": lambda _: both(newest_messages(8), with_time),
    "a state message at the end": lambda _: both(newest_messages(8), with_state),
    "a reminder in the newest question": lambda _: both(newest_messages(8), with_reminder),
}
"""The rules that are ours, by name."""
