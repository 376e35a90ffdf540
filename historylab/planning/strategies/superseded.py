"""Tool results that later calls have made out of date: their file was read again, written anew, or changed in parts.

Only structured arguments count: a call that names a file by one of the arguments in `PATHS`. A read supersedes an
earlier one of the same tool with the same other arguments, and of a part only what it shows again; a file written anew,
every result about it. After a change of a part the rest still holds, and the next change is made from it: such a result
is out of date once the turn has ended. What failed supersedes nothing.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np

from historylab.conversation.columns import NEVER
from historylab.conversation.conversation import Conversation
from historylab.conversation.growing import Growing, GrowingArray
from historylab.conversation.message import Message, ToolCall
from historylab.summarizers.cues import has_failed

PATHS = "file_path,path,filename,file,filepath,file_name,absolute_path,target_file,notebook_path,uri"
CONTENTS = "content,contents,new_content,file_content,file_text"
"""Arguments with the text of a whole file."""
CHANGES = (
    "new_text,new_string,new_str,new,old_string,old_str,replacement,replace,edits,edit,code_edit,patch,diff,new_source,"
    "insert_text,insert_line,new_lines,position,append"
)
"""Arguments that change a part of one."""
STARTS = (
    "offset,start,start_line,line_start,from_line,from,begin_line,start_line_one_indexed,view_range,line_range,line"
)
"""Arguments with the first line that is read, alone or before the last one."""
LENGTHS = "limit,end,end_line,line_end,to_line,to,count,lines,num_lines,max_lines,length,end_line_one_indexed_inclusive"
NOTHING_DONE = re.compile(
    r"\W*(no such file|(file|string|text|old_str\w*) (was |to replace )?not found|permission denied|cannot|could not|"
    r"unable|no replacement|no changes?|not (modified|changed)|(file )?unchanged|your (proposed )?edit)",
    re.IGNORECASE,
)
"""How a result begins that neither shows a file nor changed it, besides those that `has_failed` knows."""
NO_ROWS, NO_TEXTS = GrowingArray(np.zeros((2, 0), np.int64)), GrowingArray(np.zeros(0, object))
_reading = threading.Lock()
NOTICE = re.compile(r"\[Superseded by a later .{1,4000}: [0-9][0-9,]{0,15} tokens cleared\]", re.DOTALL)


@dataclass(frozen=True, slots=True, eq=False)
class Superseded:
    """Results (`messages`, int64) in the order in which they go out of date.

    `since` (int64, ascending) is how much history a request needs to have for that, `by` (texts) what did it: "read of
    a.py".
    """

    messages: np.ndarray
    since: np.ndarray
    by: np.ndarray  # object


@dataclass(frozen=True, slots=True)
class _Use:
    """A call that names a file, with its result.

    `act` is "read", "write" (all of it) or "change"; `how` the tool and the other arguments. A read shows the lines
    from `start` before `end`, as its arguments in `part` ask for.
    """

    tool: str
    path: str
    called: int
    result: int
    act: str
    how: str = ""
    part: str = ""
    start: int = 0
    end: int = 0


@dataclass(slots=True)
class _Reads:
    """The reads of one file that still hold, by `how`: as they are, and those since which a part was changed."""

    whole: dict[str, list[_Use]] = field(default_factory=dict)
    changed: dict[str, list[_Use]] = field(default_factory=dict)

    def supersede(self, by: _Use) -> Iterator[_Use]:
        """Those that are out of date after `by`, or will be at the turn's end if it changes a part of the file."""
        for reads in (self.whole,) if by.act == "change" else (self.whole, self.changed):
            for how in [by.how] if by.act == "read" else list(reads):
                kept = []
                for read in reads.get(how, ()):
                    if not _supersedes(by, read):
                        kept.append(read)
                        continue
                    yield read
                    if by.act == "change":
                        self.changed.setdefault(how, []).append(read)
                reads[how] = kept
        if by.act == "read":
            self.whole.setdefault(by.how, []).append(by)


def is_notice(content: str) -> bool:
    """Whether a text is what stands for a result that was cleared before."""
    return NOTICE.fullmatch(content) is not None


def superseded_results(conversation: Conversation, paths: str = PATHS) -> Superseded:
    """Every tool result that a later call makes out of date; found once for these names of arguments."""
    return conversation.growing(("superseded", paths), lambda: _Found(_Files(_names(paths))), most=4).superseded


class _Found(Growing[Conversation]):
    """What is out of date so far, and the files as the newest conversation to be read left them.

    The files change as they are read on, so that only one conversation can go on from here; another begins anew.
    """

    __slots__ = ("_by", "_files", "_results", "superseded")

    def __init__(self, files: _Files, results: GrowingArray = NO_ROWS, by: GrowingArray = NO_TEXTS):
        self._files, self._results, self._by = files, results, by
        self.superseded = Superseded(results.array[0], results.array[1], by.array)

    def followed_by(self, conversation: Conversation, start: int) -> _Found:
        files = self._files
        if not files.taken_at(start):
            return _Found(_Files(files.paths)).followed_by(conversation, 0)
        new = sorted(files.read(conversation, start))
        rows = np.array([(message, since) for since, message, _ in new], np.int64).reshape(-1, 2).T
        by = [how for _, _, how in new]
        return _Found(files, self._results.followed_by(rows), self._by.followed_by(by))

    def with_leading(self, conversation: Conversation, before: int, now: int) -> _Found | None:
        return self if before == now else None


