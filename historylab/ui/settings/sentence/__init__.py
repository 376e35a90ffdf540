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
from historylab.wording.settings_sentence import ABOUT, Part, sentence_parts

KEY = "settings sentence"


def sentence(resolution: Resolution, lead: str = "", offered: Mapping[str, Mapping[str, str]] | None = None) -> None:
    """Draw the sentence; what is changed in it is chosen. `lead` and `offered` as in `sentence_parts`."""
    parts = [*sentence_parts(resolution.settings, lead, offered), Part(".")]
    component(Path(__file__).parent, ("sentence",))(
        key=KEY,
        data={"parts": [_as_drawn(part, resolution) for part in parts]},
        on_edit_change=lambda: _take_edit(parts),
    )


def _as_drawn(part: Part, resolution: Resolution) -> dict[str, Any]:
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


def _take_edit(parts: list[Part]) -> None:
    edit = session.told_by(KEY, "edit") or {}
    part = next((part for part in parts if part.setting and part.setting == edit.get("setting")), None)
    value = edit.get("value")
    if part is None or not isinstance(value, str):
        return
    if not part.choices:
        choose_amount(part.setting, value)
    elif value in part.choices:
        choices.choose_setting(part.setting, value)
