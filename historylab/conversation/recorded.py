"""The recording a transcript describes: model, provider, tools, request parameters, and the usage per answer.

Formats put what a file says under the keys below; everything else reads it from `conversation.recorded`. A file may say
anything, so what isn't of the expected kind counts as not said.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from historylab.conversation.compactions import Compaction, compactions_of
from historylab.conversation.exchange import Exchange
from historylab.conversation.message import Message, ReadMessages, Usage, prompt_length
from historylab.conversation.usage import MODEL, TEXTLESS, model_name, usage_of
from historylab.registry import member

PROVIDER, TOOLS, PARAMETERS = "provider", "tools", "parameters"
"""Keys of `Conversation.metadata`, beside MODEL: text, a list of definitions, and an object.

TOOLS in an answer's `Message.metadata`: the definitions from this request on, where they are others than before.
"""

SENT_UNDER, DECISIONS, MODE, UNTRIMMED = "sent_under", "decisions", "sent_mode", "untrimmed"
"""In an answer's `Message.metadata`, of its request: the settings that were in force (as exported, without defaults),
the plan's decisions in run lengths ("P1D20K9"), "trim" or "audit", and why it went through as it came.
"""

RUN = re.compile(r"(\D)(\d{1,9})")
DECIDED, REASONED = "decided", ("tokens", "budget", "reasons", "runs", "shortened", "summary")
"""There, too: the reasons for the decisions with their numbers, shorter texts and the summary, as a line has them."""

SENT_TOKENS, WHOLE_TOKENS = "sent_tokens", "whole_tokens"
"""There, too, where less than all was sent: tokens of what was sent and of all, as our counter had them then."""

NOTED_STATE = "noted_state"
"""Key of `Conversation.metadata`: what a Trimmer's store had for its requests (summaries, times), by key."""

NAMED_BY = ("conversation_id", "agent", "call", "session")
"""Keys of `Conversation.metadata` that name it, from exact to wide: a sub-agent's has that of its session, too."""

CALLED_BY, SUB_AGENTS = "called_by", "sub_agents"
"""Keys there of a sub-agent and of what called it: `[conversation id, index of the calling message]`, and a list of
these, one per sub-agent.
"""

SIDECHAIN = "sidechain"
"""True there in the conversation of a sub-agent."""

RESUMED = "resumed"
"""Key of `Conversation.metadata`: the ids of other sessions whose records it goes on from."""

ANSWERING_AGENT = "sub_agent"
"""In a result's `Message.metadata`: the id of the sub-agent that it came from."""

PROMPT_CHANGED = "system_prompt_changed"
"""True in an answer's `Message.metadata` if its request had another system prompt than the one before."""


@dataclass(frozen=True)
class RecordedTools:
    """The tool definitions that a transcript holds, as they were given, for the model it names."""

    definitions: tuple[Mapping[str, Any], ...] = ()
    model: str | None = None

    @property
    def count(self) -> int:
        """The number of definitions."""
        return len(self.definitions)

    @cached_property
    def tokens(self) -> int:
        """Tokens of their JSON without whitespace: an estimate, as providers rewrite them in unpublished forms."""
        texts = [json.dumps(d, ensure_ascii=False, separators=(",", ":"), default=str) for d in self.definitions]
        counter = member("counter", "exact").target(self.model or "")
        empty, *counts = counter.count([Message("system"), *(Message("system", text) for text in texts)]).tolist()
        return sum(max(0, count - empty) for count in counts)


@dataclass(frozen=True)
class Recorded:
    """The model, tools and usage a conversation was recorded with; None or empty where the transcript has none.

    `model` is the one most answers name, `models` all of them in order. `usage` has one entry per assistant message,
    in order: what the provider reported for the request it answers, or None. `textless`: the transcript says how large
    its requests were and not what was said, so nothing is known of recall.

    `id` names the conversation. `children` are its sub-agents, each as (conversation id, index of the message here that
    called it); `parent` is the same of the conversation and message that called this one.
    """

    model: str | None
    models: tuple[str, ...]
    provider: str | None
    tools: RecordedTools
    system_prompt: str
    parameters: Mapping[str, Any]
    usage: tuple[Usage | None, ...]
    textless: bool = False
    id: str | None = None
    parent: tuple[str, int] | None = None
    children: tuple[tuple[str, int], ...] = ()
    _conversation: ReadMessages | None = field(default=None, repr=False, compare=False)

    @cached_property
    def compactions(self) -> tuple[Compaction, ...]:
        """The cuts of the history that the file records or shows, oldest first."""
        if self._conversation is None:
            return ()
        find = _summaries_sent if was_trimmed(self._conversation) else compactions_of
        return find(self._conversation)

    def __bool__(self) -> bool:
        """Whether the transcript says anything that settings could be proposed from."""
        return bool(self.model or self.tools.count or any(self.usage))


def decision_metadata(exchange: Exchange) -> dict[str, Any]:
    """The metadata of an answer about the decision on its request, under the keys above; empty if nothing is known.

    A plan is as untrusted as its line: a field of another type is left out.
    """
    said: dict[str, Any] = {MODE: exchange.mode} if exchange.mode else {}
    if exchange.untrimmed:
        said[UNTRIMMED] = exchange.untrimmed
    if not exchange.plan:
        return said
    said[SENT_UNDER] = exchange.settings
    decisions, tokens, before = (exchange.plan.get(name) for name in ("decisions", "tokens", "before"))
    if isinstance(decisions, str):
        said[DECISIONS] = decisions
    if isinstance(exchange.plan.get("reasons"), list):
        said[DECIDED] = {name: exchange.plan[name] for name in REASONED if name in exchange.plan}
    trimmed = exchange.mode == "trim" and not exchange.untrimmed
    if trimmed and type(tokens) is type(before) is int and 0 <= tokens < before:
        said |= {SENT_TOKENS: tokens, WHOLE_TOKENS: before}
    return said


