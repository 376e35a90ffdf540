"""The contract of presets: a system's settings, its fields in its own words and units, its rule in half a sentence.

    @register("preset", title="AgentDock")
    def agentdock() -> Preset:
        \"\"\"AgentDock's message history: the last N user messages, all, or none.\"\"\"
        length = PresetField("length", "historyLength", "History length", "user messages")
        return Preset(settings=…, fields=(length, …), rule=…)

A new system is one file here, or none where it has functions of its own too: any module in this folder registers. What
a provider's API does on its servers is one as well: it names its `provider`, and says what it `assumes`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

from historylab.registry import members
from historylab.settings.fields import FIELDS_THAT_CHOOSE
from historylab.settings.model import Settings, stage_options
from historylab.settings.names import as_text, url_name
from historylab.settings.pin import AGENT_CONTEXT

NOT_DECIDED = frozenset({"model", "summarizer", "relevance", "overhead", "window", "counter_factor", "pin"})
"""Fields no system decides, unless its settings name something else than the default."""


@dataclass(frozen=True, slots=True)
class PresetField:
    """A setting as the system calls it: the published name, a label, the unit, and what it does.

    `choices` are the members of the family that the system has, in its order, by the names it gives them.
    """

    setting: str
    published: str
    label: str
    unit: str = ""
    help: str = ""
    choices: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Preset:
    """A system to start from.

    Attributes:
        settings: the system as it is published.
        fields: the settings its users change, the most used first; all others are folded away.
        rule: the settings → what they do, as in "keeps the last 20 user messages"; "" if they no longer are this
            system's.
        variants: alternatives that the system offers or plans, by name; off unless chosen.
        yours: settings the system doesn't decide, which stay as they are.
        seen_as: how projected messages are shown: "as Mentu's prompt has them".
        provider: whose servers do this, if it is no program's.
        assumes: the settings → what of it is not published and assumed here, a line each; "" where nothing is.
    """

    settings: Settings
    fields: tuple[PresetField, ...]
    rule: Callable[[Settings], str]
    variants: Mapping[str, Settings] = field(default_factory=dict)
    yours: frozenset[str] = frozenset()
    seen_as: str = ""
    name: str = ""
    title: str = ""
    provider: str = ""
    assumes: Callable[[Settings], str] = lambda _settings: ""

    def decides(self, variant: str = "") -> dict[str, Any]:
        """By setting name, what choosing it sets: its fields, and every option of the members it chooses."""
        settings = self.variants.get(variant, self.settings)
        left = {n for n in NOT_DECIDED if settings.value(n) == Settings.model_fields[n].default} | self.yours
        names = [name for name in Settings.model_fields if name != "options"]
        names += [name for name in stage_options() if name == AGENT_CONTEXT or _is_chosen(name, settings)]
        return {name: settings.value(name) for name in names if name not in left}

    def changed(self, settings: Settings, variant: str = "") -> list[str]:
        """The settings that are not as the preset has them."""
        return [name for name, value in self.decides(variant).items() if settings.value(name) != value]


@cache
def presets() -> Mapping[str, Preset]:
    """Every preset by name, in the order of their titles, published systems before providers."""
    made = [replace(m.target(), name=m.name, title=m.title) for m in members("preset").values()]
    made.sort(key=lambda preset: (bool(preset.provider), preset.title.lower()))
    return {preset.name: preset for preset in made}


def find_preset(spec: str) -> tuple[Preset, str] | None:
    """The preset and variant a link names, `mentu` or `mentu:VARIANT`; None if there is none of that name."""
    name, _, variant = spec.partition(":")
    preset = presets().get(name)
    return (preset, variant) if preset and (not variant or variant in preset.variants) else None


def preset_in_link(spec: str) -> dict[str, str]:
    """What the preset of that name decides, as a link has it: raw texts by URL name; nothing if there is none."""
    found = find_preset(spec)
    return {url_name(n): as_text(v) for n, v in found[0].decides(found[1]).items()} if found else {}


def count_phrase(number: float, noun: str) -> str:
    """ "1 pair", "20 pairs", "the last 1,000 messages": for rules."""
    return f"{number:,g} {noun}{'' if number == 1 else 's'}" if number < 1e6 else f"{number:,.0f} {noun}s"


def _is_chosen(option: str, settings: Settings) -> bool:
    family, _, member = option.rpartition(".")[0].partition(".")
    return family in FIELDS_THAT_CHOOSE and member in settings.value(family).split("+")
