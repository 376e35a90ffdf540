"""Words as somebody asks for them, and the texts that say them in any of their forms.

Upper and lower case, kinds of space, quotation mark and dash are the same, and so are the escapes of JSON, in the
arguments of calls, in results, and in JSON within JSON. Whole words count, as "ORD-12" isn't "ORD-123".
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from difflib import get_close_matches
from unicodedata import normalize

from historylab.conversation.conversation import Conversation
from historylab.conversation.message import Message
from historylab.recall.references import contains_value, searchable_text
from historylab.relevance.words import NO_VOTES, is_frequent, language_of, votes
from historylab.summarizers.values import argument_values, says

ALIKE = str.maketrans({**dict.fromkeys('“”„«»″"‘’‚′`', "'"), **dict.fromkeys("‐‑‒–—−", "-")})
EMPHASIS = re.compile(r"(?<!\w)\*+(?=\w)|(?<=[\w.,:;!?)])\*+(?!\w)")
"""Marks of Markdown around words; what is a product of numbers stays."""
QUOTED = re.compile(r"'(.+)'", re.DOTALL)
TERM = re.compile(r"\w(?:[\w./@:#-]*\w)?")
MOST_TERMS = 50_000  # of a conversation, compared to find what is spelled alike
ENDS_IN, GOES_ON = re.compile(r"\w*\Z"), re.compile(r"\w{,60}")
LONGEST = 60  # characters of a word that is completed
SHORT = 3  # characters: so few are within many words
NEAR = 3  # near misses named


class AskedWords:
    """Words to look for. `exact`: in upper and lower case as they are, which tells "IT" from "it"."""

    def __init__(self, words: str, *, exact: bool = False):
        self.text = words.strip()
        self._exact, self._folded = exact, _unquote(fold_spelling(self.text, exact))
        self._is_number = self.text.replace(".", "", 1).isdigit()
        self._known: dict[str, bool] = {}

    def are_in(self, text: str) -> bool:
        """Tell whether a text says them; a number stands by itself, not in a time, a date or a larger one."""
        if text not in self._known:
            self._known[text] = self._are_in(text, self._fold(text))
        return self._known[text]

    def include(self, value: str) -> bool:
        """Tell whether a value is part of them."""
        return says(self._folded, self._fold(value))

    def among(self, conversation: Conversation) -> list[int]:
        """The messages that say them, ascending."""
        texts = texts_to_search(conversation)
        folded = conversation.remember(("folded", self._exact), lambda: [self._fold(text) for text in texts])
        both = enumerate(zip(texts, folded, strict=True))
        return [i for i, (text, plain) in both if self._are_in(text, plain)]

    def _fold(self, text: str) -> str:
        return fold_spelling(text, self._exact)

    def _are_in(self, text: str, folded: str) -> bool:
        if self._is_number:
            return contains_value(text, self.text)
        return says(folded, self._folded) or ("\n" in self.text and contains_value(text, self.text))


def find_words(conversation: Conversation, words: str) -> tuple[AskedWords, list[int]]:
    """The words as they are looked for, and the messages (indices) that say them.

    A frequent word that begins with a capital letter is another word than the small one, where any message has it so.
    """
    found = AskedWords(words)
    if words.strip() != words.strip().casefold() and is_frequent(words.strip().casefold(), "english"):
        exact = AskedWords(words, exact=True)
        if said := exact.among(conversation):
            return exact, said
    return found, found.among(conversation)


def find_near_misses(conversation: Conversation, words: str) -> list[tuple[str, int]]:
    """Terms near words that no message says: longer ones that hold them, or else those of them that are said.

    Each with the first message that says it. Of several words, first a message that has them with a longer word at an
    end, or all of them apart, but for the most frequent words of their language.
    """
    wanted, texts = _unquote(fold_spelling(words)), texts_to_search(conversation)
    terms: dict[str, int] = {}
    apart: list[tuple[str, int]] = []
    asked = list(dict.fromkeys(TERM.findall(wanted)))
    telling = _without_frequent(asked)
    for i, text in enumerate(texts):
        folded = fold_spelling(text)
        said = TERM.findall(folded)
        if len(asked) > 1 and wanted in folded:
            apart.append((_with_whole_words(folded, wanted), i))
        elif len(telling) > 1 and set(telling) <= set(said):
            apart.append((" … ".join(telling), i))
        if len(terms) < MOST_TERMS:
            terms |= {term: i for term in said if term not in terms}
    anywhere = len(wanted) > SHORT
    longer = [term for term in terms if wanted and (term.startswith(wanted) or (anywhere and wanted in term))]
    near = [*apart, *((term, terms[term]) for term in longer)]
    return (near or _find_rarest(conversation, telling, terms))[:NEAR]


def _without_frequent(words: list[str]) -> list[str]:
    """The words but for the most frequent of their language, which lead nowhere."""
    language = language_of(votes(words), NO_VOTES)
    return [word for word in words if not is_frequent(word, language)]


def _find_rarest(conversation: Conversation, words: list[str], terms: Iterable[str]) -> list[tuple[str, int]]:
    """The words that are said, the rarest first, and the terms that are spelled like the others."""
    places = {word: AskedWords(word).among(conversation) for word in words}
    unsaid = [word for word in words if not places[word]]
    alike = {near: None for word in unsaid for near in get_close_matches(word, terms, NEAR, 0.8)}
    found = {near: AskedWords(near).among(conversation) for near in alike} | places
    return [(term, said[0]) for term, said in sorted(found.items(), key=lambda item: len(item[1])) if said]


def _with_whole_words(text: str, part: str) -> str:
    """The part of a text, with what the words at its ends have besides."""
    first = text.find(part)
    before, after = ENDS_IN.search(text, max(0, first - LONGEST), first), GOES_ON.match(text, first + len(part))
    return f"{before[0] if before else ''}{part}{after[0] if after else ''}"


def texts_to_search(conversation: Conversation) -> list[str]:
    """The text of each message in which words are looked for; made once."""
    return conversation.remember("texts to search", lambda: [text_to_search(message) for message in conversation])


def text_to_search(message: Message, content: str | None = None) -> str:
    """The text of a message, parts apart: its content (or the one given in its place), calls, and what JSON holds."""
    text = message.content if content is None else content
    parts = [text, searchable_text(message, text), *_json_texts(text)]
    for call in message.tool_calls:
        parts += [call.name, call.arguments]
        parts += [inner for _, value in argument_values(call) for inner in _json_texts(value)]
    return "\0".join(dict.fromkeys(parts))


def fold_spelling(text: str, exact: bool = False) -> str:
    """The text in a form that is the same for all spellings of the same words."""
    plain = normalize("NFKC", text)
    if not exact:
        plain = normalize("NFKC", plain.casefold())
    return " ".join(EMPHASIS.sub("", plain.translate(ALIKE)).split())


def _unquote(words: str) -> str:
    """The words without quotation marks around all of them."""
    quoted = QUOTED.fullmatch(words)
    return quoted[1].strip() if quoted else words


def _json_texts(text: str) -> Iterator[str]:
    """The texts in a text that is JSON, as they are without its escapes."""
    if text.lstrip()[:1] not in ("{", "[", '"'):
        return
    try:
        yield from _leaves(json.loads(text, strict=False))
    except (ValueError, RecursionError):
        return


def _leaves(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for name, inner in value.items():
            yield name
            yield from _leaves(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _leaves(inner)
