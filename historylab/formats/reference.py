"""The formats page: a table of every format, generated from the members.

python -m historylab.formats.reference > docs/formats.md
"""

from __future__ import annotations

import re

from historylab.formats.load import MAX_BYTES, UPLOAD_BYTES
from historylab.formats.sessions.places import EDITORS, PLACES, tools
from historylab.registry import Member, members

GROUPS = {
    "products": "Products and coding agents",
    "apis": "Provider APIs",
    "frameworks": "Frameworks",
    "traces": "Traces and logs",
    "plain": "Tables and text",
}
"""Folder of the members → its heading, in the order of the page."""

PAGE = """# Formats

<!-- Generated from the members by `python -m historylab.formats.reference`. -->

`load(path_or_bytes)` and the playground recognise a file by its content, not by its name. Every format says how
surely it recognises the file; the surest reads it, `.report.claims` has the others, and `load(…, format="…")` or the
screen's menu chooses one of them. If two are equally sure, or none is, the error names the candidates, or formats
whose keys it has. Whatever could not be read (a record, a content part, a field) is counted and named in `.report`, and
so is what is only kept as metadata: nothing is skipped silently. `trim()` reads messages whole or not at all: what it
can't read is a `LoadError` that names the message, and the API or framework whose shape it has.

{tables}
`.gz`, `.zst` and `.zip` of any of them load, too, and so do folders: every transcript in it, with what else is there
counted as skipped. A coding agent's session opens whole: its sub-agents' conversations come after it, from files
beside its own, too, each joined to the call that made it (`conversation.recorded.parent`, `.children`); the call that
wrote the summary of a compaction belongs to that cut. What other files beside it say of a session is read with it: a
compaction, the prompt and the tools, a title, the usage of its calls. In a folder or an archive, sessions that go on
from each other become one, with branches where they part.
Streams may be saved as JSON Lines or as server-sent events (`data: {{…}}`).
"Written" formats are those that `historylab convert` and the Export menu write; what they have no place for is named.
`historylab.formats()` returns the names.

## What a file says besides its messages

* **Recorded**: the model, the provider, tool definitions, parameters and the usage of each answer are in
  `conversation.recorded`. They propose settings when the file is opened; anything you choose counts before them.
* **Branches**: rewinds, forks and regenerated answers are in `conversation.branches`; the conversation itself is the
  newest path.
* **Thinking** is kept in `metadata["thinking"]` of the answer, never in its text, and isn't sent unless a projection
  says so.
* **Injected**: `message.injected` is true of a user's message that a program put there, as the file marks it or its
  frame shows: rules, reminders, selections, attached files, skills, what hooks put out. Titles, proposed questions
  and how bad a loss is go by what is left, the person's own words.
* **Media**: images, sound and files count as a fixed estimate; their data is never counted as text.
* **Must remember**: next to `messages`, a Chat Completions object may have `"stars": [3, "msg_7"]`, the messages that
  must be remembered (by index from 0, or by id), and `"evidence": [{{"question": "…", "messages": [3]}}]`, the
  messages needed when that question is asked: by the message that `"at"` names, else after the last one.

Message text is data, whatever it says: it is shown as text, never as HTML or Markdown.

## A format we don't know

JSON and tables in no known format are searched for lists of things with a role and words. The error has them as
`.proposals`, and the screen asks: "Read `history` (52 items: who, said)?" A proposal's `shape` is a `Shape`: where the
messages are, and which field says what. Fifteen lines of it read an agent that nobody here knows:

```json
{{"items": "log", "only": {{"type": ["user", "agent", "output"]}},
 "role": "type", "roles": {{"agent": "assistant", "output": "tool"}},
 "parts": "content", "kind": "type",
 "kinds": {{"text": {{"text": "text"}}, "think": {{"thinking": "text"}}, "ping": null,
           "call": {{"call": {{"id": "id", "name": "tool", "arguments": "input"}}}}}},
 "answers": "call_id", "time": "at", "model": "model", "id": "id", "parent": "after",
 "usage": {{"input": "usage.in", "output": "usage.out", "cache_reads": "usage.cached"}}}}
```

A path names keys joined by dots; lists on the way need no mention, and of a list of paths the first that leads to
something counts.

| key | says |
|---|---|
| `items` | path of the list of records, or several; without it the file's own list, lines or rows |
| `only` | path → values: which records are messages; others are counted, not read |
| `role`, `roles` | path of who speaks; its words (`""`: others) → user, assistant, system, tool (a result), thinking |
| `text`, `thinking` | paths of words beside parts |
| `parts`, `kind`, `kinds` | the parts, the field that names their kind (`""`: the only key), kind → what it holds |
| `calls`, `results` | `{{"items": path, …}}` with the same names, beside the words; without `items` a record is one |
| `answers` | path of the call's id in a record that is itself a result |
| `time`, `model`, `id`, `parent`, `tools`, `conversation`, `title`, `name` | paths; `parent` makes branches |
| `injected`, `first` | as `only`: which of a user's a program put there, which come before all others; no values: any |
| `unsent` | as `only`: which of the assistant's answers broke off, and are in no later request |
| `cuts` | in a record that is no message: `summary`, `kept` (the first record still sent), `before` (tokens); with \
`summary` alone: in a message, for it and all before |
| `cuts.sent` | or, of messages: the path of a mark that is false where one is no longer sent |
| `cuts.history`, `cuts.size` | or, in an object around the list: what was sent in place of its first `size` records |
| `usage` | path of the provider's counts, or a path for each: `input`, `output`, `cache_reads`, `cache_writes` |

A kind holds `{{"text": path}}`, `thinking`, `media` or `label` likewise,
`{{"call": {{"id": path, "name": path, "arguments": path}}}}`, `{{"result": {{"id": path, "text": path}}}}`, or a call
and its result; `null` says nothing.

Save one with `shape.save(path)`; `load(…, shape=path)` and `historylab show FILE --shape PATH` read files by it, and so
does the screen. `mapping` is the former name of `shape`, and its files are shapes. A kind that comes with HistoryLab
and is nothing more than a shape is such a file, too (`historylab/formats/kinds/`).

## Kinds and where they are defined

Read against the source named; a kind that nobody could check against a published file of it says so.

{sources}

## Sessions on this machine

`historylab open` and the screen list what these tools keep, the newest first: tool, project, first question, size; and
of some of the newest what reading them says, the cuts and the cost. `--search` looks in question, project and path,
`--project` in the project alone, `--all` lists all. A session of a database has the path `FILE#ID`, which `load` takes,
too: its rows alone are read, so that the database may have any size. Only who sits at the machine gets to see them.

{places}

On macOS the editors' folders are below `~/Library/Application Support`, on Windows below `%APPDATA%`; they are looked
for of {editors}, and of VS Code's server.

## Large files

An upload may be up to {upload} MB, a file that `load` or `historylab FILE` reads {most} MB, an archive as much when
unpacked. What unfolds to many times its size is refused, such as a Parquet file of one long text in each row, or a
database whose schema makes up its values. JSON Lines and Parquet files of many conversations may have any size:

```python
from historylab.formats.listing import list_conversations

found = list_conversations("corpus.parquet", progress=print)
conversation = found.open(7)  # found.entries[7] has its title, its number of messages and where it is
```

Whatever the size of the file, it is read a few megabytes at a time. Lists of structs in Parquet are the exception: they
may take several times the size of their row group, which messages as JSON text don't. `historylab sweep` reads such
files in the same pieces, `.jsonl.gz` and `.jsonl.zst` as well, from disks and from object stores. Parquet needs
pyarrow, LangGraph's checkpoints msgpack, YAML PyYAML: `pip install "historylab[formats]"`.

## Settings

Settings load too: an exported `.env` or JSON, and AgentDock's `chatSettings` template (`historylab --template FILE`,
or the *Template* box of the playground).

A new format is one file: see [CONTRIBUTING](../CONTRIBUTING.md).
"""


