"""The rules by which a provider's API refuses a request, beside those that every API has in common.

They are about the messages that `render()` sends, in that API's form: system messages beside the others, messages of
one role in a row joined, results in the turn after their calls and first in it. The facts, read on 2026-11-22:

* Anthropic. A text of nothing but white space and an empty message of the user are refused, an empty one of the
  assistant is taken: https://github.com/experientiallabs/experiential/pull/804 (measured). An answer at the end is
  refused from Claude 4.6 on: https://platform.claude.com/docs/en/about-claude/models/migration-guide; before, if it
  ends in white space: https://github.com/tailcallhq/forgecode/issues/1872. Anthropic's own API takes a beginning by
  the assistant, Bedrock doesn't: https://github.com/anthropics/anthropic-sdk-typescript/issues/622. System messages
  alone are refused: https://github.com/langchain-ai/langchain/issues/30764. Among the others one must follow a user's
  turn and come last or before an answer, from Opus 4.8 on; where a plan leaves it no such place it is moved, so that
  none is refused for it: https://platform.claude.com/docs/en/build-with-claude/mid-conversation-system-messages.
* Gemini. A call must follow the user or a result: https://github.com/google-gemini/gemini-cli/issues/11814; with as
  many results as calls: https://github.com/google-gemini/gemini-cli/issues/4217. Any other beginning by the model is
  refused as reported, unverified: https://github.com/NousResearch/hermes-agent/issues/55427. Newer models refuse an
  answer at the end: https://github.com/pipecat-ai/pipecat/pull/5821; gemini-3.5-flash, refusing there, took one when
  measured two months before: https://github.com/LibreChat-AI/agents/pull/323. Beside results a content may hold
  nothing else, as reported: https://github.com/vellum-ai/vellum-assistant/pull/39495. Empty contents: as documented,
  unverified.
* OpenAI. Each call is answered by the tool messages right after it, and these answer nothing else:
  https://github.com/microsoft/promptflow/pull/3130; for Responses, by outputs of its `call_id`. It takes system
  messages alone: as documented, unverified. In Responses, reasoning needs the item that followed it and that item its
  reasoning (https://github.com/continuedev/continue/issues/8933, .../issues/11994): as one turn is one message here,
  no plan parts them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from historylab.conversation.columns import ROLE_CODES
from historylab.conversation.message import REFERENCES, Message, known_size
from historylab.errors import UnknownMember


@dataclass(frozen=True, slots=True)
class ApiRules:
    """What one provider's API refuses, beside calls and results that don't match up.

    `models`: a word in the names of its models; `systems_alone`: nothing but system messages; `start`: a beginning by
    the assistant; `empty`: messages without text, of these roles; `spaces`: texts of nothing but white space. At the
    end, the models of `answer_last` take an assistant's message, where `trimmed` one that doesn't end in white space.
    """

    provider: str
    title: str
    models: str = ""
    systems_alone: bool = True
    start: bool = False
    empty: frozenset[str] = frozenset()
    spaces: bool = False
    answer_last: re.Pattern[str] = re.compile("")
    trimmed: bool = False

    def refuses_text(self, message: Message) -> bool:
        """Whether a message is refused for want of a text. Text that the file leaves out is taken to be there."""
        if message.content:
            alone = not (message.tool_calls or message.media or message.role == "tool")
            return self.spaces and alone and not message.content.strip()
        held = message.tool_calls or message.media or message.metadata.keys() & {"thinking", "unread_parts", REFERENCES}
        role = message.role if message.role in ROLE_CODES else "user"
        return role in self.empty and not held and known_size(message) is None

    def refuses_start(self, message: Message) -> bool:
        """Whether no request may begin with this message; roles unknown to APIs count as the user's."""
        return self.start and message.role in ("assistant", "tool")

    def refuses_end(self, message: Message, model: str) -> bool:
        """Whether a request to `model` may not end in this message of the assistant."""
        text = message.content
        return not self.answer_last.search(model) or (self.trimmed and text != text.rstrip())


RULES: Mapping[str, ApiRules] = {
    rules.provider: rules
    for rules in (
        ApiRules(
            "anthropic",
            "Anthropic",
            "claude",
            empty=frozenset({"user"}),
            spaces=True,
            answer_last=re.compile(r"claude-(instant|[23]|(opus|sonnet|haiku)-4([-.][0-5])?(-\d{8}|@|$))"),
            trimmed=True,
        ),
        ApiRules(
            "gemini",
            "Gemini",
            "gemini",
            start=True,
            empty=frozenset({"user", "assistant"}),
            answer_last=re.compile(r"gemini-(1|2|3-|3\.1-|pro-latest)"),
        ),
        ApiRules("openai", "OpenAI", systems_alone=False),
    )
}
_OTHER_NAMES = {"google": "gemini", "azure": "openai"}


def rules_of(provider: str) -> ApiRules:
    """The rules of a provider by its name. Raises UnknownMember if there are none."""
    found = _find_rules(provider)
    if found is None:
        raise UnknownMember("provider", provider, list(RULES))
    return found


def recorded_rules(provider: str | None, model: str | None) -> ApiRules | None:
    """The rules of the provider a file names; a Claude at Google's meets Anthropic's. None if none are known."""
    found = _find_rules(provider or "")
    return RULES["anthropic"] if found is RULES["gemini"] and "claude" in (model or "") else found


def _find_rules(provider: str) -> ApiRules | None:
    name = provider.casefold()
    return RULES.get(_OTHER_NAMES.get(name, name))
