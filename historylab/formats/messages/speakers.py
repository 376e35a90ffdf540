"""Speakers: the role behind the word a transcript has for a speaker ("Human", "bot"), and who answers among names.

A name that is no such word keeps its name. Where only names speak, somebody has to be the assistant for there to be any
request: of two speakers it is the one who answers; among more, nobody is. Roles that are guessed so are reported.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import lru_cache
from itertools import islice

from historylab.formats.base import Report

WORDS = {
    "system": "system developer instructions|system prompt|system message",
    "user": "user human customer client caller you me visitor guest patient student prompt prompter question"
    " requester asker person|end user|you said|human said|user said",
    "assistant": "assistant ai bot chatbot gpt model agent support answer response llm chatgpt claude gemini bard"
    " grok copilot bing mistral deepseek llama perplexity cursor representative advisor doctor therapist tutor robot"
    "|ai assistant|ai studio|google ai studio|github copilot|chatgpt said|claude said|gemini said|assistant said",
    "tool": "tool function observation environment ipython|tool result|tool output|tool response|function response",
}
"""Role → the words for it, and after each bar an expression of several words.

An operator is none of them: one of a machine talks to it, one at a chat desk answers, so who else speaks has to tell.
"""

ROLES = {
    word: role for role, words in WORDS.items() for word in (*words.partition("|")[0].split(), *words.split("|")[1:])
}
OF_TOOLS = frozenset(
    ["tool", "tools", "function", "fn", "observation", "output", "outputs", "result", "results", "execution", "sandbox"]
)
"""Words of which one makes a program's word for a speaker a tool's."""
LAST = {
    **dict.fromkeys(["human", "user", "customer", "client", "visitor"], "user"),
    **dict.fromkeys(["assistant", "ai", "bot", "robot", "chatbot", "agent", "llm", "gpt"], "assistant"),
    "command": "tool",
}
"""Words that tell the role of a speaker at the end of others, as in "my_agent" or "first-time customer"."""
ABOUT_RECORDS = frozenset(
    ["message", "msg", "turn", "event", "entry", "input", "item", "record", "name", "id", "reply", "text", "utterance"]
)
"""Words that say of a speaker's word that it names a record, or something of the speaker."""
A_BOT = re.compile(r"[a-z]+bot|[A-Za-z]+Bot")  # not Talbot
PROGRAMS_WORD = re.compile(r"[a-z]+(?:[A-Z][a-z]*|[_./-][a-z0-9]+)+|(?:[A-Z][a-z]+){2,}|[A-Z]+_[A-Z_]+|\d+")
MOST_NAMED, MOST_OF_NAME = 4, 40
QUESTION_AND_ANSWER = {"q": "user", "a": "assistant"}  # an A without a Q is a name
MODEL_NAME = re.compile(
    r"(chatgpt|gpt|claude|gemini|grok|llama|mistral|deepseek|qwen|o[134])([ -]?\d|[ -]|$)[\w. -]{0,30}", re.IGNORECASE
)


@lru_cache(maxsize=1024)
def role_of(speaker: str) -> str:
    """The role that a word for a speaker stands for; empty for a name."""
    word = " ".join(speaker.replace("_", " ").replace("-", " ").casefold().strip(" :*").split())
    return ROLES.get(word) or ("assistant" if MODEL_NAME.fullmatch(speaker.strip(" :*")) else "")


@lru_cache(maxsize=1024)
def role_told(word: str) -> str:
    """The role of a word that names nothing but a role and a record, or anything of a tool's."""
    if role := role_of(word):
        return role
    words = {*_words_of(word)}
    if words & OF_TOOLS:
        return "tool"
    found = {ROLES[part] for part in words if part in ROLES}
    return found.pop() if len(found) == 1 and words - ROLES.keys() <= ABOUT_RECORDS else ""


@lru_cache(maxsize=1024)
def role_in_word(word: str) -> str:
    """The role that a word of several tells: "toolReply", "user.message", "my_agent"; empty if it tells none.

    A word that names a tool, a function, an output or an observation is a tool's, whatever else it names.
    """
    if role := role_told(word):
        return role
    words = [part for part in _words_of(word) if part not in ABOUT_RECORDS and not part.isdigit()]
    return LAST.get(words[-1], "assistant" if A_BOT.fullmatch(word) else "") if words else ""


def _words_of(word: str) -> list[str]:
    return [part.casefold() for part in re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[0-9]+", word)]


def is_name(word: str) -> bool:
    """Tell whether it names somebody, and is no program's word for a record, as "apiRequest" and "step_start" are."""
    return not role_told(word) and bool(role_in_word(word) or not PROGRAMS_WORD.fullmatch(word))


def cast(
    speakers: Iterable[str], report: Report | None = None, where: str = "", known: Mapping[str, str] | None = None
) -> dict[str, str]:
    """Speaker → role, for speakers in the order they begin to speak. Roles that no word tells are reported."""
    roles = {speaker: (known or {}).get(speaker) or role_in_word(speaker) for speaker in speakers}
    letters = {speaker.casefold(): speaker for speaker in roles}
    if QUESTION_AND_ANSWER.keys() <= letters.keys():
        roles |= {letters[letter]: role for letter, role in QUESTION_AND_ANSWER.items()}
    names = [speaker for speaker, role in roles.items() if not role]
    answers = ""
    if "assistant" not in roles.values():
        asked = "user" in roles.values()
        answers = names[0] if asked and len(names) == 1 else names[1] if not asked and len(names) == 2 else ""
    guessed = {name: "assistant" if name == answers else "user" for name in names}
    if guessed and report:
        _report_guesses(guessed, report, where)
    return {speaker: role or guessed[speaker] for speaker, role in roles.items()}


def _report_guesses(guessed: Mapping[str, str], report: Report, where: str) -> None:
    """Name the speakers whose roles are guessed in one warning for a file, which may hold talks of many people."""
    before = report.warnings.pop(_show_guesses(report.guessed), None)
    for name, role in guessed.items():
        report.guessed.setdefault(role, {})[name] = None
    report.warn(reason := _show_guesses(report.guessed), where)
    if before:
        report.warnings[reason] = replace(before, count=before.count + 1)


def _show_guesses(guessed: Mapping[str, Mapping[str, None]]) -> str:
    said = []
    for role, known_as in (("assistant", "the assistant"), ("user", "the user")):
        names = [f"{name[:MOST_OF_NAME]!r}" for name in islice(guessed.get(role, ()), MOST_NAMED)]
        more = len(guessed.get(role, ())) - len(names)
        said += [f"{', '.join(names)}{f' and {more:,} more' if more else ''} read as {known_as}"] if names else []
    return f"no word says who is who: {'; '.join(said)}"
