"""Questions a conversation could be asked: about facts that a person said once and long ago. Deterministic and offline.

A question quotes a few words around the fact and leaves out the fact itself, so that only its message can answer it.
Where a conversation has neither references nor questions of its own, they show what settings forget. As they share
words with their answers, relevance finds those more easily than for a question in other words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from historylab.conversation.conversation import Conversation
from historylab.conversation.message import words_of_person
from historylab.recall.questions import Question
from historylab.recall.references import Mentions, index_mentions
from historylab.relevance.words import ANY, NO_VOTES, UNSPACED, Votes, is_frequent, language_of, split, votes
from historylab.summarizers.lines import find_literals

LONG_AGO = 1 / 3  # of the messages come after it, at least
SHORTEST, LONGEST = 4, 30  # words of a sentence: less says little, more is no sentence
LEAST = 1.5  # an id or a name does alone, a word beside two others that are said only here
WORDS_BEFORE, WORDS_AFTER = 6, 3  # of the sentence, around what is left out of it
CHARACTERS_BEFORE, CHARACTERS_AFTER = 12, 4  # of one without spaces
SENTENCE_END = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])|\n+")
CLAUSE_END = re.compile(r"[，。！？、；：,!?\s]+")
LETTER = re.compile(r"[^\W\d_]")
QUESTIONS = {
    "english": "What belongs here: “{}”?",
    "german": "Was gehört hierher: „{}“?",
    "french": "Qu’est-ce qui manque ici : « {} » ?",
    "spanish": "¿Qué falta aquí: «{}»?",
    "portuguese": "O que falta aqui: “{}”?",
    "italian": "Che cosa manca qui: «{}»?",
    "dutch": "Wat hoort hier: “{}”?",
    "japanese": "ここには何が入りますか：「{}」",
    "chinese": "这里缺少什么：“{}”？",
}
IN_ANY_LANGUAGE = "“{}”?"


@dataclass(frozen=True, slots=True)
class _Fact:
    message: int
    about: str
    language: str
    score: float

    def question(self) -> Question:
        return Question(QUESTIONS.get(self.language, IN_ANY_LANGUAGE).format(self.about), (self.message,))


def propose_questions(conversation: Conversation, most: int = 8) -> tuple[Question, ...]:
    """At most so many questions, in order of what they ask about, each with the one message that answers it."""
    return conversation.remember(("proposed questions", most), lambda: _propose(conversation, most))


def _propose(conversation: Conversation, most: int) -> tuple[Question, ...]:
    facts = list(_facts(conversation))
    chosen: dict[str, _Fact] = {}
    for part in np.array_split(np.arange(len(facts)), most):  # from all over the conversation: a fact of each part
        best = max((facts[i] for i in part.tolist()), key=lambda fact: fact.score, default=None)
        if best:
            chosen.setdefault(best.about, best)
    for fact in sorted(facts, key=lambda fact: -fact.score):
        if len(chosen) >= most:
            break
        if all(fact.message != other.message for other in chosen.values()):
            chosen.setdefault(fact.about, fact)
    return tuple(fact.question() for fact in sorted(chosen.values(), key=lambda fact: fact.message))


def _facts(conversation: Conversation) -> Iterator[_Fact]:
    """The best fact of every message that a person said long ago, if it has one."""
    users, mentions = conversation.columns.users, index_mentions(conversation)
    said = {i: words_of_person(conversation[i]) for i in users.tolist()}
    spoken = list(map(sum, zip(NO_VOTES, *(votes(split(text[:1000])) for text in said.values()), strict=True)))
    for i in users[users < (1 - LONG_AGO) * len(conversation)].tolist():
        sentences = (" ".join(text.split()) for text in SENTENCE_END.split(said[i]))
        found = (_fact(text, i, mentions, spoken) for text in sentences if text and text[-1] not in "?？؟<>{}")
        if best := max(filter(None, found), key=lambda fact: fact.score, default=None):
            yield best


def _fact(sentence: str, message: int, mentions: Mentions, spoken: Votes) -> _Fact | None:
    if len(re.findall(rf"[{UNSPACED}]", sentence)) > len(LETTER.findall(sentence)) / 2:
        return _unspaced_fact(sentence, message, mentions)
    words = list(ANY.finditer(sentence))
    if not SHORTEST <= len(words) <= LONGEST:
        return None
    own = votes(split(sentence))
    language = language_of(own, spoken) if any(own) else ""
    telling = [w for w in words if LETTER.search(w[0]) and not is_frequent(w[0].lower(), language)]
    start, stop, worth = _answer(sentence, telling, message, mentions)
    before, after = sentence[:start].split(" "), sentence[stop:].split(" ")
    about = " ".join([*before[-WORDS_BEFORE:-1], before[-1] + "…" + after[0], *after[1 : 1 + WORDS_AFTER]])
    beside = [w[0] for w in telling if w[0] in about]
    worth += min(3, sum(_said_once(word, message, mentions) for word in beside)) / 4
    return _Fact(message, about.strip(" ,.;:!"), language, worth) if worth >= LEAST and len(beside) > 1 else None


def _answer(sentence: str, telling: list[re.Match[str]], message: int, mentions: Mentions) -> tuple[int, int, float]:
    """Where the sentence has what only this message says, an id or number, else a name, else a word; and its worth."""
    literals = [(literal, sentence.find(literal)) for literal in find_literals(sentence)]
    names = [(w[0], w.start()) for w in telling if w[0][:1].isupper() and w.start()]
    last = [(w[0], w.start()) for w in telling[::-1]]
    for candidates, worth in ((literals, 2.0), (names, 1.5), (last, 1.0)):
        for value, start in candidates:
            if _said_once(value, message, mentions):
                return start, start + len(value), worth
    return 0, 0, 0.0


def _unspaced_fact(sentence: str, message: int, mentions: Mentions) -> _Fact | None:
    """A fact of a sentence without spaces: what stands around its literal, or the clause before its last one."""
    language = "japanese" if re.search(r"[\u3040-\u30ff]", sentence) else "chinese"
    language = language if re.search(r"[\u3040-\u30ff\u4e00-\u9fff]", sentence) else ""
    for literal in find_literals(sentence):
        before, _, after = sentence.partition(literal)
        if len(before + after) > 3 and _said_once(literal, message, mentions):
            about = f"{before[-CHARACTERS_BEFORE:]}…{after[:CHARACTERS_AFTER]}"
            return _Fact(message, about.strip("，。！？、；：,.!?;: "), language, 2.0)
    *clauses, last = [clause for clause in CLAUSE_END.split(sentence) if clause] or [""]
    about = next((clause for clause in clauses if len(clause) > 2 and _said_once(clause, message, mentions)), "")
    known = about and len(last) > 2 and _said_once(last, message, mentions)
    return _Fact(message, f"{about[-CHARACTERS_BEFORE:]}…", language, 1.0) if known else None


def _said_once(value: str, message: int, mentions: Mentions) -> bool:
    said: list[int] = mentions.of(value).tolist()
    return said == [message]
