"""`langchain_agents`: a middleware for LangChain's `create_agent`, the successor of LangGraph's `create_react_agent`.

Source: `wrap_model_call` in langchain.agents.middleware. It changes only the request, not the agent's state, so that
the next request is planned from the whole conversation, as in the playground.
"""

from collections.abc import Sequence

from historylab.exporters.langchain_messages import IMPORTS, TO_SEND
from historylab.exporters.python_module import python_module
from historylab.registry import register
from historylab.settings.model import Settings

USE = (
    "`create_agent(…, middleware=[TrimHistory()])`; it needs `pip install langchain` and `pip install .` "
    "in a clone of HistoryLab"
)
MIDDLEWARE = '''
class TrimHistory(AgentMiddleware):
    """Sends what the settings keep; the agent's state keeps everything. Tools count as overhead."""

    def wrap_model_call(self, request, handler):
        return handler(trimmed(request))

    async def awrap_model_call(self, request, handler):
        return await handler(await asyncio.to_thread(trimmed, request))


def trimmed(request):
    """The request, with your system prompt where the settings put it: first, unless a layout moves it."""
    system = request.system_message
    sent = to_send([*([system] if system else []), *request.messages])
    if system and sent and sent[0] is system:
        return request.override(messages=sent[1:])
    return request.override(system_message=None, messages=sent)
'''


@register(
    "exporter",
    title="LangChain agents",
    use=USE,
    file_name="historylab_langchain_agents.py",
    mime="text/x-python",
    language="python",
    facts=frozenset({"name"}),
)
def langchain_agents(settings: Settings, names: Sequence[str]) -> str:
    """A middleware for LangChain's create_agent, which trims every request with these settings."""
    imports = f"import asyncio\n\nfrom langchain.agents.middleware import AgentMiddleware\n{IMPORTS}"
    return python_module(settings, names, "langchain_agents", f"{MIDDLEWARE}\n{TO_SEND}", imports)
