"""A process in which only numpy, pydantic and toktok-rs are installed, beside Python and HistoryLab itself.

`python tests/support/few_libraries.py` trims once under the defaults and once under an option, then under every stage,
layout, projection and offline summarizer, then asks for what needs more. It prints as JSON which members the first two
imported, what failed of the others, and what was said of a library that is missing.
"""

from __future__ import annotations

import importlib.machinery
import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path

INSTALLED = {
    "numpy",
    "pydantic",
    "pydantic_core",
    "annotated_types",
    "typing_extensions",
    "typing_inspection",
    "toktok",
}
NEED_MORE = {("pruner", "relevance"), ("summarizer", "model")}


class NothingElse:
    """Refuses every import but those of Python, HistoryLab and what is installed."""

    def find_spec(self, name: str, *_rest: object) -> importlib.machinery.ModuleSpec | None:
        top = name.partition(".")[0]
        if top not in INSTALLED | {"historylab"} | sys.stdlib_module_names and not top.startswith("_sysconfigdata"):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        return None


def conversation() -> list[dict]:
    """Some turns with a call each, long enough for every stage to act under a small budget."""
    messages: list[dict] = [{"role": "system", "content": "You sell ferry tickets. Never sell two of the same."}]
    for turn in range(12):
        call = {"id": f"c{turn}", "type": "function", "function": {"name": "look_up", "arguments": f'{{"n": {turn}}}'}}
        messages += [
            {"role": "user", "content": f"Is there a place on ferry {turn}? " + "Please look it up. " * 5},
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": f"c{turn}", "content": f"ferry {turn}: 4 places\n" + "row\n" * 60},
            {"role": "assistant", "content": f"Yes, four, on deck {turn}."},
        ]
    return [*messages, {"role": "user", "content": "Book the first of them."}]


def every_member() -> Iterator[dict]:
    """Settings that choose each member in turn."""
    from historylab import registry
    from historylab.settings.fields import FIELDS_THAT_CHOOSE

    small = {"budget": 700, "window": 900, "policy": "all"}
    for family in FIELDS_THAT_CHOOSE:
        for name in registry.members(family):
            if (family, name) not in NEED_MORE:
                yield {**small, **({"pruner": "summarize"} if family == "summarizer" else {}), family: name}


def bodies() -> dict[str, dict]:
    """A request of each other API."""
    turns = [{"role": role, "content": f"{role} {k}"} for k in range(9) for role in ("user", "assistant")]
    turns.append({"role": "user", "content": "And now?"})
    call = {"type": "function_call", "call_id": "c", "name": "look_up", "arguments": "{}"}
    result = {"type": "function_call_output", "call_id": "c", "output": "4 places"}
    return {
        "anthropic": {"model": "claude-opus-4-5", "max_tokens": 99, "system": "Be kind.", "messages": turns},
        "responses": {"model": "gpt-5.5", "input": [*turns, call, result]},
    }


def said(given: object = None, **settings: object) -> str:
    """What is raised for this request under these settings, with its class."""
    from historylab import HistoryLabError, Settings, trim

    try:
        trim(given or conversation(), Settings(**{"budget": 700, "policy": "all", **settings}))
    except HistoryLabError as problem:
        return f"{type(problem).__name__}: {problem}"
    except Exception as problem:
        return f"not ours, {type(problem).__name__}: {problem}"
    return ""


def members_imported() -> list[str]:
    """The members' files imported so far, "pruners.fifo", of the families that a setting chooses from."""
    from historylab.registry import FAMILIES
    from historylab.settings.fields import FIELDS_THAT_CHOOSE

    folders = [f"{FAMILIES[family]}." for family in FIELDS_THAT_CHOOSE]
    found = [name for name in sys.modules if name.startswith(tuple(folders)) and not name.endswith(".base")]
    return sorted(name.removeprefix("historylab.").removeprefix("planning.strategies.") for name in found)


def main() -> None:
    sys.meta_path.insert(0, NothingElse())
    os.environ |= {"OPENAI_API_KEY": "of-nobody", "OPENAI_BASE_URL": "http://127.0.0.1:9"}
    from historylab import Settings, trim

    trim(conversation())
    first = members_imported()
    trim(conversation(), Settings(policy="all", pruner="sliding_window", options={"pruner.sliding_window.turns": 3}))
    second = [name for name in members_imported() if name not in first]
    failed = {str(chosen): wrong for chosen in every_member() if (wrong := said(**chosen))}
    failed |= {api: wrong for api, body in bodies().items() if (wrong := said(body, length=2))}
    more = {
        "relevance": said(pruner="relevance"),
        "window": said(compaction="at_threshold", budget=8000),
        "model": said(pruner="summarize", summarizer="model", window=900),
    }
    try:
        from historylab import load
    except ImportError as problem:
        more["load"] = f"{type(problem).__name__}: {problem}"
    try:
        from historylab import load  # noqa: F401
    except ImportError as problem:
        more["load"] = f"{type(problem).__name__}: {problem}"
    print(json.dumps({"first": first, "second": second, "failed": failed, "more": more}))


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[2]))
    main()
