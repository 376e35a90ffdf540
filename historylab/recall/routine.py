"""Uses of a value that a request could make without being told it, or whose earlier mentions are accidents.

Known are values of a tool's schema, what an argument or an answer always has, words of the assistant's own, numbers
that it computed, and functions of libraries. The definitions of the tools, who said it first and how, and how often it
is used decide.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping

import numpy as np

from historylab.conversation.columns import ASSISTANT, SYSTEM, USER
from historylab.conversation.conversation import Conversation
from historylab.recall.schema_values import schema_values
from historylab.recall.shapes import (
    FEW_WORDS,
    NAME,
    NAMES,
    NUMBER,
    PHRASES,
    PLAIN,
    PROPER,
    STRONG,
    WEAK,
    is_folder,
    token_shape,
)
from historylab.recall.uses import Passage, Use
from historylab.recall.value_kinds import kind_of_value
from historylab.summarizers.values import ends_of

EVERYWHERE = re.compile(
    r"/(?:dev|proc|sys)/[\w/]+|/tmp|/usr/bin/env|(?:https?://)?(?:localhost|127\.0\.0\.1|0\.0\.0\.0)|[A-Z][a-z]+(?:Error|Exception)"
    r"|(?:README|CHANGELOG|CONTRIBUTING|LICENSE|AGENTS|CLAUDE)\.(?:md|txt|rst)|(?:package|tsconfig)\.json"
    r"|pyproject\.toml|requirements\.txt|setup\.py|Cargo\.toml|docker-compose\.ya?ml"
    r"|GitHub|GitLab|Node\.js|JavaScript|TypeScript|PostgreSQL|MySQL|SQLite|GraphQL|OpenAI|Python|Docker|Linux|macOS"
)
"""Values that every program knows. The list may be added to."""
FEW = 3  # uses: what is there less often is no habit
MANY, USUAL = 8, 0.8  # of the calls with an argument, or of so many paths: their folder goes without saying
MOST = 0.5  # of all answers: a name that stands in more is part of a form
CHOICES = 0.5  # different values per use at most, where an argument is a choice
RARE, RARELY = 3, 0.02  # messages, or a share of them, that say a short id or a number: more are accidents
SHORT = 1000  # characters of a message: what it says isn't there by chance
LOOKED_AT = 5  # messages that are searched for how they say it
DOTTED = re.compile(r"\w+(?:(?:\.|::)\w+)+")
WORDS = re.compile(r"[A-Za-z]+(?:[_ -][A-Za-z]+)*")
COMMON = re.compile(r"-?[1-9]0*|-?[1-9][05]0*|(?:19|20)\d\d|[~^v]?\d\.\d|\d\d?")  # round, a year, a short one
OF_CODE = re.compile(r"\$\d|(?:0?\.)?\d[a-z]{1,3}")  # a parameter, a small length or time: they are in any code
CALLED = re.compile(r"\(|/\d")
DEFINES = re.compile(r"(?:\b(?:def\w*|function|class|fn|func|fun|macro)\s+[\w.]*|[`\"':@])\Z")
LINE_NUMBER_ENDS = ("→", "\t")


class Routine:
    """The values that a conversation's calls and answers use as a matter of course."""

    def __init__(self, conversation: Conversation, passages: Mapping[int, Iterable[Passage]], texts: list[str]):
        self._conversation, self._role, self._texts = conversation, conversation.columns.role, texts
        self._rare = max(RARE, RARELY * len(texts))
        self._often = max(FEW, MOST * len(passages))
        self._given: dict[tuple[str, int], bool] = {}
        self._made_up: dict[str, int] = {}  # what a script says first, and the message
        self._schema = schema_values(conversation)
        self._of_argument = defaultdict[tuple[str, str], Counter[str]](Counter)
        self._names, self._paths = Counter[str](), Counter[str]()
        arguments: set[tuple[str, str]] = set()
        for i, several in passages.items():
            uses = [use for passage in several for use in passage.tokens]
            uses += [each.whole for each in several if each.whole and each.whole.shape == FEW_WORDS]
            self._names.update({use.value for use in uses if use.shape == NAME})
            self._paths.update([use.value for use in uses if use.kind == "reference" and use.value[0] == "/"])
            for use in uses:
                arguments.add(use.argument)
                if use.whole:
                    self._of_argument[use.argument][use.value] += 1
            for use in (use for passage in several if passage.passing for use in passage.tokens):
                self._made_up.setdefault(use.value, i)
        self._of_tools = {name for tool, path in arguments for name in (tool, *path.split("."))}

    def covers(self, use: Use, said: np.ndarray, new_in_small: bool) -> bool:
        """Tell whether the use of a value, which these earlier messages say, needs none of them.

        `new_in_small`: nobody said it without its capitals.
        """
        if use.quotes:
            return False
        first = said.item(0)
        made_up = self._made_up.get(use.value) == first and kind_of_value(use.value) != "path"
        plain = use.shape == FEW_WORDS and (len(said) > self._rare or not self._is_a_persons(first))
        if made_up or plain or self._is_known(use):
            return True
        own = self._role.item(first) == ASSISTANT
        if use.shape in NAMES:
            named = (
                use.shape == PROPER and new_in_small and not own and not use.value.isupper() and len(said) <= self._rare
            )
            return not named and not self._is_given(use.value, said)
        if use.shape in (NUMBER, WEAK, *PHRASES):
            return own or self._is_accident(use, said)
        if use.shape == STRONG:
            return is_folder(use.value) and self._is_usual_folder(use, first)
        of_library = _is_dotted(use.value) if own else self._is_only_called(use, said)
        return of_library or self._is_choice(use) or self._names[use.value] > self._often

    def _is_a_persons(self, message: int) -> bool:
        """Tell whether a person wrote it: what they ask for in plain words is no word of the model's own."""
        return bool(self._role.item(message) == USER and not self._conversation[message].injected)

    def _is_only_called(self, use: Use, said: np.ndarray) -> bool:
        """Tell whether new code has what earlier messages only call: none of them defines it, so a library does."""
        owner, dot, _ = use.value.rpartition(".")
        if not use.of_code or (dot and token_shape(owner) != PLAIN):
            return False
        texts = (self._texts[i] for i in said[:LOOKED_AT].tolist())
        return all(_calls(text, end - len(use.value), end) for text in texts for end in ends_of(text, use.value))

    def _is_known(self, use: Use) -> bool:
        """Tell whether everybody knows it, or who is told of the tools."""
        if EVERYWHERE.fullmatch(use.value) or use.value in self._schema.get(use.argument[0], ()):
            return True
        in_code = use.kind == "reference" and not use.whole
        return (use.shape == NAME and use.value in self._of_tools) or bool(in_code and OF_CODE.fullmatch(use.value))

    def _is_accident(self, use: Use, said: np.ndarray) -> bool:
        if use.shape == WEAK:
            return len(said) > self._rare
        return use.shape == NUMBER and self._is_common_number(use, said)

    def _is_common_number(self, use: Use, said: np.ndarray) -> bool:
        looked_at = [self._texts[i] for i in said[:LOOKED_AT].tolist()]
        if use.whole:
            if self._of_argument[use.argument][use.value] >= FEW:
                return True
            name = use.argument[1].rpartition(".")[2].lower()
            if name and any(_is_under(text, name, use.value) for text in looked_at):
                return False
        if COMMON.fullmatch(use.value) or len(said) > self._rare:
            once = len(said) == 1 and len(looked_at[0]) <= SHORT
            return use.kind == "reference" or len(use.value) != 2 or not once
        return use.kind == "reference" and all(_numbers_lines(text, use.value) for text in looked_at)

    def _is_given(self, value: str, said: np.ndarray) -> bool:
        """Tell whether it stood somewhere as a value: in quotes in a structured text, or as an argument."""
        key = value, min(len(said), LOOKED_AT)
        if key not in self._given:
            quoted, argument = f'"{value}"', f"\0{value}"
            texts = (self._texts[i] for i in said[:LOOKED_AT].tolist())
            self._given[key] = any(quoted in t or f"{argument}\0" in t or t.endswith(argument) for t in texts)
        return self._given[key]

    def _is_choice(self, use: Use) -> bool:
        if not use.whole or not WORDS.fullmatch(use.value):
            return False
        counts = self._of_argument[use.argument]
        return counts.total() >= FEW and len(counts) <= CHOICES * counts.total() and all(map(WORDS.fullmatch, counts))

    def _is_usual_folder(self, use: Use, first: int) -> bool:
        """Tell whether most calls have it, or most paths are below it; what a program set, from the first call on."""
        counts = self._of_argument[use.argument] if use.whole else Counter[str]()
        few = 1 if self._role.item(first) == SYSTEM or self._conversation[first].injected else FEW
        usual = counts.total() >= few and counts[use.value] >= USUAL * counts.total()
        folder, paths = use.value.rstrip("/") + "/", self._paths.total()
        below = sum(count for path, count in self._paths.items() if path.startswith(folder))
        return usual or (paths >= MANY and below >= USUAL * paths)


def _is_dotted(name: str) -> bool:
    return DOTTED.fullmatch(name) is not None and kind_of_value(name) != "path"


def _calls(text: str, start: int, end: int) -> bool:
    """Tell whether the name at that place is called, or passed on as a function (`&is_nil/1`), and not defined."""
    return CALLED.match(text, end) is not None and not DEFINES.search(text, max(0, start - 20), start)


def _is_under(text: str, name: str, number: str) -> bool:
    """Tell whether the text says that number after the argument's name: `"amount": 500`, "number 11"."""
    reach = len(number) + len(name) + 5
    return any(name in text[max(0, end - reach) : end].lower() for end in ends_of(text, number))


def _numbers_lines(text: str, number: str) -> bool:
    """Tell whether the text says it as the number of a line and nowhere else."""
    lines = ((end, text.rfind("\n", 0, end) + 1) for end in ends_of(text, number))
    return all(text[end : end + 1] in LINE_NUMBER_ENDS and text[start:end].strip() == number for end, start in lines)
