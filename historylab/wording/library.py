"""The words of the page Conversations."""

from __future__ import annotations

from collections.abc import Mapping

from historylab.costs.amounts import count_of
from historylab.counters.base import counter_for
from historylab.recordings.entries import Source
from historylab.settings.model import Settings
from historylab.systems.mentu.library_memory import Remembered
from historylab.wording.untrusted import one_line

ORIGINS: Mapping[Source, str] = {"recorded": "Recorded", "imported": "Imported", "generated": "Generated"}
"""Where a conversation is from, as its row says."""
SEVERAL_PEOPLE = "may be of several people"
SOURCE_CHOICES: Mapping[Source, str] = {
    "recorded": "Recorded",
    "imported": "Imported",
    "generated": "Generated, sample or chat",
}
NOT_RECORDING = (
    "Listed is what you opened or generated in this tab. To record what an app sends, start HistoryLab and its proxy "
    "with --record."
)
NOTHING_YET = "Nothing has been recorded yet. Send requests through historylab proxy, or open a file."
QUOTED = 40  # characters of what was searched


def headline(shown: int, words: str, *, chosen: bool) -> str:
    """ "12 conversations have “late ferry” in them, the best first.": what the list holds."""
    count = count_of(shown, "conversation")
    if words.strip():
        quoted = f"“{one_line(words.strip(), QUOTED)}”"
        if not shown:
            return f"No conversation shares a word with {quoted}."
        return f"{count} {'shares' if shown == 1 else 'share'} words with {quoted}, the best first."
    if chosen:
        return f"{count} of those chosen, the newest first." if shown else "No conversation is of that kind."
    return f"{count}, the newest first." if shown else "There is no conversation."


def cannot_read(place: str, problem: str) -> str:
    """Why the recording is missing from the list, and what to do."""
    return (
        f"The recording at {one_line(place, 200)} can't be read: {one_line(problem, 300)}. Reload the page to try "
        "again; what this tab holds is kept"
    )


def deletion(recorded: int, lines: int, held: int, place: str) -> list[str]:
    """What deleting does, a sentence for each kind of conversation."""
    said = []
    if recorded:
        said.append(
            f"{count_of(recorded, 'recorded conversation')} with {count_of(lines, 'line')} in all: deleted from the "
            f"recording at {one_line(place, 200)}, tags, checkpoints and summaries included. This can't be undone."
        )
    if held:
        said.append(
            f"{count_of(held, 'conversation')} of this tab: taken off this list. Files on your disk stay as they are."
        )
    return said


def remembered_line(found: Remembered, settings: Settings) -> str:
    """ "Remembered from “Cake for Ana” and “Ferry”: 120 tokens": which conversations quotes are of, and their size."""
    *others, last = (f"“{one_line(entry.title, 60)}”" for entry in found.entries)
    first = f"{', '.join(others)} and " if others else ""
    tokens = int(counter_for(settings).count([found.message])[0])
    return f"Remembered from {first}{last}: {tokens:,} tokens"
