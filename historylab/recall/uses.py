"""Passages of a message that may use a value: arguments of its calls and its text, each as a whole and by its tokens.

A text that is quoted (the old text of an edit, what a patch finds there) counts as a whole, and what is in it isn't
looked at again, also not in the new text beside it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from historylab.conversation.message import Message, ToolCall
from historylab.recall.phrases import DATED, phrases_of, quotations_in
from historylab.recall.shapes import FEW_WORDS, JOINED, NAME, PLAIN, QUOTED, token_shape, tokens_of
from historylab.summarizers.values import argument_values

SHORTEST, LONGEST = 3, 20_000  # characters of a value, or bytes: a shorter one is everywhere, a longer one is data
OLD_TEXT = re.compile(r"(?:old|orig(?:inal)?|search|find|before|after|anchor)(?![a-z])")
"""Names of arguments that quote what is there already: old_string, oldText, search."""
COMMANDS = frozenset({"command", "cmd", "commands"})
PATCH = re.compile(r"^(?:\*\*\* Begin Patch|@@ |--- \S+\n\+\+\+ )", re.MULTILINE)
PATCHED = re.compile(r"(?:\*\*\* (?:Add|Update|Delete) File: |\*\*\* Move to: |--- |\+\+\+ )(?:[ab]/)?(.+)")
OPTION = re.compile(r"(?<!\S)(--[a-z][a-z-]*)[ =](\w[\w-]*)(?!\S)")
FOLDER_OF_COMMAND = re.compile(r"(?:^|[;&|(]) *cd +[\"']?([^\s\"';&|)]+)")
PROGRAM = re.compile(r"%\{\w+\}|(?:^|[;&|(\n]) *(?:sudo +)?([a-z]+(?:-[a-z]+)+)(?=\s)")
QUOTES = re.compile(r'(?<!\\)"'), re.compile(r"'")
TAG = re.compile(r"</?[a-z_]+>")  # of a markup: a form, no value
WRITES = re.compile(r"(?<![0-9&<-])>{1,2}(?![&>])(?! *[\"']?/tmp/)")  # to a file that stays
SIGNATURE = re.compile(r"^[a-z]+(?:-[a-z]+)*-by: .*$", re.MULTILINE | re.IGNORECASE)
"""The line under the message of a commit that says who made it."""
CODE = frozenset("={};<")
IN_LIST = re.compile(r"\.\d+(?=\.|\Z)")
PHRASE = 120  # characters of a value of several words
COMPOUND = re.compile(r"[^\W\d_]{2,}-[^\W\d_]{2,}")  # two whole words: second-hand, not e-mail
MOST_WORDS = 3  # of plain words that are an argument: more are a sentence
TELLS = re.compile(r"(?<=.)[A-Z]|\d|[^\x00-\x7f]")  # a capital where no sentence begins


class Use(NamedTuple):
    """A value in a passage: `kind` reference or link, `shape` as in `shapes.py`, `whole` if nothing stands beside it.

    `argument` is the tool and the name without numbers in lists; `quotes` whether it is a text that is there already.
    """

    kind: str
    value: str
    used_as: str
    argument: tuple[str, str]
    shape: int
    whole: bool = False
    quotes: bool = False

    @property
    def of_code(self) -> bool:
        """Tell whether it stands in a text that a call writes, not in a command or alone."""
        return self.kind == "reference" and not self.whole and COMMANDS.isdisjoint(self.argument[1].split("."))


class Passage(NamedTuple):
    """The use that a text may be as a whole, and the tokens in it that may be others.

    `wording` is the text where it is words: sent again it tells nothing new, and what is in it isn't counted again.
    `passing` is a script or a message: no file holds the names that it makes up.
    """

    whole: Use | None
    tokens: tuple[Use, ...] = ()
    wording: str = ""
    passing: bool = False

    def again(self) -> Passage:
        """The passage once its wording was sent before: it may still be a value that somebody said, as a whole."""
        return self._replace(tokens=(), whole=self.whole if self.whole and self.whole.shape != PLAIN else None)


def passages_of(message: Message) -> Iterator[Passage]:
    """The arguments of the calls, in order, and the text."""
    for call in message.tool_calls:
        yield from _passages_of_call(call)
    if message.content:
        text = TAG.sub(" ", message.content)
        yield Passage(None, tuple(_tokens(Use("link", text, "the answer", ("", ""), PLAIN))))


def _passages_of_call(call: ToolCall) -> Iterator[Passage]:
    quoted, arguments = "", argument_values(call)
    runs = not COMMANDS.isdisjoint(path.partition(".")[0] for path, _ in arguments)
    for path, text in arguments:
        name = next((part for part in reversed(path.split(".")) if not part.isdigit()), "")
        argument = (call.name, IN_LIST.sub("", path))
        use = Use("reference", text.strip(), f"{call.name}.{path}" if path else call.name, argument, PLAIN)
        if OLD_TEXT.match(name):
            quoted += text + "\n"
            if SHORTEST <= len(use.value) <= LONGEST:
                yield Passage(use._replace(quotes=True))
        elif PATCH.search(text):
            yield from _passages_of_patch(use)
        elif name in COMMANDS:
            yield from _passages_of_command(use)
        elif not (runs and " " in text):  # else it describes the command
            tokens = tuple(each for each in _tokens(use) if each.value not in quoted)
            yield Passage(_whole(use) if use.value not in quoted else None, tokens, text if " " in text else "")


def _passages_of_command(use: Use) -> Iterator[Passage]:
    """The command, and the message or script in it, which may be sent again."""
    lines = use.value.splitlines()
    opens = next((i for i, line in enumerate(lines, 1) if _opens(line)), len(lines))
    command = "\n".join(lines[:opens])
    of_option = dict.fromkeys(FOLDER_OF_COMMAND.findall(command), "cd")
    of_option |= {value: option for option, value in OPTION.findall(command)}
    tokens = _tokens(use._replace(value=PROGRAM.sub(" ", command)), phrases=False, joined=len(lines) == 1)
    yield Passage(None, tuple(_as_option(each, of_option.get(each.value)) for each in tokens))
    script = SIGNATURE.sub("", "\n".join(lines[opens:]))
    within = tuple(_tokens(use._replace(value=script), phrases=False))
    yield Passage(None, within, script, passing=not WRITES.search(command))


def _opens(line: str) -> bool:
    """Tell whether a text begins there that goes on below: a here-document, or one in quotation marks."""
    return "<<" in line or any(len(quote.findall(line)) % 2 for quote in QUOTES)


def _as_option(use: Use, option: str | None) -> Use:
    """The value of an option is one of an argument of that name."""
    return use._replace(argument=(use.argument[0], option), whole=True) if option else use


def _passages_of_patch(use: Use) -> Iterator[Passage]:
    """The files that it names, what it finds there, and what is new in what it puts in its place."""
    old: list[str] = []
    new: list[str] = []
    for line in use.value.splitlines():
        if found := PATCHED.fullmatch(line):
            path = use._replace(value=found[1].split("\t")[0].strip())
            yield Passage(None, tuple(_tokens(path)))
        elif line[:1] in (" ", "-"):
            old.append(line[1:])
        elif line[:1] == "+":
            new.append(line[1:])
    quoted = "\n".join(old).strip()
    if SHORTEST <= len(quoted) <= LONGEST:
        yield Passage(use._replace(value=quoted, quotes=True))
    added = _tokens(use._replace(value="\n".join(new)))
    yield Passage(None, tuple(each for each in added if each.value not in quoted))


def _whole(use: Use) -> Use | None:
    """A text as one value: several lines, a name, several words that tell something, a few plain ones; else None."""
    text = use.value
    if len(text.encode(errors="replace")) < SHORTEST or len(text) > LONGEST:
        return None
    if "\n" in text:
        return use
    words = " " in text
    if len(text) > PHRASE:
        return None
    few = text.split(" ")
    if not (TELLS.search(text) or text[0].isupper()):
        plain = len(few) <= MOST_WORDS and text.islower() and all(token_shape(word) == PLAIN for word in few)
        return use._replace(shape=FEW_WORDS, whole=True) if plain else None
    if not words and text.isascii() and token_shape(text) != PLAIN:
        return None  # its token is
    return use._replace(shape=QUOTED if words else PLAIN, whole=True)


def _may_be_prose(token: str, text: str) -> bool:
    """Tell whether it is two words joined as prose joins them: T-NORTH isn't, nor "is-open" in quotation marks."""
    stands_out = "/" not in token and (
        token.isupper() or token.count("-") > 1 or f'"{token}"' in text or f"'{token}'" in text
    )
    return JOINED.fullmatch(token) is not None and not stands_out


def _tokens(use: Use, *, phrases: bool = True, joined: bool = False) -> Iterator[Use]:
    """The uses within a text, but for itself as a whole: `joined` words are names where no prose is; two of them in an
    answer are plain words, which only a person makes a need.
    """
    text = use.value
    for token, shape in tokens_of(DATED.sub(" ", text)).items():
        whole = use.kind == "reference" and token == text
        if shape != NAME or whole or joined or not _may_be_prose(token, text):
            yield use._replace(value=token, shape=shape, whole=whole)
        elif use.kind == "link" and COMPOUND.fullmatch(token):
            yield use._replace(value=token, shape=FEW_WORDS)
    if phrases:
        prose = use.kind == "link" or "\n" not in text or CODE.isdisjoint(text)
        for phrase, shape in (phrases_of(text) if prose else quotations_in(text)).items():
            if shape != QUOTED or " " in phrase or (use.kind == "link" and token_shape(phrase) == PLAIN):
                yield use._replace(value=phrase, shape=shape, whole=use.kind == "reference" and phrase == text)
