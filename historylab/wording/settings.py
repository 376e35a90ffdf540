"""Settings in words: title, help, value and source."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from historylab.costs.amounts import count_of
from historylab.registry import member, members
from historylab.settings.fields import FIELDS_THAT_CHOOSE
from historylab.settings.model import Settings, stage_options
from historylab.settings.names import SYSTEM, VERSION
from historylab.settings.resolve import Provenance, Resolution
from historylab.settings.sources import SUGGESTED
from historylab.wording.phrases import capitalize_first
from historylab.wording.untrusted import escape, one_line

SOURCE_WORDS = {
    "environment": "environment",
    "you": "you",
    "url": "URL",
    "template": "template",
    "recorded": "recorded",
    "default": "default",
}
FROM_SOURCE = {
    **{source: f"from the {word}" for source, word in SOURCE_WORDS.items()},
    "you": "of your choice",
    "recorded": "from the open file",
}
"""The source of a value, after what it says: "Pruner “x” from the URL"."""


MAIN = ("policy", "length", "pruner", "budget")
"""The settings that always stand open; all others are folded in their group."""
GROUPS: Mapping[str, tuple[str, ...]] = {
    "What stays": (*MAIN, "preserve_system_messages", "pin", "min_turns"),
    "Shortening": (
        "projection",
        "filter",
        "tool_output",
        "compaction",
        "threshold",
        "summarizer",
        "summary_heading",
        "relevance",
        "layout",
    ),
    "Model": ("model", "window", "reserve", "overhead", "counter", "counter_factor"),
}
"""Every setting under a heading, in the order it acts; an option stands where its family does."""


def group_of(name: str) -> str:
    """The heading of a field or option."""
    field = name.partition(".")[0]
    return next(group for group, fields in GROUPS.items() if field in fields)


def schema_of(name: str) -> Mapping[str, Any]:
    """The JSON schema of a field or option: type, bounds, choices; of what may be unset that of its values."""
    schema = stage_options()[name].schema if "." in name else _fields()[name]
    return {**schema, **next((s for s in schema.get("anyOf", ()) if s.get("type") != "null"), {})}


@cache
def _fields() -> Mapping[str, Mapping[str, Any]]:
    properties: Mapping[str, Mapping[str, Any]] = Settings.model_json_schema()["properties"]
    return properties


def title_of(name: str) -> str:
    """The setting's title on screen: "Budget", "Turns in the window"."""
    plain = name.rpartition(".")[2].replace("_", " ")
    return schema_of(name).get("title") or capitalize_first(plain)


def summary_author(by: str) -> str:
    """Who wrote a summary, by the name kept with it: "lines of the original", "written by model fancy-1"."""
    known = members("summarizer").get(by)
    return known.title.lower() if known else f"written by {one_line(by, 60)}"


def full_title(name: str) -> str:
    """The title, an option's after that of its member: "Sliding window: turns in the window"."""
    if "." not in name:
        return title_of(name)
    family, _, chosen = name.rpartition(".")[0].partition(".")
    return f"{member(family, chosen).title if chosen else title_of(family)}: {title_of(name).lower()}"


def help_of(name: str) -> str:
    """The setting's description, in a sentence."""
    text = stage_options()[name].help if "." in name else schema_of(name).get("description", "")
    return capitalize_first(text)


def count_differing(settings: Settings) -> int:
    """The number of settings that aren't as by default."""
    defaults = Settings().values()
    return sum(value != defaults[name] for name, value in settings.values().items())


def differing_in_words(settings: Settings) -> str:
    """ "7 of 67 settings differ from the defaults"."""
    values, differing = settings.values(), count_differing(settings)
    verb = "differs" if differing == 1 else "differ"
    return f"{differing or 'none'} of {len(values)} settings {verb} from the defaults"


def show_value(value: Any) -> str:
    """A value in words: "on", "4,000", "not set"."""
    if value is None or value == "":
        return "not set"
    if isinstance(value, bool):
        return "on" if value else "off"
    return f"{value:,}" if isinstance(value, int | float) else one_line(str(value), 60)


def value_in_words(name: str, value: Any) -> str:
    """A setting's value in words; for a choice its title: "Oldest first (fifo)"."""
    if name not in FIELDS_THAT_CHOOSE:
        return show_value(value)
    return ", ".join(member_word(name, each) for each in value.split("+"))


def setting_in_words(name: str, value: Any) -> str:
    """A setting with its value, in a sentence: "Budget 11,777", "Tool outputs “Cut long ones (truncate)”"."""
    words = value_in_words(name, value)
    return f"{title_of(name)} {words if isinstance(value, int | float) else f'“{words}”'}"


def member_word(family: str, name: str) -> str:
    """A member's title, with its identifier if that differs: "Oldest first (fifo)"."""
    title = member(family, name).title
    return title if title.lower() in (name.lower(), choice_word(name).lower()) else f"{title} ({name})"


def source_word(origin: Provenance) -> str:
    """The source of a value, beside its field: "you", "recorded", "suggested for this file"; "system": a link's."""
    if implied_by_link(origin):
        return SYSTEM if origin.name == SYSTEM else SOURCE_WORDS["default"]
    return SUGGESTED if origin.name == SUGGESTED else SOURCE_WORDS[origin.source]


def implied_by_link(origin: Provenance) -> bool:
    """Tell whether a link decides the value unsaid: by the system it names, or as it leaves out the default."""
    return origin.source == "url" and origin.name in (SYSTEM, VERSION)


def locked_by(origin: Provenance) -> str:
    """Why nothing here changes that setting, as HTML: "set by HISTORYLAB_BUDGET"."""
    by = f"set by <code>{escape(origin.name)}</code>"
    return by if origin.source == "environment" else "the environment is strict"


def lock_reason(origin: Provenance) -> str:
    """The same as plain text."""
    return f"set by {origin.name}" if origin.source == "environment" else "the environment is strict"


def strict_note(resolution: Resolution) -> str:
    """The sources that a strict environment shuts out, in sentences; "" if it shuts out nothing."""
    if not resolution.strict:
        return ""
    setting = [p.name for p in resolution.provenance.values() if p.source == "environment"]
    more = f" and {len(setting) - 1:,} more" if len(setting) > 1 else ""
    ignored = sum(any(c.shut_out for c in p.candidates) for p in resolution.provenance.values())
    what = f"; they would have set {count_of(ignored, 'setting')}" if ignored else ""
    return (
        f"The environment is strict and sets {setting[0]}{more}, so the URL and your choices are ignored{what}. "
        "Every setting is locked."
    )


def choice_word(name: str) -> str:
    """An identifier as words: "Last user"."""
    words = name.replace("_", " ")
    return capitalize_first(words)
