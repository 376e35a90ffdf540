"""`anthropic_sdk`: functions that trim the arguments of a call of Anthropic's SDK, streamed or not.

Source: `messages.create` and `.stream` of the SDK for Python (2.12), which take the fields of a request's body. Tools
and markers for the cache go on as they are; a marker goes with its block.
"""

from collections.abc import Sequence

from historylab.exporters.python_module import python_module
from historylab.registry import register
from historylab.settings.model import Settings

USE = (
    "`client.messages.create(**trimmed(model=…, max_tokens=…, system=…, messages=messages))`, and `await atrimmed(…)` "
    "in an event loop; it needs `pip install anthropic` and `pip install .` in a clone of HistoryLab"
)
CODE = '''
def trimmed(**body):
    """What to call with: `create`, `stream` and `count_tokens` of `client.messages` and of `client.beta.messages`.

    `messages` is the whole history at every call; a summary stands in `system`. Where what is kept begins with an
    answer, words of the user in brackets come first, as the API wants it. Tools count as overhead.
    """
    return trimmer.trim(body)


async def atrimmed(**body):
    """The same for `AsyncAnthropic`, without blocking the event loop."""
    return await trimmer.atrim(body)
'''


@register(
    "exporter",
    title="Anthropic SDK",
    use=USE,
    file_name="historylab_anthropic.py",
    mime="text/x-python",
    language="python",
    facts=frozenset({"time", "thinking"}),
)
def anthropic_sdk(settings: Settings, names: Sequence[str]) -> str:
    """Functions that trim a call of Anthropic's SDK with these settings."""
    return python_module(settings, names, "anthropic_sdk", CODE, api="anthropic")
