"""Inspect, of what an app sends now: the conversations of a recording, each request drawn as it was sent."""

from historylab.ui.live.live_view import live_view
from historylab.ui.session import choices
from historylab.ui.shared.page import start_page
from historylab.ui.shared.refusals import refusals

start_page("live")
refusals(choices.resolution())
live_view()