@dataclass(slots=True)
class _Files:
    """The reads of every file that still hold, what is out of date and what will be once the turn has ended."""

    paths: tuple[str, ...]
    size: int = 0  # messages read; -1 while a thread reads on
    reads: dict[str, _Reads] = field(default_factory=dict)
    gone: set[int] = field(default_factory=set)  # results that are out of date
    at_turns_end: dict[int, str] = field(default_factory=dict)
    answered: dict[int, set[int]] = field(default_factory=dict)  # by call message: which of its calls have results

    def taken_at(self, size: int) -> bool:
        """Whether so many messages were read, and this thread may read on."""
        with _reading:
            free, self.size = self.size == size, -1 if self.size == size else self.size
        return free

    def read(self, conversation: Conversation, start: int) -> Iterator[tuple[int, int, str]]:
        """Since when which results are out of date, and what did it, that was not so before these messages."""
        found: dict[int, tuple[int, int, str]] = {}
        users = conversation.columns.users
        ended = users[users.searchsorted(start) :][:1].tolist()
        if ended:
            for result, how in self.at_turns_end.items():
                found[result] = (ended[0] + 1, result, how)
            self.at_turns_end.clear()
        for use in self._uses(conversation, start):
            since, how = use.result + 1, f"{use.tool} of {use.path}"
            if use.act == "change":
                later = users[users.searchsorted(use.result) :][:1].tolist()
                since = later[0] + 1 if later else NEVER
            for read in self.reads.setdefault(use.path, _Reads()).supersede(use):
                if since < NEVER:
                    after = (since, read.result, how)
                    found[read.result] = min(after, found.get(read.result, after))
                else:
                    self.at_turns_end[read.result] = min(how, self.at_turns_end.get(read.result, how))
        new = {result: after for result, after in found.items() if result not in self.gone}
        self.gone.update(new)
        self.size = len(conversation)
        yield from new.values()

    def _uses(self, conversation: Conversation, start: int) -> Iterator[_Use]:
        """Every call that names a file and did not fail, in the order of results, of those from message `start` on."""
        columns = conversation.columns
        for i in columns.results[columns.results.searchsorted(start) :].tolist():
            called = columns.block_first.item(columns.block.item(i))
            result, calls = conversation[i], conversation[called].tool_calls
            taken = self.answered.setdefault(called, set())
            number = next((k for k, c in enumerate(calls) if c.id == result.tool_call_id and k not in taken), None)
            if number is None:
                continue
            taken.add(number)
            if not _shows_nothing(result) and (use := _use(calls[number], result, called, i, self.paths)):
                yield use


def _supersedes(by: _Use, read: _Use) -> bool:
    """Whether `read` is out of date after `by`; not before the model has seen it, as with calls made at once."""
    if by.called <= read.result:
        return False
    return by.act != "read" or by.part == read.part or (by.start <= read.start and by.end >= read.end)


def _use(call: ToolCall, result: Message, called: int, i: int, paths: tuple[str, ...]) -> _Use | None:
    """What a call with that result does to the file it names; None if it names none."""
    given = _arguments(call)
    named = next((name for name in paths if isinstance(given.get(name), str) and given[name].strip()), None)
    if named is None:
        return None
    path, writes = given.pop(named).strip().removeprefix("./"), given.keys() & _names(CONTENTS)
    if given.keys() & _names(CHANGES) or (writes and given.keys() & _names(STARTS)):
        return _Use(call.name, path, called, i, "change")
    if writes:
        return _Use(call.name, path, called, i, "write")
    part = {name: given.pop(name) for name in (*_names(STARTS), *_names(LENGTHS)) if name in given}
    start = max((_first_line(part[name]) for name in _names(STARTS) if name in part), default=0)
    how, lines = json.dumps([call.name, given], sort_keys=True), result.content.count("\n") + 1
    return _Use(call.name, path, called, i, "read", how, json.dumps(part, sort_keys=True), start, start + lines)


def _arguments(call: ToolCall) -> dict[str, Any]:
    """The call's arguments that are given, by name without case and underscores."""
    try:
        given = json.loads(call.arguments)
    except (ValueError, RecursionError):
        return {}
    items = given.items() if isinstance(given, dict) else ()
    return {_plain_name(name): value for name, value in items if value is not None}


def _first_line(value: object) -> int:
    """The first line of a range as a call gives it: 20, "20" or [20, 40]."""
    first = value[0] if isinstance(value, list) and value else value
    try:
        return max(0, int(first)) if isinstance(first, int | float | str) else 0
    except (ValueError, OverflowError):
        return 0


def _shows_nothing(result: Message) -> bool:
    """Whether the result shows nothing and changed nothing: it failed, came back cleared, or is empty."""
    text = result.content
    shows_nothing = not text.strip() and not result.media
    return has_failed(result) or shows_nothing or is_notice(text) or NOTHING_DONE.match(text) is not None


@lru_cache(maxsize=16)
def _names(listed: str) -> tuple[str, ...]:
    """The names in a list with commas, each once."""
    return tuple(dict.fromkeys(_plain_name(name) for name in listed.split(",") if name.strip()))


def _plain_name(name: str) -> str:
    return re.sub(r"[\W_]", "", name).casefold()
