"""`langgraph`: a `pre_model_hook` for LangGraph's `create_react_agent`, and a function for custom graphs.

Source: `create_react_agent` in langgraph.prebuilt. What the hook returns as `llm_input_messages` is sent and is not
written to the graph's state, so that the next request is planned from the whole conversation, as in the playground.
"""

from collections.abc import Iterator, Sequence

from historylab.exporters.base import Difference, first_without
from historylab.exporters.langchain_messages import IMPORTS, TO_SEND
from historylab.exporters.python_module import python_module
from historylab.registry import register
from historylab.settings.model import Settings

USE = (
    "`create_react_agent(…, pre_model_hook=pre_model_hook)`; it needs `pip install langgraph` and `pip "
    "install .` in a clone of HistoryLab"
)
PROMPT = "A `prompt` of create_react_agent is put in front of every request; put it into the messages instead."
HOOK = '''
def pre_model_hook(state):
    """Only what is sent is trimmed, the state keeps everything. In a graph of your own call `to_send` before the model.

    A `prompt` is put in front afterwards, and tools are sent besides: both count as overhead.
    """
    return {"llm_input_messages": to_send(state["messages"])}
'''


def differs(settings: Settings) -> Iterator[Difference]:
    if not settings.preserve_system_messages:
        yield Difference(("preserve_system_messages",), PROMPT)
    yield from first_without(settings, "A `prompt` of create_react_agent")


@register(
    "exporter",
    title="LangGraph",
    use=USE,
    file_name="historylab_langgraph.py",
    mime="text/x-python",
    language="python",
    differs=differs,
)
def langgraph(settings: Settings, names: Sequence[str]) -> str:
    """LangGraph's pre_model_hook, which trims every request with these settings."""
    return python_module(settings, names, "langgraph", f"{HOOK}\n{TO_SEND}", imports=IMPORTS, api="chat_completions")
