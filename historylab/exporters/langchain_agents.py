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
        given = as_records(messages_of(request))
        return handler(with_messages(request, as_messages(trimmer.trim(given), given)))

    async def awrap_model_call(self, request, handler):
        given = as_records(messages_of(request))
        return await handler(with_messages(request, as_messages(await trimmer.atrim(given), given)))


def messages_of(request):
    return [*([request.system_message] if request.system_message else []), *request.messages]


def with_messages(request, sent):
    """The request, with your system prompt where the settings put it: first, unless a layout moves it."""
    if request.system_message and sent and sent[0] is request.system_message:
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
)
def langchain_agents(settings: Settings, names: Sequence[str]) -> str:
    """A middleware for LangChain's create_agent, which trims every request with these settings."""
    imports = f"from langchain.agents.middleware import AgentMiddleware\n{IMPORTS}"
    return python_module(
        settings, names, "langchain_agents", f"{MIDDLEWARE}\n{TO_SEND}", imports=imports, api="chat_completions"
    )
