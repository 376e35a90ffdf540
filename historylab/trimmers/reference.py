"""The page on trimmers, its tables generated from the members.

python -m historylab.trimmers.reference > docs/trimmers.md
"""

from __future__ import annotations

import inspect
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path

from historylab.registry import Member, members
from historylab.trimmers.driving import GIVE_UP
from historylab.trimmers.given import SECONDS

PAGE = """# Trimmers

<!-- Generated from the members by `python -m historylab.trimmers.reference`. -->

Most apps have something that trims their history: a few lines of their own, or a framework's. HistoryLab drives that
very code over your conversations, request by request, and judges what it sends like everything else: the map, the bill,
what was needed and gone, what an API would refuse.

```sh
historylab show chat.json --trimmer myapp.history:trim
historylab why chat.json "ORD-4711" --trimmer myapp.history:trim
historylab show chat.json --trimmer langchain.trim_messages --trimmer-option max_tokens=4000
historylab compare chat.json --trimmer myapp.history:trim --trimmer myapp.history:other --settings history.env
historylab check chats/ --trimmer myapp.history:trim --that "never rejected, keep every rule"
historylab chat.json --trimmer myapp.history:trim
```

The last one opens it on screen. A `--trimmer-option`, its value as JSON or text, is one of the trimmer named before it.
It is counted and priced as the file was recorded; `--set model=gpt-4o` beside it says otherwise. In Python:

```python
from historylab import load, replay

conversation = load("sample_conversations/tide-tables-agent.json")[0]
timeline = replay(conversation, trimmer=lambda messages: messages[-6:])
print(timeline.plans[-1].sketch()[-9:])  # DDDKKKKKK: dropped and kept, a letter a message
print(timeline.refused.sum())  # 6: requests that an API would refuse, for results without their call
print(timeline.errors)  # {{}}: the requests (from 0) for which it failed, each with the reason

timeline = replay(conversation, trimmer="langchain.trim_messages", max_tokens=2000, start_on="human")
```

## A function of yours

It is named as `module:function`, the current folder being on the import path, or given in Python. It takes what your
app has, and returns what the app would send.

| what you have | |
|---|---|
| a function, or a coroutine | the list of messages first, options as keywords: `--trimmer-option max_tokens=4000` |
| a class | an instance is made of each conversation, with the options; it is called with the messages |
| an object, or a method of one | is called with the messages |
| one that edits the list in place | returns None, and the list counts; one that returns a list and edits is noted |
| one that takes a whole request body | its parameter is a `dict`, or called `body`, `request` or `payload` |
| one that takes a context first | as Pydantic AI's processors may; the context knows nothing of a run |
| an app that overwrites its history, as Pydantic AI's runs do | `carry=True`, `--trimmer-carry`: it gets what it left |

At each request it is given a fresh copy of everything said before it, and it is asked once. The messages are dicts of
Chat Completions, unless its annotation says otherwise (`list[BaseMessage]`, `list[MessageParam]`), or `form=`,
`--trimmer-form`:

{forms}

A function of yours runs where the command line or Python names it, never from a link, a template or a file.

## What comes back

Each message is known again: by being the same object, by an id, by what it says; of equal ones the newest counts that
keeps the order, and a result goes by its call. Between two that are known, the others are matched in order: by what
their texts have in common, or one by one where as many came back as were given. A message of which a part was left out,
or with another text, is
*rewritten*. What was moved, or is sent twice, is shown in the order it was sent. What is new is the trimmer's own, and
where it speaks of what is gone it is a summary of that. What a form keeps outside its list, such as a system prompt, is
sent as it is. Nothing is mended: an orphaned result stays one.

Where it raises, gives no answer in {seconds} seconds (`--trimmer-seconds`) or returns what is no list of messages, that
request is *unknown*: the reason is said, without keys, and it counts neither as refused nor in the bill. The rest goes
on; after {give_up} late answers in a row it is asked no more. What it had edited by then stays so where it carries on.

The time includes reading what it returned. Code in C that doesn't give way to other threads, such as a regular
expression that tries forever, can't be stopped in time: end the process. One that itself ends the process (`os._exit`)
ends the command with it, under the code that it chose.

The trimmer has no budget of these settings, so `never over the budget` means the window of the model. The model, and
with it counter and prices, is the one that the file was recorded with.

## Beside ours

```python
from historylab import export, load, nearest_settings, replay

conversation = load("sample_conversations/tide-tables-agent.json")[0]
nearest = nearest_settings(replay(conversation, trimmer=lambda messages: messages[-6:]))
print(nearest.agreement)  # the share of requests that send the same messages
print(nearest.differences)  # sentences on the others, in which "it" is the trimmer
print(export(nearest.settings, "dotenv", only_changed=True))
```

The nearest settings are searched: the numbers to begin with are read off the cuts (messages, groups, items, turns or
tokens that stay, and how many there were before), then one setting after the other is varied, each try replayed, some
hundred at most and no more than half a minute. The *same* messages: the same ones are kept, and the same ones are
rewritten; of those that agree as often, the ones whose texts are as long come first. `nearest.safe` sends the system
prompt where the trimmer, and so the nearest settings, leave it out. Settings under which an API would refuse a request
come last. What isn't known of the trimmer counts neither way. It works on any decisions that aren't ours, those
`as_sent` gives among them. How near they come to each library's is
[measured](evidence.md#how-near-settings-come-to-a-trimmer).

`historylab tune chats/ --against myapp.history:trim`, in Python `tune(conversations, base=trim)`, sets out to do better
than the trimmer: to keep at least as much for less, and have nothing refused. Refusals come first: beside a trimmer
that would have requests refused, settings under which none is, and that keep no less, are better at any price. The
nearest settings are among those it tries, on the longest conversation. Tokens and cost are compared over the requests
at which the trimmer didn't fail.

## Those of libraries

`historylab.trimmers()` has their names. The installed library is called, and none of its code is copied; its version is
said with every result, and where it is missing the command that installs it.
Each says in its module ([`trimmers/libraries`](../historylab/trimmers/libraries/__init__.py)) what is in its list,
whether names are set, how parallel results are grouped, and when it is asked.

{trimmers}

*asked*: before each request, or when a run starts, of what was said before it. *given*: the whole history each time, or
what it left the last time and what was said since. *prompt*: whether leading system messages are in its list, where it
may drop them, or beside it. Options in bold have no default there.

A trimmer that summarizes asks no model: HistoryLab's offline summarizer stands in for it, unless you give `model`, an
object of the library's own. The messages kept are then production's only where its triggers count messages, and the
lane says so.

## On screen

Under *System*, in Inspect and Improve, stand the trimmers of installed libraries, and what the command line named,
which is shown by itself. Its options are fields by the library's names; one that has no default starts at what is in
the conversation, such as 40 % of the largest request. The other fields hold the settings that are shown instead once
you change one. Each request is asked once, in a thread that goes on when you click elsewhere; *Stop* ends it.

*Compare* takes it as a configuration beside yours. Its *Nearest settings* looks, for half a minute at most, for
settings of ours that send the same, and compares them: at how many requests they do, and what differs, stands in its
lane. *Improve* looks for settings that do better.

A link names a library's trimmer and its options (`system=trimmer:langchain.trim_messages&trimmer.max_tokens=4000`),
never a model or anything else that only Python can give. Of a function of yours it carries the name alone: it opens
with settings, and says the command that runs it.

## What isn't driven

* What no one can call from outside: the compactions of Claude Code, Codex, Gemini CLI and other agents. Open the
  session; it is shown [as it was sent](playground.md).
* What a provider does on its servers ([what is known of it](systems.md#what-providers-do-themselves)).
* What depends on an error of the provider's, unless the library lets one say when that is: Strands' managers take
  `context_window` for it.
"""


