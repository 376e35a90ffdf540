"""Standing instructions: what a user or a system message says must hold from then on, found by its words.

An estimate: nothing proves that a sentence was meant to last. `STANDING` is the list to edit. What is pasted is mostly
no instruction: fenced or quoted lines, lines that look like code or data, what stands between tags in a user's message,
and all but the first and the last paragraph of a long one are left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from historylab.conversation.message import Message


class Words(NamedTuple):
    """Of one language: words that make a rule wherever they stand; words that do near the beginning of a clause; and
    words around these that show a report, a habit or a passing wish instead."""

    anywhere: tuple[str, ...]
    opening: tuple[str, ...]
    not_before: tuple[str, ...] = ()
    not_after: tuple[str, ...] = ()
    passing: tuple[str, ...] = ()


STANDING: Mapping[str, Words] = {
    "English": Words(
        ("from now on", "must not", "must never", "must always", "only ever", "under no circumstances", "at all times",
         "in all future", "until i say otherwise", "unless i say otherwise", "going forward"),
        ("always", "never", "do not", "don't", "don’t"),
        ("i", "i'm", "i’m", "i've", "i’ve", "we", "we've", "he", "she", "it", "they", "you", "everyone", "everybody",
         "nobody", "has", "have", "had", "was", "were", "is", "are", "will", "would", "who", "which", "that", "why",
         "if", "when", "because", "like", "did", "does"),
        ("mind", "worry", "know", "understand", "think", "see", "have", "has", "need", "want", "been", "was", "got",
         "had", "seen", "heard", "came", "knew", "thought", "care", "believe", "the", "a", "an"),
        ("yet", "for now", "this time", "right now", "just now", "today"),
    ),
    "German": Words(
        ("ab jetzt", "ab sofort", "von jetzt an", "auf keinen fall", "unter keinen umständen", "in jedem fall",
         "darf nicht", "darf nie", "dürfen nicht", "du sollst"),
        ("immer", "nie", "niemals", "stets"),
        ("ich", "wir", "er", "sie", "es", "hat", "habe", "haben", "war", "ist", "sind", "noch", "wer", "weil", "wenn"),
        ("wieder", "noch", "mehr"),
        ("heute", "vorerst", "diesmal"),
    ),
    "French": Words(
        ("désormais", "dorénavant", "à partir de maintenant", "en aucun cas", "il ne faut jamais", "il faut toujours"),
        ("toujours", "jamais"),
        ("je", "nous", "il", "elle", "ils", "on", "est", "sont", "suis", "ai", "a", "était", "avons", "pas"),
        (),
        ("aujourd'hui", "pour l'instant"),
    ),
    "Spanish": Words(
        ("a partir de ahora", "de ahora en adelante", "bajo ninguna circunstancia", "en ningún caso", "no debes"),
        ("siempre", "nunca", "jamás"),
        ("yo", "él", "ella", "es", "está", "he", "ha", "hemos", "había", "fue", "casi"),
        (),
        ("hoy", "por ahora"),
    ),
}  # fmt: skip
"""Language → the words that make a standing instruction, in lower case."""

MODALS = frozenset({"must", "should", "shall", "can", "may", "please", "and", "but", "or", "also", "so", "then", "to"})
"""After these a clause may begin its instruction, whoever it names: "you should never"."""
NEAR = 4  # words of a clause before those that open an instruction
FEWEST_WORDS, LONGEST_SENTENCE = 3, 300
LONGEST_SAID, LONGEST_PARAGRAPH = 1500, 600  # characters of a user's message; of the paragraphs read of a longer one
WRAPPED = 60  # characters of a line that goes on in the next
DATA = re.compile(
    r"\s*(?:[>|{}\[<$]|#include|//|/\*|import |from \w+ import|def |class |[\w.-]{1,60}\s?[=:]\s?[\"'{\[\d])"
)
"""What begins a line that is quoted, code or data."""
SYMBOLS = re.compile(r"[{}\[\]<>=;$\\|_/@]")
MOST_SYMBOLS = 0.08  # share of a line's characters
FENCE = re.compile(r"\s*(?:```|~~~)")
TAG = re.compile(r"\s*<([A-Za-z][\w-]*)")
BULLET = re.compile(r"\s*(?:[-*•–+]|\(?\d{1,3}[.)]|#{1,6})\s+")
SENTENCE_END = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])")
CLAUSE = re.compile(r"[,;:–—(]|\s-\s")
WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
REPORTED = re.compile(r".+(?<!e)ed|.{3,}ing")  # "never received", "always reminding"


def rules_in(message: Message) -> Iterator[str]:
    """The sentences of one message that are standing instructions."""
    for line in _own_lines(message):
        for sentence in SENTENCE_END.split(line):
            text = sentence.strip().rstrip(".!。！")
            if is_rule(text):
                yield text


def _own_lines(message: Message) -> Iterator[str]:
    """The lines of a message that are probably its own words, those that a line break parts in one."""
    so_far = last = ""
    for line in _prose(message):
        begins = not line.lstrip()[:1].islower() or len(last) < WRAPPED or len(so_far) > LONGEST_PARAGRAPH
        if so_far and (begins or so_far.endswith((".", "!", "?", ":", ";"))):
            yield so_far
            so_far = ""
        so_far = f"{so_far}\n{line}" if so_far else line[bullet.end() :] if (bullet := BULLET.match(line)) else line
        last = line
    if so_far:
        yield so_far


def _prose(message: Message) -> Iterator[str]:
    """The lines of a message that are no code, data or quotation; an empty one in place of those."""
    tag, fenced, text = "", False, _read_of(message)
    for line in text.split("\n"):
        opened = TAG.match(line) if message.role == "user" and not tag else None
        tag = opened[1] if opened and f"</{opened[1]}>" in text else tag
        fence = FENCE.match(line) is not None
        fenced ^= fence
        prose = not (tag or fenced or fence or DATA.match(line) or line.startswith(("\t", "        ")))
        yield line if prose and len(SYMBOLS.findall(line)) <= MOST_SYMBOLS * len(line) else ""
        if tag and f"</{tag}>" in line:
            tag = ""


def _read_of(message: Message) -> str:
    """What of a message is read: of a user's long one the first and the last paragraph."""
    text = message.content
    if message.role != "user" or len(text) <= LONGEST_SAID:
        return text
    first, last = text.strip().partition("\n\n")[0], text.strip().rpartition("\n\n")[2]
    return "\n\n".join(part for part in (first, last) if len(part) <= LONGEST_PARAGRAPH)


