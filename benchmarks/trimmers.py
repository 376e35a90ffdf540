"""Every framework's trimmer that is installed, replayed and called by hand: whether both send the same, and what.

    pip install -e ".[test,frameworks]" && python benchmarks/trimmers.py [--nearest] [--only PART_OF_A_NAME …]

Generated conversations and the sample ones of text alone, three settings each, whose limits are parts of the
conversation. *Equal* are requests that send what the library sends when it is called by hand (`tests/trimmers/by_hand`,
with a conversion of its own); *acted on* those that aren't sent as they were said; *orphans* those with a result whose
call isn't sent; *no user* those without any message of the user's. Milliseconds are of a request, replayed and by hand.
`ai_sdk` needs Node, and the npm package `ai` in the current folder.

With `--nearest` another table: two coding sessions and two of a support desk, the second of the settings. *Same* are
requests that send the same messages under the nearest settings of ours; *refused* those of the trimmer's that an API
would refuse, and under the nearest settings; *slowest* the seconds of the longest search.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields
from importlib import import_module
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
HERE = str(Path(__file__).parent)  # its agents.py is not the library of that name
sys.path[:] = [str(ROOT), str(ROOT / "tests" / "support"), *(place for place in sys.path if place != HERE)]

from driven_trimmers import as_said  # noqa: E402

import historylab  # noqa: E402
from historylab import Conversation, generate, load, nearest_settings, replay  # noqa: E402
from historylab.errors import MissingLibrary, needs  # noqa: E402
from historylab.registry import member  # noqa: E402
from historylab.trimmers.given import installed_version  # noqa: E402

Sent = list[tuple[Any, ...]]
Options = dict[str, Any]
BROKEN = "two-to-vienna-broken.json"
FEWEST = 5
"""Requests of a sample conversation."""
WIDTHS = (9, 10, 8, 10, 9, 9, 14)


@dataclass
class Tally:
    """What was counted of a trimmer; times in seconds."""

    requests: int = 0
    equal: int = 0
    acted: int = 0
    orphans: int = 0
    no_user: int = 0
    failed: int = 0
    replayed: float = 0
    by_hand: float = 0

    def __iadd__(self, other: Tally) -> Tally:
        for each in fields(self):
            setattr(self, each.name, getattr(self, each.name) + getattr(other, each.name))
        return self


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="*", default=[""], metavar="PART_OF_A_NAME")
    parser.add_argument("--nearest", action="store_true", help="how near settings of ours come")
    arguments = parser.parse_args()
    parts = arguments.only
    if arguments.nearest:
        print(f"{'trimmer':52}{'requests':>10}{'acted on':>10}{'same':>8}{'refused':>14}{'slowest':>9}")
        for name in historylab.trimmers():
            if any(part in name for part in parts):
                print(nearest_line(name), flush=True)
        return
    conversations = list(chats())
    print(f"{len(conversations)} conversations, {sum(len(c.columns.requests) for c in conversations)} requests\n")
    print(row("trimmer", "version", "requests", "equal", "acted on", "orphans", "no user", "ms"))
    for name in historylab.trimmers():
        if any(part in name for part in parts):
            print(line_of(name, conversations), flush=True)


def chats() -> Iterator[Conversation]:
    """The generated conversations, and the samples of text alone, with a prompt at the front or none."""
    yield generate("support_desk", turns=12, seed=7)
    yield generate("support_desk", turns=20, seed=8)
    yield generate("tool_loop", turns=1, seed=7)
    yield generate("coding_agent", turns=4, seed=7)
    for path in sorted((ROOT / "sample_conversations").glob("*.json*")):
        if path.name not in (BROKEN, "index.json"):
            yield from (one for one in load(path) if len(one.columns.requests) >= FEWEST and is_plain(one))


def sessions() -> Iterator[Conversation]:
    """Sessions long enough that a rule shows."""
    yield generate("coding_agent", turns=8, seed=1)
    yield generate("coding_agent", turns=10, seed=2)
    yield generate("support_desk", turns=20, seed=1)
    yield generate("support_desk", turns=25, seed=2)


def nearest_line(name: str) -> str:
    """How near settings of ours come to a trimmer; the command that installs it where it isn't there."""
    requests, same, acted, slowest, refused = 0, 0.0, 0, 0.0, [0, 0]
    try:
        for conversation in sessions():
            timeline = replay(conversation, trimmer=name, **SETTINGS[name](size_of(conversation))[1])
            started = time.perf_counter()
            found = nearest_settings(timeline)
            slowest = max(slowest, time.perf_counter() - started)
            known = int(timeline.judged.sum())
            requests, same = requests + known, same + found.agreement * known
            acted += sum(bool({*plan.sketch()} & {*"TSD"}) for plan in timeline.plans)
            refused[0] += int(timeline.refused.sum())
            refused[1] += int(replay(conversation, found.settings).refused.sum())
    except MissingLibrary as missing:
        return f"{name:52}{missing}"
    told = f"{requests:>10}{acted / requests:>10.0%}{same / requests:>8.0%}"
    return f"{name:52}{told}{' / '.join(map(str, refused)):>14}{slowest:>8.1f}s"


