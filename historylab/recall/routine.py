"""Uses of a value that a request could make without being told it, or whose earlier mentions are accidents.

Known are values of a tool's schema, what an argument or an answer always has, what the assistant's own wording has
(round, often said or computed), and names of libraries, which no message defines, quotes or has a file of. The
definitions of the tools, who said it first and how, and how often it is used decide.
"""

from __future__ import annotations

import builtins
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from decimal import Decimal
from functools import cached_property
from itertools import islice

import numpy as np

from historylab.conversation.columns import ASSISTANT, SYSTEM, USER
from historylab.conversation.conversation import Conversation
from historylab.recall.schema_values import schema_values
from historylab.recall.shapes import (
    AMOUNT_OF,
    FEW_WORDS,
    HUMP,
    NAME,
    NAMES,
    NUMBER,
    PHRASES,
    PLAIN,
    PROPER,
    QUOTED,
    STRONG,
    WEAK,
    is_folder,
    token_shape,
)
from historylab.recall.uses import Passage, Use
from historylab.recall.value_kinds import is_file, kind_of_value
from historylab.summarizers.values import ends_of

EVERYWHERE = re.compile(
    r"/(?:dev|proc|sys)/[\w/]+|/tmp|(?:/usr)?(?:/local)?/s?bin/[\w.-]+|(?:https?://)?(?:localhost|127\.0\.0\.1|0\.0\.0\.0)"
    r"|(?:README|CHANGELOG|CONTRIBUTING|LICENSE|AGENTS|CLAUDE)\.(?:md|txt|rst)|(?:package|tsconfig)\.json"
    r"|node_modules|site-packages|__pycache__|\.git(?:ignore)?|\.venv|pyproject\.toml|requirements\.txt|setup\.(?:py|cfg)|tox\.ini|conftest\.py|__init__\.py|Cargo\.(?:toml|lock)|go\.mod"
    r"|mix\.(?:exs|lock)|package-lock\.json|yarn\.lock|composer\.json|pom\.xml|docker-compose\.ya?ml"
    r"|GitHub|GitLab|Node\.js|JavaScript|TypeScript|PostgreSQL|MySQL|SQLite|GraphQL|[Pp]ython3?|Docker|Linux|macOS|Windows|Ubuntu"
    r"|Java|Kotlin|Swift|Rust|Ruby|Elixir|Erlang|Haskell|Scala|Markdown"
    r"|OpenAI|ChatGPT|Anthropic|Claude(?: Code)?|Codex|Gemini|Copilot"
    r"|[Cc]ontent-[Tt]ype|application/json|text/(?:plain|html)|(?i:utf-8)|Mozilla/5\.0|[YMDhHms]+(?:[-/:.][YMDhHms]+)+"
    r"|pending|in[_ -]progress|completed|cancelled"
)
"""Values that every program knows. The list may be added to."""
KINDS = re.compile(r"(?:.*[._])?(?:type|kind|mode|method|level|format|status|action|language|encoding)")
"""Names of arguments that take one of a few words, whether or not the file has the tool's schema."""
SETTINGS = re.compile(r"(?i:(?:.*[._])?(?:timeout\w*|\w+_ms|limit|max\w*|top_[kp]|temperature|per_?page|retries))")
"""Names of arguments whose numbers are of a routine kind."""
FEW = 3  # uses: what is there less often is no habit
MANY, USUAL = 8, 0.8  # of the calls with an argument, or of so many paths: their folder goes without saying
MOST = 0.5  # of all answers: a name that stands in more is part of a form
ALIAS = 2  # characters of a name that stands for a library: np
CHOICES = 0.5  # different values per use at most, where an argument is a choice
RARE, RARELY = 3, 0.02  # messages, or a share of them, that say a short id or a number: more are accidents
SHORT = 1000  # characters of a message: what it says isn't there by chance
NEAR, MOST_FIGURES = 2, 100  # messages before a number, and figures of each
LOOKED_AT = 5  # messages that are searched for how they say it
LINE_NUMBER_ENDS = ("→", "\t", "  ", " |")
WORDS = re.compile(r"[A-Za-z]+(?:[_ -][A-Za-z]+)*")
FIGURE = re.compile(r"\d{1,3}(?:,\d{3})+(?!\d)(?:\.\d+)?|\d+(?:\.\d+)?")
YEAR = re.compile(r"(?:19|20)\d\d")
COMMON = re.compile(r"-?[1-9]0*|-?[1-9][05]0*|(?:19|20)\d\d|[~^v]?\d\.\d|\d\d?")  # round, a year, a short one
IN_ANY = re.compile(rf"{COMMON.pattern}|(?:\d|{YEAR.pattern}) .*")  # wording: 1000, 2 ms, "2023 top"
OF_CODE = re.compile(r"\$\d|(?:0?\.)?\d[a-z]{1,3}")  # a parameter, a small length or time: they are in any code
PLAIN_CODE = re.compile(r"[a-z]+(?: [a-z]+)?")
CALLED = re.compile(r"[!?]?\(|/\d")
ASSIGNED = re.compile(r" ?=(?![=>])(?![^\n;]{0,200}\|\|)")  # and not for want of it: `x = x || y`
FROM_MODULE, FROM_FILE = re.compile(r"\bfrom ([\w.]+) import \(?[\w,\s]*\Z"), re.compile(r"[\w,\s]*\}? from ['\"]\.")
REACH = 300  # characters of an import that are looked at
WITHIN = re.compile(r"(?<![\w'-])[a-z][\w'-]*,? \Z")  # after a word in small letters, which a heading has not
HUMPS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
FOLDER = re.compile(r"/([A-Za-z]\w{3,})/")
FILE = re.compile(r"\b[A-Za-z_]\w*\.[a-z]\w{0,4}\b")
LIBRARIES = re.compile(r"(?:https?://|\b(?:deps|node_modules|site-packages|vendor)/)\S*")
"""Addresses, and paths below a folder of libraries: what has a file there isn't the project's own."""
DECLARES = r"\b(?:def\w*|function|class|fn|func|fun|macro)\s+[\w.]*"
DECLARED, DEFINES = re.compile(rf"{DECLARES}\Z"), re.compile(rf"(?:{DECLARES}|[`\"'@]|(?<![\w:]):)\Z")


