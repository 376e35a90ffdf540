"""`langchain`: the settings as arguments of LangChain's `trim_messages`; those without an equivalent are listed.

`trim_messages` keeps the end of a list that fits a count. Counting user messages makes it `lastN` or a sliding window,
counting messages `lastMessages`, counting tokens `fifo`; it does not summarise or truncate.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from historylab.exporters.base import FACTS, Difference, heading, pins_of
from historylab.registry import register
from historylab.settings.model import Settings, stage_options

USE = (
    "put it beside your app, `from historylab_langchain import to_send`, and send `to_send(messages)`; "
    "it needs `pip install langchain-core`"
)
CODE = """\
from langchain_core.messages import trim_messages
from langchain_core.messages.utils import count_tokens_approximately

count_tokens = count_tokens_approximately  # an estimate; give your chat model instead to count with its tokenizer


def count_user_messages(messages):
    return sum(message.type == "human" for message in messages)


def count_messages(messages):
    return sum(message.type != "system" for message in messages)


def to_send(messages):
    \"\"\"The messages of the next request.\"\"\"
"""
CARRIED = ("policy", "length", "pruner", "budget", "reserve", "overhead", "preserve_system_messages")
CARRIED_OPTIONS = {"fifo": ("pruner.fifo.unit",), "sliding_window": ("pruner.sliding_window.turns",)}
NOTHING_LIKE_IT = ("filter", "tool_output", "compaction", "projection", "layout")
NOTHING = "trim_messages has nothing like it."
TOKENS = (
    "`count_tokens` is an estimate of LangChain's; if the newest turn alone is over the budget, nothing of it is left."
)
COUNTED = "A call that the cut would part from its results goes there, and so may the newest question."
ONE_SYSTEM = "trim_messages treats the first system message apart at most, and later ones like any other message."


def differs(settings: Settings) -> Iterator[Difference]:
    if missing := tuple(family for family in NOTHING_LIKE_IT if settings.value(family) != "off"):
        yield Difference(missing, NOTHING)
    if pins := pins_of(settings):
        yield Difference(pins, NOTHING)
    if settings.policy == "lastN":
        yield Difference(("policy.lastN.late_results",), "A tool result that comes late may be left without its call.")
    if settings.policy == "lastMessages":
        yield Difference(("policy",), COUNTED)
    if settings.pruner != "off" or settings.policy in ("lastN", "lastMessages"):
        yield Difference(("preserve_system_messages",), ONE_SYSTEM)
    if settings.pruner not in (*CARRIED_OPTIONS, "off"):
        yield Difference(("pruner",), "In its place the newest turns that fit stay.")
    elif lost := tuple(name for name in stage_options() if _is_lost(settings, name)):
        yield Difference(lost, "trim_messages has no such option.")
    if settings.pruner not in ("off", "sliding_window"):
        yield Difference(("counter", "model"), TOKENS)
    if settings.min_turns and settings.pruner != "off":
        yield Difference(("min_turns",), "trim_messages has no minimum.")


def _is_lost(settings: Settings, option: str) -> bool:
    ours = option.startswith(f"pruner.{settings.pruner}.") and option not in CARRIED_OPTIONS.get(settings.pruner, ())
    return ours and option in settings.options


@register(
    "exporter",
    title="LangChain",
    use=USE,
    file_name="historylab_langchain.py",
    mime="text/x-python",
    language="python",
    facts=frozenset(FACTS),
    differs=differs,
)
def langchain(settings: Settings, names: Sequence[str]) -> str:
    """LangChain's trim_messages, with a note of what it cannot do."""
    has_place = {*CARRIED, *CARRIED_OPTIONS.get(settings.pruner, ())} - _settings_not_carried(settings)
    return "\n".join(
        [
            *(f"# {line}" for line in (*heading(settings, "langchain"), "Every setting stands at the end.")),
            CODE.rstrip("\n"),
            *(f"    {line}" for line in (*_policy(settings), *_pruner(settings), "return messages")),
            *_comment_lines("Carried over", settings, [n for n in names if n in has_place]),
            *_comment_lines("Without equivalent in trim_messages", settings, [n for n in names if n not in has_place]),
            "",
        ]
    )


def _settings_not_carried(settings: Settings) -> set[str]:
    """Settings of `CARRIED` that are not carried over after all: a pruner without an equivalent."""
    return set() if settings.pruner in (*CARRIED_OPTIONS, "off") else {"pruner"}


def _comment_lines(title: str, settings: Settings, names: Sequence[str]) -> list[str]:
    return ["", f"# {title}:", *(f"#   {name} = {settings.value(name)!r}" for name in names)] if names else []


def _policy(settings: Settings) -> list[str]:
    if settings.policy == "none":
        stays = (
            'm.type == "system" or k >= newest'
            if settings.preserve_system_messages
            else 'm.type != "system" and k >= newest'
        )
        return [
            'newest = max((k for k, m in enumerate(messages) if m.type == "human"), default=len(messages) - 1)',
            f"messages = [m for k, m in enumerate(messages) if {stays}]",
        ]
    if settings.policy == "lastN":
        return _trim(settings, max(1, settings.length), "count_user_messages", '"human"')
    if settings.policy == "lastMessages":
        return _trim(settings, max(1, settings.length), "count_messages", '("human", "ai")')
    return []


def _pruner(settings: Settings) -> list[str]:
    """The pruner, or its nearest equivalent: the newest turns that fit the budget."""
    if settings.pruner == "off":
        return []
    if settings.pruner == "sliding_window":
        turns = settings.value("pruner.sliding_window.turns")
        return _trim(settings, turns, "count_user_messages", '"human"')
    by_block = settings.pruner == "fifo" and settings.value("pruner.fifo.unit") == "block"
    budget = max(0, settings.budget - settings.reserve - settings.overhead)
    note = [f"# in place of {settings.pruner!r}:"] if settings.pruner != "fifo" else []
    return [*note, *_trim(settings, budget, "count_tokens", '("human", "ai")' if by_block else '"human"')]


def _trim(settings: Settings, most: int, counter: str, start: str) -> list[str]:
    return [
        "messages = trim_messages(",
        "    messages,",
        f"    max_tokens={most},",
        f"    token_counter={counter},",
        '    strategy="last",',
        f"    start_on={start},",
        f"    include_system={settings.preserve_system_messages},",
        ")",
    ]