def is_rule(sentence: str) -> bool:
    """Whether a sentence is a standing instruction, by its words."""
    words = WORD.findall(sentence.casefold()) if len(sentence) <= LONGEST_SENTENCE else []
    if len(words) < FEWEST_WORDS or sentence.endswith(("?", "？")):
        return False
    joined = f" {' '.join(words)} "
    if any(f" {passing} " in joined for language in STANDING.values() for passing in language.passing):
        return False
    if any(f" {phrase} " in joined for language in STANDING.values() for phrase in language.anywhere):
        return True
    clauses = [WORD.findall(clause) for clause in CLAUSE.split(sentence.casefold())]
    return any(_opens(clause, language) for language in STANDING.values() for clause in clauses)


def _opens(clause: list[str], language: Words) -> bool:
    """Whether a clause begins as an instruction: "never …", "please answer always …", "you should never …"."""
    for k in range(min(NEAR + 1, len(clause))):
        for phrase in language.opening:
            after = k + phrase.count(" ") + 1
            if " ".join(clause[k:after]) == phrase:
                return _instructs(clause[:k], clause[after:], language)
    return False


def _instructs(before: list[str], after: list[str], language: Words) -> bool:
    if not after or REPORTED.fullmatch(after[0]) or after[0] in language.not_after:
        return False
    return bool(before and before[-1] in MODALS) or not {*before} & {*language.not_before}
