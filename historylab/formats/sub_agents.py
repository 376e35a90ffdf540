"""Whole sessions: sub-agents joined to the calls that made them, and the calls that wrote summaries to their cuts.

A file tells who was called by the result that names the sub-agent, by the call that its records name, or, in older
ones, by a prompt that both have.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from historylab.conversation.conversation import Conversation
from historylab.conversation.message import Message, Usage, instant
from historylab.conversation.recorded import (
    ANSWERING_AGENT,
    CALLED_BY,
    NAMED_BY,
    RESUMED,
    SIDECHAIN,
    SUB_AGENTS,
    conversation_name,
)
from historylab.conversation.sent import SentHistory, sent_histories, sent_metadata
from historylab.formats.base import Report
from historylab.formats.messages.fields import text_in, unpack_json

SUMMARY_AGENT = "acompact-"
"""Begins the id of the agent that writes a compaction's summary, in Claude Code."""
SPAWNED = "agent_id"
"""The key by which a result names the sub-agent itself, in Codex."""
PROMPT = "prompt"
SLACK = 5.0  # seconds that a summary may seem older than the call that wrote it


def is_sub_agent(conversation: Conversation) -> bool:
    """Tell whether the conversation is a sub-agent's."""
    return conversation.metadata.get(SIDECHAIN) is True


def session_ids(conversation: Conversation) -> tuple[str, ...]:
    """The ids of the session it is of, and of those that it goes on from."""
    resumed = conversation.metadata.get(RESUMED)
    given = (conversation.metadata.get("session"), *(resumed if isinstance(resumed, list) else ()))
    return tuple(name for name in given if isinstance(name, str) and name)


def join_sub_agents(found: Sequence[Conversation], report: Report) -> list[Conversation]:
    """The conversations, each of a sub-agent with the message that called it, and those that called with theirs.

    A call that wrote the summary of a compaction is no conversation: its usage is kept with the cut.
    """
    if not any(map(is_sub_agent, found)):
        return list(found)
    kept = _with_summary_calls(found, report)
    about = [{k: v for k, v in one.metadata.items() if k not in (CALLED_BY, SUB_AGENTS)} for one in kept]
    for call, child in sorted((call, child) for child, call in _calls_of(kept).items()):
        parent = conversation_name(about[call.conversation])
        if parent and conversation_name(about[child]) == parent and kept[child][0].id:
            about[child][NAMED_BY[0]] = kept[child][0].id  # an older file names the session alone
        if parent and (name := conversation_name(about[child])):
            about[child][CALLED_BY] = [parent, call.message]
            about[call.conversation].setdefault(SUB_AGENTS, []).append([name, call.message])
    return [_with_metadata(one, said) for one, said in zip(kept, about, strict=True)]


def arrange_sessions(found: Sequence[Conversation]) -> list[Conversation]:
    """The conversations in their order, with the sub-agents of each session after it, as they were called."""
    main = [one for one in found if not is_sub_agent(one)]
    if len(main) == len(found):
        return main
    by_name = {one.recorded.id: one for one in found}
    place = {name: i for i, one in reversed([*enumerate(main)]) for name in session_ids(one)}
    own = {id(one): i for i, one in enumerate(main)}

    def order(one: Conversation) -> tuple[int, float]:
        if id(one) in own:
            return own[id(one)], -1
        first, seen = one, set[int]()
        while (called := first.recorded.parent) and called[0] in by_name and id(first) not in seen:
            seen.add(id(first))
            first = by_name[called[0]]
        session = next((place[name] for name in session_ids(first) if name in place), len(main))
        return session, one.recorded.parent[1] if one.recorded.parent else math.inf

    return sorted(found, key=order)


def _with_metadata(given: Conversation, said: dict[str, Any]) -> Conversation:
    return given if said == given.metadata else Conversation(given.messages, given.title, said, given.branches)


def sub_agents_of(conversation: Conversation, among: Iterable[Conversation]) -> list[Conversation]:
    """The conversations among these of its sub-agents, and of theirs; of a session, also those that nothing called."""
    others, by_caller = list(among), defaultdict(list)
    for one in filter(is_sub_agent, others):
        if called := one.recorded.parent:
            by_caller[called[0]].append(one)
    found = [] if is_sub_agent(conversation) else [one for one in others if _is_uncalled(one, conversation)]
    seen, callers = {conversation.recorded.id}, [conversation.recorded.id, *(one.recorded.id for one in found)]
    for caller in callers:  # which grows
        for one in by_caller.get(caller or "", ()):
            if one.recorded.id not in seen:
                seen.add(one.recorded.id)
                callers.append(one.recorded.id)
                found.append(one)
    return found


def _is_uncalled(one: Conversation, session: Conversation) -> bool:
    return is_sub_agent(one) and not one.recorded.parent and _share_session(one, session)


