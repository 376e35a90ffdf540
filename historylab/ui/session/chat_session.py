"""The chat of one tab: what was said, who answers with what key, what each answer saw, and the answer being made.

A thread tells of that answer (chat_run.py), so everything a run changes is changed under one lock. Nothing of it is
kept beyond the tab, but for what a recording is told.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from threading import RLock

from historylab.agent.events import (
    Compacted,
    Event,
    Failed,
    Finished,
    Planned,
    Replied,
    StatusUpdated,
    TextDelta,
    ToolCalled,
    ToolResult,
)
from historylab.chat_models.base import ChatModel
from historylab.chat_models.environment import ENVIRONMENT, ModelServer, model_and_host
from historylab.conversation.conversation import Conversation
from historylab.conversation.message import Message, prompt_length
from historylab.planning.plan import HistoryPlan
from historylab.recordings.exchange import new_conversation
from historylab.settings.model import Settings
from historylab.stores.base import StateStore, open_store
from historylab.systems.mentu.library_memory import Remembered
from historylab.systems.mentu.memory import HEADING
from historylab.systems.mycoder.agent import tracker_of
from historylab.systems.mycoder.checkpoints import Checkpoints
from historylab.systems.mycoder.usage import TokenTracker
from historylab.systems.toolpack.conversation_store import ConversationStore
from historylab.systems.toolpack.memory_store import InMemoryConversationStore
from historylab.ui.session.chat_answers import STOPPED, ChatAnswer, ChatFailure
from historylab.ui.session.chat_run import PLANNING, ChatRun
from historylab.wording.chat import compacted_sentence, rewritten_sentence, seen_of

SCRIPTED, REPLAYED, MODEL = "scripted", "replayed", "model"
FERRIES, SEARCH, COMPACT = "ferries", "conversation_search", "compactHistory"
MOST_STORED = 100_000  # messages that can be searched


def _open_store() -> ConversationStore:
    return InMemoryConversationStore(max_messages_per_conversation=MOST_STORED)


def _open_state() -> StateStore:
    return open_store("memory://")


@dataclass(eq=False)
class ChatSession:
    """The state of a chat. `replace` goes to another conversation: a checkpoint, a fork, what is open."""

    conversation: Conversation = field(default_factory=lambda: Conversation(title="Chat"))
    answerer: str = SCRIPTED
    server: ModelServer = ENVIRONMENT
    agreed: str = ""  # the model and server that messages may be sent to
    address_problem: str = ""
    tools: frozenset[str] = frozenset({FERRIES, SEARCH})
    transcript: Conversation | None = None  # what is replayed
    position: int = 0  # the message of it that comes next
    spent: TokenTracker = field(default_factory=TokenTracker)  # over the whole chat, whatever was undone of it
    standing: Mapping[str, str] = field(default_factory=dict)  # what stands in front, by name
    remembers: bool = False  # whether other conversations are quoted
    remembered: Remembered | None = None  # what of them was, for the newest question
    memory_problem: str = ""
    checkpoints: Checkpoints | None = None
    checkpoint: str = ""  # the id of the one looked at
    run: ChatRun | None = None
    failure: ChatFailure | None = None
    chosen: ChatAnswer | None = None  # whose request is shown; None: the newest
    looked_at: tuple[int | None, int | None] = (None, None)  # another request and a message, chosen on its map
    shown: object = None  # what is open elsewhere, if that is this chat
    written: int = 0  # summaries so far
    id: str = field(default_factory=new_conversation)  # of the conversation in a recording
    store: ConversationStore = field(default_factory=_open_store, repr=False)
    state: StateStore = field(default_factory=_open_state, repr=False)  # summaries, where nothing is recorded
    _answers: dict[int, ChatAnswer] = field(default_factory=dict)  # by the message's identity
    _notes: dict[int, list[str]] = field(default_factory=dict)
    _previous: tuple[str, Conversation, HistoryPlan] | None = None
    _lock: RLock = field(default_factory=RLock)

    # -- reading

    @property
    def running(self) -> bool:
        """Whether an answer is being made."""
        return self.run is not None and not self.run.done

    def answer_of(self, message: Message) -> ChatAnswer | None:
        """What the request saw that this message answers."""
        return self._answers.get(id(message))

    def notes_on(self, message: Message) -> Sequence[str]:
        """What happened after this message."""
        return self._notes.get(id(message), ())

    def newest_answer(self) -> ChatAnswer | None:
        """The newest answer that is still part of the chat."""
        found = (self.answer_of(self.conversation[i]) for i in reversed(range(len(self.conversation))))
        return next(filter(None, found), None)

    def previous(self, settings: Settings) -> HistoryPlan | None:
        """The plan of the request before, where the next one goes on from it."""
        if self._previous is None:
            return None
        key, conversation, plan = self._previous
        end, now = len(conversation), self.conversation
        held = end <= len(now) and conversation[-1] is now[end - 1]
        return plan if key == settings.key and held else None

    # -- what a person chooses

    def replace(self, conversation: Conversation) -> None:
        """Go on from this conversation; what an answer in it saw stays known."""
        self.stop()
        with self._lock:
            self.conversation, self._previous, self.failure = conversation, None, None
            self.chosen, self.looked_at, self.standing, self.remembered = None, (None, None), {}, None
            another = str(conversation.metadata.get("conversation_id") or "") or self.id
            if another != self.id or not self._answers:  # another chat: its costs so far are what its answers report
                self.id, self.spent = another, tracker_of(conversation)

    def restart(self) -> None:
        """Begin anew; who answers, tools and server stay."""
        self.replace(Conversation(title="Chat"))
        with self._lock:
            self._answers, self._notes, self.position = {}, {}, 0
            self.store, self.state = _open_store(), _open_state()
            self.written, self.shown, self.id = 0, None, new_conversation()
            self.checkpoints, self.memory_problem, self.spent = None, "", TokenTracker()

    def without_server(self) -> ChatSession:
        """The same chat for another tab, without the key and address that were typed; an answer begun is stopped."""
        self.stop()
        return replace(self, server=ENVIRONMENT, agreed="", run=None, _lock=RLock())

    def choose_answerer(self, who: str) -> None:
        self.answerer, self.failure = who, None

    def switch_tool(self, name: str, *, on: bool) -> None:
        self.tools = self.tools | {name} if on else self.tools - {name}

    def use_server(self, server: ModelServer) -> None:
        """Ask that server from now on; what was agreed to was another."""
        self.server, self.agreed, self.failure, self.address_problem = server, "", None, ""

    def refuse_address(self, why: str) -> None:
        """Say why not the server that was typed; the one before is asked only after another yes."""
        self.address_problem, self.agreed = why, ""

    def agree(self, model: str, *, yes: bool) -> None:
        """Let messages be sent to this model on this server, or no longer."""
        self.agreed = model_and_host(model, self.server) if yes else ""

    def may_ask(self, model: str) -> bool:
        """Whether this person agreed to that, or nobody on a server is asked."""
        return self.answerer != MODEL or self.agreed == model_and_host(model, self.server)

    def replay_this(self, transcript: Conversation, position: int = 0) -> None:
        """Replay this conversation from now on, from that message."""
        self.transcript, self.position = transcript, position

    def stand(self, texts: Mapping[str, str]) -> None:
        """Put these texts, by name, in front of the conversation as system messages; an empty one goes."""
        with self._lock:
            kept = {name: text.strip() for name, text in {**self.standing, **texts}.items() if text.strip()}
            if kept == dict(self.standing) or self.running:
                return
            systems = [Message("system", text) for text in kept.values()]
            self.conversation = self.conversation.with_leading(systems, replacing=self._in_front())
            self.standing, self._previous = kept, None

    def switch_memory(self, *, on: bool) -> None:
        """Quote other conversations from the next question on, or no longer."""
        self.remembers, self.memory_problem = on, ""

    def put_memory(self, found: Remembered | None, problem: str = "", *, prompt: str = "") -> Conversation:
        """Have what was remembered stand last of the system messages in front, in place of what was before.

        `prompt` stands before it where nothing else does. Returns the conversation as it is then.
        """
        with self._lock:
            self.remembered, self.memory_problem = found, problem
            said = self.conversation
            size = prompt_length(said)
            before = list(said[:size])
            after = [message for message in before if not message.content.startswith(HEADING)]
            if found:
                after = [*(after or [Message("system", prompt)] * bool(prompt)), found.message]
            if after != before:
                self.conversation, self._previous = said.with_leading(after, replacing=size), None
            return self.conversation

    def keep_checkpoints(self, checkpoints: Checkpoints) -> None:
        """Save checkpoints there."""
        self.checkpoints = checkpoints

    def look_at_checkpoint(self, id: str) -> None:
        self.checkpoint = id

    def _in_front(self) -> int:
        """How many of the leading messages are those that stand in front."""
        held = [message.role == "system" for message in self.conversation[: len(self.standing)]]
        return len(held) if all(held) else 0

    def look_at(self, answer: ChatAnswer | None) -> None:
        """Show what this answer's request saw."""
        self.chosen, self.looked_at = answer, (None, None)

    def look_on_map(self, request: int | None, message: int | None) -> None:
        self.looked_at = request, message

    def show_elsewhere(self, opened: object) -> None:
        """This is what the other pages have open, made of this chat."""
        self.shown = opened

    # -- the run

    def ask(
        self,
        said: Iterable[Message],
        model: ChatModel,
        settings: Settings,
        who: str,
        events: Callable[[Conversation], Generator[Event]],
    ) -> None:
        """Say this and have it answered in the background."""
        with self._lock:
            if self.running:
                return
            self.conversation = self.conversation.followed_by(said)
            self.failure, self.chosen, self.looked_at = None, None, (None, None)
            self.run = ChatRun(model, settings, who)
            self.run.start(events(self.conversation), self._take)

    def stop(self) -> None:
        """End the answer that is being made; what there is of it stays, marked."""
        with self._lock:
            run = self.run
            if run is None or run.done:
                return
            if run.text:
                self._say([Message("assistant", run.text, metadata={STOPPED: True})])
                self._keep_answer(run)
            elif len(self.conversation):
                self._note("Stopped before an answer came.")
            run.stopped = True
        run.end()

    def _take(self, run: ChatRun, event: Event | None) -> None:
        with self._lock:
            if run.stopped or run is not self.run:
                return
            match event:
                case None:
                    self.failure = ChatFailure("something went wrong here; the log has more", run.settings)
                case Planned(plan=plan):
                    run.plan, run.text, run.doing = plan, "", f"Waiting for {run.who}"
                case TextDelta(text=text):
                    run.text, run.doing = run.text + text, f"{run.who} answers"
                case Compacted():
                    self._note_compaction(run, event)
                case Replied(conversation=conversation):
                    self._go_on(run, conversation)
                    self._keep_answer(run)
                    run.text, self.position = "", getattr(run.model, "position", self.position)
                case ToolCalled(call=call):
                    run.calling, run.doing = call.name, f"Running {call.name}"
                case ToolResult(conversation=conversation) | StatusUpdated(conversation=conversation):
                    self._go_on(run, conversation)
                    run.calling, run.doing = "", PLANNING
                case Finished(conversation=conversation, plan=plan):
                    self._previous = run.settings.key, conversation, plan
                case Failed(reason=reason, problem=problem):
                    self.failure = ChatFailure(reason, run.settings, problem, run.plan, run.text)

    def _go_on(self, run: ChatRun, conversation: Conversation) -> None:
        self.conversation = conversation
        run.steps += 1

    def _say(self, messages: Iterable[Message]) -> None:
        self.conversation = self.conversation.followed_by(messages)

    def _keep_answer(self, run: ChatRun) -> None:
        if run.plan is not None:
            message = self.conversation[-1]
            self._answers[id(message)] = ChatAnswer(
                message, self.conversation, run.settings, seen_of(run.plan, run.settings)
            )

    def _note_compaction(self, run: ChatRun, event: Compacted) -> None:
        if run.calling:  # a tool rewrote the conversation itself
            before, self.conversation = self.conversation, event.conversation
            self._note(rewritten_sentence(before, event, run.settings))
        elif run.plan is not None:
            self.written += 1
            self._note(compacted_sentence(run.plan, event))

    def _note(self, sentence: str) -> None:
        self._notes.setdefault(id(self.conversation[-1]), []).append(sentence)
