"""`langgraph`: a `pre_model_hook` for LangGraph's `create_react_agent`, and a function for custom graphs.

Source: `create_react_agent` in langgraph.prebuilt. What the hook returns as `llm_input_messages` is sent and is not
written to the graph's state, so that the next request is planned from the whole conversation, as in the playground.
"""

from collections.abc import Sequence

from historylab.exporters.langchain_messages import IMPORTS, TO_SEND
from historylab.exporters.python_module import python_module
from historylab.registry import register
from historylab.settings.model import Settings

USE = "`pip install historylab langgraph`, then create_react_agent(…, pre_model_hook=pre_model_hook)"
HOOK = '''
def pre_model_hook(state):
    """Only what is sent is trimmed, the state keeps everything. In a graph of your own call `to_send` before the model.

    A `prompt` is put in front afterwards, and tools are sent besides: both count as overhead.
    """
    return {"llm_input_messages": to_send(state["messages"])}
'''


@register("exporter", title="LangGraph", file_name="historylab_langgraph.py", mime="text/x-python", language="python")
def langgraph(settings: Settings, names: Sequence[str]) -> str:
    """LangGraph's pre_model_hook: every request sends what the playground shows."""
    return python_module(settings, names, USE, f"{HOOK}\n{TO_SEND}", IMPORTS)
