"""The line that says what is spoken of: what was recorded, a trimmer, or settings; in the words of the screen."""

from __future__ import annotations

from historylab.planning.replay import Timeline
from historylab.recordings.as_sent import is_as_sent
from historylab.wording.as_sent import AS_RECORDED, as_sent_in_short
from historylab.wording.phrases import uncapitalize
from historylab.wording.settings_sentence import sentence_parts
from historylab.wording.trimmers import trimmer_in_short

OWN = "Your own settings"
"""The name on screen of settings that are no system's."""


def lane_line(timeline: Timeline) -> str:
    """ "As recorded: as Claude Code sent it, with 1 cut." or "Your own settings: keep everything up to 8k tokens …".

    It may quote options and a function's name: untrusted text on one line.
    """
    if timeline.run:
        return f"{trimmer_in_short(timeline)}."
    if is_as_sent(timeline):
        return f"{AS_RECORDED}: {uncapitalize(as_sent_in_short(timeline))}."
    return "".join(part.text for part in sentence_parts(timeline.settings, f"{OWN}:")) + "."