class _Call(NamedTuple):
    """A call by a conversation's message, both by their index."""

    conversation: int
    message: int
    id: str


def _calls_of(found: Sequence[Conversation]) -> dict[int, _Call]:
    """The sub-agents' conversations, by index → the call that made each, as far as that is told."""
    by_call, by_agent, by_prompt = _index_calls(found)
    called: dict[int, _Call] = {}
    taken = set[_Call]()
    for i, one in enumerate(found):
        if not is_sub_agent(one):
            continue
        asked = next((m.content.strip() for m in one if m.role == "user" and not m.injected), "")
        call, agent, session = (text_in(one.metadata, key) or "" for key in ("call", "agent", "session"))
        offered = (
            by_call[call],
            by_agent[agent or session],
            [each for each in by_prompt[asked] if _share_session(one, found[each.conversation])],
        )
        free = ([each for each in calls if each.conversation != i and each not in taken] for calls in offered)
        if made := next(filter(None, (_choose_call(one, calls, found) for calls in free)), None):
            called[i] = made
            taken.add(made)
    return called


def _choose_call(child: Conversation, calls: Sequence[_Call], found: Sequence[Conversation]) -> _Call | None:
    """The first of these calls that its session made; of other sessions, if one alone did."""
    own = [call for call in calls if _share_session(child, found[call.conversation])]
    return next(iter(own), calls[0] if len({call.conversation for call in calls}) == 1 else None)


def _share_session(one: Conversation, other: Conversation) -> bool:
    return not set(session_ids(one)).isdisjoint(session_ids(other))


_Index = defaultdict[str, list[_Call]]


def _index_calls(found: Sequence[Conversation]) -> tuple[_Index, _Index, _Index]:
    """The calls of all conversations by their id, by the sub-agent that their result names, and by their prompt."""
    by_call, by_agent, by_prompt = _Index(list), _Index(list), _Index(list)
    for c, conversation in enumerate(found):
        made: dict[str, _Call] = {}
        for i, message in enumerate(conversation):
            for call in message.tool_calls:
                made[call.id] = place = _Call(c, i, call.id)
                by_call[call.id].append(place)
                if prompt := _text_in(call.arguments, PROMPT):
                    by_prompt[prompt.strip()].append(place)
            if message.role == "tool" and message.tool_call_id in made and (agent := agent_named(message)):
                by_agent[agent].append(made[message.tool_call_id])
    return by_call, by_agent, by_prompt


def agent_named(result: Message) -> str:
    """The id of the sub-agent that a result says it is of, or began; empty if it names none."""
    agent = result.metadata.get(ANSWERING_AGENT)
    return agent if isinstance(agent, str) else _text_in(result.content, SPAWNED)


def _text_in(text: str, key: str) -> str:
    """The text that an object in JSON has under that key."""
    value = unpack_json(text) if f'"{key}"' in text else None
    return text_in(value, key) or "" if isinstance(value, dict) else ""


# -- the calls that wrote summaries


def _with_summary_calls(found: Sequence[Conversation], report: Report) -> list[Conversation]:
    """The conversations without the calls that wrote summaries, whose usage is with the cuts then."""
    histories = {i: list(sent_histories(one) or ()) for i, one in enumerate(found)}
    cuts = [
        (i, k, time)
        for i, each in histories.items()
        for k, history in enumerate(each)
        if history.cut and not math.isnan(time := _time_of_cut(found[i], history))
    ]
    gone, changed = set[int](), set[int]()
    for i, one in enumerate(found):
        if not (is_sub_agent(one) and (text_in(one.metadata, "agent") or "").startswith(SUMMARY_AGENT)):
            continue
        ended = instant(one[-1].timestamp)
        after = [cut for cut in cuts if cut[2] >= ended - SLACK and _share_session(one, found[cut[0]])]
        if not after:
            continue
        c, k, _ = min(after, key=lambda cut: cut[2])
        histories[c][k] = _with_usage(histories[c][k], one)
        gone.add(i)
        changed.add(c)
        report.keep("the calls that wrote summaries", one.title)
    return [
        _with_metadata(one, {**one.metadata, **sent_metadata(histories[i])}) if i in changed else one
        for i, one in enumerate(found)
        if i not in gone
    ]


def _time_of_cut(conversation: Conversation, history: SentHistory) -> float:
    at = history.summary if history.summary is not None else min(history.size, len(conversation) - 1)
    return instant(conversation[at].timestamp)


def _with_usage(history: SentHistory, call: Conversation) -> SentHistory:
    """The cut with what the call that wrote its summary used."""
    if history.cut is None:
        return history
    spent = sum(filter(None, call.recorded.usage), history.cut.usage or Usage())
    return replace(history, cut=replace(history.cut, usage=spent, model=call.recorded.model))
