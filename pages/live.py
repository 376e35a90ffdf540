"""Live: the conversations of a recording as they happen, each request drawn as it was sent."""

from historylab.ui.live.live_view import live_view
from historylab.ui.shared.page import start_page
from historylab.ui.shared.refusals import show_problem

start_page("live")
show_problem()
live_view()
