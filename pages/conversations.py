"""Conversations: what was recorded, imported or generated, with figures and totals; to search, tag and open."""

from historylab.ui.library.conversations_page import conversations_page

conversations_page("conversations")
