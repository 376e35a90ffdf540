"""The contract of a room's summariser, and SummarizerAgent, which asks a model with the published prompt."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Protocol

from historylab.conversation.message import instant
from historylab.counters.toolpack import estimate_tokens
from historylab.errors import InstrumentError
from historylab.planning.strategies.truncation import truncate_text
from historylab.summarizers.base import SummaryTask
from historylab.systems.toolpack.stored_messages import StoredMessage

LONGEST_TURN = 200  # characters of a turn that the model is shown
SUMMARY_TOKENS = 800
MARK = re.compile(r"\A\[Summary of ([\d,]+) earlier turns\]: ")
FENCED = re.compile(r"```(?:json)?\s*(.*?)\s*```", re.DOTALL)


@dataclass(frozen=True, slots=True)
class SummarizerOutput:
    """A summary, and of how many turns. `stock`: a sentence that stands where the model gave none."""

    summary: str
    turns_summarized: int
    has_decisions: bool = False
    estimated_tokens: int = 0
    stock: bool = field(default=False, repr=False, compare=False)


class SummaryCallable(Protocol):
    """Any callable that answers a SummarizerOutput, or its published JSON, as a mapping or as text."""

    def __call__(
        self,
        turns: Sequence[StoredMessage],
        *,
        agent_name: str,
        agent_id: str,
        max_tokens: int,
        extract_decisions: bool = True,
        previous_summary: str | None = None,
    ) -> SummarizerOutput | Mapping[str, Any] | str: ...


def parse_summary(answer: Any, turns: int) -> SummarizerOutput:
    """A summariser's answer. Raises InstrumentError where it holds no summary, so that none is stored."""
    if isinstance(answer, str):
        answer = read_json(answer)
    if isinstance(answer, Mapping):
        answer = _output(answer, turns)
    if not isinstance(answer, SummarizerOutput) or answer.stock or not answer.summary.strip():
        raise InstrumentError("the summariser gave no summary; it answers with {summary, turnsSummarized, …}")
    return answer


def summary_body(summary: StoredMessage) -> str:
    """The text of a stored summary, without its mark."""
    return MARK.sub("", summary.content, count=1)


def covered_turns(summary: StoredMessage) -> int:
    """The number of turns a stored summary stands for, by its mark; 1 if it has none."""
    mark = MARK.match(summary.content)
    return int(mark[1].replace(",", "")) if mark else 1


class RoomSummarizer:
    """A room's summariser as one of the core's: it is given stored turns, and its answer gets the published mark."""

    def __init__(self, summarizer: SummaryCallable, turns: Sequence[StoredMessage], agent_id: str, agent_name: str):
        self.name: str = getattr(summarizer, "name", "summarizer")
        self._summarizer, self._turns = summarizer, turns
        self._agent_id, self._agent_name = agent_id, agent_name

    def summarize(self, task: SummaryTask) -> str:
        answer = self._summarizer(
            self._turns,
            agent_name=self._agent_name,
            agent_id=self._agent_id,
            max_tokens=task.max_tokens,
            extract_decisions=True,
            previous_summary=task.previous or None,
        )
        output = parse_summary(answer, len(self._turns))
        return f"[Summary of {task.covers} earlier turns]: {output.summary}"


def format_clock(timestamp: str) -> str:
    """A time as people read it: `Jan 1, 12:05 AM`, in UTC."""
    try:
        moment = datetime.fromtimestamp(instant(timestamp), UTC)
    except (ValueError, OverflowError, OSError):
        return "Invalid Date"
    return f"{moment:%b} {moment.day}, {moment:%I:%M %p}"


class SummarizerAgent:
    """A summariser: `generate(prompt)` asks the model. Where that gives no JSON it answers a stock sentence."""

    name = "summarizer"

    def __init__(self, generate: Callable[[str], str]):
        self._generate = generate

    def __call__(
        self,
        turns: Sequence[StoredMessage],
        *,
        agent_name: str,
        agent_id: str,
        max_tokens: int = SUMMARY_TOKENS,
        extract_decisions: bool = True,
        previous_summary: str | None = None,
    ) -> SummarizerOutput:
        if not turns and not previous_summary:
            return SummarizerOutput("(No history to summarize)", 0, False, 5, stock=True)
        former = ["Summary of what came before them, to be kept in yours:", "", previous_summary, ""]
        prompt = [
            f'Target agent: "{agent_name}" (ID: {agent_id})',
            f"Maximum summary length: ~{max_tokens} tokens",
            f"Extract decisions/action items: {'yes' if extract_decisions else 'no'}",
            "",
            *(former if previous_summary else ()),
            f"Conversation turns to summarize ({len(turns)} turns):",
            "",
            *map(_line, turns),
            "",
            "Generate a JSON summary object:",
        ]
        return _read(self._generate("\n".join(prompt)), len(turns))


def read_json(text: str) -> Any:
    """The JSON value in a model's answer, fenced or not; None if there is none."""
    fenced = FENCED.search(text)
    try:
        return json.loads(fenced[1] if fenced else text)
    except (ValueError, RecursionError):
        return None


def _read(answer: str, turns: int) -> SummarizerOutput:
    given = read_json(answer)
    given = given if isinstance(given, Mapping) else {}
    stock = not given.get("summary") or not isinstance(given["summary"], str)
    stock_text = f"(Summary of {turns} conversation turns - key details preserved in full context)"
    read = _output({**given, "summary": stock_text if stock else given["summary"]}, turns)
    return SummarizerOutput(
        read.summary,
        read.turns_summarized,
        read.has_decisions,
        read.estimated_tokens if read.estimated_tokens > 0 else estimate_tokens(answer),
        stock=stock,
    )


def _output(given: Mapping[str, Any], turns: int) -> SummarizerOutput:
    summary, tokens, covered = given.get("summary"), given.get("estimatedTokens"), given.get("turnsSummarized")
    return SummarizerOutput(
        summary if isinstance(summary, str) else "",
        _whole_number(covered, turns),
        given.get("hasDecisions") is True,
        _whole_number(tokens, 0),
    )


def _whole_number(value: object, default: int) -> int:
    """The number rounded towards 0; `default` for what is no finite number."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return default
    return int(value)


def _line(turn: StoredMessage) -> str:
    who = f"[BOT] {turn.participant.name}" if turn.participant.kind == "agent" else turn.participant.name
    text = truncate_text(turn.content, LONGEST_TURN, "...")
    facts = turn.metadata or {}
    tool = f" [tool: {facts['toolName']}]" if facts.get("isToolCall") and facts.get("toolName") else ""
    return f"[{format_clock(turn.timestamp)}] {who}: {text}{tool}"
