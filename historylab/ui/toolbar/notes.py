"""Notes on a file, a line each: what it was recorded with and sent under, and your edits."""

from __future__ import annotations

import streamlit as st

from historylab.recordings.as_sent import has_cuts
from historylab.recordings.sent_plans import newest_decision
from historylab.settings.resolve import Resolution
from historylab.ui.session import choices, edits, session, viewing
from historylab.wording.cuts import settings_in_words
from historylab.wording.recorded import recorded_sentence
from historylab.wording.settings import title_of
from historylab.wording.untrusted import escape

NEVER_SENT = " It was never sent like this, so the settings decide."
NOT_USED = "What this file was recorded with is not used: your own settings and the defaults decide."


def recorded_line(resolution: Resolution) -> None:
    """The line on what the open file was recorded with and which of it is used, with the way back.

    Nothing where the file says nothing, nothing of it is used, or it was dismissed. A long line is cut, and unfolds
    on a click.
    """
    state, proposal = session.tab(), choices.proposal()
    if not proposal.values or state.recorded_dismissed:
        return
    cut = has_cuts(viewing.current_file().original)
    sentence = recorded_sentence(proposal, resolution, opens_as_sent=cut) if state.recorded else NOT_USED
    if not sentence:
        return
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="recorded"):
        said = f'<details class="hl-notice hl-recorded"><summary>{escape(sentence)}</summary></details>'
        st.html(f'<div role="status">{said}</div>')
        if state.recorded:
            if proposal.what_if and resolution.provenance["budget"].source == "recorded":
                _what_if(proposal.what_if)
            st.button("Use my defaults instead", key="ignore-recorded", on_click=choices.ignore_recorded)
        else:
            st.button("Use what was recorded", key="use-recorded", on_click=choices.use_recorded)
        st.button("Dismiss", key="dismiss-recorded", type="tertiary", on_click=choices.dismiss_recorded)


def _what_if(budget: int) -> None:
    """A budget that would cut what opens untrimmed: nothing is cut before it is asked for."""
    st.button(
        f"What if {budget:,}?",
        key="what-if-budget",
        help=f"See what a budget of {budget:,} would cut, lose and save",
        on_click=choices.choose_setting,
        args=("budget", budget),
    )


def sent_under_line(resolution: Resolution) -> None:
    """The line on the settings that the open recording was sent under, where they are others; a button uses them."""
    found = newest_decision(viewing.current_file().original)
    if found is None:
        return
    sent, audited = found
    now, then = resolution.settings.values(), sent.values()
    others = {name: value for name, value in then.items() if value != now[name]}
    locked = [name for name in others if resolution.provenance[name].locked]
    if not others:
        return
    held = f" {', '.join(map(title_of, locked))}: held by the environment." if locked else ""
    said = f"{'Only watched (audit)' if audited else 'Sent'} under {settings_in_words(sent)}.{held}"
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="sent-under"):
        st.html(f'<div class="hl-notice hl-small">{escape(said)}</div>')
        if len(locked) < len(others):
            free = {name: value for name, value in others.items() if name not in locked}
            st.button("Use these settings", key="use-sent-under", on_click=choices.choose_settings, args=(free,))


def edited_bar() -> None:
    """The line on what was changed, with undo and the way back to the original; nothing while nothing was edited.

    Its place is there all the same: else all below it would be another element, and be drawn from nothing.
    """
    place = st.container(horizontal=True, vertical_alignment="center", gap="small", key="edited")
    if not edits.current_edits():
        return
    with place:
        st.html(
            f'<div role="status"><b>✎ Changed by you: {edits.describe_edits()}.</b> '
            f"In this tab only.{NEVER_SENT if has_cuts(viewing.current_file().original) else ''}</div>",
            width="content",
        )
        st.button("Undo the last edit", key="undo-edit", on_click=edits.undo_edit)
        st.button("Back to the original", key="back-to-original", on_click=edits.discard_edits)
