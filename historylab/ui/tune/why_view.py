"""The grounds of the advice, folded away: all that it rests on, the figures beside the base, and what would help."""

from __future__ import annotations

import math
from collections.abc import Callable

import streamlit as st

from historylab.costs.amounts import money, percent, times
from historylab.tuning.advice_words import kept_words
from historylab.tuning.evidence import Comparison
from historylab.tuning.trials import Trial
from historylab.tuning.tune import Advice
from historylab.ui.session import drawers, opening, session, tuning_choices, viewing
from historylab.ui.shared.page import go_to
from historylab.wording.advice import foreign_word, noun_of_base
from historylab.wording.phrases import capitalize_first
from historylab.wording.terms import with_terms

MARKED = "Must-remember messages kept"
ASKED = "Answers to your questions kept"
COST = "Cost, ≈"
EXPLAINED = ("fact", "facts in tool calls", "facts in answers", "evidence", "not trimming", "request")
"""The terms that the card explains."""
NO_BUDGET, NOT_SLICED = "it had none", "it was not"
"""In place of figures that what others decided has none of."""
Figure = Callable[[Trial, str], str]
FIGURES: tuple[tuple[str, Figure], ...] = (
    (COST, lambda t, cache: money(t.figures[f"cost_{cache}"])),
    ("Tokens a request, on average", lambda t, _: f"{t.figures['tokens_mean']:,.0f}"),
    ("Tokens of the largest", lambda t, _: f"{t.figures['tokens_peak']:,}"),
    ("Requests over the budget", lambda t, _: f"{t.figures['over_budget']:,}" if t.is_ours else NO_BUDGET),
    ("Requests that break the prompt cache", lambda t, _: f"{t.figures['prefix_breaks']:,}"),
    ("Summaries made", lambda t, _: f"{t.figures['summaries']:,}"),
    (MARKED, lambda t, _: percent(t.figures["stars_kept"])),
    (ASKED, lambda t, _: percent(t.figures["questions_kept"])),
    (
        "Refused by an API if sliced naively",
        lambda t, _: f"{t.figures['rejected_naive']:,}" if t.is_ours else NOT_SLICED,
    ),
)
OFFLINE = "Summaries here come from the offline summarizer, verbatim and free; a model's would cost one call each."
BARS = "The bars of the chart span what the starred settings may come to beside {}, with 90% confidence."


def why_view(advice: Advice, picked: Trial, cache: str, buttons: Callable[[], None]) -> None:
    """All the advice rests on, and the figures of the picked settings beside the base's, with `buttons` under them."""
    with st.expander("Why", key="why", type="compact"):
        beside = noun_of_base(advice.against)
        lines = [*advice.why, *([] if advice.advised is advice.trials[0] else [BARS.format(beside)])]
        said = "".join(f"<div>{with_terms(line, *EXPLAINED)}</div>" for line in lines)
        st.html(f'<div class="hl-why hl-tips">{said}</div>')
        st.html(_figures(advice, picked, cache))
        with st.container(horizontal=True, key="why-buttons"):
            buttons()


def help_buttons(advice: Advice) -> None:
    """Buttons for what would help where it is too little to tell; the questions stand below."""
    held = len(viewing.current_file().conversations)
    st.button("Open more files", key="open-more", on_click=drawers.open_drawer, args=(opening.KEY,))
    if held > advice.conversations and not session.tab().tuning.everywhere:
        take_all = tuning_choices.search_whole_file
        st.button(f"Take all {held:,} conversations", key="take-all", on_click=take_all, args=(True,))
    elif st.button("Mark messages", key="mark-messages"):
        go_to("playground")


def _figures(advice: Advice, picked: Trial, cache: str) -> str:
    base = advice.trials[0]
    shown = (picked,) if picked is base else (picked, base)
    rows = [*_kept_and_cost(advice, picked), *_evidence_rows(advice, picked)]
    rows += [
        (label, *(show(trial, cache) for trial in shown)) for label, show in FIGURES if _is_known(label, picked, cache)
    ]
    words = (
        capitalize_first(foreign_word(advice)) if not trial.is_ours else "These" if trial is picked else "Yours"
        for trial in shown
    )
    head = "".join(f'<th class="hl-number">{word}</th>' for word in words)
    offline = f'<div class="hl-meta">{OFFLINE}</div>' if picked.figures["summaries"] and picked.is_ours else ""
    return (
        f'<div class="hl-table"><table><thead><tr><td></td>{head}</tr></thead><tbody>{"".join(map(_row, rows))}'
        f"</tbody></table></div>{offline}"
    )


def _row(row: tuple[str, ...]) -> str:
    label, *figures = row
    cells = "".join(f'<td class="hl-number">{figure}</td>' for figure in figures)
    return f"<tr><td>{with_terms(label, *EXPLAINED)}</td>{cells}</tr>"


def _kept_and_cost(advice: Advice, picked: Trial) -> list[tuple[str, ...]]:
    beside, unpriced = advice.beside_base(picked), "cost" if advice.priced else "tokens"
    shares = ((beside.in_messages, beside.noted), (beside.base_kept - beside.base_noted, beside.base_noted))
    kept = [kept_words(*share) if advice.evidence else percent(math.nan) for share in shares]
    cost = [times(beside.cost_ratio), times(beside.base_cost_ratio)]
    shown = 1 if picked is advice.trials[0] else 2
    return [("Facts kept", *kept[:shown]), (f"{unpriced.capitalize()}, times not trimming", *cost[:shown])]


def _evidence_rows(advice: Advice, picked: Trial) -> list[tuple[str, ...]]:
    """The two parts of the evidence, of what was chosen by it; or that there were none."""
    if picked is not advice.chosen or picked is advice.trials[0]:
        return []
    if advice.held_out is None:
        return [("· looked at; nothing was held out", *_both(advice.promised))]
    return [("· where it was chosen", *_both(advice.promised)), ("· where it was judged", *_both(advice.held_out))]


def _both(beside: Comparison) -> tuple[str, str]:
    kept = [percent(share if beside.needs else math.nan) for share in (beside.kept, beside.base_kept)]
    return f"{kept[0]}, {times(beside.cost_ratio)}", f"{kept[1]}, {times(beside.base_cost_ratio)}"


def _is_known(label: str, picked: Trial, cache: str) -> bool:
    """Tell whether the row has a figure: something is marked or asked, prices are known."""
    if label == MARKED:
        return bool(picked.figures["stars"])
    if label == ASKED:
        return not math.isnan(picked.figures["questions_kept"])
    return label != COST or not math.isnan(picked.figures[f"cost_{cache}"])
