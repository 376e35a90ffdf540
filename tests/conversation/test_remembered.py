"""What a conversation remembers: computed once, the latest used first, and no more memory however much is tried."""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterator
from types import FunctionType, ModuleType
from typing import Any

import pytest
from sketches import conv

from historylab import Settings, replay
from historylab.conversation.conversation import Conversation
from historylab.costs.traffic import baseline_of
from historylab.errors import SettingsError
from historylab.registry import members
from historylab.settings.model import stage_options
from historylab.summarizers import base as summaries

TRIED = 24  # values of each option, twice


def test_the_same_key_is_computed_once():
    conversation, made = conv("u a"), []
    for _ in range(3):
        conversation.remember("roles", lambda: made.append("roles"))
        conversation.remember(("words", 3), lambda: made.append("words"))
    assert made == ["roles", "words"]


def test_of_what_depends_on_options_the_latest_used_are_kept():
    conversation, made = conv("u a"), []

    def asked(option: int) -> int:
        return conversation.remember(("words", option), lambda: made.append(option) or option, most=3)

    assert [asked(option) for option in (1, 2, 3, 1, 4, 1)] == [1, 2, 3, 1, 4, 1]
    assert made == [1, 2, 3, 4]
    assert (asked(2), made) == (2, [1, 2, 3, 4, 2])


def chat() -> Conversation:
    """Tool results long enough for every option to cut them differently, told apart by their numbers."""
    return conv("s u a(t:300 t:40) a u:50 a(t:200) a u a(t:99 t:300 t) a:80 u a u a(t:150) a u")


def values_of(name: str) -> list[Any]:
    """Twice TRIED different values of a setting; none for one that has only a few."""
    schema = stage_options()[name].schema if "." in name else {"type": "integer", "minimum": 0, "maximum": 10**6}
    low, high = schema.get("minimum", schema.get("exclusiveMinimum", 0)), schema.get("maximum", 1)
    match schema["type"]:
        case "integer" if high - low >= 2 * TRIED:
            return [max(1, low) + 3 * k for k in range(2 * TRIED)]
        case "number":
            return [low + min(high - low, 2000) * (k + 1) / (2 * TRIED) for k in range(2 * TRIED)]
        case "string" if "enum" not in schema:
            return [f"somebody {k}" for k in range(2 * TRIED)]
    return []


def varied() -> Iterator[tuple[str, dict[str, Any]]]:
    """Every option of every stage, projection and layout, and the settings that count, with what uses them."""
    for name in stage_options():
        family, _, member = name.rpartition(".")[0].partition(".")
        if family == "pin":
            yield name, {"pin": "w1*"} if name == "pin.roles" else {}
            continue
        if family in Settings.model_fields and values_of(name) and not members(family)[member].attributes.get("asks"):
            yield name, {family: member}
    for name in ("overhead", "budget", "reserve", "length", "window", "min_turns"):
        yield name, {"pruner": "summarize", "policy": "lastN"}


@pytest.mark.slow
@pytest.mark.parametrize(("name", "used"), [pytest.param(*pair, id=pair[0]) for pair in varied()])
def test_trying_more_values_of_an_option_takes_no_more_memory(monkeypatch, name, used):
    monkeypatch.setattr(summaries, "MOST_REMEMBERED", 30)  # far more than this little chat fills
    conversation, base = chat(), Settings(**{"policy": "all", "budget": 2000, "window": 4000, "pruner": "off"} | used)

    def size_after(values: list[Any]) -> int:
        for value in values:
            try:
                baseline_of(replay(conversation, base.replace(**{name: value})))
            except SettingsError:
                continue
        return size_of(conversation.derived)

    values = values_of(name)
    warm, after = size_after(values[:TRIED]), size_after(values[TRIED:])
    assert after < 1.5 * warm


def size_of(root: Any) -> int:
    """Bytes of all that can be reached from an object, code apart."""
    seen: dict[int, Any] = {}
    waiting = [root]
    while waiting:
        found = waiting.pop()
        if id(found) not in seen and not isinstance(found, type | FunctionType | ModuleType):
            seen[id(found)] = found
            waiting += gc.get_referents(found)
    return sum(map(sys.getsizeof, seen.values()))