def trimmers_page(versions: Mapping[str, str]) -> str:
    """The whole page as Markdown. `versions`: of each library, the one it was driven with."""
    late = f"{SECONDS:g}"
    return PAGE.format(forms=_forms(), trimmers=_trimmers(versions), seconds=late, give_up=GIVE_UP)


def versions_driven(pyproject: Path) -> dict[str, str]:
    """The versions that the extra `frameworks` of a pyproject.toml holds."""
    extra = tomllib.loads(pyproject.read_text("utf-8"))["project"]["optional-dependencies"]["frameworks"]
    return {re.split(r"[\[=]", each)[0]: each.partition("==")[2] for each in extra}


def _forms() -> str:
    rows = ["| form | |", "|---|---|"]
    return "\n".join(rows + [f"| `{name}` | {one.summary} |" for name, one in sorted(members("item_form").items())])


def _trimmers(versions: Mapping[str, str]) -> str:
    rows = ["| name | | library | asked | given | prompt | options |", "|---|---|---|---|---|---|---|"]
    return "\n".join(rows + [_row(one, versions) for _, one in sorted(members("trimmer").items())])


def _row(one: Member, versions: Mapping[str, str]) -> str:
    library, drives = one.attributes["library"], one.target
    version = versions.get(library, "")
    asked = "request" if getattr(drives, "asked", "request") == "request" else "run"
    given = "what it left" if getattr(drives, "carries", False) else "everything"
    prompt = "in the list" if getattr(drives, "system_inside", True) else "beside it"
    required = inspect.Parameter.empty
    options = ", ".join(f"**`{o.name}`**" if o.default is required else f"`{o.name}`" for o in one.options)
    cells = (f"`{one.name}`", one.summary, f"{library} {version}".strip(), asked, given, prompt, options)
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    print(trimmers_page(versions_driven(Path("pyproject.toml"))), end="")