class Routine:
    """The values that a conversation's calls and answers use as a matter of course."""

    def __init__(self, conversation: Conversation, passages: Mapping[int, Iterable[Passage]], texts: list[str]):
        self._conversation, self._role, self._texts = conversation, conversation.columns.role, texts
        self._rare = max(RARE, RARELY * len(texts))
        self._often = max(FEW, MOST * len(passages))
        self._given: dict[tuple[str, int], bool] = {}
        self._figures: dict[int, list[Decimal]] = {}
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

        `new_in_small`: nobody had said it without its capitals when it was said first.
        """
        if use.quotes:
            return False
        first = said.item(0)
        made_up = self._made_up.get(use.value) == first and not self._has_file(use.value)
        habit = use.kind == "reference" and len(said) > self._rare  # as an argument; in an answer it is no habit
        plain = use.shape == FEW_WORDS and (habit or not self._is_a_persons(first))
        if made_up or plain or self._is_known(use):
            return True
        if use.shape in NAMES:
            several = " " in use.value and not self._is_programs(first)
            proper = several or (use.shape == PROPER and not self._is_programs(first))
            proper = proper or any(self._is_within(use.value, said))
            introduced = (several and use.shape == PROPER) or not self._is_own(said)
            named = proper and new_in_small and introduced and not use.value.rstrip("s").isupper()
            return not named and (self._is_own(said) or not self._is_given(use.value, said))
        if use.shape in (NUMBER, WEAK, *PHRASES):
            return self._is_own_wording(use, said) or self._is_accident(use, said) or self._is_plain_code(use, said)
        if use.shape == STRONG:
            tried = (
                use.kind == "reference" and not use.whole and kind_of_value(use.value) == "date" and self._is_own(said)
            )
            return tried or (is_folder(use.value) and self._is_usual_folder(use, first))
        return self._is_of_library(use, said) or self._is_choice(use) or self._is_of_form(use, first)

    def _is_a_persons(self, message: int) -> bool:
        """Tell whether a person wrote it: what they ask for in plain words is no word of the model's own."""
        return bool(self._role.item(message) == USER and not self._conversation[message].injected)

    def _is_own(self, said: np.ndarray) -> bool:
        """Tell whether the assistant said it first, and no person took it up."""
        return self._role.item(said.item(0)) == ASSISTANT and not any(map(self._is_a_persons, said.tolist()))

    def _is_programs(self, message: int) -> bool:
        """Tell whether a program wrote it, or a prompt: what it begins with is a form, as its headings are."""
        return bool(self._role.item(message) == SYSTEM or self._conversation[message].injected)

    def _is_of_library(self, use: Use, said: np.ndarray) -> bool:
        """Tell whether earlier messages only use the name: none defines or quotes it or has a file of it."""
        name, own = use.value, self._role.item(said.item(0)) == ASSISTANT
        if use.shape != NAME or self._is_a_persons(said.item(0)):
            return False
        parts = [part for part in re.split(r"\.|::", name) if part]  # .cart.total begins with none
        owner_is_plain = token_shape(".".join(parts[:-1])) == PLAIN
        if use.of_code and not own and owner_is_plain and all(self._calls(name, said)):
            return True
        dotted = len(parts) > 1
        if kind_of_value(name) == "path" or not (dotted or HUMP.search(name)):
            return False
        owner = parts[0] if len(parts[0]) > ALIAS else name
        defined = any(any(self._defines(part, said)) for part in (name, owner)) and not (own and dotted)
        return not (defined or any(self._is_imported(name, said))) and self._files.isdisjoint(_file_names(parts))

    def _is_within(self, name: str, said: np.ndarray) -> Iterator[bool]:
        """Per place that says it whether it stands within a sentence."""
        for text, start, _ in self._places(name, said):
            yield WITHIN.search(text, max(0, start - 20), start) is not None

    def _calls(self, name: str, said: np.ndarray) -> Iterator[bool]:
        """Per place that says it whether it is called, or passed on as a function (`&is_nil/1`), and not defined."""
        for text, start, end in self._places(name, said):
            yield CALLED.match(text, end) is not None and not DEFINES.search(text, max(0, start - 20), start)

    def _defines(self, name: str, said: np.ndarray) -> Iterator[bool]:
        """Per place that says it whether it is defined or assigned there, or stands in quotation marks."""
        for text, start, end in self._places(name, said):
            option = text.endswith("-o ", 0, start)
            yield bool(DEFINES.search(text, max(0, start - 20), start) or (ASSIGNED.match(text, end) and not option))

    def _is_imported(self, name: str, said: np.ndarray) -> Iterator[bool]:
        """Per place that says it whether it comes there from a file of the project, and so is defined in it."""
        for text, start, end in self._places(name, said):
            module = FROM_MODULE.search(text, max(0, start - REACH), start)
            own = module and (module[1][0] == "." or module[1].rpartition(".")[2] in self._files)
            yield bool(own or FROM_FILE.match(text, end, end + REACH))

    def _places(self, name: str, said: np.ndarray) -> Iterator[tuple[str, int, int]]:
        for text in (self._texts[i] for i in said[:LOOKED_AT].tolist()):
            yield from ((text, end - len(name), end) for end in ends_of(text, name))

    @cached_property
    def _files(self) -> set[str]:
        """The names of all files of the project, without their ending, and of all folders."""
        texts = [LIBRARIES.sub(" ", text) if "/" in text else text for text in self._texts]
        found = {name for text in texts for name in FILE.findall(text)}
        folders = {name for text in texts for name in FOLDER.findall(text)}
        return {name.rpartition(".")[0] for name in found if is_file(name)} | folders

    def _has_file(self, value: str) -> bool:
        """Tell whether it is a path, or a module of the project by its file's name: shop.cart_view."""
        owner, _, name = value.rpartition(".")
        return kind_of_value(value) == "path" or (bool(owner) and name in self._files)

    def _is_known(self, use: Use) -> bool:
        """Tell whether everybody knows it, or who is told of the tools."""
        value, in_code = use.value, use.kind == "reference" and not use.whole
        if use.whole and use.shape == NUMBER and SETTINGS.fullmatch(use.argument[1]):
            return True
        if use.whole and KINDS.fullmatch(use.argument[1]) and WORDS.fullmatch(value):
            return True
        if EVERYWHERE.fullmatch(value) or hasattr(builtins, value) or value in self._schema.get(use.argument[0], ()):
            return True
        return (use.shape == NAME and value in self._of_tools) or bool(in_code and OF_CODE.fullmatch(value))

    def _is_own_wording(self, use: Use, said: np.ndarray) -> bool:
        """Tell whether it is the assistant's own wording: nobody told it, and it can be written anew.

        Not a date, which it rewords however it was told; nor what few answers say, unless it is round, small or a sum.
        """
        if not self._is_own(said) or kind_of_value(use.value) == "date":
            return False
        if use.kind == "reference" or use.shape == QUOTED or IN_ANY.fullmatch(use.value) or not self._is_rare(said):
            return True
        return use.shape in (NUMBER, AMOUNT_OF) and self._is_computed(use.value, said.item(0))

    def _is_computed(self, value: str, first: int) -> bool:
        """Tell whether it is the sum or the difference of two numbers that stand there or just before."""
        near = range(max(0, first - NEAR), first + 1)
        (result, *_), numbers = _figures(value), {number for i in near for number in self._figures_of(i)}
        others = numbers - {0, result, result / 2}  # a number and itself, or nothing, prove no sum
        return any({result - each, result + each} & numbers for each in others)

    def _figures_of(self, message: int) -> list[Decimal]:
        if message not in self._figures:
            self._figures[message] = _figures(self._texts[message])
        return self._figures[message]

    def _is_rare(self, said: np.ndarray) -> bool:
        """Tell whether few enough messages say it for a fact; answers that repeat it count only where nothing else
        says it.
        """
        others = np.count_nonzero(self._role[said] != ASSISTANT)
        return bool((others or len(said)) <= self._rare)

    def _is_plain_code(self, use: Use, said: np.ndarray) -> bool:
        """Tell whether it is plain words, quoted or marked as code, which nothing declares or assigns."""
        if use.shape != QUOTED or not PLAIN_CODE.fullmatch(use.value):
            return False
        places = self._places(use.value, said)
        return not any(DECLARED.search(t, max(0, at - 20), at) or ASSIGNED.match(t, end) for t, at, end in places)

    def _is_accident(self, use: Use, said: np.ndarray) -> bool:
        if use.shape == WEAK:
            return not self._is_rare(said)
        return use.shape == NUMBER and self._is_common_number(use, said)

    def _is_common_number(self, use: Use, said: np.ndarray) -> bool:
        looked_at = [self._texts[i] for i in said[:LOOKED_AT].tolist()]
        if use.whole:
            if self._of_argument[use.argument][use.value] >= FEW:
                return True
            name = use.argument[1].rpartition(".")[2].lower()
            if name and any(_is_under(text, name, use.value) for text in looked_at):
                return False
        if use.of_code and not self._is_a_persons(said.item(0)):
            return True
        year = YEAR.fullmatch(use.value) is not None and use.kind == "link"
        if year or not COMMON.fullmatch(use.value):
            listed = use.kind == "reference" and all(_numbers_lines(text, use.value) for text in looked_at)
            return listed or not self._is_rare(said)
        persons, answers = self._is_a_persons(said.item(0)), use.kind == "link"
        short = len(looked_at[0]) <= SHORT or (persons and answers and len(said) == 1)
        told = len(use.value) > 1 and len(said) <= FEW and short
        return not told or not (answers or (use.whole and persons))

    def _is_given(self, value: str, said: np.ndarray) -> bool:
        """Tell whether it stood somewhere as a value: in quotes in a structured text, or as an argument."""
        key = value, min(len(said), LOOKED_AT)
        if key not in self._given:
            quoted, argument = f'"{value}"', f"\0{value}"
            texts = (self._texts[i] for i in said[:LOOKED_AT].tolist())
            self._given[key] = any(quoted in t or f"{argument}\0" in t or t.endswith(argument) for t in texts)
        return self._given[key]

    def _is_of_form(self, use: Use, first: int) -> bool:
        """Tell whether most answers have it, or several as the system prompt has it; a file is what they are about."""
        prompted = use.kind == "link" and self._role.item(first) == SYSTEM
        return self._names[use.value] > (1 if prompted else self._often) and kind_of_value(use.value) != "path"

    def _is_choice(self, use: Use) -> bool:
        if not use.whole or not WORDS.fullmatch(use.value):
            return False
        counts = self._of_argument[use.argument]
        return counts.total() >= FEW and len(counts) <= CHOICES * counts.total() and all(map(WORDS.fullmatch, counts))

    def _is_usual_folder(self, use: Use, first: int) -> bool:
        """Tell whether most calls have it, or most paths are below it; what a program set, from the first call on."""
        counts = self._of_argument[use.argument] if use.whole else Counter[str]()
        few = 1 if self._is_programs(first) else FEW
        usual = counts.total() >= few and counts[use.value] >= USUAL * counts.total()
        folder, paths = use.value.rstrip("/") + "/", self._paths.total()
        below = sum(count for path, count in self._paths.items() if path.startswith(folder))
        return usual or (paths >= MANY and below >= USUAL * paths)


def _file_names(parts: Iterable[str]) -> Iterator[str]:
    """Names that a file of one of these may have: "CartView", "cart_view"."""
    for part in parts:
        yield part
        yield HUMPS.sub("_", part).lower()


def _figures(text: str) -> list[Decimal]:
    return [Decimal(each[0].replace(",", "")) for each in islice(FIGURE.finditer(text), MOST_FIGURES)]


def _is_under(text: str, name: str, number: str) -> bool:
    """Tell whether the text says that number after the argument's name: `"amount": 500`, "number 11"."""
    reach = len(number) + len(name) + 5
    return any(name in text[max(0, end - reach) : end].lower() for end in ends_of(text, number))


def _numbers_lines(text: str, number: str) -> bool:
    """Tell whether the text says it as the number of a line and nowhere else."""
    return all(numbers_a_line(text, end - len(number), end) for end in ends_of(text, number))


def numbers_a_line(text: str, start: int, end: int) -> bool:
    """Tell whether what stands there is the number of a line, as reading tools put it before each."""
    return text.startswith(LINE_NUMBER_ENDS, end) and not text[text.rfind("\n", 0, start) + 1 : start].strip()
