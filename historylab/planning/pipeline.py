"""From a conversation and settings to a plan: the stage order, the fold over the stages, the trace, the layout.

The order: what an API would refuse and what is pinned first, then filter, what a coding agent works by, policy, tool
outputs, compaction, pruner.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any, NamedTuple

from historylab.conversation.conversation import Conversation
from historylab.conversation.message import Message
from historylab.counters.base import count_messages, counter_for
from historylab.errors import LoadError, PlanError
from historylab.formats.base import describe
from historylab.planning.agent_context import pin_agent_context
from historylab.planning.history import History
from historylab.planning.pins import PinRules, pin_rules, with_pins
from historylab.planning.plan import HistoryPlan
from historylab.planning.reasons import StageTrace
from historylab.planning.slot_zero import start
from historylab.planning.stored_state import KeptSummaries
from historylab.planning.strategies.base import Context, Instruments, needs_previous_plan
from historylab.planning.strategies.uncut import WhyUncut
from historylab.registry import STAGE_FAMILIES, chosen_members, member, opened_later
from historylab.settings.model import Settings
from historylab.settings.pin import AGENT_CONTEXT

if TYPE_CHECKING:
    from historylab.chat_models.base import ChatModel
    from historylab.stores.base import StateStore
    from historylab.summarizers.base import Summarizer


class Pipeline(NamedTuple):
    """The stages the settings chose, in order, with their options bound."""

    settings: Settings
    stages: tuple[tuple[str, Callable[[HistoryPlan, Context], HistoryPlan]], ...]
    carries: bool
    budget: int
    layout: Callable[[list[Message]], list[Message]] | None
    pins: PinRules | None = None
    uncut: WhyUncut | None = None

    def plan(self, history: History, instruments: Instruments, previous: HistoryPlan | None) -> HistoryPlan:
        """Fold the stages over one request's history, lay out what is sent, and say of an overrun why it isn't cut."""
        plan = self._fold(history, instruments, previous, self.budget)
        if self.layout is not None:
            laid_out = plan.lay_out(self.layout)
            if laid_out.over_budget and not plan.over_budget:  # plan again with room for what the layout adds
                less = max(0, self.budget - (laid_out.tokens - plan.tokens))
                laid_out = self._fold(history, instruments, previous, less).lay_out(self.layout)
                laid_out.budget = self.budget
            plan = laid_out
        if plan.over_budget:
            plan = (self.uncut or WhyUncut(self.settings)).said_of(plan)
        return plan.stored(previous)

    def begin(self, history: History, budget: int | None = None) -> HistoryPlan:
        """The plan before any stage."""
        settings, budget = self.settings, self.budget if budget is None else budget
        projected, heading = settings.projection != "off", settings.summary_heading
        return start(history, budget, settings.preserve_system_messages, heading, self.pins, projected=projected)

    def in_form(self, plan: HistoryPlan, planned: Sequence[Message], sent: Sequence[Message]) -> HistoryPlan:
        """The same decisions where the form of an API has `sent` in the place of `planned` messages."""
        tokens, others = (int(count_messages(those, plan.history.counter).sum()) for those in (sent, planned))
        written = plan.with_added(tokens - others)
        if written.over_budget and not plan.over_budget:
            return (self.uncut or WhyUncut(self.settings)).said_of(written)
        return written

    def _fold(
        self, history: History, instruments: Instruments, previous: HistoryPlan | None, budget: int
    ) -> HistoryPlan:
        context = Context(history, self.settings, instruments, previous)
        plan, trace = self.begin(history, budget), []
        for name, stage in self.stages:
            after = stage(plan, context)
            if after is plan:
                continue
            if not isinstance(after, HistoryPlan) or after.history is not history:
                raise PlanError(f"stage {name!r} must return a plan made from the one it was given, not {after!r}")
            trace.append(StageTrace(name, plan.tokens, after.tokens, after.changed - plan.changed))
            plan = after
        plan.trace = (*plan.trace, *trace)
        return plan


@lru_cache(maxsize=256)
def open_pipeline(settings: Settings) -> Pipeline:
    """The stages for these settings; `off` costs nothing."""
    members = [(family, m) for family in STAGE_FAMILIES for m in chosen_members(family, getattr(settings, family))]
    options = [settings.options_of(family, m.name) for family, m in members]
    stages: list[tuple[str, Callable[[HistoryPlan, Context], HistoryPlan]]] = [
        (f"{family}: {m.name}", partial(m.target, **chosen_options))
        for (family, m), chosen_options in zip(members, options, strict=True)
        if m.name not in ("off", "all")
    ]
    if settings.value(AGENT_CONTEXT):
        filters = sum(name.startswith("filter: ") for name, _ in stages)
        stages.insert(filters, (AGENT_CONTEXT, pin_agent_context))
    carried = any(
        needs_previous_plan(m, chosen_options) for (_, m), chosen_options in zip(members, options, strict=True)
    )
    budget = max(0, settings.budget - settings.reserve - settings.overhead)
    layout, uncut = _rewriter("layout", settings), WhyUncut(settings)
    return Pipeline(settings, tuple(stages), carried, budget, layout, pin_rules(settings), uncut)


def project(conversation: Conversation, settings: Settings) -> Conversation:
    """The conversation as the settings' projection rewrites it; the same object without one.

    Raises LoadError for what is no conversation, such as a list of messages.
    """
    if not isinstance(conversation, Conversation):
        raise LoadError(
            f"{describe(conversation)} was given where a Conversation is meant: `load(…)` reads one, and a Trimmer's "
            "`plan(messages)` takes messages as they are"
        )
    rewrite = _rewriter("projection", settings)
    if rewrite is None:
        return conversation
    pins = pin_rules(settings)
    key = ("projection", settings.projection, *settings.options_of("projection").items(), *(pins.key if pins else ()))

    def rewritten() -> Conversation:
        return conversation.edited(rewrite(with_pins(conversation, pins) if pins else conversation.messages))

    projected = conversation.remember(key, rewritten, most=4)
    return projected.remember(key, lambda: projected)  # projecting it again gives itself


def _rewriter(family: str, settings: Settings) -> Callable[[Any], Any] | None:
    name = getattr(settings, family)
    return None if name == "off" else partial(member(family, name).target, **settings.options_of(family))


def open_instruments(
    settings: Settings, *, chat_model: ChatModel | None = None, store: StateStore | None = None
) -> Instruments:
    """Counter, summarizer, relevance scorer and chat model as the settings name them; or `chat_model`, if one is given.

    All but the counter are opened when a stage first asks them. Summaries that the `store` has are not written again.
    Opening a model sends nothing and needs no key; asking does.
    """

    def open_model() -> ChatModel:
        from historylab.chat_models.base import open_chat_model

        return open_chat_model(settings.model)

    def open_summarizer() -> Summarizer:
        from historylab.summarizers.base import open_summarizer

        return open_summarizer(settings.summarizer, model, **settings.options_of("summarizer"))

    def open_summaries(store: StateStore) -> KeptSummaries:
        asked = "" if getattr(summarizer, "offline", False) else model.key
        return KeptSummaries(store, f"{settings.summarizer} {settings.options_of('summarizer')} {asked}")

    model, summarizer = chat_model or opened_later(open_model), opened_later(open_summarizer)
    return Instruments(
        counter=counter_for(settings),
        summarizer=summarizer,
        relevance=opened_later(
            lambda: member("relevance", settings.relevance).target(**settings.options_of("relevance"))
        ),
        chat_model=model,
        summaries=opened_later(partial(open_summaries, store)) if store else None,
    )


def plan_requests(
    conversation: Conversation, settings: Settings, *, instruments: Instruments | None = None
) -> Iterator[HistoryPlan]:
    """The plan of every request of the conversation, in order; each is handed the previous one."""
    pipeline, instruments = open_pipeline(settings), instruments or open_instruments(settings)
    conversation, previous = project(conversation, settings), None
    for size in conversation.columns.requests.tolist():
        previous = pipeline.plan(History(conversation, instruments.counter, size), instruments, previous)
        yield previous


def plan_history(
    conversation: Conversation,
    settings: Settings,
    *,
    instruments: Instruments | None = None,
    previous: HistoryPlan | None = None,
) -> HistoryPlan:
    """The plan for a request that sends this whole conversation.

    `previous` is the previous request's plan. Without it, settings with a stage that needs it (to carry on a summary)
    plan the earlier requests first, so the result is the one `replay` shows.
    """
    instruments = instruments or open_instruments(settings)
    if previous is None:
        return plan_up_to(conversation, settings, instruments, len(project(conversation, settings)))
    conversation = project(conversation, settings)
    history = History(conversation, instruments.counter, len(conversation))
    return open_pipeline(settings).plan(history, instruments, previous)


TOLD_EVERY = 100  # requests planned


def plan_up_to(
    conversation: Conversation,
    settings: Settings,
    instruments: Instruments,
    size: int,
    progress: Callable[[int], None] | None = None,
) -> HistoryPlan:
    """The plan for a request that sends the first `size` (projected) messages.

    `progress` is told now and then how many earlier requests were planned for it.
    """
    pipeline, previous, conversation = open_pipeline(settings), None, project(conversation, settings)
    if pipeline.carries:
        requests = conversation.columns.requests
        for number, earlier in enumerate(requests[: requests.searchsorted(size)].tolist()):
            if progress and number % TOLD_EVERY == 0:
                progress(number)
            previous = pipeline.plan(History(conversation, instruments.counter, earlier), instruments, previous)
    return pipeline.plan(History(conversation, instruments.counter, size), instruments, previous)
