"""Microsoft Agent Framework's truncation: over a limit, the oldest groups are excluded down to a target.

In the list is every message, the system's as well; names are set and nothing reads them; the results of one assistant
message are one message, and a group with their calls. It is asked before each request, and what it excluded stays so.
The limit counts messages, or with a tokenizer the tokens of each message as JSON. agent_framework/_compaction.py
"""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from historylab.registry import register
from historylab.trimmers.forms.agent_framework import CompactedList, import_agent_framework

ESTIMATE = "CharacterEstimatorTokenizer"


@register(
    "trimmer",
    "agent_framework.TruncationStrategy",
    title="Agent Framework TruncationStrategy",
    library="agent-framework-core",
)
class TruncationStrategy(CompactedList):
    """Excludes the oldest groups, over a limit of messages or tokens, down to a target below it."""

    def __init__(
        self,
        *,
        max_n: Annotated[int, Field(ge=1, description="messages, or tokens with a tokenizer, over which it acts")],
        compact_to: Annotated[int, Field(ge=1, description="messages or tokens that it leaves, at most max_n")],
        tokenizer: Annotated[
            Any, Field(description=f"{ESTIMATE} (the library's: 4 characters a token), or an object with count_tokens")
        ] = None,
        preserve_system: Annotated[bool, Field(description="system messages are never excluded")] = True,
        preserve_first_user_group: Annotated[bool, Field(description="nor is the first user message")] = False,
    ):
        library = import_agent_framework()
        strategy = library.TruncationStrategy(
            max_n=max_n,
            compact_to=compact_to,
            tokenizer=library.CharacterEstimatorTokenizer() if tokenizer == ESTIMATE else tokenizer,
            preserve_system=preserve_system,
            preserve_first_user_group=preserve_first_user_group,
        )
        super().__init__(strategy)
