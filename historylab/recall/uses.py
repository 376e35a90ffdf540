"""Places of a message that may use a value: arguments of its calls and its text, each as a whole and by its tokens.

A text that is quoted (the old text of an edit, what a patch finds there) counts as a whole, and what is in it isn't
looked at again, also not in the new text beside it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from historylab.conversation.message import Message, ToolCall
from historylab.recall.phrases import phrases_of, quotations_in
from historylab.recall.shapes import JOINED, NAME, PLAIN, QUOTED, shape_of, tokens_of
from historylab.summarizers.values import argument_values

SHORTEST, LONGEST = 3, 20_000  # characters of a value: a shorter one is everywhere, a longer one is data
OLD_TEXT = re.compile(r"(?:old|orig(?:inal)?|search|find|before|after|anchor)(?![a-z])")
"""Names of arguments that quote what is there already: old_string, oldText, search."""
COMMANDS = frozenset({"command", "cmd", "commands"})
PATCH = re.compile(r"^(?:\*\*\* Begin Patch|@@ |--- \S+\n\+\+\+ )", re.MULTILINE)
PATCHED = re.compile(r"(?:\*\*\* (?:Add|Update|Delete) File: |\*\*\* Move to: |--- |\+\+\+ )(?:[ab]/)?(.+)")
IN_LIST = re.compile(r"\.\d+(?=\.|\Z)")
PHRASE = 120  # characters of a value of several words
TELLS = re.compile(r"(?<=.)[A-Z]|\d|[^\x00-\x7f]")  # a capital where no sentence begins


class Use(NamedTuple):
    """A value at a place: `kind` reference or link, `shape` as in `shapes.py`, `whole` if nothing stands beside it.

    `argument` is the tool and the name without numbers in lists; `quotes` whether it is a text that is there already.
    """

    kind: str
    value: str
    used_as: str
    argument: tuple[str, str]
    shape: int
    whole: bool = False
    quotes: bool = False


class Place(NamedTuple):
    """The use that a text may be as a whole, and the tokens in it that may be others; `wording` if it is words."""

    whole: Use | None
    tokens: tuple[Use, ...] = ()
    wording: str = ""


def places_of(message: Message) -> Iterator[Place]:
    """The arguments of the calls, in order, and the text."""
    for call in message.tool_calls:
        yield from _places_of_call(call)
    if message.content:
        yield Place(None, tuple(_tokens(Use("link", message.content, "the answer", ("", ""), PLAIN))))


def _places_of_call(call: ToolCall) -> Iterator[Place]:
    quoted = ""
    for path, text in argument_values(call):
        name = next((part for part in reversed(path.split(".")) if not part.isdigit()), "")
        argument = (call.name, IN_LIST.sub("", path))
        use = Use("reference", text.strip(), f"{call.name}.{path}" if path else call.name, argument, PLAIN)
        if OLD_TEXT.match(name):
            quoted += text + "\n"
            if SHORTEST <= len(use.value) <= LONGEST:
                yield Place(use._replace(quotes=True))
        elif PATCH.search(text):
            yield from _places_of_patch(use)
        elif name in COMMANDS:
            yield Place(None, tuple(_tokens(use, command=True)))
        else:
            tokens = tuple(each for each in _tokens(use) if each.value not in quoted)
            yield Place(_whole(use), tokens, text if " " in text else "")


def _places_of_patch(use: Use) -> Iterator[Place]:
    """The files that it names, what it finds there, and what is new in what it puts in its place."""
    old: list[str] = []
    new: list[str] = []
    for line in use.value.splitlines():
        if found := PATCHED.fullmatch(line):
            path = use._replace(value=found[1].split("\t")[0].strip())
            yield Place(None, tuple(_tokens(path)))
        elif line[:1] in (" ", "-"):
            old.append(line[1:])
        elif line[:1] == "+":
            new.append(line[1:])
    quoted = "\n".join(old).strip()
    if SHORTEST <= len(quoted) <= LONGEST:
        yield Place(use._replace(value=quoted, quotes=True))
    added = _tokens(use._replace(value="\n".join(new)))
    yield Place(None, tuple(each for each in added if each.value not in quoted))


def _whole(use: Use) -> Use | None:
    """A text as one value: several lines, a name, or several words that tell something; else None."""
    text = use.value
    if not SHORTEST <= len(text) <= LONGEST:
        return None
    if "\n" in text:
        return use
    words = " " in text
    if len(text) > PHRASE or not (TELLS.search(text) or (text[0].isupper() and not words)):
        return None
    return use._replace(shape=QUOTED if words else PLAIN, whole=True) if words or shape_of(text) == PLAIN else None


def _tokens(use: Use, *, command: bool = False) -> Iterator[Use]:
    """What a text may use, but for itself as a whole; joined words are names only in a command of one line."""
    text = use.value
    one_line = "\n" not in text
    for token, shape in tokens_of(text).items():
        whole = use.kind == "reference" and token == text
        if shape != NAME or whole or (command and one_line) or not JOINED.fullmatch(token):
            yield use._replace(value=token, shape=shape, whole=whole)
    if not command:
        for phrase, shape in (phrases_of(text) if one_line or use.kind == "link" else quotations_in(text)).items():
            if use.kind == "link" or shape != QUOTED or " " in phrase:
                yield use._replace(value=phrase, shape=shape)
