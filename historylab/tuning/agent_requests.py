"""Requests without text as columns of tokens, for each type of agent, one history after the other.

A history is what grows from request to request of one agent in one session. Where a smaller request is followed by one
that goes on where the history had been, it was beside it (a sub-agent, a title); where none is, the history was cut.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain

import numpy as np

from historylab.conversation.conversation import Conversation
from historylab.conversation.message import Usage
from historylab.conversation.usage import AGENT_TYPE, MODEL, model_name, usage_of

STEEPER = 4
"""A request goes on from an earlier history where going on from the latest would be so many times as large a step as
any of that, and as it is from the earlier one."""
UNNAMED = "all requests"
COUNTS = ("context", *Usage.__slots__)

Request = tuple[Usage, str]


@dataclass(frozen=True, slots=False, eq=False)
class AgentRequests:
    """The requests of one type of agent: arrays of one entry per request, in the order of their histories.

    Attributes:
        agent: its name; that of the model where none is given.
        counts: int64[requests] by name, the fields of `Usage` and the context.
        models: names, and `model` (int64[requests]) the index of each request's.
        starts: int64[histories], the first request of each; `session` the number of its session.
    """

    agent: str
    counts: dict[str, np.ndarray]
    models: tuple[str, ...]
    model: np.ndarray
    starts: np.ndarray
    session: np.ndarray

    def __len__(self) -> int:
        return len(self.model)

    @cached_property
    def sessions(self) -> int:
        """The number of sessions."""
        return int(self.session.max(initial=-1)) + 1

    @cached_property
    def ends(self) -> np.ndarray:
        """int64[histories]: the request after the last of each."""
        return np.append(self.starts[1:], len(self))

    @cached_property
    def history(self) -> np.ndarray:
        """int64[requests]: the number of each one's history."""
        return np.repeat(np.arange(len(self.starts)), self.ends - self.starts)

    @cached_property
    def before(self) -> np.ndarray:
        """int64[requests]: the context of the request before; 0 for the first of a history."""
        found = np.roll(self.counts["context"], 1)
        found[self.starts] = 0
        return found

    @cached_property
    def cut(self) -> np.ndarray:
        """bool[requests]: those before which the history was cut."""
        found: np.ndarray = self.counts["context"] < self.before
        return found

    @cached_property
    def cut_from_to(self) -> tuple[int, int] | None:
        """The median context before such a cut, and after it; None without any."""
        if not self.cut.any():
            return None
        return int(np.median(self.before[self.cut])), int(np.median(self.counts["context"][self.cut]))


def requests_by_agent(conversations: Iterable[Conversation]) -> Iterator[AgentRequests]:
    """The columns of each type of agent, in the order in which they are first met."""
    agents: dict[str, dict[str, list[Request]]] = {}
    for number, conversation in enumerate(conversations):
        named, session = conversation.metadata.get(AGENT_TYPE), conversation.metadata.get("conversation_id")
        requests = _requests_of(conversation)
        agent = named if isinstance(named, str) else next((model for _, model in requests if model), UNNAMED)
        if requests:
            agents.setdefault(agent, {}).setdefault(f"= {session}" if session else str(number), []).extend(requests)
    for agent, sessions in agents.items():
        yield _columns_of(agent, list(sessions.values()))


def split_histories(contexts: Sequence[int]) -> list[list[int]]:
    """The requests (from 0) of each history of a session, by their contexts in order of time."""
    grown: list[list[int]] = []  # histories that may go on: the last context of each is less than that before
    steps: list[int] = []  # the most that each grew by at once
    beside: list[list[int]] = []

    def last(history: list[int]) -> int:
        return contexts[history[-1]]

    for i, size in enumerate(contexts):
        if not grown or size < last(grown[-1]):
            grown.append([i])
            steps.append(0)
            continue
        step, back = size - last(grown[-1]), bisect_left(grown, -size, key=lambda history: -last(history))
        if step > STEEPER * max(steps[-1], size - last(grown[back])):
            beside.append(list(chain.from_iterable(grown[back + 1 :])))
            del grown[back + 1 :], steps[back + 1 :]
            step = size - last(grown[-1])
        grown[-1].append(i)
        steps[-1] = max(steps[-1], step)
        while len(grown) > 1 and last(grown[-2]) <= size:
            latest = grown.pop()
            grown[-1] += latest
            steps[-2:] = [max(steps[-2:])]
    return [list(chain.from_iterable(grown)), *beside]


def _requests_of(conversation: Conversation) -> list[Request]:
    answers = ((usage_of(m), model_name(m.metadata.get(MODEL)) or "") for m in conversation if m.role == "assistant")
    return [(usage, model) for usage, model in answers if usage and usage.context]


def _columns_of(agent: str, sessions: list[list[Request]]) -> AgentRequests:
    ordered: list[Request] = []
    starts, session = [], []
    for number, requests in enumerate(sessions):
        for history in split_histories([usage.context for usage, _ in requests]):
            starts.append(len(ordered))
            session.append(number)
            ordered += [requests[i] for i in history]
    models = tuple(dict.fromkeys(model for _, model in ordered))
    numbers = {model: n for n, model in enumerate(models)}
    counts = {name: np.array([getattr(usage, name) for usage, _ in ordered], np.int64) for name in COUNTS}
    model = np.array([numbers[model] for _, model in ordered], np.int64)
    return AgentRequests(agent, counts, models, model, np.array(starts, np.int64), np.array(session, np.int64))
