"""OpenAI Agents: the limit of a session, `SessionSettings(limit=…)`.

In its list: the items of the session, which is what was said before the run; the prompt stands outside, as
`instructions`. Names aren't set. Each text, call and result is an item of its own, parallel ones too, and counts as
one. Asked: once, at the start of a run; what is said in the run is sent whole. A run that sets a limit also leaves out
calls and results whose other half is beyond it (the session's own `get_items` doesn't), so a run is what is driven
here, up to where it would call the model.
Source: openai-agents, agents/memory/session_settings.py and agents/run_internal/session_persistence.py.
"""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from historylab.errors import needs
from historylab.registry import register


@register("trimmer", "openai_agents.session_limit", title="OpenAI Agents session limit", library="openai-agents")
class SessionLimit:
    """Keeps the newest items of the session when a run starts, and all that is said in the run."""

    form = "responses"
    system_inside = False
    carries = False
    asked = "run"
    summarizes = False

    def __init__(
        self,
        *,
        limit: Annotated[int | None, Field(ge=1, description="newest items of the session; none: all of them")] = None,
    ):
        with needs("openai-agents", "openai_agents.session_limit"):
            import agents

        self._agents = agents
        self._config = agents.RunConfig(
            session_settings=agents.SessionSettings(limit=limit), tracing_disabled=True, model=_model(agents)
        )

    async def __call__(self, items: list[Any]) -> list[Any]:
        session = self._agents.SQLiteSession("historylab")  # in memory
        try:
            await session.add_items(items)
            await self._agents.Runner.run(
                self._agents.Agent("historylab"), [], session=session, run_config=self._config
            )
        except _ModelCalled as call:
            return call.items
        finally:
            session.close()
        raise RuntimeError("the run ended without a call of the model")


class _ModelCalled(Exception):
    """The run has come to the model: with these items."""

    def __init__(self, items: list[Any]):
        self.items = items


def _model(agents: Any) -> Any:
    """A model that ends the run when it is called."""

    class Model(agents.Model):  # type: ignore[misc]
        async def get_response(self, system_instructions: str | None, input: Any, *_: Any, **__: Any) -> Any:
            raise _ModelCalled(input)

        def stream_response(self, *_: Any, **__: Any) -> Any:
            raise NotImplementedError

    return Model()