def decision_runs(text: str) -> Iterator[tuple[str, int]]:
    """The runs of a text of run lengths: "P1D20" has (P, 1) and (D, 20)."""
    return ((found[1], int(found[2])) for found in RUN.finditer(text))


def decision_letters(runs: str, size: int) -> str:
    """A letter per message: as many as there are, "?" where the line says nothing."""
    letters, at = list[str](), 0
    for letter, count in decision_runs(runs):
        letters.append(letter * min(count, size - at))
        at += len(letters[-1])
    return "".join(letters).ljust(size, "?")


def trimmed_decisions(answer: Message) -> str:
    """The decisions by which a recording's request was really trimmed, in run lengths; empty if it was sent whole."""
    said = answer.metadata
    runs = said.get(DECISIONS) if said.get(MODE) == "trim" and not said.get(UNTRIMMED) else None
    return runs if isinstance(runs, str) and any(letter in "TSD" for letter, _ in decision_runs(runs)) else ""


def was_trimmed(conversation: ReadMessages) -> bool:
    """Tell whether it is a recording with requests that were really trimmed."""
    return conversation.remember("was trimmed", lambda: any(map(trimmed_decisions, conversation)))


def _summaries_sent(conversation: ReadMessages) -> tuple[Compaction, ...]:
    """The requests of a recording in which a summary newly stands for messages."""
    found, known, reported = list[Compaction](), frozenset[int](), 0
    for request, size in enumerate(conversation.columns.requests.tolist()):
        if size >= len(conversation):
            break
        answer = conversation[size]
        usage, runs = usage_of(answer), trimmed_decisions(answer)
        context = usage.context if usage else 0
        letters = decision_letters(runs, size) if "S" in runs else ""
        summed = frozenset(i for i, letter in enumerate(letters) if letter == "S")
        if new := sorted(summed - known):
            sent, whole = (_tokens(answer, name) for name in (SENT_TOKENS, WHOLE_TOKENS))
            before, after = reported or whole, context or sent
            found.append(Compaction(request, None, before, after, sent, tuple(new), None, False, "HistoryLab"))
        known, reported = summed if runs else known, context or reported
    return tuple(found)


def _tokens(answer: Message, name: str) -> int | None:
    return held if type(held := answer.metadata.get(name)) is int else None


def sent_share(answer: Message) -> float:
    """The share of its history that the request of an answer was sent with, in tokens; 1 unless a recording says so."""
    sent, whole = answer.metadata.get(SENT_TOKENS), answer.metadata.get(WHOLE_TOKENS)
    return sent / whole if type(sent) is type(whole) is int and 0 <= sent < whole else 1.0


def sent_whole(messages: Sequence[Message], size: int) -> bool:
    """Whether the request of that history length was sent with all of it, as far as the file says."""
    return size >= len(messages) or sent_share(messages[size]) == 1


def recorded_of(conversation: ReadMessages) -> Recorded:
    """The recording of a conversation, by its metadata and that of its answers. `conversation.recorded` keeps it."""
    said, messages = conversation.metadata, [*conversation]
    answers = [m for m in messages if m.role == "assistant"]
    model = _model(said.get(MODEL), (m.metadata.get(MODEL) for m in answers))
    named = (each.get(MODEL) for each in (said, *(m.metadata for m in messages)))
    provider, parameters, tools = said.get(PROVIDER), said.get(PARAMETERS), said.get(TOOLS)
    definitions = tuple(t for t in tools if isinstance(t, Mapping)) if isinstance(tools, list | tuple) else ()
    return Recorded(
        model=model,
        models=tuple(dict.fromkeys(name for given in named if (name := model_name(given)))),
        provider=provider if isinstance(provider, str) and provider else None,
        tools=RecordedTools(definitions, model),
        system_prompt="\n".join(m.content for m in messages[: prompt_length(messages)]),
        parameters=parameters if isinstance(parameters, Mapping) else {},
        usage=tuple(usage_of(m) for m in answers),
        textless=said.get(TEXTLESS) is True,
        id=conversation_name(said),
        parent=_calling_place(said.get(CALLED_BY)),
        children=_sub_agents(said.get(SUB_AGENTS), len(messages)),
        _conversation=conversation,
    )


def conversation_name(metadata: Mapping[str, Any]) -> str | None:
    """The id of the conversation with that metadata; None if its file has none."""
    return next((given for key in NAMED_BY if isinstance(given := metadata.get(key), str) and given), None)


def _sub_agents(given: object, size: int) -> tuple[tuple[str, int], ...]:
    """The sub-agents that messages of a conversation of that size called."""
    found = map(_calling_place, given) if isinstance(given, list | tuple) else ()
    return tuple(place for place in found if place and place[1] < size)


def _calling_place(given: object) -> tuple[str, int] | None:
    """A conversation's id and the index of a message, as metadata has them."""
    match given:
        case [str() as name, int() as message] if name and type(message) is int and message >= 0:
            return name, message
        case _:
            return None


def _model(of_file: object, of_answers: Iterable[object]) -> str | None:
    named = Counter(name for given in of_answers if (name := model_name(given)))
    return named.most_common(1)[0][0] if named else model_name(of_file)
