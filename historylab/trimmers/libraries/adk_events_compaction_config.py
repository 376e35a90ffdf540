"""Google ADK's compaction of events (`EventsCompactionConfig` of an app), by its sliding window of invocations.

In the list are all contents; the system instruction is the request's own, outside. Contents have no names. The results
of one answer are one content of the user's. It is asked when an invocation has ended, so of what was said before the
user's new message; the session keeps all events, and summaries beside them, which stand in a request for those that
they cover. The other trigger, `token_threshold`, is not among the options: it reads the usage that a model reports.
Both steps are functions that the library keeps to itself, so another version may lack them.
Source: google/adk/apps/compaction.py, google/adk/flows/llm_flows/context/_compaction.py.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Annotated, Any

from pydantic import Field

from historylab.errors import needs
from historylab.registry import register
from historylab.trimmers.base import Asked
from historylab.trimmers.stand_in import write_summary

NAME = "adk.EventsCompactionConfig"
AGENT = "agent"


@register("trimmer", NAME, title="Google ADK EventsCompactionConfig", library="google-adk")
class EventsCompactionConfig:
    """Puts a summary in the place of so many invocations, each time that as many new ones have ended."""

    form = "adk"
    system_inside = False
    carries = False
    asked: Asked = "run"
    summarizes = True

    def __init__(
        self,
        *,
        compaction_interval: Annotated[
            int, Field(ge=1, le=10_000, description="new invocations after which they become a summary")
        ],
        overlap_size: Annotated[
            int, Field(ge=0, le=10_000, description="invocations before them that the summary covers once more")
        ],
        model: Annotated[
            Any, Field(description="a model of ADK that writes the summaries; none: our offline summarizer")
        ] = None,
    ):
        with needs("google-adk", NAME):
            from google.adk.agents import LlmAgent
            from google.adk.apps import App
            from google.adk.apps.app import EventsCompactionConfig as Config
            from google.adk.apps.compaction import _run_compaction_for_sliding_window
            from google.adk.apps.llm_event_summarizer import LlmEventSummarizer
            from google.adk.events import Event
            from google.adk.flows.llm_flows.context._contents import _get_contents
            from google.adk.sessions import InMemorySessionService
        stand_in = _stand_in()
        prompt = None if model else "{conversation_history}"  # the stand-in is not to repeat a model's instructions
        summarizer = LlmEventSummarizer(model or stand_in, prompt)
        config = Config(compaction_interval=compaction_interval, overlap_size=overlap_size, summarizer=summarizer)
        self._app = App(name="app", root_agent=LlmAgent(name=AGENT, model=stand_in), events_compaction_config=config)
        self._compact, self._contents, self._event = _run_compaction_for_sliding_window, _get_contents, Event
        self._sessions = InMemorySessionService()
        self._session: Any = None
        self._seen = self._invocations = 0
        self._asking = False

    async def __call__(self, items: list[Any]) -> list[Any]:
        if self._session is None:
            self._session = await self._sessions.create_session(app_name="app", user_id="user")
        for item in items[self._seen :]:
            await self._add(item)
        self._seen = len(items)
        await self._end_invocation()
        sent: list[Any] = self._contents(None, self._session.events, AGENT, preserve_function_call_ids=True)
        return sent

    async def _add(self, content: Any) -> None:
        """Record a content as the event that it was, a second after the one before it."""
        asks = content.role == "user" and not any(part.function_response for part in content.parts or ())
        if asks and not self._asking:
            await self._end_invocation()
            self._invocations += 1
        event = self._event(
            author="user" if asks else AGENT,
            invocation_id=f"invocation {self._invocations}",
            content=content,
            timestamp=float(self._seen + 1),
        )
        self._asking = asks
        self._seen += 1
        await self._sessions.append_event(self._session, event)

    async def _end_invocation(self) -> None:
        async for summary in self._compact(self._app, self._session, self._sessions):
            await self._sessions.append_event(self._session, summary)


def _stand_in() -> Any:
    """A model whose answers are summaries in the words of what it is given."""
    from google.adk.models import BaseLlm, LlmResponse
    from google.genai.types import Content, Part

    class StandIn(BaseLlm):  # type: ignore[misc]
        async def generate_content_async(self, llm_request: Any, stream: bool = False) -> AsyncIterator[Any]:
            text = write_summary(llm_request.contents[0].parts[0].text)
            yield LlmResponse(content=Content(role="model", parts=[Part(text=text)]))

    return StandIn(model="stand-in")
