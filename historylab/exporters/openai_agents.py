"""`openai_agents`: an input filter for the OpenAI Agents SDK that trims every request.

Source: the SDK's `RunConfig.call_model_input_filter`, which sees every request with its instructions before it is sent
and doesn't change what a session keeps. Its items are those of the Responses API.
"""

from collections.abc import Sequence

from historylab.exporters.python_module import python_module
from historylab.registry import register
from historylab.settings.model import Settings

USE = (
    "`RunConfig(call_model_input_filter=trim_input)`; it needs `pip install openai-agents` and `pip "
    "install .` in a clone of HistoryLab"
)
CODE = '''
async def trim_input(data):
    """Only what is sent is trimmed, a session keeps everything. Tools count as overhead.

    It needs the whole history in every request: not with conversation_id or previous_response_id.
    """
    given = data.model_data
    system = [{"role": "system", "content": given.instructions}] if given.instructions else []
    sent = await trimmer.atrim([*system, *given.input])
    if system and sent and sent[0] is system[0]:
        return replace(given, input=sent[1:])
    return replace(given, instructions=None, input=sent)  # left out, or where a layout puts them
'''


@register(
    "exporter",
    title="OpenAI Agents",
    use=USE,
    file_name="historylab_openai_agents.py",
    mime="text/x-python",
    language="python",
    facts=frozenset({"time", "thinking"}),
)
def openai_agents(settings: Settings, names: Sequence[str]) -> str:
    """An input filter for the OpenAI Agents SDK, which trims every request with these settings."""
    standard = ("from dataclasses import replace",)
    return python_module(settings, names, "openai_agents", CODE, standard=standard, api="responses")
