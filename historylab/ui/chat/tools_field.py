"""The tools of the chat, each switched on or off, and the texts that stand in front of it; Octopus' limits on them."""

from __future__ import annotations

import streamlit as st

from historylab.agent.ferry_desk import ferry_tools
from historylab.counters.octopus import approximate_token_count
from historylab.settings.model import Settings
from historylab.systems.octopus.budget import (
    EPISODES_LIMIT,
    KNOWLEDGE_LIMIT,
    TOOL_RESULT_LIMIT,
    history_budget,
    truncate_tool_result,
)
from historylab.ui.chat.asking import MYCODER, OCTOPUS, tool_names
from historylab.ui.session import session
from historylab.ui.session.chat_session import COMPACT, FERRIES, REPLAYED, SEARCH, ChatSession
from historylab.wording.untrusted import escape

TITLES = {
    FERRIES: "Ferry timetable and sea state",
    SEARCH: "conversation_search",
    COMPACT: "compactHistory",
}
HELP = {
    FERRIES: f"Two harmless tools that look into a table: {', '.join(tool.name for tool in ferry_tools())}.",
    SEARCH: "The model can search this chat for what is no longer sent to it.",
    COMPACT: "The model can have the older messages replaced by a summary that it writes, for good.",
}
PROMPT, KNOWLEDGE, EPISODES = "prompt", "knowledge", "episodes"
LIMITS = {KNOWLEDGE: KNOWLEDGE_LIMIT, EPISODES: EPISODES_LIMIT}
FIELDS = {PROMPT: "System prompt", KNOWLEDGE: "Knowledge", EPISODES: "Episodes"}
MOST = 100_000  # characters of such a text


def tools_field(chat: ChatSession, settings: Settings, system: str) -> None:
    """An expander with both."""
    if system != OCTOPUS:
        chat.stand(dict.fromkeys(LIMITS, ""))
    on = len({*chat.tools, *tool_names(system)})
    unfolded = st.expander(f"Tools and system prompt ({on} on)", key="chat-tools", on_change=session.touch)
    if not unfolded.open:
        return
    with unfolded:
        for name in TITLES:
            _tool(chat, name, system)
        if system == MYCODER:
            brings = "mycoder adds status updates after rounds of tools, and its system prompt."
            st.html(f'<div class="hl-meta">{brings}</div>')
        names = (PROMPT, KNOWLEDGE, EPISODES) if system == OCTOPUS else (PROMPT,)
        texts = {name: _text(chat, name) for name in names}
        chat.stand({name: _limit(name, text) for name, text in texts.items()})
        if system == OCTOPUS:
            _working_memory(texts, settings)


def _tool(chat: ChatSession, name: str, system: str) -> None:
    by_system = name in tool_names(system)
    replayed = name == FERRIES and chat.answerer == REPLAYED
    st.toggle(
        TITLES[name],
        by_system or (name in chat.tools and not replayed),
        key=session.seed_widget(f"tool-{name}", by_system or (name in chat.tools and not replayed)),
        help=f"{HELP[name]} The system brings it." if by_system else HELP[name],
        disabled=by_system or replayed or chat.running,
        on_change=lambda: _switch(chat, name),
    )


def _switch(chat: ChatSession, name: str) -> None:
    session.hand_value(f"tool-{name}", lambda on: chat.switch_tool(name, on=on))
    session.touch()


def _text(chat: ChatSession, name: str) -> str:
    held = chat.standing.get(name, "")
    key = session.seed_widget(f"stands-{name}", held) if not chat.running else f"stands-{name}"
    written = st.text_area(
        FIELDS[name], held, key=key, height=90, max_chars=MOST, disabled=chat.running, on_change=session.touch
    )
    return written or ""


def _limit(name: str, text: str) -> str:
    return truncate_tool_result(text, max_tokens=LIMITS[name]) if name in LIMITS else text


def _working_memory(texts: dict[str, str], settings: Settings) -> None:
    """How Octopus divides its working memory: what each part takes of its limit, and what is left for history."""
    taken = {name: approximate_token_count(text) if text.strip() else 0 for name, text in texts.items()}
    kept = {name: min(tokens, LIMITS.get(name, tokens)) for name, tokens in taken.items()}
    left = history_budget(
        settings.budget,
        system_prompt=kept[PROMPT] + settings.overhead,
        knowledge=kept[KNOWLEDGE],
        episodes=kept[EPISODES],
        output_reserve=settings.reserve,
    )
    rows = [
        ("System prompt", f"{kept[PROMPT]:,}", ""),
        *((FIELDS[n], f"{kept[n]:,}", f"of at most {LIMITS[n]:,}{_cut(taken[n], LIMITS[n])}") for n in LIMITS),
        ("Output reserve", f"{settings.reserve:,}", ""),
        ("Left for history", f"{left:,}", f"of a working memory of {settings.budget:,}"),
        ("A tool result", f"{TOOL_RESULT_LIMIT:,}", "at most: what is longer is cut as it arrives"),
    ]
    cells = "".join(f"<tr><th scope=row>{escape(a)}</th><td>{b}</td><td>{escape(c)}</td></tr>" for a, b, c in rows)
    caption = "<caption>Octopus’ working memory, tokens</caption>"
    st.html(f'<table class="hl-memory">{caption}<tbody>{cells}</tbody></table>')


def _cut(taken: int, limit: int) -> str:
    return f", {taken - limit:,} cut" if taken > limit else ""
