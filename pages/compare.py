"""Compare: one conversation under two to four settings, side by side, against the playground's."""

from historylab.ui.compare import configurations
from historylab.ui.compare.compare_view import compare_view
from historylab.ui.compare.comparison_verdict import comparison_bar, comparison_verdict
from historylab.ui.compare.configuration_cards import configuration_cards, shared_settings
from historylab.ui.session import cached, opening, session
from historylab.ui.shared.no_requests import no_requests
from historylab.ui.shared.page import start_page
from historylab.ui.shared.refusals import refusals
from historylab.ui.shared.replay_errors import replay_errors_shown

start_page("compare")
conversation = opening.conversation()
compared = configurations.configurations()
with replay_errors_shown(lambda: configuration_cards(compared)):
    timelines = [cached.timeline(conversation, c.settings) for c in compared]
refusals(compared[0].resolution)
lanes, drawn = configurations.add_sent(compared, timelines)
if timelines[0].plans:
    comparison_verdict(lanes, drawn)
    comparison_bar(conversation, lanes, drawn)
    configuration_cards(lanes, drawn)
    compare_view(lanes, drawn)
    shared_settings(compared)
else:
    no_requests("There is nothing to compare. Open another conversation in the playground.")
session.clear_announcement()
