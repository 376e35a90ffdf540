"""Corpus, an older name of Conversations: the same page, with what its totals rest on unfolded."""

from historylab.ui.library.conversations_page import conversations_page

conversations_page("corpus", totals=True)
