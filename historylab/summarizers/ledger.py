"""`ledger`: a structured ledger instead of prose: goal, decisions, open items, files, values of calls, ids; offline.

Lines are quoted word for word, chosen by their cues (`cues.py`); tasks and people's standing instructions come before
any value. Values are ranked by age over use (`values.py`); the messages themselves tell how much those that nobody used
are worth beside them (`reuse.py`). A ledger reads its own text back and goes on with it: a line weighs by what it says,
a value by its uses, so nothing goes merely because it is old. Of other text, a model's summary say, it takes the
telling lines and the literals.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import chain, zip_longest

from historylab.conversation.message import Message
from historylab.registry import register
from historylab.summarizers.base import SummaryTask
from historylab.summarizers.cues import (
    DECISIONS,
    GOAL,
    OPEN,
    PREFERENCES,
    QUESTION,
    find_cues,
    has_failed,
    is_rule_line,
    sections_of,
    weight_of,
)
from historylab.summarizers.filling import costs_of, select_fitting
from historylab.summarizers.lines import find_literals, shorten_line
from historylab.summarizers.reuse import doubt_of_seen
from historylab.summarizers.values import (
    ALSO,
    SaidText,
    Value,
    is_number,
    is_one_word,
    list_values,
    rank_values,
    read_values,
)

SECTIONS = (GOAL, PREFERENCES, DECISIONS, OPEN)
EDITED, READ, IDS = "Files edited: ", "Files read: ", "Ids and values: "
LISTS = (EDITED, READ, IDS, ALSO)
LINES = 0.1  # share of the room that quoted lines have at least, as far as there are any
RULES = 1 / 4  # the most that tasks and standing instructions take of it before any value
NUMBER = 4.0  # times the age of a number nobody used: results are full of them
FAILURE = re.compile(r"- (\S+) failed: ")


@dataclass(slots=True)
class _Former:
    """A former summary: lines by section, oldest first, and values by list."""

    lines: dict[str, list[str]] = field(default_factory=lambda: {section: [] for section in SECTIONS})
    listed: dict[str, list[Value]] = field(default_factory=lambda: {label: [] for label in LISTS})
    others: list[Value] = field(default_factory=list)  # literals in its lines, which may have to go

    @property
    def values(self) -> list[Value]:
        """The likeliest first: of each list one in turn, as each begins with its likeliest."""
        turns = chain.from_iterable(zip_longest(*self.listed.values()))
        return [*filter(None, turns), *self.others]


@register("summarizer", "ledger", title="Structured ledger")
class LedgerSummarizer:
    """Offline: goal, preferences, decisions, open items, files, values of calls, ids; as short as they are."""

    name = "ledger"
    offline = True

    def summarize(self, task: SummaryTask) -> str:
        return task.remembered(self.name, _ledger)


def _ledger(task: SummaryTask) -> str:
    former = _read(task.previous)
    files, values = _files(task, former), _rank(task, former)
    sections = _sections(task, former)

    def label_of(value: Value) -> str:
        if value.text in files:
            return EDITED if files[value.text] else READ
        return IDS if value.uses else ALSO

    lines = max(int(task.max_tokens * LINES), _room_of_rules(sections, task))
    lists = list_values(values, "", task.within(task.max_tokens - lines), label_of)
    text = _quote_sections(sections, task.max_tokens - task.count("\n".join(lists)), task)
    return "\n".join(filter(None, (text, *sorted(list_values(values, text, task, label_of), key=_place))))


def _rank(task: SummaryTask, former: _Former) -> list[Value]:
    """The values, the likeliest to be needed first."""
    used, seen = [[v.text for v in former.values if bool(v.uses) == used] for used in (True, False)]
    doubt = doubt_of_seen(task, used, seen)
    return _each_once(rank_values(task, former.values, lambda text: doubt * (NUMBER if is_number(text) else 1)), task)


def _each_once(values: Sequence[Value], task: SummaryTask) -> list[Value]:
    """Those of the values that none before them contains."""
    said, found = SaidText(), []
    for value in values[: max(0, task.max_tokens)]:
        if not said.says(value.text):
            found.append(value)
            if not is_one_word(value.text):
                said.add(value.text)
    return found


def _room_of_rules(sections: Mapping[str, Sequence[str]], task: SummaryTask) -> int:
    """Tokens that tasks and people's standing instructions need; at most RULES of the room."""
    cost = sum(costs_of([*_first_lines(sections), f"{GOAL}:", f"{PREFERENCES}:"], task))
    return min(int(task.max_tokens * RULES), cost + task.count(""))


def _first_lines(sections: Mapping[str, Sequence[str]]) -> list[str]:
    """Tasks, and people's standing instructions."""
    return [*sections[GOAL], *filter(is_rule_line, sections[PREFERENCES])]


