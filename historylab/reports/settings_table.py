"""The report's settings: those set by any source or different between configurations first, the rest folded."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from historylab.recordings.as_sent import is_foreign
from historylab.reports.shown import Shown
from historylab.wording.settings import title_of, value_in_words
from historylab.wording.trimmers import foreign_line, trimmer_notes
from historylab.wording.untrusted import escape, one_line


def settings_table(shown: Sequence[Shown]) -> str:
    """A column per configuration; of one alone, where each value comes from."""
    names = shown[0].timeline.settings.values()
    if len(shown) == 1:
        return _of_one(shown[0], names)
    shown = [one for one in shown if not is_foreign(one.timeline)]
    if len(shown) == 1:
        return _of_one(shown[0], names)
    differing = [name for name in names if len({repr(one.timeline.settings.value(name)) for one in shown}) > 1]
    rest = [name for name in names if name not in differing]
    first = _table(shown, differing) if differing else '<p class="meta">All are the same.</p>'
    return f"{first}{_fold(shown, rest, 'the same')}"


def _of_one(shown: Shown, names: Iterable[str]) -> str:
    resolution = shown.resolution
    if is_foreign(shown.timeline):
        said = [foreign_line(shown.timeline), *trimmer_notes(shown.timeline)]
        return "".join(f'<p class="meta">{escape(sentence)}</p>' for sentence in said)
    if resolution is None:
        return _table([shown], names)
    decided = [name for name in names if resolution.provenance[name].source != "default"]
    rest = [name for name in names if name not in decided]
    first = _table([shown], decided) if decided else '<p class="meta">All are at their defaults.</p>'
    return f"{first}{_fold([shown], rest, 'at their defaults')}"


def _fold(shown: Sequence[Shown], names: Sequence[str], how: str) -> str:
    return f"<details><summary>{len(names):,} {how}</summary>{_table(shown, names)}</details>"


def _table(shown: Sequence[Shown], names: Iterable[str]) -> str:
    alone = shown[0] if len(shown) == 1 and shown[0].resolution else None
    head = "".join(f'<th><b class="letter {one.letter}">{one.letter}</b></th>' for one in shown)
    if len(shown) == 1:
        head = f"<th>Value</th>{'<th>From</th>' if alone else ''}"
    rows = "".join(
        f"<tr><td>{escape(title_of(name))} <code>{escape(name)}</code></td>{_values(shown, name)}"
        f"{f'<td>{escape(_source(alone, name))}</td>' if alone else ''}</tr>"
        for name in names
    )
    return f'<div class="table"><table><tr><th>Setting</th>{head}</tr>{rows}</table></div>'


def _values(shown: Sequence[Shown], name: str) -> str:
    return "".join(f"<td>{escape(value_in_words(name, one.timeline.settings.value(name)))}</td>" for one in shown)


def _source(shown: Shown, name: str) -> str:
    if shown.resolution is None:
        return ""
    origin = shown.resolution.provenance[name]
    word = shown.source_word(origin)
    known = origin.name in ("", origin.source, word) or origin.source == "you"
    return word if known else f"{word} ({one_line(origin.name, 60)})"
