"""The configurations side by side: of each its map, three numbers, and a sentence on how it differs from the first."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from historylab.costs.amounts import money, short_count, short_money
from historylab.planning.replay import Timeline
from historylab.settings.resolve import Resolution
from historylab.tuning.compare import SENT, Figures, changed_values
from historylab.ui.compare.configuration_fields import configuration_fields, letter_mark, not_taken
from historylab.ui.compare.configurations import Configuration, compare_these, configurations, use_configuration
from historylab.ui.compare.nearest_search import nearest_answer
from historylab.ui.compare.presets import preset_name
from historylab.ui.session import cached, choices, session, viewing
from historylab.ui.session.chosen_trimmer import served_name
from historylab.ui.session.must_remember import star_marks
from historylab.ui.session.shown_timeline import BY_THE_FILE
from historylab.ui.shared.history_map import history_map
from historylab.wording.as_sent import as_sent_line
from historylab.wording.cuts import changes_in_words
from historylab.wording.over_budget import cause_in_words
from historylab.wording.palette import LOOKS
from historylab.wording.phrases import capitalize_first
from historylab.wording.settings_sentence import settings_sentence
from historylab.wording.trimmers import failed_sentence, failure_at, trimmer_in_short, trimmer_line, trimmer_notes
from historylab.wording.untrusted import escape
from historylab.wording.verdict import NOT_KNOWN

USES = "Makes these your settings, which Inspect shows. What was yours takes their place here."
SHOWS = "Inspect shows what it sends."


def lanes(
    compared: Sequence[Configuration],
    timelines: Sequence[Timeline],
    figures: Sequence[Figures],
    said: Sequence[str],
    number: int,
    *,
    aligned: bool,
) -> None:
    """A column for each, with request `number` (from 0) marked; `said` are the sentences of all but the first."""
    with st.container(key=f"lanes-{len(compared)}"):
        for each, timeline, its, sentence in zip(compared, timelines, figures, ("", *said), strict=True):
            with st.container(key=f"lane-{each.letter}"):
                name, full = lane_name(each, timeline)
                named = f'<span title="{escape(full)}">{escape(name)}</span>'
                st.html(f'<div class="hl-lane">{letter_mark(each.letter)}{named}</div>')
                at = min(number, len(timeline.plans) - 1)
                first = each is compared[0]
                brings = first or timeline.conversation.digest != timelines[0].conversation.digest
                _map(each, timeline, at, first=first, aligned=aligned, brings=brings)
                beside = (
                    f'<p class="hl-beside">{escape(sentence)}</p>' if len(compared) > 2 else ""
                )  # the headline says it
                st.html(f"{_numbers(timeline, its, at)}{beside}{_notes(timeline)}{not_taken(each)}")
                _buttons(each, compared, name)
                if each.trimmer:
                    nearest_answer(each, list(compared), timeline)
                if session.tab().compare_edits == each.letter:
                    configuration_fields(each, compared)


def lane_name(configuration: Configuration, timeline: Timeline) -> tuple[str, str]:
    """A configuration's name, and all of it in a sentence."""
    if configuration.letter == SENT:
        return "As sent", as_sent_line(timeline)
    if configuration.trimmer:
        return trimmer_in_short(timeline), trimmer_line(timeline)
    full = settings_sentence(configuration.settings)
    if configuration.is_yours:
        return _yours(configuration.resolution), full
    changed = changed_values(choices.resolution().settings.values(), configuration.settings.values())
    known = preset_name(configuration.settings, timeline)
    return capitalize_first(known or (changes_in_words(changed) if changed else "the same as yours")), full


def _yours(resolution: Resolution) -> str:
    """ "Yours"; of settings that nobody chose, in place of which the command line named a trimmer, whose they are."""
    chosen = any(origin.source not in BY_THE_FILE for origin in resolution.provenance.values())
    return "Yours" if chosen or not served_name() else "HistoryLab’s settings"


def _notes(timeline: Timeline) -> str:
    """The notes on a trimmer, as HTML."""
    return "".join(f'<div class="hl-meta">{escape(note)}</div>' for note in trimmer_notes(timeline))