def formats_page() -> str:
    """The whole page as Markdown."""
    tables = "\n".join(f"## {heading}\n\n{_table(folder)}\n" for folder, heading in GROUPS.items())
    editors = f"{', '.join(EDITORS[:-1])} and {EDITORS[-1]}"
    limits = {"upload": UPLOAD_BYTES // 1_000_000, "most": f"{MAX_BYTES // 1_000_000:,}"}
    return PAGE.format(tables=tables, sources=_sources(), places=_places(), editors=editors, **limits)


def _places() -> str:
    """One row per tool whose sessions are found."""
    rows = ["| tool | where | moved by |", "|---|---|---|"]
    for tool in tools():
        here = [place for place in PLACES if place.tool == tool]
        kept = (f"`{place.folders[0].split('|')[-1]}/{place.pattern}`" for place in here)
        variables = dict.fromkeys(re.findall(r"\$(\w+)", "|".join(place.folders[0] for place in here)))
        rows.append(f"| {tool} | {'<br>'.join(kept)} | {', '.join(f'`{name}`' for name in variables)} |")
    return "\n".join(rows)


def _table(folder: str) -> str:
    """One row per member of a folder."""
    rows = ["| format | name | what is read | written |", "|---|---|---|---|"]
    found = [m for m in members("format").values() if m.target.__module__.split(".")[2] == folder]
    return "\n".join(rows + [_row(one) for one in sorted(found, key=lambda m: m.title.casefold())])


def _row(one: Member) -> str:
    summary = one.summary.replace("|", "\\|")
    return f"| {one.title} | `{one.name}` | {summary} | {'yes' if one.attributes.get('write') else ''} |"


def _sources() -> str:
    """One row per format that names where its form is defined."""
    rows = ["| format | defined in | checked against |", "|---|---|---|"]
    for one in sorted(members("format").values(), key=lambda m: m.title.casefold()):
        if source := one.attributes.get("source"):
            rows.append(f"| {one.title} | {source} | {one.attributes.get('checked') or 'no published file yet'} |")
    return "\n".join(rows)


if __name__ == "__main__":
    print(formats_page(), end="")
