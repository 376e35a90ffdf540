"""The playground: one conversation under one set of settings, request by request."""

from historylab.recordings.as_sent import is_as_sent
from historylab.ui.debug.debug_drawer import debug_button, debug_drawer
from historylab.ui.debug.history_log import log_history
from historylab.ui.live.proxy_settings import give_to_proxy
from historylab.ui.request.request_view import request_view
from historylab.ui.session import choices, opening
from historylab.ui.session.shown_timeline import timeline_on_screen
from historylab.ui.settings.consent_field import model_call_notice
from historylab.ui.settings.settings_sidebar import settings_sidebar
from historylab.ui.settings.system_choice import describe_system
from historylab.ui.shared.no_requests import no_requests
from historylab.ui.shared.page import start_page
from historylab.ui.shared.refusals import refusals
from historylab.ui.shared.replay_errors import replay_errors_shown
from historylab.ui.toolbar.conversation_bar import conversation_bar
from historylab.ui.toolbar.export_drawer import export_button
from historylab.wording.verdict import without_requests

start_page("playground")
conversation = opening.conversation()
resolution = choices.resolution()
refusals(resolution)
with replay_errors_shown(lambda: settings_sidebar(resolution, as_sent=True)):
    timeline = timeline_on_screen(conversation, resolution)
model_call_notice(resolution, timeline)
conversation_bar(conversation, timeline, resolution, lambda: export_button(resolution, timeline), debug_button)
if not is_as_sent(timeline):
    give_to_proxy(resolution)
log_history(resolution, timeline)
if timeline.plans:
    request_view(timeline, resolution)
else:
    no_requests(without_requests(conversation))
describe_system(
    settings_sidebar(resolution, as_sent=True), timeline, conversation
)  # last: what the settings do is shown first
debug_drawer(resolution, conversation, timeline)