def actions_legend() -> str:
    """The legend of what becomes of messages, as HTML."""
    entries = (f"<span>{look.mark(action.name.lower())}{look.word}</span>" for action, look in LOOKS.items())
    return f'<div class="hl-legend">{"".join(entries)}</div>'


def _map(
    configuration: Configuration, timeline: Timeline, number: int, *, first: bool, aligned: bool, brings: bool
) -> None:
    def choose(request: int | None, message: int | None) -> None:
        if request is not None:
            viewing.select_request(request)
            if message is not None and aligned:
                viewing.select_message(message)

    history_map(
        f"map {configuration.letter}",
        timeline,
        number,
        session.tab().message if aligned else None,
        choose,
        starred=star_marks(timeline),
        brings=brings,
        name=f"configuration {configuration.letter}",
        small=True,
        play=first and session.tab().playing,
    )


def _numbers(timeline: Timeline, figures: Figures, number: int) -> str:
    """Tokens at the request shown, which the map keeps true while it moves; what is lost and what all of them cost."""
    parts = [_tokens(timeline, number)]
    if not timeline.judged.any():
        words = ("facts lost in all", "cost in all")
        return _three([*parts, *(_number(word, NOT_KNOWN, failed_sentence(timeline)) for word in words)])
    if figures.facts_lost is None:
        parts.append(_number("messages dropped by the end", f"{figures.lost:,}", "Not sent with the last request"))
    else:
        parts.append(_number("facts lost in all", f"{figures.facts_lost:,}", "Later answers and tool calls used them"))
    if figures.cost is not None:
        parts.append(_number("cost in all", short_money(figures.cost), f"{money(figures.cost)}, with the prompt cache"))
    return _three(parts)


def _three(parts: Sequence[str]) -> str:
    return f'<dl class="hl-three">{"".join(parts)}</dl>'


def _tokens(timeline: Timeline, number: int) -> str:
    word, tokens, cause = "tokens, this request", int(timeline.contexts[number]), timeline.over_budget_cause(number)
    if why := failure_at(timeline, number):
        return _number(word, NOT_KNOWN, why)
    over = f"; over the budget: {cause_in_words(cause)}" if cause else ""
    follows = f'data-tokens="{cached.browser_key(timeline)}" class="{"hl-over" if cause else ""}"'
    return _number(word, short_count(tokens), f"{tokens:,} tokens with this request{over}", follows)


def _number(word: str, number: str, exact: str, more: str = "") -> str:
    return f'<div><dt>{word}</dt><dd title="{escape(exact)}" {more}>{number}</dd></div>'


def _buttons(configuration: Configuration, compared: Sequence[Configuration], name: str) -> None:
    letter, rest = configuration.letter, [each for each in compared if each is not configuration]
    with st.container(horizontal=True, gap="small", key=f"buttons {letter}"):
        if letter != SENT:
            opened = session.tab().compare_edits == letter
            st.button(
                "Close" if opened else "Edit",
                key=f"edit {letter}",
                on_click=viewing.edit_compared,
                args=("" if opened else letter,),
                help=f"The {'options' if configuration.trimmer else 'settings'} of {letter}",
            )
        if configuration.changes is not None:
            st.button(
                "Use",
                key=f"use {letter}",
                on_click=_use,
                args=(list(compared), letter, name),
                help=SHOWS if configuration.trimmer else USES,
            )
        st.button(
            "Remove",
            key=f"remove {letter}",
            on_click=compare_these,
            args=(rest,),
            disabled=all(each.letter == SENT for each in rest),
            help=f"Compares without {letter}",
        )


def _use(compared: Sequence[Configuration], letter: str, name: str) -> None:
    chosen = next(each for each in compared if each.letter == letter)
    use_configuration(compared, letter)
    now = next((each.letter for each in configurations() if each.is_yours and chosen.is_ours), letter)
    session.announce(f"{name} is yours now ({now}): Inspect shows it.")
