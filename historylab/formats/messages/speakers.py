"""Speakers: the role behind the word a transcript has for a speaker ("Human", "bot", "Q"), and who answers among names.

A name that is no such word keeps its name. Where only names speak, somebody has to be the assistant for there to be any
request: of two speakers it is the one who answers; among more, nobody is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache

from historylab.formats.base import Report

WORDS = {
    "system": "system developer instructions|system prompt|system message",
    "user": "user human customer client caller you me visitor guest patient student prompt prompter question"
    " requester asker person|end user|you said|human said|user said",
    "assistant": "assistant ai bot chatbot gpt model agent support answer response llm chatgpt claude gemini bard"
    " grok copilot bing mistral deepseek llama perplexity cursor representative operator advisor doctor therapist tutor"
    "|ai assistant|ai studio|google ai studio|github copilot|chatgpt said|claude said|gemini said|assistant said",
    "tool": "tool function observation ipython|tool result|tool output|tool response|function response",
}
"""Role → the words for it, and after each bar an expression of several words."""

ROLES = {
    word: role for role, words in WORDS.items() for word in (*words.partition("|")[0].split(), *words.split("|")[1:])
}
OF_TOOLS = frozenset(["tool", "tools", "function", "observation", "output", "result", "execution"])
"""Words of which one makes a program's word for a speaker a tool's."""
ABOUT_RECORDS = frozenset(["message", "msg", "turn", "event", "entry", "input", "item", "record"])
"""Words that say of a speaker's word that it names a record."""
PROGRAMS_WORD = re.compile(r"[a-z]+(?:[A-Z][a-z]*|[_./-][a-z0-9]+)+|(?:[A-Z][a-z]+){2,}|[A-Z]+_[A-Z_]+|\d+")
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
def role_in_word(word: str) -> str:
    """The role that a program's word for a record stands for: "toolReply", "user.message"; empty if it tells none.

    A word that names a tool, a function, an output or an observation is a tool's, whatever else it names.
    """
    if role := role_of(word):
        return role
    words = {part.casefold() for part in re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])", word)}
    if words & OF_TOOLS:
        return "tool"
    found = {ROLES[part] for part in words if part in ROLES}
    return found.pop() if len(found) == 1 and words - ROLES.keys() <= ABOUT_RECORDS else ""


def is_name(word: str) -> bool:
    """Tell whether it is somebody's name, and no program's word for a record, as "apiRequest" and "step_start" are."""
    return not (role_in_word(word) or PROGRAMS_WORD.fullmatch(word))


def cast(
    speakers: Iterable[str], report: Report | None = None, where: str = "", known: Mapping[str, str] | None = None
) -> dict[str, str]:
    """Speaker → role, for speakers in the order they begin to speak. A name taken for the assistant's is reported."""
    roles = {speaker: (known or {}).get(speaker) or role_of(speaker) for speaker in speakers}
    letters = {speaker.casefold(): speaker for speaker in roles}
    if QUESTION_AND_ANSWER.keys() <= letters.keys():
        roles |= {letters[letter]: role for letter, role in QUESTION_AND_ANSWER.items()}
    names = [speaker for speaker, role in roles.items() if not role]
    answers = ""
    if "assistant" not in roles.values():
        asked = "user" in roles.values()
        answers = names[0] if asked and len(names) == 1 else names[1] if not asked and len(names) == 2 else ""
    if answers and report:
        report.warn(f"no speaker is called an assistant: {answers[:40]!r}, who answers, is taken for one", where)
    return {s: role or ("assistant" if s == answers else "user") for s, role in roles.items()}
