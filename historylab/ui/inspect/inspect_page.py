"""The page as a whole. Its own path opens it on the messages, that of the sources on where every setting comes from."""

from __future__ import annotations

from historylab.conversation.conversation import Conversation
from historylab.planning.replay import Timeline
from historylab.recordings.as_sent import is_foreign
from historylab.settings.resolve import Resolution
from historylab.ui.debug.debug_tab import debug_tab
from historylab.ui.debug.history_log import log_history
from historylab.ui.live.proxy_settings import give_to_proxy
from historylab.ui.request.request_tabs import Drawn, draw_tabs
from historylab.ui.request.request_view import request_view
from historylab.ui.session import choices, opening, session, viewing
from historylab.ui.session.shown_timeline import timeline_on_screen
from historylab.ui.settings.consent_field import model_call_notice
from historylab.ui.settings.settings_sidebar import settings_sidebar
from historylab.ui.settings.system_choice import describe_system
from historylab.ui.shared.no_requests import no_requests
from historylab.ui.shared.page import start_page
from historylab.ui.shared.refusals import refusals
from historylab.ui.shared.replay_errors import replay_errors_shown
from historylab.ui.sources.sources_tab import sources_tab
from historylab.ui.toolbar.conversation_bar import conversation_bar
from historylab.ui.toolbar.export_drawer import export_button
from historylab.wording.verdict import without_requests


def inspect_page(name: str, tab: str = "") -> None:
    """Draw it under that name of PAGES; whoever comes to it finds that tab open, if one is named."""
    arrives = session.tab().page != name
    start_page(name)
    if arrives and tab:
        viewing.show_tab(tab)
    conversation = opening.conversation()
    resolution = choices.resolution()
    refusals(resolution)
    with replay_errors_shown(lambda: settings_sidebar(resolution, as_sent=True, trimmers=True)):
        timeline = timeline_on_screen(conversation, resolution)
    if not is_foreign(timeline):
        model_call_notice(resolution, timeline)
    conversation_bar(conversation, timeline, resolution, lambda: export_button(resolution, timeline))
    if not is_foreign(timeline):
        give_to_proxy(resolution)
    log_history(resolution, timeline)
    more = _more_tabs(conversation, timeline, resolution)
    if timeline.plans:
        request_view(timeline, resolution, more)
    else:
        no_requests(without_requests(conversation))
        draw_tabs(more)
    sidebar = settings_sidebar(resolution, as_sent=True, trimmers=True)
    describe_system(sidebar, timeline, conversation)  # last: what the settings do is shown first


def _more_tabs(conversation: Conversation, timeline: Timeline, resolution: Resolution) -> Drawn:
    """The tabs that are not about one request alone."""
    return {
        viewing.SOURCES: lambda: sources_tab(conversation),
        viewing.DEBUG: lambda: debug_tab(resolution, conversation, timeline),
    }