def is_plain(conversation: Conversation) -> bool:
    """Tell whether every driver's own conversion has all of it: no images, refusals or later system messages."""
    return not any(
        message.media or message.metadata.get("refusal") or (message.role == "system" and i)
        for i, message in enumerate(conversation)
    )


def line_of(name: str, conversations: list[Conversation]) -> str:
    """A row of the table; of a trimmer whose library isn't there, the command that installs it."""
    tally = Tally()
    try:
        for conversation in conversations:
            for options in SETTINGS[name](size_of(conversation)):
                tally += compare(name, conversation, options)
    except MissingLibrary as missing:
        return f"{name:52}{missing}"
    equal, acted = tally.equal / tally.requests, tally.acted / tally.requests
    times = " / ".join(f"{seconds / tally.requests * 1000:.1f}" for seconds in (tally.replayed, tally.by_hand))
    told = row(
        name,
        installed_version(member("trimmer", name)),
        tally.requests,
        f"{equal:.1%}",
        f"{acted:.0%}",
        tally.orphans,
        tally.no_user,
        times,
    )
    return f"{told}  {tally.failed} failed" if tally.failed else told


def row(name: str, *cells: object) -> str:
    return f"{name:52}" + "".join(f"{cell:>{width}}" for cell, width in zip(cells, WIDTHS, strict=True))


def size_of(conversation: Conversation) -> int:
    """Tokens, a quarter of the characters."""
    return sum(len(message.content) for message in conversation) // 4


def compare(name: str, conversation: Conversation, options: Options) -> Tally:
    """The counts of one replay and of the library by hand."""
    sent, replayed, failed = elapsed(lambda: replay_requests(name, conversation, options))
    driver = driver_module(name).DRIVERS[name]
    expected, by_hand, _ = elapsed(lambda: (list(driver(conversation, **options)), 0))
    said = list(map(as_said, conversation))
    whole = [said[:length] for length in conversation.columns.requests]
    users = {text for role, text, *_ in said if role == "user"}
    return Tally(
        len(whole),
        sum(a == b for a, b in zip(sent, expected, strict=True)),
        sum(a != b for a, b in zip(sent, whole, strict=True)),
        sum(map(has_orphan, sent)),
        sum(not any(text in users for role, text, *_ in request if role == "user") for request in sent),
        failed,
        replayed,
        by_hand,
    )


def driver_module(name: str) -> Any:
    """The drivers by hand of a trimmer's library."""
    with needs(member("trimmer", name).attributes["library"], name):
        return import_module(f"tests.trimmers.by_hand.{name.partition('.')[0]}")


def elapsed(work: Callable[[], tuple[list[Sent], int]]) -> tuple[list[Sent], float, int]:
    started = time.perf_counter()
    sent, failed = work()
    return sent, time.perf_counter() - started, failed


def replay_requests(name: str, conversation: Conversation, options: Options) -> tuple[list[Sent], int]:
    """What each request sends, and for how many of them the trimmer failed."""
    timeline = replay(conversation, trimmer=name, **options)
    return [list(map(as_said, plan.render())) for plan in timeline.plans], len(timeline.errors)


def has_orphan(sent: Sent) -> bool:
    """Tell whether a result is sent without its call before it."""
    called = set[str]()
    for _, _, calls, answers in sent:
        called |= {call[0] for call in calls}
        if answers and answers not in called:
            return True
    return False


def counts(name: str, *numbers: int | str, **others: Any) -> Callable[[int], list[Options]]:
    """Settings of an option that counts messages or groups, whatever the size."""
    return lambda _: [{name: number, **others} for number in numbers]


def tokens(name: str, **others: Any) -> Callable[[int], list[Options]]:
    """Settings of an option that counts tokens: parts of the conversation."""
    return lambda size: [{name: max(60, int(size * part)), **others} for part in (0.2, 0.4, 0.6)]


