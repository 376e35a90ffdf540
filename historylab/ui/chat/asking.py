"""Has the chat answered: by the agent's loop, or mycoder's where its system is chosen, with the tools switched on."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from historylab.agent.events import Event
from historylab.agent.ferry_desk import answer_at_the_desk, ferry_tools
from historylab.agent.loop import run_agent
from historylab.agent.recorded_run import Recording, recorded_run
from historylab.agent.replayed_tools import replayed_tools
from historylab.agent.tools import RewritingTool, Tool
from historylab.chat_models.base import ChatModel
from historylab.chat_models.environment import model_and_host
from historylab.chat_models.openai_compatible import OpenAICompatible
from historylab.chat_models.replayed import ReplayedChatModel, next_messages
from historylab.chat_models.scripted import ScriptedChatModel
from historylab.conversation.conversation import Conversation
from historylab.conversation.message import Message
from historylab.errors import StoreError
from historylab.planning.pipeline import open_instruments
from historylab.recordings.library import Library
from historylab.recordings.place import named_place
from historylab.secrets.redaction import likely_secrets
from historylab.settings.model import Settings
from historylab.systems.mycoder import Checkpoints, default_tools, tool_agent
from historylab.systems.mycoder.agent import usage_in
from historylab.systems.mycoder.status import INSTRUCTIONS
from historylab.systems.mycoder.usage import TokenTracker
from historylab.systems.octopus.limited_tools import limit_tools
from historylab.systems.toolpack.conversation_search import conversation_search_tool
from historylab.ui.chat.stored import CONVERSATION, store_new_messages
from historylab.ui.session import cached_recording, chosen_system, session
from historylab.ui.session.chat_checkpoints import checkpoints_of
from historylab.ui.session.chat_memory import library_of, put_memory
from historylab.ui.session.chat_session import COMPACT, FERRIES, MODEL, REPLAYED, SEARCH, ChatSession

APP = "HistoryLab chat"
"""The app that a recording names."""
MYCODER, OCTOPUS, TOOLPACK = "mycoder", "octopus", "toolpack"


@dataclass(frozen=True)
class _Aids:
    """What an answer is made with besides settings and model: where it is recorded, what is remembered from."""

    system: str
    recording: Recording | None
    library: Library | None
    checkpoints: Checkpoints


def current_system() -> str:
    """The name of the system the settings began with; "" for settings of one's own."""
    found = chosen_system.current_preset()
    return found[0].name if found else ""


def say(text: str, settings: Settings) -> None:
    """Say this and have it answered."""
    if text.strip():
        _ask([Message("user", text)], settings)


def say_next(settings: Settings) -> None:
    """Say what the replayed conversation says next."""
    chat = session.tab().chat
    if chat.transcript is not None and (said := next_messages(chat.transcript, chat.position)):
        chat.replay_this(chat.transcript, chat.position + len(said))
        _ask(said, settings)


def ask_again(settings: Settings) -> None:
    """Have what was said last answered."""
    _ask((), settings)


def who_answers(chat: ChatSession, settings: Settings) -> str:
    """The model, and where it is, for display."""
    if chat.answerer == MODEL:
        return model_and_host(settings.model, chat.server)
    return "the recorded conversation" if chat.answerer == REPLAYED else "the scripted model"


def tool_names(system: str) -> tuple[str, ...]:
    """The tools that are on because of the system, whatever is switched."""
    return {MYCODER: (COMPACT,), TOOLPACK: (SEARCH,)}.get(system, ())


def _ask(said: Sequence[Message], settings: Settings) -> None:
    chat = session.tab().chat
    if chat.running or not chat.may_ask(settings.model):
        return
    model = open_model(chat, settings)
    try:
        aids = _Aids(current_system(), recording_of(chat), library_of(chat), checkpoints_of(chat))
    except StoreError as problem:
        session.report_problem(f"The chat can't be recorded: {problem}")
        return
    events = partial(_events, chat, settings, model, aids)
    session.touch()
    chat.ask(said, model, settings, who_answers(chat, settings), events)


def open_model(chat: ChatSession, settings: Settings) -> ChatModel:
    """The model that was chosen to answer, for one answer: so that it can be stopped."""
    if chat.answerer == MODEL:
        return OpenAICompatible(settings.model, chat.server, retries=0)  # a person decides when to ask again
    if chat.answerer == REPLAYED:
        return ReplayedChatModel(REPLAYED, chat.transcript, chat.position)
    return ScriptedChatModel("scripted", answer_at_the_desk)


def _events(
    chat: ChatSession,
    settings: Settings,
    model: ChatModel,
    aids: _Aids,
    conversation: Conversation,
) -> Generator[Event]:
    """The agent's events. Nothing is done before the first is asked for, in the run's thread."""
    store_new_messages(chat, conversation)
    recording, by_mycoder = aids.recording, aids.system == MYCODER
    conversation = put_memory(chat, aids.library, prompt=INSTRUCTIONS if by_mycoder else "")
    state = recording.state if recording else chat.state
    instruments = open_instruments(settings, chat_model=model, store=state)
    tools = _tools(chat, model, aids)
    if by_mycoder:
        events = tool_agent(
            conversation,
            settings,
            tools=tools,
            instruments=instruments,
            token_tracker=chat.spent,
            checkpoints=aids.checkpoints,
            last_request=answer.seen.tokens if (answer := chat.newest_answer()) else None,
        )
    else:
        previous = chat.previous(settings)
        events = run_agent(conversation, settings, tools=tools, instruments=instruments, previous=previous)
        events = _count_usage(events, chat.spent)
    yield from recorded_run(events, recording, settings, model.name, tools) if recording else events


def _count_usage(events: Iterator[Event], spent: TokenTracker) -> Iterator[Event]:
    """The same events, their usage added to what the chat spent."""
    for event in events:
        spent.token_usage.add(usage_in(event))
        yield event


def recording_of(chat: ChatSession) -> Recording | None:
    """Where the chat is recorded, if the playground was started with a recording. Raises StoreError."""
    place = named_place()
    secrets = likely_secrets(chat.server.known_secrets())
    return Recording(*cached_recording.recorder(place), chat, chat.id, APP, secrets) if place else None


def _tools(chat: ChatSession, model: ChatModel, aids: _Aids) -> list[Tool | RewritingTool]:
    wanted, tools = {*chat.tools, *tool_names(aids.system)}, list[Tool | RewritingTool]()
    if chat.answerer == REPLAYED and chat.transcript is not None:
        tools += replayed_tools(chat.transcript, chat.position)
    elif FERRIES in wanted:
        tools += ferry_tools()
    if SEARCH in wanted:
        tools.append(conversation_search_tool(chat.store, CONVERSATION))
    if COMPACT in wanted and aids.system != MYCODER:  # whose agent brings it
        tools += default_tools(model, checkpoints=aids.checkpoints, token_tracker=chat.spent)
    return limit_tools(tools) if aids.system == OCTOPUS else tools