def _place(line: str) -> int:
    return next(place for place, label in enumerate(LISTS) if line.startswith(label))


# -- a former summary


def _read(previous: str) -> _Former:
    former, section = _Former(), ""
    headings = {f"{name}:": name for name in SECTIONS}
    for line in filter(str.strip, previous.splitlines()):
        label = next((label for label in LISTS if line.startswith(label)), None)
        if label:
            former.listed[label] += read_values(line, label, int(label != ALSO))
        elif line in headings:
            section = headings[line]
        else:
            for name in [section] if section else sections_of(line, "user" if line.startswith("- user:") else ""):
                former.lines[name].append(line)
            former.others += map(Value, _literals_again(line))
    return former


_literals_again = lru_cache(maxsize=5_000)(find_literals)  # the memory of a server that summarises for long is flat


def _files(task: SummaryTask, former: _Former) -> Mapping[str, bool]:
    """Files that calls edited (True) or read."""
    files = {value.text: label == EDITED for label in (READ, EDITED) for value in former.listed[label]}
    for message in task.messages:
        for path, edited in find_cues(message, task.known).files.items():
            files[path] = files.get(path, False) or edited
    return files


# -- lines


def _sections(task: SummaryTask, former: _Former) -> dict[str, list[str]]:
    """Candidates of each section, the most telling first."""
    found: dict[str, list[str]] = {section: list(former.lines[section]) for section in SECTIONS}
    for message in task.messages:
        cues = find_cues(message, task.known)
        found[GOAL] += [cues.task] if cues.task else []
        for section, line in cues.lines:
            found[section].append(line)
    goals = found[GOAL]
    found[GOAL] = [*goals[:1], *goals[-1:]]  # the first and the newest
    questions, failures = _unanswered_questions(task.messages, former, task), _failures(task.messages, former)
    to_do = [line for line in found[OPEN] if not QUESTION.search(line) and not FAILURE.match(line)]
    ranked = {name: sorted(found[name], key=weight_of, reverse=True) for name in (PREFERENCES, DECISIONS)}
    opened = [*questions, *failures, *sorted(to_do, key=weight_of, reverse=True)]
    sections = {GOAL: found[GOAL], **ranked, OPEN: opened}
    first = {line: name for name in reversed(SECTIONS) for line in sections[name]}  # each line stands once
    return {name: [line for line in dict.fromkeys(lines) if first[line] == name] for name, lines in sections.items()}


def _unanswered_questions(messages: Sequence[Message], former: _Former, task: SummaryTask) -> list[str]:
    """Questions that nobody has answered: people's until an assistant's text, an assistant's until people's."""
    before = [line for line in former.lines[OPEN] if QUESTION.search(line)]
    pending = {
        "assistant": [line for line in before if line.startswith("- assistant:")],
        "user": [line for line in before if not line.startswith("- assistant:")],
    }
    for message in messages:
        if message.role in pending and message.content.strip():
            pending["user" if message.role == "assistant" else "assistant"] = []
            pending[message.role] = list(find_cues(message, task.known).questions)
    return [*pending["user"], *pending["assistant"]]


def _failures(messages: Sequence[Message], former: _Former) -> list[str]:
    """The newest failure of each tool that has not succeeded since, the newest first."""
    failed = {found[1]: line for line in former.lines[OPEN] if (found := FAILURE.match(line))}
    called = {call.id: call.name for message in messages for call in message.tool_calls}
    for message in messages:
        if message.role == "tool":
            name = "".join((message.name or called.get(message.tool_call_id or "", "") or "a tool").split())
            failed.pop(name, None)
            if has_failed(message):
                failed[name] = f"- {name} failed: {shorten_line(message.content)}"
    return list(failed.values())[::-1]


def _quote_sections(sections: Mapping[str, Sequence[str]], room: int, task: SummaryTask) -> str:
    """The sections with as many lines as fit `room` tokens, the first first, then one of each in turn."""
    first = set(_first_lines(sections))
    room -= sum(costs_of([f"{name}:" for name, lines in sections.items() if lines], task))
    turns = [(name, line) for row in zip_longest(*sections.values()) for name, line in zip(sections, row, strict=True)]
    offered = [(name, line) for name, line in turns if line]
    offered.sort(key=lambda offer: offer[1] not in first)
    chosen = [offered[k] for k in select_fitting([line for _, line in offered], room, task)]
    return _text(chosen)


def _text(chosen: Iterable[tuple[str, str]]) -> str:
    by_section: dict[str, list[str]] = {}
    for section in SECTIONS:
        for name, line in chosen:
            if name == section:
                by_section.setdefault(f"{section}:", []).append(line)
    return "\n".join("\n".join([heading, *lines]) for heading, lines in by_section.items())