def summaries(size: int) -> list[Options]:
    """Settings of LangChain's middlewares, by messages and by tokens."""
    return [
        {"trigger": ("messages", 12), "keep": ("messages", 4)},
        {"trigger": ("messages", 20), "keep": ("messages", 10)},
        {"trigger": ("tokens", max(200, size // 2)), "keep": ("tokens", max(60, size // 5))},
    ]


def halves(_: int) -> list[Options]:
    """Settings of the harness' strategies, by its messages."""
    return [{"max_messages": n, "keep_messages": n // 2} for n in (8, 16, 24)]


def windows(size: int, **others: Any) -> list[Options]:
    """Settings of Haystack's compaction."""
    return [{"context_window": max(300, int(size * part)), **others} for part in (0.3, 0.5, 0.7)]


def roomy(size: int) -> list[Options]:
    """Settings of Strands' summaries, which fail where a window doesn't hold one and ten messages."""
    return [{"context_window": max(2000, int(size * part))} for part in (0.5, 0.7, 0.9)]


def agent_windows(size: int) -> list[Options]:
    """Settings of the Agent Framework's strategy for a window."""
    most = [max(600, int(size * part)) for part in (0.4, 0.6, 0.8)]
    return [{"max_context_window_tokens": m, "max_output_tokens": 200, "keep_last_tool_call_groups": 1} for m in most]


def own_model(name: str, model: str, **made_with: str) -> Callable[[int], list[Options]]:
    """Settings of a trimmer that summarises, with a model of its driver's that always says the same."""

    def settings(_: int) -> list[Options]:
        made = getattr(driver_module(name), model)(**made_with)
        return [{"target_count": n, "model": made} for n in (4, 8, 16)]

    return settings


SETTINGS: Mapping[str, Callable[[int], list[Options]]] = {
    "adk.ContextFilterPlugin": counts("num_invocations_to_keep", 1, 2, 4),
    "adk.EventsCompactionConfig": counts("compaction_interval", 1, 2, 4, overlap_size=1),
    "agent_framework.ContextWindowCompactionStrategy": agent_windows,
    "agent_framework.SelectiveToolCallCompactionStrategy": counts("keep_last_tool_call_groups", 0, 1, 3),
    "agent_framework.SlidingWindowStrategy": counts("keep_last_groups", 3, 6, 12),
    "agent_framework.SummarizationStrategy": own_model("agent_framework.SummarizationStrategy", "FixedClient"),
    "agent_framework.ToolResultCompactionStrategy": counts("keep_last_tool_call_groups", 0, 1, 3),
    "agent_framework.TruncationStrategy": lambda _: [{"max_n": n, "compact_to": n // 2} for n in (6, 12, 20)],
    "ai_sdk.pruneMessages": counts("toolCalls", *(f"before-last-{n}-messages" for n in (2, 4, 8))),
    "autogen.BufferedChatCompletionContext": counts("buffer_size", 4, 8, 16),
    "autogen.HeadAndTailChatCompletionContext": lambda _: [{"head_size": n, "tail_size": 2 * n} for n in (1, 3, 5)],
    "autogen.TokenLimitedChatCompletionContext": tokens("token_limit"),
    "deepagents.SummarizationMiddleware": summaries,
    "haystack.SummarizationCompactor": windows,
    "haystack.ToolResultPruningCompactor": lambda size: windows(size, min_tokens=20),
    "haystack.compaction": windows,
    "langchain.ClearToolUsesEdit": tokens("trigger", keep=1),
    "langchain.SummarizationMiddleware": summaries,
    "langchain.trim_messages": lambda size: [
        *tokens("max_tokens")(size)[1:2],
        *tokens("max_tokens", start_on="human", include_system=True)(size)[1:],
    ],
    "litellm.trim_messages": tokens("max_tokens"),
    "llama_index.ChatMemoryBuffer": tokens("token_limit"),
    "openai_agents.ToolOutputTrimmer": counts("max_output_chars", 60, 120, 240, recent_turns=1, preview_chars=20),
    "openai_agents.session_limit": counts("limit", 4, 10, 20),
    "pydantic_ai_harness.ClampOversizedMessages": counts(
        "max_part_chars", 40, 80, 160, keep_head_chars=20, keep_tail_chars=10
    ),
    "pydantic_ai_harness.ClearToolResults": counts("max_messages", 4, 8, 16, keep_pairs=1),
    "pydantic_ai_harness.SlidingWindowCompaction": halves,
    "pydantic_ai_harness.SummarizingCompaction": halves,
    "semantic_kernel.ChatHistorySummarizationReducer": own_model(
        "semantic_kernel.ChatHistorySummarizationReducer", "FixedService", ai_model_id="fixed"
    ),
    "semantic_kernel.ChatHistoryTruncationReducer": counts("target_count", 4, 8, 16),
    "strands.SlidingWindowConversationManager": counts("window_size", 4, 8, 16, per_turn=True),
    "strands.SummarizingConversationManager": roomy,
}
"""Three settings of each trimmer, for a conversation of so many tokens."""


if __name__ == "__main__":
    main()
