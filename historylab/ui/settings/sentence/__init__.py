"""The settings as a sentence, edited in place: its underlined words are choices and numbers."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from historylab.settings.resolve import Resolution
from historylab.ui.session import choices, session
from historylab.ui.settings.amount import choose_amount
from historylab.ui.shared.browser import component
from historylab.wording.settings import lock_reason, title_of
from historylab.wording.settings_sentence import ABOUT, END, SentencePart, sentence_parts

KEY = "settings sentence"


def sentence(resolution: Resolution, lead: str = "", offered: Mapping[str, Mapping[str, str]] | None = None) -> None:
    """Draw the sentence; what is changed in it is chosen. `lead` and `offered` as in `sentence_parts`."""
    parts = sentence_parts(resolution.settings, lead, offered)
    component(Path(__file__).parent, ("sentence",))(
        key=KEY,
        data={"parts": [*(_as_drawn(part, resolution) for part in parts if not _is_end(part)), *_ends(parts)]},
        on_edit_change=lambda: _take_edit(parts),
    )


def _is_end(part: SentencePart) -> bool:
    return part.text.startswith(END)


def _ends(parts: list[SentencePart]) -> list[dict[str, Any]]:
    """The ends as the browser takes them: the first, and whether there are more, which are told on hover."""
    first, *more = [part.text.removeprefix(END) for part in parts if _is_end(part)] or [""]
    said = f"{END}{first}{'; …' if more else ''}" if first else ""
    return [{"text": said, "end": END.join([first, *more])}, {"text": "."}]


def _as_drawn(part: SentencePart, resolution: Resolution) -> dict[str, Any]:
    """A part as the browser takes it: words; a choice; or a number, exact while it is written."""
    if not part.setting:
        return {"text": part.text}
    origin = resolution.provenance[part.setting]
    if origin.locked:
        return {"text": part.text, "locked": lock_reason(origin)}
    drawn = {"text": part.text, "setting": part.setting, "label": ABOUT.get(part.setting) or title_of(part.setting)}
    if part.choices:
        return {**drawn, "chosen": origin.value, "choices": list(part.choices.items())}
    return {**drawn, "exact": f"{origin.value:,}"}


def _take_edit(parts: list[SentencePart]) -> None:
    edit = session.told_by(KEY, "edit") or {}
    part = next((part for part in parts if part.setting and part.setting == edit.get("setting")), None)
    value = edit.get("value")
    if part is None or not isinstance(value, str):
        return
    if not part.choices:
        choose_amount(part.setting, value, choices.choose_setting)
    elif value in part.choices:
        choices.choose_setting(part.setting, value)
